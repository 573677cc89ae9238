import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Chain } from '../../src/chain/chain.ts';
import {
  changeSettings,
  impersonateSignature,
  increaseTime,
  stopMining,
} from '../../src/chain/mining-controls.ts';
import { finish } from '../../src/primitives/steps.ts';
import { branchOf, createTestChain, TEST_START, testAccount, transfer } from '../support/test-chain.ts';
import { answers, type Step, steps, take } from './random-history.ts';

const NEW_PASSPHRASE = 'secret';

async function send(chain: Chain, value = 1n): Promise<Uint8Array> {
  return chain.sendFrom(testAccount(0).address, transfer({ value }));
}

function headOf(chain: Chain): number {
  return chain.head().header.number;
}

async function balanceOf(chain: Chain, address: Uint8Array): Promise<bigint> {
  const { state } = await chain.view({ tag: 'latest' });
  return state.account(address)?.balance ?? 0n;
}

/** Removes resets: a reset returns a forked chain to its fork point, not to genesis. */
function withoutReset(history: readonly Step[]): Step[] {
  return history.filter(({ kind }) => kind !== 'reset');
}

describe('forked chain', () => {
  it('a forked chain and its parent behave like separate chains with the same history', async () => {
    const history = steps.map(withoutReset);
    const property = fc.asyncProperty(history, history, history, async (before, onBase, onLane) => {
      const [{ chain: base }, { chain: baseTwin }, { chain: laneTwin }] = await Promise.all([
        createTestChain(),
        createTestChain(),
        createTestChain(),
      ]);
      for (const chain of [base, baseTwin, laneTwin]) await take(chain, before);
      const lane = await branchOf(base);
      const idle = await branchOf(base);
      const atFork = await answers(idle);
      await Promise.all([take(base, onBase), take(lane, onLane)]);
      await take(baseTwin, onBase);
      await take(laneTwin, onLane);
      expect(await answers(base)).toEqual(await answers(baseTwin));
      expect(await answers(lane)).toEqual(await answers(laneTwin));
      expect(await answers(idle)).toEqual(atFork);
      await lane.snapshots.reset();
      expect(await answers(lane)).toEqual(atFork);
    });
    await fc.assert(property, { numRuns: 12 });
  });

  it('a forked chain starts at a snapshot without a change of the snapshot', async () => {
    const { chain } = await createTestChain();
    await send(chain);
    const id = await chain.snapshots.take();
    const before = await answers(chain);
    await send(chain);
    await chain.change(increaseTime(1_000));
    const lane = await branchOf(chain, { snapshot: id });
    expect(await answers(lane)).toEqual(before);
    await send(lane, 9n);
    expect(await chain.snapshots.revert(id)).toBe(true);
    expect(await answers(chain)).toEqual(before);
    expect(headOf(lane)).toBe(2);
  });

  it('a forked chain starts after a given block with an empty pool', async () => {
    const { chain } = await createTestChain();
    for (let count = 0; count < 3; count++) await send(chain);
    await chain.change(stopMining());
    await send(chain);
    const lane = await branchOf(chain, { block: 1 });
    expect(headOf(lane)).toBe(1);
    expect([lane.pool.size, chain.pool.size]).toEqual([0, 1]);
    expect(await lane.pendingNonce(testAccount(0).address)).toBe(1n);
    await expect(branchOf(chain, { block: 4 })).rejects.toThrow('4');
    await expect(branchOf(chain, { snapshot: 7 })).rejects.toThrow('snapshot not found: 0x7');
  });

  it('a forked chain starts inside a series of reserved blocks', async () => {
    const { chain } = await createTestChain();
    await chain.mineBulk({ count: 5_000 });
    const lane = await branchOf(chain, { block: 2_500 });
    await lane.mine();
    const { block } = await lane.view({ number: 2_501n });
    expect(block.header.parentHash).toEqual(
      chain.head() && (await chain.view({ number: 2_500n })).block.hash,
    );
  });

  it('a forked chain has its own pool', async () => {
    const { chain } = await createTestChain({ automine: false });
    await send(chain);
    const lane = await branchOf(chain);
    expect(lane.pool.size).toBe(1);
    await lane.mine();
    expect([lane.pool.size, chain.pool.size]).toEqual([0, 1]);
    expect([headOf(lane), headOf(chain)]).toEqual([1, 0]);
  });

  it('a forked chain has its own accounts', async () => {
    const { chain } = await createTestChain();
    const lane = await branchOf(chain);
    const { address } = testAccount(0);
    chain.wallet.lock(address);
    expect([chain.wallet.isUnlocked(address), lane.wallet.isUnlocked(address)]).toEqual([false, true]);
    const created = lane.wallet.addSeedAccount('made on the lane');
    expect(lane.wallet.addresses()).toContainEqual(created);
    expect(chain.wallet.addresses()).not.toContainEqual(created);
  });

  it('a forked chain has its own time, which locks no account', async () => {
    const { chain, time } = await createTestChain();
    const address = await chain.wallet.importKey(new Uint8Array(32).fill(7), NEW_PASSPHRASE);
    await chain.change(increaseTime(60));
    const lane = await branchOf(chain);
    await lane.change(increaseTime(3_600));
    time.advance(10_000);
    await Promise.all([chain.mine(), lane.mine()]);
    const start = TEST_START / 1000;
    expect(chain.head().header.timestamp).toBe(start + 70);
    expect(lane.head().header.timestamp).toBe(start + 3_670);
    expect([chain.wallet.isUnlocked(address), lane.wallet.isUnlocked(address)]).toEqual([true, true]);
  });

  it('a forked chain has its own events, filters and snapshots', async () => {
    const { chain } = await createTestChain();
    await chain.snapshots.take();
    const filter = chain.filters.addBlocks();
    const lane = await branchOf(chain);
    const told: string[] = [];
    chain.events.on('block', ({ header }) => told.push(`base ${header.number}`));
    lane.events.on('block', ({ header }) => told.push(`lane ${header.number}`));
    await send(lane);
    await send(lane);
    await send(chain);
    expect(told).toEqual(['lane 1', 'lane 2', 'base 1']);
    expect(finish(chain.filters.changes(filter))).toEqual({
      hashes: [chain.head().hash],
      isFull: false,
    });
    expect(() => finish(lane.filters.changes(filter))).toThrow('filter not found');
    expect(lane.snapshots.list()).toEqual([]);
    expect(lane.identity.instanceId).not.toEqual(chain.identity.instanceId);
  });

  it('a forked chain has its own mining timer', async () => {
    const { chain, time } = await createTestChain({ automine: false, blockTime: 5 });
    const lane = await branchOf(chain);
    chain.miner.setMode({ automine: false, blockTime: null });
    await time.advance(5_000);
    await lane.change(stopMining());
    expect([headOf(chain), headOf(lane)]).toEqual([0, 1]);
    await lane.close();
  });

  it('a forked chain has its own impersonated signers and chain id', async () => {
    const { chain } = await createTestChain();
    const signature = new Uint8Array(65).fill(27);
    const hash = new Uint8Array(32);
    const data = Buffer.concat([hash, new Uint8Array(31), signature.subarray(64), signature.subarray(0, 64)]);
    const lane = await branchOf(chain);
    await lane.change(impersonateSignature(signature, testAccount(2).address));
    await lane.change(changeSettings({ chainId: 44 }));
    const ecrecover = new Uint8Array(20);
    ecrecover[19] = 1;
    const { nonce: _, ...rest } = transfer({ to: ecrecover, data, value: 0n });
    const call = async (of: Chain): Promise<string> => {
      const message = { ...rest, sender: testAccount(0).address, gasLimit: 100_000n };
      const { returnData } = await of.calls.call(message, { tag: 'latest' });
      return Buffer.from(returnData).toString('hex').slice(24);
    };
    const nobody = await call(chain);
    expect(await call(lane)).toBe(Buffer.from(testAccount(2).address).toString('hex'));
    expect(await call(chain)).toBe(nobody);
    expect([chain.settings.chainId, lane.settings.chainId]).toEqual([33, 44]);
  });

  it('a forked chain can be forked again and outlives its parent', async () => {
    const { chain } = await createTestChain();
    await send(chain);
    const lane = await branchOf(chain);
    await send(lane);
    const second = await branchOf(lane);
    await chain.close();
    await lane.close();
    await send(second);
    expect(headOf(second)).toBe(3);
    for (const number of [0n, 1n, 2n, 3n]) {
      const block = await second.block({ number });
      expect(block?.header.number).toBe(Number(number));
    }
    expect(await balanceOf(second, testAccount(1).address)).toBe(10n ** 20n + 3n);
  });

  it('a forked chain shares the state and head object of its parent', async () => {
    const { chain } = await createTestChain();
    await send(chain);
    const { state } = await chain.view({ tag: 'latest' });
    const lane = await branchOf(chain);
    expect((await lane.view({ tag: 'latest' })).state).toBe(state);
    expect(lane.head()).toBe(chain.head());
  });
});
