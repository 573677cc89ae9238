import { describe, expect, it, onTestFinished } from 'vitest';
import { startNode } from '../../src/cli/start.ts';
import { createNode } from '../../src/index.ts';
import { JsonLog } from '../../src/log/entry-log.ts';
import { type LogWriter, PLAIN_STYLE, type Style } from '../../src/log/log-writer.ts';
import { PlainLog } from '../../src/log/plain-log.ts';
import { FetchReport } from '../../src/log/work-report.ts';
import type { Timers } from '../../src/primitives/clock.ts';
import { createFakeTime, type FakeTime } from '../support/fake-time.ts';
import { FAKE_NOW, fakeHost } from './support/fake-host.ts';
import { readOptions } from './support/read-options.ts';

const HOST = 'node.example:8545';
const TERMINAL: Style = { ...PLAIN_STYLE, eraseLineAbove: '<up>' };

function logTo(lines: string[], style: Style): LogWriter {
  const output = { write: (text: string) => void lines.push(text) };
  return new PlainLog({ output, errorOutput: output, style, isVerbose: false });
}

interface Scene {
  readonly lines: string[];
  readonly log: LogWriter;
  readonly time: FakeTime;
  readonly report: FetchReport;
  /** Number of pending timers. */
  pending(): number;
  /** One request with one response. */
  fetch(milliseconds: number): Promise<void>;
}

function scene(style: Style = PLAIN_STYLE): Scene {
  const lines: string[] = [];
  const log = logTo(lines, style);
  return sceneWith(log, lines);
}

function sceneWith(log: LogWriter, lines: string[]): Scene {
  const time = createFakeTime(FAKE_NOW);
  const waiting = new Set<object>();
  const timers: Timers = {
    after(milliseconds, action) {
      const key = {};
      waiting.add(key);
      const timer = time.timers.after(milliseconds, () => {
        waiting.delete(key);
        action();
      });
      return {
        cancel() {
          waiting.delete(key);
          timer.cancel();
        },
      };
    },
  };
  const report = new FetchReport({ log, clock: time.clock, timers });
  async function fetch(milliseconds: number): Promise<void> {
    report.begun(HOST);
    await time.advance(milliseconds);
    report.answered(HOST, 1);
    report.ended();
  }
  return { lines, log, time, report, pending: () => waiting.size, fetch };
}

/** 1.5 seconds of fetching. */
async function longFetching({ time, fetch }: Scene): Promise<void> {
  for (let count = 0; count < 5; count++) {
    await fetch(220);
    await time.advance(100);
  }
  await time.advance(1_000);
}

