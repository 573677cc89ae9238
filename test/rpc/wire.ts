import { resultAnswer } from '../../src/server/message.ts';

/** The result of a method as it arrives at the other end of the wire. */
export async function overTheWire(result: unknown): Promise<unknown> {
  return JSON.parse(String(await resultAnswer('1', result, Number.POSITIVE_INFINITY))).result;
}
