import { describe, expect, it } from 'vitest';
import { JsonLog } from '../../src/log/entry-log.ts';
import { blockWith, startEntryWith, transactionWith } from './support/entries.ts';
import { FAKE_NOW } from './support/fake-host.ts';

const TIME = '2026-01-02T03:04:05.678Z';

function written(act: (log: JsonLog) => void): unknown[] {
  const lines: string[] = [];
  const output = { write: (line: string) => void lines.push(line) };
  act(new JsonLog({ output, errorOutput: output, clock: { now: () => FAKE_NOW } }));
  for (const line of lines) expect(line).toMatch(/^[^\n]+\n$/);
  return lines.map((line): unknown => JSON.parse(line));
}

describe('JsonLog', () => {
  it('writes the banner and the listening line as objects', () => {
    const [banner, listening] = written((log) => {
      log.banner(startEntryWith());
      log.listening('http://127.0.0.1:8545');
    });
    expect(banner).toMatchObject({ time: TIME, kind: 'banner', chainId: 33, balance: `1${'0'.repeat(22)}` });
    expect(listening).toEqual({ time: TIME, kind: 'listening', url: 'http://127.0.0.1:8545' });
  });

  it('writes requests with their time, and the error of those that failed', () => {
    const error = { code: -32015, message: 'revert' };
    const entries = written((log) => {
      log.request({ method: 'eth_chainId', durationMs: 2, error: null });
      log.request({ method: 'eth_call', durationMs: 4, error });
    });
    expect(entries).toEqual([
      { time: TIME, kind: 'request', method: 'eth_chainId', durationMs: 2 },
      { time: TIME, kind: 'request', method: 'eth_call', durationMs: 4, error },
    ]);
  });

  it('writes a block and each of its transactions on their own lines', () => {
    const entries = written((log) => log.block(blockWith(2, [transactionWith(), transactionWith()])));
    expect(entries).toHaveLength(3);
    expect(entries[0]).toMatchObject({ kind: 'block', number: 2, gasUsed: '49758', transactionCount: 2 });
    expect(entries[1]).toMatchObject({
      kind: 'transaction',
      purpose: 'call',
      blockNumber: 2,
      gasLimit: '200000',
    });
  });

  it('writes removed blocks and bugs', () => {
    const entries = written((log) => {
      log.removed({ first: 2, last: 3 });
      log.internalError(new Error('lost'));
    });
    expect(entries[0]).toEqual({ time: TIME, kind: 'removed', first: 2, last: 3 });
    expect(entries[1]).toMatchObject({
      kind: 'internal-error',
      error: expect.stringContaining('Error: lost'),
    });
  });
});
