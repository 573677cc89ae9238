import type { Chain } from '../chain/chain.ts';
import { printable } from '../config/errors.ts';
import { type ConsoleCall, ConsoleDecoder, type ConsoleRecord, consoleText } from '../evm/console.ts';
import { toHex } from '../primitives/hex.ts';
import type { ConsoleEntry, ConsoleMessageEntry } from './log-entries.ts';
import type { Style } from './log-writer.ts';

const SELECTOR_SIZE = 4;

/** Returns the message of the call; `null` if its data has no function selector. */
function describeCall({ caller, input }: ConsoleCall, decoder: ConsoleDecoder): ConsoleMessageEntry | null {
  if (input.length < SELECTOR_SIZE) return null;
  const message = decoder.decode(input);
  const text = message === null ? `unknown call ${toHex(input)}` : consoleText(message);
  return { contract: toHex(caller), text };
}

/** Returns the console entry of an execution; `null` without output. */
export function describeConsole(
  record: ConsoleRecord | undefined,
  decoder: ConsoleDecoder,
): ConsoleEntry | null {
  if (record === undefined) return null;
  const messages = record.calls.map((call) => describeCall(call, decoder)).filter((entry) => entry !== null);
  return messages.length === 0 && record.omitted === 0 ? null : { messages, omitted: record.omitted };
}

/** A line that a contract printed with `console.log`. */
export interface ConsoleLog {
  /** The address of the contract, in lower-case hexadecimal. */
  readonly contract: string;
  readonly text: string;
  /** The hash of the transaction that ran the code; `null` for an `eth_call`. */
  readonly transactionHash: string | null;
}

/** Calls `listener` for each new `console.log` line of mined transactions and of calls. */
export function listenToConsole(chain: Chain, listener: (log: ConsoleLog) => void): void {
  const decoder = new ConsoleDecoder();
  const report = (record: ConsoleRecord | undefined, transactionHash: string | null): void => {
    for (const { contract, text } of describeConsole(record, decoder)?.messages ?? []) {
      listener({ contract, text, transactionHash });
    }
  };
  chain.events.on('block', ({ transactions }, results) => {
    for (const [index, result] of results?.entries() ?? []) {
      const transaction = transactions[index];
      report(result.console, transaction === undefined ? null : toHex(transaction.hash));
    }
  });
  chain.events.on('console', (record) => report(record, null));
}

const MAX_LINE_LENGTH = 10_000;

/** Returns the lines of a contract's text. Escapes control characters except tabs. */
function linesOf(text: string): string[] {
  return text.split(/\r?\n/).map((line) =>
    line
      .split('\t')
      .map((cell) => printable(cell, MAX_LINE_LENGTH))
      .join('\t'),
  );
}

/** Returns the console output as indented lines, grouped by contract address. */
export function consoleLines({ messages, omitted }: ConsoleEntry, style: Style): string[] {
  const lines: string[] = [];
  let speaker: string | null = null;
  for (const { contract, text } of messages) {
    if (contract !== speaker) lines.push(`  console.log of ${contract}:`);
    speaker = contract;
    lines.push(...linesOf(text).map((line) => `    ${line}`));
  }
  const calls = omitted === 1 ? 'call was' : 'calls were';
  if (omitted > 0) lines.push(`  ${style.dim(`console.log: ${omitted} more ${calls} not recorded`)}`);
  return lines;
}
