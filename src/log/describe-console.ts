import type { ConsoleDecoder } from '../evm/console/console-decoder.ts';
import type { ConsoleCall, ConsoleRecord } from '../evm/console/console-record.ts';
import { toHex } from '../primitives/hex.ts';
import { consoleText } from './console-format.ts';
import type { ConsoleEntry, ConsoleMessageEntry } from './log-entries.ts';

const SELECTOR_SIZE = 4;

/** What the call says; `null` when its data cannot even name a function. */
function describeCall({ caller, input }: ConsoleCall, decoder: ConsoleDecoder): ConsoleMessageEntry | null {
  if (input.length < SELECTOR_SIZE) return null;
  const message = decoder.decode(input);
  const text = message === null ? `unknown call ${toHex(input)}` : consoleText(message);
  return { contract: toHex(caller), text };
}

/** What the log says of what an execution told the console of contracts; `null` when that is nothing. */
export function describeConsole(
  record: ConsoleRecord | undefined,
  decoder: ConsoleDecoder,
): ConsoleEntry | null {
  if (record === undefined) return null;
  const messages = record.calls.map((call) => describeCall(call, decoder)).filter((entry) => entry !== null);
  return messages.length === 0 && record.omitted === 0 ? null : { messages, omitted: record.omitted };
}
