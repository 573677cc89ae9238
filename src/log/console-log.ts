import type { Chain } from '../chain/chain.ts';
import { printable } from '../config/printable.ts';
import { ConsoleDecoder } from '../evm/console/console-decoder.ts';
import type { ConsoleRecord } from '../evm/console/console-record.ts';
import { toHex } from '../primitives/hex.ts';
import { describeConsole } from './describe-console.ts';
import type { ConsoleEntry } from './log-entries.ts';
import type { Style } from './style.ts';

/** What a contract wrote with `console.log`. */
export interface ConsoleLog {
  /** The address of the contract, hexadecimal in lower case. */
  readonly contract: string;
  readonly text: string;
  /** The hash of the transaction that ran the code; `null` for an `eth_call`. */
  readonly transactionHash: string | null;
}

/** Tells `hear` of all that contracts write with `console.log` in mined transactions and calls, from now on. */
export function listenToConsole(chain: Chain, hear: (log: ConsoleLog) => void): void {
  const decoder = new ConsoleDecoder();
  const tell = (record: ConsoleRecord | undefined, transactionHash: string | null): void => {
    for (const { contract, text } of describeConsole(record, decoder)?.messages ?? []) {
      hear({ contract, text, transactionHash });
    }
  };
  chain.events.on('block', ({ transactions }, results) => {
    for (const [index, result] of results?.entries() ?? []) {
      const transaction = transactions[index];
      tell(result.console, transaction === undefined ? null : toHex(transaction.hash));
    }
  });
  chain.events.on('console', (record) => tell(record, null));
}

const LONGEST_LINE = 10_000;

/** The lines of a text of a contract; tabs stay, anything else that moves a cursor is made visible. */
function linesOf(text: string): string[] {
  return text.split(/\r?\n/).map((line) =>
    line
      .split('\t')
      .map((cell) => printable(cell, LONGEST_LINE))
      .join('\t'),
  );
}

/** What contracts told the console, below the name of who said it, each line with two spaces in front. */
export function consoleLines({ messages, omitted }: ConsoleEntry, style: Style): string[] {
  const lines: string[] = [];
  let speaker: string | null = null;
  for (const { contract, text } of messages) {
    if (contract !== speaker) lines.push(`  console.log of ${contract}:`);
    speaker = contract;
    lines.push(...linesOf(text).map((line) => `    ${line}`));
  }
  if (omitted > 0) lines.push(`  ${style.dim(`console.log: ${omitted} more calls were not kept`)}`);
  return lines;
}
