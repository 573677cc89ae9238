import { signal } from '@preact/signals';
import { client } from '../chain.ts';
import { errorText } from '../format.ts';
import { announcement } from './values.tsx';

/** The reason why the last change of the chain failed, in words; `null` where it did not, or where the notice was closed. */
export const actFailure = signal<string | null>(null);

/** Does something that changes the chain, and says so. */
export async function act(words: string, method: string, params: readonly unknown[] = []): Promise<void> {
  try {
    await client.act(method, params);
    actFailure.value = null;
    announcement.value = words;
  } catch (error) {
    actFailure.value = errorText(error);
  }
}
