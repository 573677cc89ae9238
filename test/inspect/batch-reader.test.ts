import { describe, expect, it } from 'vitest';
import { BatchReader } from '../../src/inspect/storage/batch-reader.ts';
import { slotBytes } from '../../src/inspect/storage/storage-value.ts';
import { bytesToBigInt } from '../../src/primitives/bytes.ts';
import { neverCancelled } from '../../src/scheduling/cancel-check.ts';
import { MissingStateError } from '../../src/state/state-source.ts';

/** Slots that must be fetched: each has its number plus 100. `fetched` has the slots of each batch. */
function slots(fail: (slot: bigint) => boolean = () => false) {
  const known = new Set<bigint>();
  const fetched: bigint[] = [];
  const read = (slot: bigint): Uint8Array => {
    if (known.has(slot)) return slotBytes(slot + 100n);
    throw new MissingStateError(async () => {
      fetched.push(slot);
      if (fail(slot)) throw new Error(`slot ${slot} failed`);
      known.add(slot);
    });
  };
  return { read, fetched };
}

describe('a reader of batches', () => {
  it('returns the result of the run without missing slots', async () => {
    const { read, fetched } = slots();
    const reader = new BatchReader(read, neverCancelled);
    const results: bigint[][] = [];
    const result = await reader.run(async () => {
      const values = [1n, 2n, 2n].map((slot) => bytesToBigInt(reader.read(slot)));
      values.push(bytesToBigInt(reader.read(values[0] ?? 0n)));
      results.push(values);
      return values;
    });
    expect(result).toEqual([101n, 102n, 102n, 201n]);
    // The slot of the placeholder is fetched too, but its value is not used.
    expect(fetched).toEqual([1n, 2n, 0n, 101n]);
    expect(results).toHaveLength(3);
  });

  it('rejects with the error of the run without missing slots only', async () => {
    const { read } = slots();
    const reader = new BatchReader(read, neverCancelled);
    const task = async (): Promise<string> => {
      const value = bytesToBigInt(reader.read(1n));
      if (value === 0n) throw new Error('a placeholder');
      throw new Error(`value ${value}`);
    };
    await expect(reader.run(task)).rejects.toThrow('value 101');
  });

  it('rejects if a fetch fails or the task is cancelled', async () => {
    const failing = new BatchReader(slots((slot) => slot === 2n).read, neverCancelled);
    const both = async (): Promise<Uint8Array[]> => [failing.read(1n), failing.read(2n)];
    await expect(failing.run(both)).rejects.toThrow('slot 2 failed');
    const { read, fetched } = slots();
    const cancelled = new BatchReader(read, () => {
      throw new Error('cancelled');
    });
    await expect(cancelled.run(async () => cancelled.read(1n))).rejects.toThrow('cancelled');
    expect(fetched).toEqual([]);
  });
});
