import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { TraceAnswers } from './trace-scene.ts';

/**
 * Path of the recorded replies of Anvil (`test/tools/record-anvil-traces.ts`): compressed, as hexadecimal
 * digits.
 */
export const ANVIL_TRACES = 'fixtures/anvil/traces.hex';

/** Anvil's traces of the scene. */
export interface RecordedTraces {
  /** Anvil's reply to `web3_clientVersion`. */
  readonly client: string;
  readonly answers: TraceAnswers;
}

export function recordedTraces(): RecordedTraces {
  const bytes = Buffer.from(readFileSync(ANVIL_TRACES, 'utf8').trim(), 'hex');
  return JSON.parse(gunzipSync(bytes).toString()) as RecordedTraces;
}
