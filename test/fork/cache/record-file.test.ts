import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RecordFile } from '../../../src/fork/cache/record-file.ts';
import { readJsonLine } from '../../../src/fork/cache/record-lines.ts';
import { ForkCacheError } from '../../../src/fork/errors.ts';
import { runTask } from '../../../src/scheduling/task.ts';
import { TimeSlice } from '../../../src/scheduling/time-slice.ts';
import { countTurns } from '../../support/turns.ts';

function path(): string {
  const directory = mkdtempSync(join(tmpdir(), 'node-cli-records-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return join(directory, 'records.jsonl');
}

/** Returns a record file that is read to its end. */
async function read(file: string, largest?: number): Promise<RecordFile> {
  const records = new RecordFile(file, largest);
  await records.readOn();
  return records;
}

describe('RecordFile', () => {
  it('throws ForkCacheError on an invalid path, but keeps the value in memory', async () => {
    const file = path();
    writeFileSync(file, '');
    const records = new RecordFile(join(file, 'records.jsonl'));
    expect(() => records.readOn()).toThrow(ForkCacheError);
    expect(() => records.set('key', 1)).toThrow(
      /^cannot use the fork cache \(\/.*: a parent directory in the path is a file\).*--fork-cache-dir.*--no-storage-caching$/,
    );
    expect(records.get('key')).toBe(1);
  });

  it('returns undefined if the file does not exist', async () => {
    expect((await read(path())).get('key')).toBeUndefined();
  });

  it('returns the last value of each key in every process', async () => {
    const file = path();
    const writer = new RecordFile(file);
    writer.set('key', '0x1');
    writer.set('other', { nested: ['ä\n', null] });
    writer.set('key', '0x2');
    for (const reader of [writer, await read(file)]) {
      expect(reader.get('key')).toBe('0x2');
      expect(reader.get('other')).toEqual({ nested: ['ä\n', null] });
    }
  });

  it('reads records that another process adds', async () => {
    const file = path();
    const [left, right] = [new RecordFile(file), new RecordFile(file)];
    left.set('a', 1);
    await right.readOn();
    expect(right.get('a')).toBe(1);
    right.set('b', 2);
    left.set('c', 3);
    await left.readOn();
    await right.readOn();
    expect(left.get('b')).toBe(2);
    expect(right.get('c')).toBe(3);
  });

  it('does not read its own lines again unless another process wrote between them', async () => {
    const file = path();
    const [left, right] = [new RecordFile(file), new RecordFile(file)];

    left.set('a', 1);
    left.set('b', 2);
    const afterOwn = left.readOn();
    await right.readOn();
    right.set('c', 3);
    const afterOwnOfRight = right.readOn();
    left.set('d', 4);
    const afterOther = left.readOn();
    await afterOther;

    expect([afterOwn, afterOwnOfRight]).toEqual([undefined, undefined]);
    expect(afterOther).toBeInstanceOf(Promise);
    expect(left.get('c')).toBe(3);
    expect(left.readOn()).toBeUndefined();
    await right.readOn();
    expect(right.get('d')).toBe(4);
  });

  it('loses only the incomplete record after a crash at any byte', async () => {
    const file = path();
    const writer = new RecordFile(file);
    writer.set('first', 'x'.repeat(30));
    const whole = readFileSync(file);
    writer.set('torn', 'y'.repeat(30));
    const length = readFileSync(file).length;
    const both = readFileSync(file);
    for (let end = whole.length; end < length; end++) {
      writeFileSync(file, both.subarray(0, end));
      new RecordFile(file).set('later', end);
      const reader = await read(file);
      expect(reader.get('first')).toBe('x'.repeat(30));
      expect(reader.get('later')).toBe(end);
      // The record is complete if only its final line break is missing.
      expect(reader.get('torn')).toBe(end === length - 1 ? 'y'.repeat(30) : undefined);
    }
  });

  it('ignores a record with a wrong checksum', async () => {
    const file = path();
    new RecordFile(file).set('key', 'value');
    writeFileSync(file, readFileSync(file, 'utf8').replace('value', 'vulue'));
    appendFileSync(file, '\nnonsense\n');
    expect((await read(file)).get('key')).toBeUndefined();
  });

  it('prefers a value that is set during a read to an older line', async () => {
    const file = path();
    const writer = new RecordFile(file);
    for (let index = 0; index < 2_000; index++) writer.set(`key ${index}`, 'x'.repeat(200));
    const reader = new RecordFile(file);
    const reading = reader.readOn();
    reader.set('key 1999', 'new');
    await reading;
    expect(reader.get('key 1999')).toBe('new');
    expect(reader.get('key 1998')).toBe('x'.repeat(200));
  });

  it('yields while it reads a long file', async () => {
    const file = path();
    const writer = new RecordFile(file);
    writer.setAll(Array.from({ length: 20_000 }, (_, index) => [`key ${index}`, 'x'.repeat(180)]));
    const size = statSync(file).size;
    const { turns } = await countTurns(async () => read(file));
    expect(turns).toBeGreaterThan(size / 2 ** 18);
  });

  it('reads only the newest records of an oversized file and removes the others', async () => {
    const file = path();
    const writer = new RecordFile(file);
    for (let index = 0; index < 100; index++) writer.set(`key ${index}`, 'x'.repeat(100));
    const reader = await read(file, 2_000);
    expect(reader.get('key 0')).toBeUndefined();
    expect(reader.get('key 99')).toBe('x'.repeat(100));
    expect(statSync(file).size).toBeLessThanOrEqual(1_000);
    const next = await read(file, 2_000);
    expect(Array.from(next.entries(), ([key]) => key)).toEqual(
      Array.from({ length: 8 }, (_, index) => `key ${92 + index}`),
    );
  });

  it('reads a file of 600 MiB from its last records', async () => {
    const file = path();
    new RecordFile(file).set('old', 'value');
    // The file is sparse between its first and its last record.
    truncateSync(file, 600 * 1024 ** 2);
    new RecordFile(join(file, '..', 'other.jsonl')).set('key', 'value');
    appendFileSync(file, readFileSync(join(file, '..', 'other.jsonl')));

    const reader = await read(file);

    expect(reader.get('key')).toBe('value');
    expect(reader.get('old')).toBeUndefined();
    expect(statSync(file).size).toBeLessThan(1_000);
  });

  it('writes up to the maximum size and keeps other records in memory', () => {
    const file = path();
    const writer = new RecordFile(file, 2_000);
    const written = Array.from({ length: 100 }, (_, index) => writer.set(`key ${index}`, 'x'.repeat(100)));
    expect(statSync(file).size).toBeLessThanOrEqual(2_000);
    expect(written.filter(Boolean)).toHaveLength(16);
    expect(writer.get('key 99')).toBe('x'.repeat(100));
  });

  it('writes at most 128 MiB by default', () => {
    const file = path();
    writeFileSync(file, '');
    truncateSync(file, 128 * 1024 ** 2);

    expect(new RecordFile(file).set('key', 'value')).toBe(false);

    expect(statSync(file).size).toBe(128 * 1024 ** 2);
  });

  it('removes outdated lines on the first read while other processes continue to read', async () => {
    const file = path();
    const writer = new RecordFile(file);
    const other = await read(file);
    writer.set('other', 1);
    await other.readOn();
    for (let index = 0; index < 200; index++) writer.set('key', `${index}${'x'.repeat(10_000)}`);
    const before = statSync(file).size;
    const reader = await read(file);
    expect(statSync(file).size).toBeLessThan(before / 100);
    expect(reader.get('key')).toBe(`199${'x'.repeat(10_000)}`);
    reader.set('last', true);
    await other.readOn();
    expect([other.get('other'), other.get('key'), other.get('last')]).toEqual([1, reader.get('key'), true]);
    expect(readdirSync(join(file, '..'))).toEqual(['records.jsonl']);
  });

  it('keeps a file that it cannot replace', async () => {
    const file = path();
    const writer = new RecordFile(file);
    for (let index = 0; index < 200; index++) writer.set('key', `${index}${'x'.repeat(10_000)}`);
    const before = statSync(file).size;
    mkdirSync(`${file}.${process.pid}.tmp`);
    expect((await read(file)).get('key')).toBe(`199${'x'.repeat(10_000)}`);
    expect(statSync(file).size).toBe(before);
  });

  it.each([
    ['a named pipe', (file: string) => execFileSync('mkfifo', [file])],
    ['a symbolic link', (file: string) => symlinkSync('/dev/zero', file)],
    ['a directory', (file: string) => mkdirSync(file)],
  ])('rejects reads and writes of %s', (kind, make) => {
    const file = path();
    make(file);
    const records = new RecordFile(file);
    const message = `cannot use the fork cache (${file}: it is ${kind})`;
    expect(() => records.set('key', 1)).toThrow(message);
    return expect((async () => records.readOn())()).rejects.toThrow(message);
  });

  it('ignores records with too many levels for JSON.stringify', async () => {
    const file = path();
    const lines = [3, 2_000, 3_000, 30_000, 3_000_000].map((levels) => {
      const text = `["${levels}",${'['.repeat(levels)}${']'.repeat(levels)}]`;
      return `\n${createHash('sha1').update(text).digest('hex').slice(0, 8)}${text}\n`;
    });
    writeFileSync(file, lines.join(''));
    const reader = await read(file);
    expect(Array.from(reader.entries(), ([key]) => key)).toEqual(['3', '2000']);
    for (const [, value] of reader.entries()) JSON.stringify(value);
  });

  it('yields while it reads a line of several megabytes', async () => {
    const file = path();
    const value = Array.from({ length: 40_000 }, (_, index) => ({ index, data: 'x'.repeat(100) }));
    new RecordFile(file).set('key', value);
    const { result, turns } = await countTurns(async () => read(file));
    expect(result.get('key')).toEqual(value);
    expect(turns).toBeGreaterThan(20);
    const line = Buffer.from(JSON.stringify(value));
    const parsed = await countTurns(async () => runTask(readJsonLine(line), new TimeSlice()));
    expect(parsed.turns).toBeGreaterThan(10);
  });
});