describe('FetchReport', () => {
  it('reports an unreachable upstream immediately, with escaped control characters', () => {
    const { lines, report } = scene();
    report.begun(HOST);
    report.unreachable('http://node.example:8545: connect ECONNREFUSED\n');
    expect(lines).toEqual([
      'Note: Cannot reach the fork URL; retrying: http://node.example:8545: connect ECONNREFUSED\\u000a\n',
    ]);
    report.closed();
  });

  it('reports no short fetches, however many', async () => {
    const { lines, time, fetch, pending } = scene();
    for (let count = 0; count < 10; count++) {
      await fetch(900);
      await time.advance(251);
    }
    expect(lines).toEqual([]);
    expect(pending()).toBe(0);
  });

  it('reports nothing if a second elapses while idle', async () => {
    const { lines, time, fetch } = scene();
    await fetch(900);
    await time.advance(5_000);
    expect(lines).toEqual([]);
  });

  it('prints one line at the start and one at the end without a terminal', async () => {
    const started = scene();
    await longFetching(started);
    expect(started.lines).toEqual([`Fetching from ${HOST} …\n`, `Fetched 5 answers from ${HOST} in 1.5 s\n`]);
    expect(started.pending()).toBe(0);
  });

  it('updates one line on a terminal', async () => {
    const started = scene(TERMINAL);
    await longFetching(started);
    expect(started.lines).toEqual([
      `Fetching from ${HOST} … 3 answers\n`,
      `<up>Fetching from ${HOST} … 5 answers\n`,
      `<up>Fetched 5 answers from ${HOST} in 1.5 s\n`,
    ]);
  });

  it('prints no closing line if nothing was fetched, because the failed fork reports its error', async () => {
    const { lines, time, report } = scene();
    report.begun(HOST);
    await time.advance(3_000);
    report.closed();
    expect(lines).toEqual([`Fetching from ${HOST} …\n`]);
  });

  it('limits updates of the line to four per second', async () => {
    const { lines, time, report } = scene(TERMINAL);
    report.begun(HOST);
    await time.advance(1_000);
    for (let count = 0; count < 100; count++) {
      report.answered(HOST, 1);
      await time.advance(10);
    }
    report.ended();
    await time.advance(1_000);
    // At the start, four times within the second, at the end.
    expect(lines).toHaveLength(6);
    expect(lines[0]).toBe(`Fetching from ${HOST} … 0 answers\n`);
    expect(lines[5]).toBe(`<up>Fetched 100 answers from ${HOST} in 2.0 s\n`);
  });

  it('writes one entry at the start and one at the end of a JSON log', async () => {
    const lines: string[] = [];
    const output = { write: (text: string) => void lines.push(text) };
    const log = new JsonLog({ output, errorOutput: output, clock: { now: () => FAKE_NOW } });
    await longFetching(sceneWith(log, lines));
    const time = '2026-01-02T03:04:05.678Z';
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
      { time, kind: 'fetch', host: HOST, stage: 'begun' },
      { time, kind: 'fetch', host: HOST, answers: 5, stage: 'done', durationMs: 1500 },
    ]);
  });

  it('clears its line for other log lines, and prints it again below them', async () => {
    const { lines, log, time, report } = scene(TERMINAL);
    report.begun(HOST);
    await time.advance(1_000);
    log.notice('something');
    log.notice('and more');
    await time.advance(200);
    report.answered(HOST, 7);
    log.problem('full');
    report.closed();
    expect(lines).toEqual([
      `Fetching from ${HOST} … 0 answers\n`,
      '<up>Note: something\n',
      'Note: and more\n',
      `Fetching from ${HOST} … 7 answers\n`,
      '<up>',
      'node-cli: full\n',
      `Fetched 7 answers from ${HOST} in 1.2 s\n`,
    ]);
  });

  it('counts overlapping requests as one run', async () => {
    const { lines, time, report } = scene();
    report.begun(HOST);
    await time.advance(600);
    report.begun(HOST);
    report.answered(HOST, 1);
    report.ended();
    await time.advance(600);
    report.ended();
    await time.advance(250);
    expect(lines).toEqual([`Fetching from ${HOST} …\n`, `Fetched 1 answer from ${HOST} in 1.2 s\n`]);
  });

  it('detects a pause even if a busy process delays its timer', () => {
    const lines: string[] = [];
    let now = FAKE_NOW;
    const timers: Timers = { after: () => ({ cancel: () => undefined }) };
    const report = new FetchReport({ log: logTo(lines, PLAIN_STYLE), clock: { now: () => now }, timers });
    for (let count = 0; count < 5; count++) {
      report.begun(HOST);
      now += 500;
      report.ended();
      now += 251;
    }
    expect(lines).toEqual([]);
  });

  it('prints the host that answered', async () => {
    const { lines, time, report } = scene();
    report.begun(HOST);
    await time.advance(1_000);
    report.answered('second.example\n', 1);
    report.closed();
    expect(lines[1]).toBe('Fetched 1 answer from second.example\\u000a in 1.0 s\n');
  });

  it('the report has no timer and prints nothing after the fork is closed', async () => {
    for (const milliseconds of [10, 1_500]) {
      const { lines, time, report, pending } = scene();
      report.begun(HOST);
      await time.advance(milliseconds);
      report.closed();
      expect(pending()).toBe(0);
      const told = lines.length;
      report.ended();
      report.begun(HOST);
      report.answered(HOST, 1);
      report.ended();
      report.closed();
      await time.advance(10_000);
      expect(pending()).toBe(0);
      expect(lines).toHaveLength(told);
    }
  });
});

describe('fetch report of a forking node', () => {
  /** Timers that expire immediately after one second. */
  const timers: Timers = {
    after(milliseconds, action) {
      let isCancelled = false;
      if (milliseconds === 1_000) queueMicrotask(() => isCancelled || action());
      return {
        cancel() {
          isCancelled = true;
        },
      };
    },
  };

  async function outputOfStart(...more: string[]): Promise<{ readonly text: string; readonly host: string }> {
    const upstream = await createNode();
    onTestFinished(() => upstream.close());
    const { url } = await upstream.listen({ port: 0 });
    const host = fakeHost({ timers });
    const commandLine = ['--port', '0', '--fork-url', url, '--no-storage-caching', ...more];
    const node = await startNode(readOptions(commandLine, {}), host);
    await node.close();
    return { text: host.written.output, host: new URL(url).host };
  }

  it('a forking node reports long fetching at the start', async () => {
    const { text, host } = await outputOfStart();
    expect(text.indexOf(`Fetching from ${host} …\n`)).toBe(0);
    expect(text).toMatch(new RegExp(`^Fetched \\d+ answers from ${host} in 0\\.0 s$`, 'm'));
  });

  it('--quiet hides the fetch report', async () => {
    expect((await outputOfStart('--quiet')).text).not.toContain('Fetch');
  });

  it('a start that fails is reported after its fetch report', async () => {
    const host = fakeHost({ timers });
    const upstream = await createNode();
    onTestFinished(() => upstream.close());
    const { url } = await upstream.listen({ port: 0 });
    const commandLine = ['--port', '0', '--fork-url', `${url}@99`, '--no-storage-caching'];
    await expect(startNode(readOptions(commandLine, {}), host)).rejects.toThrow('has no block 99');
    expect(host.written.output).toMatch(/^Fetching from .* …\nFetched \d+ answers from .* in 0\.0 s\n$/);
  });
});
