import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { Chain } from '../../src/chain/chain.ts';
import { bigIntToFixedBytes } from '../../src/primitives/bytes.ts';
import { nextIteration } from '../../src/scheduling/cancel-check.ts';
import { branchOf, createTestChain, testAccount, transfer } from '../support/test-chain.ts';

const ACCOUNTS = 5_000;
const FORKS = 250;
const BYTES_OF_A_FORK = 50_000;
const ROUNDS = 80;
/** A block with its state takes about 10 kB. A layer that holds the blocks of one round takes 85 kB. */
const BYTES_OF_A_ROUND = 15_000;

/** Bytes in use after garbage collection over several turns of the event loop. */
async function usedMemory(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  for (let round = 0; round < 3; round++) {
    await nextIteration();
    collect();
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

async function createLargeChain(): Promise<Chain> {
  const { chain } = await createTestChain();
  for (let index = 0; index < ACCOUNTS; index++) {
    await chain.cheats.setBalance(bigIntToFixedBytes(BigInt(0xc0_0000 + index), 20), 1n);
  }
  for (let block = 0; block < 20; block++) await chain.sendFrom(testAccount(0).address, transfer());
  return chain;
}

describe('forks of a chain with 5,000 accounts', () => {
  it('forks take less than 50 kB each', async () => {
    const chain = await createLargeChain();
    const forks = [await branchOf(chain)];
    const before = await usedMemory();
    for (let count = 0; count < FORKS; count++) forks.push(await branchOf(chain));
    expect(((await usedMemory()) - before) / FORKS).toBeLessThan(BYTES_OF_A_FORK);
    for (const fork of forks) expect(fork.head()).toBe(chain.head());
  });

  it('forks free their memory when they close', async () => {
    const chain = await createLargeChain();
    await chain.snapshots.takeNamed('start');
    const round = async (): Promise<void> => {
      const fork = await branchOf(chain);
      for (const one of [fork, chain]) await one.sendFrom(testAccount(0).address, transfer());
      const second = await branchOf(fork);
      await second.mine({ count: 3 });
      for (const one of [fork, second]) await one.close();
    };
    const series = async (): Promise<number> => {
      for (let count = 0; count < FORKS; count++) await round();
      await chain.snapshots.revert('start');
      return usedMemory();
    };
    const used = [await series()];
    for (let count = 0; count < 4; count++) used.push(await series());
    // Compiled code and caches grow in some series. A leak of forks would grow in every series.
    const growths = used.slice(1).map((bytes, place) => bytes - (used[place] ?? 0));
    expect(Math.min(...growths) / FORKS).toBeLessThan(BYTES_OF_A_FORK / 50);
  });

  it('forks leave no layers behind if the chain is reverted while they live, and continues', async () => {
    const { chain } = await createTestChain();
    const { address } = testAccount(0);
    const open: Chain[] = [];
    const round = async (): Promise<void> => {
      const snapshot = await chain.snapshots.take();
      for (let block = 0; block < 10; block++) await chain.sendFrom(address, transfer());
      open.push(await branchOf(chain));
      await chain.snapshots.revert(snapshot);
      await chain.sendFrom(address, transfer());
      if (open.length > 3) await open.shift()?.close();
    };
    const used: number[] = [];
    for (let count = 1; count <= 4 * ROUNDS; count++) {
      await round();
      if (count % ROUNDS === 0) used.push(await usedMemory());
    }
    const growths = used.slice(1).map((bytes, place) => bytes - (used[place] ?? 0));
    expect(Math.min(...growths) / ROUNDS).toBeLessThan(BYTES_OF_A_ROUND);
  });
});
