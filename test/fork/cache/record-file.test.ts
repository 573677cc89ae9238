import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RecordFile } from '../../../src/fork/cache/record-file.ts';
import { ForkCacheError } from '../../../src/fork/errors.ts';

function path(): string {
  const directory = mkdtempSync(join(tmpdir(), 'node-cli-records-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return join(directory, 'records.jsonl');
}

describe('a file of records', () => {
  it('says clearly that it cannot be written or read, and has what was to be written', () => {
    const file = path();
    writeFileSync(file, '');
    const records = new RecordFile(join(file, 'records.jsonl'));
    expect(() => records.get('key')).toThrow(ForkCacheError);
    expect(() => records.set('key', 1)).toThrow(
      /^The cache of the fork cannot be used \(\/.*: a file stands where a directory should\).*--fork-cache-dir.*--no-storage-caching$/,
    );
    expect(records.get('key')).toBe(1);
  });

  it('has nothing while there is no file', () => {
    expect(new RecordFile(path()).get('key')).toBeUndefined();
  });

  it('gives what was written, the last of one key, to whoever opens it', () => {
    const file = path();
    const writer = new RecordFile(file);
    writer.set('key', '0x1');
    writer.set('other', { nested: ['ä\n', null] });
    writer.set('key', '0x2');
    for (const reader of [writer, new RecordFile(file)]) {
      expect(reader.get('key')).toBe('0x2');
      expect(reader.get('other')).toEqual({ nested: ['ä\n', null] });
    }
  });

  it('sees what another process adds meanwhile', () => {
    const file = path();
    const [left, right] = [new RecordFile(file), new RecordFile(file)];
    left.set('a', 1);
    expect(right.get('a')).toBe(1);
    right.set('b', 2);
    left.set('c', 3);
    expect(left.get('b')).toBe(2);
    expect(right.get('c')).toBe(3);
  });

  it('loses only the record that a crash tore, wherever it tore it', () => {
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
      const reader = new RecordFile(file);
      expect(reader.get('first')).toBe('x'.repeat(30));
      expect(reader.get('later')).toBe(end);
      // All but the line break at the end is a whole record once another one begins.
      expect(reader.get('torn')).toBe(end === length - 1 ? 'y'.repeat(30) : undefined);
    }
  });

  it('does not believe a record whose bytes are not what was written', () => {
    const file = path();
    new RecordFile(file).set('key', 'value');
    writeFileSync(file, readFileSync(file, 'utf8').replace('value', 'vulue'));
    appendFileSync(file, '\nnonsense\n');
    expect(new RecordFile(file).get('key')).toBeUndefined();
  });
});
