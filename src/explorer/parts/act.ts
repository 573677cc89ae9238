import { signal } from '@preact/signals';
import { client } from '../chain.ts';
import { errorText } from '../format.ts';
import { announcement } from './values.tsx';

/** The error message of the last failed action; `null` if it succeeded or was dismissed. */
export const actFailure = signal<string | null>(null);

/** Changes the chain and announces `words`. */
export async function act(words: string, method: string, params: readonly unknown[] = []): Promise<void> {
  try {
    await client.act(method, params);
    actFailure.value = null;
    announcement.value = words;
  } catch (error) {
    actFailure.value = errorText(error);
  }
}
