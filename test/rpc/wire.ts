import { resultAnswer } from '../../src/server/message.ts';

/** The result of a method after JSON encoding. */
export async function overTheWire(result: unknown): Promise<unknown> {
  return JSON.parse(String(await resultAnswer('1', result, Number.POSITIVE_INFINITY))).result;
}
