import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { bigIntToFixedBytes, concatBytes } from '../../src/primitives/bytes.ts';
import { createTestChain } from '../support/test-chain.ts';

const CONTRACTS = 1_000;
const SNAPSHOTS = 10_000;
const MAX_BYTES = 20_000_000;

/** Bytes of the heap in use after garbage collection. */
function usedHeap(): number {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  collect();
  return process.memoryUsage().heapUsed;
}

it('ten thousand snapshots of a chain with a thousand contracts take less than 20 MB', async () => {
  const { chain } = await createTestChain();
  for (let index = 0; index < CONTRACTS; index++) {
    const contract = bigIntToFixedBytes(BigInt(0xc0_0000 + index), 20);
    await chain.cheats.setCode(contract, concatBytes(new Uint8Array(1_000), contract));
    await chain.cheats.setStorageAt(contract, new Uint8Array(32), Uint8Array.of(1));
  }
  const before = usedHeap();
  for (let count = 0; count < SNAPSHOTS; count++) await chain.snapshots.take();
  expect(usedHeap() - before).toBeLessThan(MAX_BYTES);
  expect(await chain.snapshots.revert(1)).toBe(true);
});
