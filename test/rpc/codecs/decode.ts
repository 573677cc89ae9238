import { type Codec, decode } from '../../../src/rpc/codecs/codec.ts';
import { InvalidParamsError } from '../../../src/rpc/errors.ts';

/** The value of the parameter `name`, which is small enough to be read at once. Throws as `decode` does. */
export function decodeWith<T>(codec: Codec<T>, name: string, value: unknown): T {
  const step = decode(codec, name, value).next();
  if (step.done !== true) throw new Error(`${name} was not read at once`);
  return step.value;
}

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
