import { describe, expect, it } from 'vitest';
import { JsonLog } from '../../src/log/entry-log.ts';
import type { ConsoleEntry } from '../../src/log/log-entries.ts';
import { type LogWriter, PLAIN_STYLE } from '../../src/log/log-writer.ts';
import { PlainLog } from '../../src/log/plain-log.ts';
import { blockWith, transactionWith } from './support/entries.ts';
import { FAKE_NOW } from './support/fake-host.ts';

const FIRST = `0x${'aa'.repeat(20)}`;
const SECOND = `0x${'bb'.repeat(20)}`;

function said(...messages: readonly (readonly [contract: string, text: string])[]): ConsoleEntry {
  return { messages: messages.map(([contract, text]) => ({ contract, text })), omitted: 0 };
}

function plain(act: (log: LogWriter) => void): string {
  let text = '';
  const output = {
    write(written: string): void {
      text += written;
    },
  };
  act(new PlainLog({ output, errorOutput: output, style: PLAIN_STYLE, isVerbose: false }));
  return text;
}

function json(act: (log: LogWriter) => void): unknown[] {
  const lines: unknown[] = [];
  const output = { write: (line: string) => void lines.push(JSON.parse(line)) };
  act(new JsonLog({ output, errorOutput: output, clock: { now: () => FAKE_NOW } }));
  return lines;
}

describe('console output in the plain log', () => {
  it('console output is printed between the facts of the transaction and its error', () => {
    const told = said([FIRST, 'one'], [FIRST, 'two'], [SECOND, 'three'], [FIRST, 'four']);
    const text = plain((log) =>
      log.block(blockWith(2, [transactionWith({ console: told, failure: 'out of gas' })]), true),
    );
    expect(text.slice(text.indexOf('  Block #2:'))).toBe(
      [
        `  Block #2:       0x${'cd'.repeat(32)}`,
        '  Block time:     2023-11-14T22:13:20Z (1700000000)',
        '',
        `  console.log of ${FIRST}:`,
        '    one',
        '    two',
        `  console.log of ${SECOND}:`,
        '    three',
        `  console.log of ${FIRST}:`,
        '    four',
        '',
        '  Error: out of gas',
        '',
        '',
      ].join('\n'),
    );
  });

  it('console output is printed below the request of a call, or with a heading', () => {
    const told = said([FIRST, 'hello']);
    expect(plain((log) => log.console(told, true))).toBe(`  console.log of ${FIRST}:\n    hello\n\n`);
    expect(plain((log) => log.console(told, false))).toBe(
      `Console output of a call\n  console.log of ${FIRST}:\n    hello\n\n`,
    );
  });

  it('keeps line breaks and tabs, and escapes other control characters', () => {
    const text = plain((log) => log.console(said([FIRST, 'a\tb\r\nc\u001b[2J\rd\n']), true));
    expect(text).toBe(`  console.log of ${FIRST}:\n    a\tb\n    c\\u001b[2J\\u000dd\n    \n\n`);
  });

  it('truncates only lines above 10,000 characters', () => {
    const text = plain((log) =>
      log.console(said([FIRST, `${'x'.repeat(10_000)}\n${'y'.repeat(10_001)}`]), true),
    );
    expect(text).toContain(`    ${'x'.repeat(10_000)}\n    ${'y'.repeat(10_000)}…\n`);
  });

  it('contains the number of omitted calls', () => {
    const text = plain((log) => log.console({ ...said([FIRST, 'a']), omitted: 12 }, true));
    expect(text).toContain('    a\n  console.log: 12 more calls were not recorded\n');
  });
});

describe('console output in the JSON log', () => {
  it('the log has one entry per message, with its transaction', () => {
    const transaction = transactionWith({ console: said([FIRST, 'one\ntwo'], [SECOND, 'three']) });
    const [, entry, ...messages] = json((log) => log.block(blockWith(2, [transaction]), true));
    expect(entry).not.toHaveProperty('console');
    const place = { transactionHash: transaction.hash, blockNumber: 2, blockHash: `0x${'cd'.repeat(32)}` };
    expect(messages).toEqual([
      { time: expect.any(String), kind: 'console', contract: FIRST, text: 'one\ntwo', ...place },
      { time: expect.any(String), kind: 'console', contract: SECOND, text: 'three', ...place },
    ]);
  });

  it('the log has one entry per message of a call, and one for omitted calls', () => {
    expect(json((log) => log.console({ ...said([FIRST, 'hello']), omitted: 3 }, true))).toEqual([
      { time: expect.any(String), kind: 'console', contract: FIRST, text: 'hello' },
      { time: expect.any(String), kind: 'console-omitted', calls: 3 },
    ]);
  });
});
