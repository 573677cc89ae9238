import { finish } from '../../../src/primitives/steps.ts';
import { type Codec, decode } from '../../../src/rpc/codecs/codec.ts';
import { InvalidParamsError } from '../../../src/rpc/errors.ts';

/** The decoded value of the parameter `name`. Throws like `decode`. */
export function decodeWith<T>(codec: Codec<T>, name: string, value: unknown): T {
  return finish(decode(codec, name, value));
}

/** The message of a codec that rejects a value. Throws if the codec accepts it or fails differently. */
export function refusalOf(codec: Codec<unknown>, name: string, value: unknown): string {
  try {
    decodeWith(codec, name, value);
  } catch (error) {
    if (error instanceof InvalidParamsError && error.code === -32602) return error.message;
    throw error;
  }
  throw new Error(`${name} was accepted`);
}
