import { describe, expect, it } from 'vitest';
import { JsonLog } from '../../src/log/entry-log.ts';
import type { WorkEntry } from '../../src/log/log-entries.ts';
import { type LogWriter, PLAIN_STYLE, type Style } from '../../src/log/log-writer.ts';
import { PlainLog } from '../../src/log/plain-log.ts';
import { reporting, WorkReport } from '../../src/log/work-report.ts';
import { createFakeTime } from '../support/fake-time.ts';
import { FAKE_NOW } from './support/fake-host.ts';

const WORK = { activity: 'save', path: 'chain.json' } as const;
const TERMINAL: Style = { ...PLAIN_STYLE, eraseLineAbove: '<up>' };

function logTo(lines: string[], style: Style): LogWriter {
  const output = { write: (text: string) => void lines.push(text) };
  return new PlainLog({ output, errorOutput: output, style, isVerbose: false });
}

/** Work of 1.5 seconds with progress reports in between, as written by the log. */
async function longWork(log: LogWriter): Promise<void> {
  const time = createFakeTime(FAKE_NOW);
  const report = new WorkReport({ ...time, log }, WORK);
  report.onProgress(0.25);
  await time.advance(1_000);
  await time.advance(100);
  report.onProgress(0.4);
  await time.advance(200);
  report.onProgress(0.5);
  await time.advance(200);
  report.done();
}

describe('WorkReport', () => {
  it('reports nothing for work of up to one second', async () => {
    const lines: string[] = [];
    const time = createFakeTime(FAKE_NOW);
    const report = new WorkReport({ ...time, log: logTo(lines, TERMINAL) }, WORK);
    await time.advance(900);
    report.onProgress(0.9);
    report.done();
    await time.advance(10_000);
    expect(lines).toEqual([]);
  });

  it('starts with 0 %', async () => {
    const lines: string[] = [];
    const time = createFakeTime(FAKE_NOW);
    const report = new WorkReport({ ...time, log: logTo(lines, TERMINAL) }, WORK);
    await time.advance(1_500);
    expect(lines.at(-1)).toBe('Saving the chain to chain.json 0 %\n');
    report.done();
  });

  it('prints one line at the start and one at the end without a terminal', async () => {
    const lines: string[] = [];
    await longWork(logTo(lines, PLAIN_STYLE));
    expect(lines).toEqual(['Saving the chain to chain.json …\n', 'Saved the chain to chain.json in 1.5 s\n']);
  });

  it('updates one line on a terminal, at a limited rate', async () => {
    const lines: string[] = [];
    await longWork(logTo(lines, TERMINAL));
    expect(lines).toEqual([
      'Saving the chain to chain.json 25 %\n',
      '<up>Saving the chain to chain.json 50 %\n',
      '<up>Saved the chain to chain.json in 1.5 s\n',
    ]);
  });

  it('writes one entry at the start and one at the end of a JSON log', async () => {
    const lines: string[] = [];
    const output = { write: (text: string) => void lines.push(text) };
    await longWork(new JsonLog({ output, errorOutput: output, clock: { now: () => FAKE_NOW } }));
    const time = '2026-01-02T03:04:05.678Z';
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
      { time, kind: 'save', path: 'chain.json', stage: 'begun' },
      { time, kind: 'save', path: 'chain.json', stage: 'done', durationMs: 1500 },
    ]);
  });

  it('starts a new line after another log line', () => {
    const lines: string[] = [];
    const log = logTo(lines, TERMINAL);
    const entry: WorkEntry = { ...WORK, stage: 'begun', fraction: 0 };
    log.work(entry);
    log.notice('something');
    log.work({ ...entry, stage: 'going', fraction: 0.5 });
    expect(lines).toEqual([
      'Saving the chain to chain.json 0 %\n',
      'Note: something\n',
      'Saving the chain to chain.json 50 %\n',
    ]);
  });

  it('works without a log, and prints nothing if the work fails', async () => {
    const time = createFakeTime(FAKE_NOW);
    const quiet = { ...time, log: null };
    expect(
      await reporting(quiet, WORK, async (onProgress) => {
        onProgress(1);
        return 7;
      }),
    ).toBe(7);
    const lines: string[] = [];
    const failing = reporting({ ...time, log: logTo(lines, PLAIN_STYLE) }, WORK, () =>
      Promise.reject(new Error('full')),
    );
    await expect(failing).rejects.toThrow('full');
    await time.advance(10_000);
    expect(lines).toEqual([]);
  });
});

describe('notices and problems', () => {
  it('notices are written as lines or JSON entries, with problems on stderr', () => {
    const [out, errors]: [string[], string[]] = [[], []];
    const output = { write: (text: string) => void out.push(text) };
    const errorOutput = { write: (text: string) => void errors.push(text) };
    const logs = [
      new PlainLog({ output, errorOutput, style: PLAIN_STYLE, isVerbose: false }),
      new JsonLog({ output, errorOutput, clock: { now: () => FAKE_NOW } }),
    ];
    for (const log of logs) {
      log.notice('this');
      log.problem('that');
    }
    const time = '2026-01-02T03:04:05.678Z';
    expect(out).toEqual(['Note: this\n', `${JSON.stringify({ time, kind: 'notice', text: 'this' })}\n`]);
    expect(errors).toEqual([
      'node-cli: that\n',
      `${JSON.stringify({ time, kind: 'problem', text: 'that' })}\n`,
    ]);
  });
});
