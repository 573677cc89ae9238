import { resultAnswer } from '../../src/server/answer.ts';

/** The result of a method as it arrives at the other end of the wire. */
export function overTheWire(result: unknown): unknown {
  return JSON.parse(String(resultAnswer('1', result, Number.POSITIVE_INFINITY))).result;
}
