import { describe, expect, it } from 'vitest';
import { JsonLog, joinedLog } from '../../src/log/entry-log.ts';
import type { ActivityReader } from '../../src/rpc/activity.ts';
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

  it('writes requests with their duration, and the error of failed ones', () => {
    const error = { code: -32015, message: 'revert' };
    const entries = written((log) => {
      log.request({ method: 'eth_chainId', durationMs: 2, error: null });
      log.request({ method: 'eth_call', durationMs: 4, error, failureNumber: 1 });
    });
    expect(entries).toEqual([
      { time: TIME, kind: 'request', method: 'eth_chainId', durationMs: 2 },
      { time: TIME, kind: 'request', method: 'eth_call', durationMs: 4, error },
    ]);
  });

  it('writes a block and each of its transactions on separate lines', () => {
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

  it('writes the names of lanes without their paths', () => {
    const lane = { lane: 'my lane', lanePath: 'my%20lane' };
    const entries = written((log) => {
      log.request({ method: 'eth_call', durationMs: 4, error: null, ...lane });
      log.block({ ...blockWith(2, [transactionWith()]), ...lane });
      log.removed({ first: 2, last: 3, ...lane });
    });
    expect(entries).toHaveLength(4);
    for (const entry of entries) {
      expect(entry).toHaveProperty('lane', 'my lane');
      expect(entry).not.toHaveProperty('lanePath');
    }
  });

  it('writes removed blocks and internal errors', () => {
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

describe('joinedLog', () => {
  /** The entries of both logs. `takes` filters the second log. */
  function told(isWatched: boolean, takes: ActivityReader['takes'] = () => isWatched): [string[], string[]] {
    const kinds: [string[], string[]] = [[], []];
    const [always, whileRead] = kinds.map((list) => {
      const output = { write: (line: string) => void list.push(JSON.parse(line).kind) };
      return new JsonLog({ output, errorOutput: output, clock: { now: () => FAKE_NOW } });
    });
    if (always === undefined || whileRead === undefined) throw new Error('there are two logs');
    const log = joinedLog(always, whileRead, { isWatched, hasRoom: takes, takes });
    log.banner(startEntryWith());
    log.listening('http://127.0.0.1:8545');
    log.request({ method: 'eth_call', durationMs: 1, error: null });
    log.block(blockWith(1, [transactionWith()]), false);
    log.console({ messages: [], omitted: 2 }, false);
    log.removed({ first: 1, last: 1 });
    log.notice('slow');
    log.problem('broken');
    log.work({ activity: 'save', path: 'chain.json', stage: 'begun', fraction: 0 });
    log.report('gas', {}, () => []);
    log.internalError(new Error('a bug'));
    log.flush();
    return kinds;
  }

  const ALL = [
    ...['banner', 'listening', 'request', 'block', 'transaction', 'console-omitted', 'removed', 'notice'],
    ...['problem', 'save', 'gas', 'internal-error'],
  ];

  it('writes everything to the first log, and to the second only while it is read', () => {
    expect(told(true)).toEqual([ALL, ALL]);
    expect(told(false)).toEqual([ALL, []]);
  });

  it('counts a request with a failure in the EVM as a failure without an error', () => {
    const asked: object[] = [];
    const takes: ActivityReader['takes'] = (coming) => {
      asked.push(coming);
      return false;
    };
    const output = { write: () => undefined };
    const first = new JsonLog({ output, errorOutput: output, clock: { now: () => FAKE_NOW } });
    joinedLog(first, first, { isWatched: true, hasRoom: takes, takes }).request({
      method: 'eth_call',
      durationMs: 1,
      error: null,
      failure: 'precompile failed',
    });
    expect(asked).toMatchObject([{ hasFailure: true }]);
  });

  it('writes only the requests and blocks that the reader accepts to the second log', () => {
    const asked: object[] = [];
    const takes: ActivityReader['takes'] = (coming) => {
      asked.push(coming);
      return false;
    };
    const [, second] = told(true, takes);
    expect(second).toEqual(ALL.filter((kind) => !['request', 'block', 'transaction'].includes(kind)));
    expect(asked).toMatchObject([
      { hasFailure: false, counts: { request: 1 } },
      { hasFailure: false, counts: { block: 1, transaction: 1 } },
    ]);
  });
});
