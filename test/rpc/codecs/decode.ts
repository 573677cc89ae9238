import { type Codec, decodeWith } from '../../../src/rpc/codecs/codec.ts';
import { InvalidParamsError } from '../../../src/rpc/errors.ts';

/** The message with which a codec refuses a value; throws when it accepts it or fails in another way. */
export function refusalOf(codec: Codec<unknown>, name: string, value: unknown): string {
  try {
    decodeWith(codec, name, value);
  } catch (error) {
    if (error instanceof InvalidParamsError && error.code === -32602) return error.message;
    throw error;
  }
  throw new Error(`${name} was accepted`);
}
