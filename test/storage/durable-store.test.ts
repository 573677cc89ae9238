import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { describe, expect, it, vi } from 'vitest';
import { DurableStore } from '../../src/storage/durable-store.ts';
import { DamagedDirectoryError, DiskError } from '../../src/storage/errors.ts';
import { copyOf, temporaryDirectory } from '../support/temporary-directory.ts';

const [ONE, TWO] = [Uint8Array.of(1), Uint8Array.of(2)];

async function entriesOf(store: DurableStore, prefix: string): Promise<[string, Uint8Array][]> {
  const entries: [string, Uint8Array][] = [];
  for await (const entry of store.entries(prefix)) entries.push(entry);
  return entries;
}

describe('DurableStore', () => {
  it('reads a value immediately after the put, and has it on disk after the write', async () => {
    const directory = await temporaryDirectory();
    const store = await DurableStore.open(directory, true);
    store.put('a', ONE);
    store.batch([
      { type: 'put', key: 'b', value: TWO },
      { type: 'del', key: 'a' },
    ]);
    expect([store.getSync('a'), store.getSync('b'), store.isChanged]).toEqual([undefined, TWO, true]);
    const early = await DurableStore.open(await copyOf(directory), true);
    expect(early.getSync('b')).toBeUndefined();
    await early.close();
    await store.write();
    expect(store.isChanged).toBe(false);
    const late = await DurableStore.open(await copyOf(directory), true);
    expect([late.getSync('a'), late.getSync('b')]).toEqual([undefined, TWO]);
    await late.close();
    await store.close();
  });

  it.each([
    [false, [{ sync: true }]],
    [true, []],
  ])('syncs to disk at a flush, unless each write is synced (%j)', async (isSynced, expected) => {
    const deleted = vi.spyOn(ClassicLevel.prototype, 'del');
    const store = await DurableStore.open(await temporaryDirectory(), isSynced);
    store.put('a', ONE);
    await store.write();

    await store.flush();

    expect(deleted.mock.calls.map(([, options]) => options)).toEqual(expected);
    expect(store.getSync('a')).toEqual(ONE);
    await store.close();
    deleted.mockRestore();
  });

  it('returns the entries with a prefix in key order', async () => {
    const store = await DurableStore.open(await temporaryDirectory(), false);
    for (const key of ['l2', 'k9', 'l1', 'm']) store.put(key, ONE);
    await store.write();
    expect(await entriesOf(store, 'l')).toEqual([
      ['l1', ONE],
      ['l2', ONE],
    ]);
    await store.close();
  });

  it('returns a frozen copy that later writes do not change', async () => {
    const store = await DurableStore.open(await temporaryDirectory(), false);
    store.put('written', ONE);
    await store.write();
    store.put('pending', ONE);
    const frozen = store.frozen();
    store.put('written', TWO);
    store.delete('pending');
    store.put('later', TWO);
    await store.write();
    expect(['written', 'pending', 'later'].map((key) => frozen.getSync(key))).toEqual([ONE, ONE, undefined]);
    expect(['written', 'pending', 'later'].map((key) => store.getSync(key))).toEqual([TWO, undefined, TWO]);
    expect(() => frozen.batch([{ type: 'del', key: 'written' }])).toThrow(TypeError);
    await store.close();
  });

  it('reopens its files after a failed write, because half of it may be on disk', async () => {
    const directory = await temporaryDirectory();
    const store = await DurableStore.open(directory, true);
    store.put('early', ONE);
    await store.write();
    const open = vi.spyOn(ClassicLevel.prototype, 'open');
    const full = vi.spyOn(ClassicLevel.prototype, 'batch').mockRejectedValue(new Error('No space left'));
    const frozen = store.frozen();
    store.put('failed', ONE);
    await expect(store.write()).rejects.toThrow(DiskError);
    full.mockRestore();
    expect(store.getSync('early')).toEqual(ONE);
    await store.write();
    store.put('late', ONE);
    await store.write();
    expect(open).toHaveBeenCalledTimes(1);
    open.mockRestore();
    expect(() => frozen.getSync('early')).toThrow(DiskError);
    expect(['early', 'failed', 'late'].map((key) => store.getSync(key))).toEqual([ONE, ONE, ONE]);
    await store.close();
  });

  it('fails to read after it is closed, with its directory in the error', async () => {
    const directory = await temporaryDirectory();
    const store = await DurableStore.open(directory, true);
    await store.close();
    expect(() => store.getSync('a')).toThrow(DiskError);
    expect(() => store.getSync('a')).toThrow(directory);
  });

  it('creates no new store in a directory with the remains of one', async () => {
    const directory = await temporaryDirectory();
    const store = await DurableStore.open(directory, true);
    store.put('a', ONE);
    await store.write();
    await store.close();
    await rm(join(directory, 'CURRENT'));
    await expect(DurableStore.open(directory, true)).rejects.toThrow(DamagedDirectoryError);
  });
});
