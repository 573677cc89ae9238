import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { TraceAnswers } from './trace-scene.ts';

/** Where the answers of Anvil are (`test/tools/record-anvil-traces.ts`), compressed, in hexadecimal digits. */
export const ANVIL_TRACES = 'fixtures/anvil/traces.hex';

/** The answers of Anvil about the traces of the scene. */
export interface RecordedTraces {
  /** Its answer to `web3_clientVersion`. */
  readonly client: string;
  readonly answers: TraceAnswers;
}

/** Returns what was recorded. */
export function recordedTraces(): RecordedTraces {
  const bytes = Buffer.from(readFileSync(ANVIL_TRACES, 'utf8').trim(), 'hex');
  return JSON.parse(gunzipSync(bytes).toString()) as RecordedTraces;
}
