import { client } from '../chain.ts';
import { errorText } from '../format.ts';
import { announcement } from './values.tsx';

/** Does something that changes the chain, and says so. */
export async function act(words: string, method: string, params: readonly unknown[] = []): Promise<void> {
  try {
    await client.act(method, params);
    announcement.value = words;
  } catch (error) {
    announcement.value = `${words}: ${errorText(error)}`;
    window.alert(errorText(error));
  }
}
