import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Chain } from '../../src/chain/chain.ts';
import { BlockImport } from '../../src/chain/mining/block-import.ts';
import type { OfferedWork, SubmittedBlock } from '../../src/chain/mining/mining-work.ts';
import { increaseTime } from '../../src/chain/mining-controls.ts';
import type { ChainOptions } from '../../src/chain/settings/chain-options.ts';
import { compareBytes } from '../../src/primitives/bytes.ts';
import { hexKey, toHex } from '../../src/primitives/hex.ts';
import type { Block, MergedMining } from '../../src/protocol/block.ts';
import {
  InvalidSolutionError,
  NoParentChainError,
  OutdatedWorkError,
  UnknownWorkError,
} from '../../src/protocol/errors.ts';
import { headerHash, unclesHash } from '../../src/protocol/header-encoding.ts';
import { proofOfBlock, readBitcoinBlock } from '../../src/protocol/merged-mining/parent-chain-block.ts';
import { LocalWork, proofOfWorkFault, workTarget } from '../../src/protocol/merged-mining/proof-of-work.ts';
import { minedParentBlock } from '../support/pool.ts';
import { createTestChain, nodeOf, testAccount, transfer } from '../support/test-chain.ts';

const SENDER = testAccount(0).address;
const OTHER = testAccount(2).address;

function proofFor(work: OfferedWork, extraNonce = 0): MergedMining {
  const block = minedParentBlock(
    {
      blockHashForMergedMining: toHex(work.hashForMergedMining),
      target: toHex(workTarget(work.difficulty)),
    },
    { extraNonce },
  );
  return proofOfBlock(readBitcoinBlock(new Uint8Array(block.toBuffer())));
}

function submit(chain: Chain, work: OfferedWork, extraNonce = 0): Promise<SubmittedBlock> {
  return chain.work.submit(work.hashForMergedMining, () => proofFor(work, extraNonce));
}

/** A chain without automatic mining, and its events. */
async function createIdleChain(options: Partial<ChainOptions> = {}) {
  const { chain, time } = await createTestChain({ automine: false, ...options });
  return { chain, time, heard: listen(chain) };
}

function listen(chain: Chain): readonly string[] {
  const heard: string[] = [];
  chain.events.on('block', ({ hash }) => heard.push(`block ${hexKey(hash)}`));
  chain.events.on('removed', (blocks) => heard.push(...blocks.map(({ hash }) => `removed ${hexKey(hash)}`)));
  return heard;
}

/** Work on a block with fees. Of two blocks with equal fees, the lower hash wins. */
async function offerWithFees(chain: Chain): Promise<OfferedWork> {
  await chain.sendFrom(SENDER, transfer({ maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }));
  return chain.work.offer();
}

/** Submits solutions of the same work until one of them reorganizes the chain. */
async function submitUntilReorganized(chain: Chain, work: OfferedWork): Promise<SubmittedBlock[]> {
  const submitted = [await submit(chain, work)];
  do submitted.push(await submit(chain, work, submitted.length));
  while (submitted.at(-1)?.result !== 'IMPORTED_BEST');
  return submitted;
}

async function uncleHashes(chain: Chain, block: Block): Promise<string[]> {
  expect(unclesHash(block.uncles, chain.ruleSet.encoding)).toEqual(block.header.unclesHash);
  expect(block.header.uncleCount).toBe(block.uncles.length);
  return block.uncles.map((uncle) => hexKey(headerHash(uncle, 'network')));
}

describe('submitted solution', () => {
  it('a solution makes its block the head, with the transactions of the pool', async () => {
    const { chain, heard } = await createIdleChain();
    const hash = await chain.sendFrom(SENDER, transfer());
    const work = await chain.work.offer();
    const submitted = await submit(chain, work);
    expect(submitted).toEqual({ result: 'IMPORTED_BEST', hash: chain.head().hash, number: 1 });
    expect(chain.head().transactions.map((transaction) => transaction.hash)).toEqual([hash]);
    expect(chain.head().receipts).toHaveLength(1);
    expect(proofOfWorkFault(chain.head().header)).toBeNull();
    expect(chain.pool.size).toBe(0);
    expect(heard).toEqual([`block ${hexKey(submitted.hash)}`]);
  });

  it('a solution is imported once', async () => {
    const { chain, heard } = await createIdleChain();
    const work = await chain.work.offer();
    const first = await submit(chain, work);
    expect(await submit(chain, work)).toEqual({ ...first, result: 'EXIST' });
    expect(heard).toHaveLength(1);
  });

  it('a solution is rejected for unknown work', async () => {
    const { chain } = await createIdleChain();
    const work = await chain.work.offer();
    const other = (await createIdleChain({ coinbase: SENDER })).chain;
    await expect(submit(other, work)).rejects.toThrow(UnknownWorkError);
  });

  it('a solution is rejected for other work without a change', async () => {
    const { chain, heard } = await createIdleChain();
    const work = await chain.work.offer();
    const other = await (await createIdleChain({ coinbase: SENDER })).chain.work.offer();
    const submitting = chain.work.submit(work.hashForMergedMining, () => proofFor(other));
    await expect(submitting).rejects.toThrow(InvalidSolutionError);
    expect(chain.head().header.number).toBe(0);
    expect(heard).toEqual([]);
  });

  it('a solution is rejected if the state was changed after the offer', async () => {
    const { chain } = await createIdleChain();
    const work = await chain.work.offer();
    await chain.cheats.setBalance(OTHER, 5n);
    await expect(submit(chain, work)).rejects.toThrow(OutdatedWorkError);
    await expect(submit(chain, work)).rejects.toMatchObject({
      code: -33000,
      message: `Cannot publish block, the state below the work with hash ${toHex(work.hashForMergedMining)} was changed; get new work with mnr_getWork`,
    });
    const proof = new LocalWork(work.hashForMergedMining, work.difficulty).search(99)?.header ?? [];
    const nonce = proof[76] ?? 0;
    expect(await chain.work.solve(work.hashForMergedMining, work.merkleRoot, { time: 0, nonce })).toBe(false);
    await submit(chain, await chain.work.offer());
    expect((await chain.view({ tag: 'latest' })).state.account(OTHER)?.balance).toBe(5n);
  });

  it('a solution returns NO_PARENT if the parent block was reverted', async () => {
    const { chain } = await createIdleChain();
    const snapshot = await chain.snapshots.take();
    await chain.mine();
    const work = await chain.work.offer();
    await chain.snapshots.revert(snapshot);
    expect((await submit(chain, work)).result).toBe('NO_PARENT');
    expect(chain.head().header.number).toBe(0);
  });

  it('a solution is rejected under Ethereum rules', async () => {
    const work = await (await createIdleChain()).chain.work.offer();
    const { chain } = await createIdleChain({ ruleSet: 'london' });
    await expect(chain.work.offer()).rejects.toThrow(NoParentChainError);
    await expect(submit(chain, work)).rejects.toThrow(NoParentChainError);
    expect(await chain.work.solve(work.hashForMergedMining, work.merkleRoot, { time: 0, nonce: 0 })).toBe(
      false,
    );
  });

  it('a solution must meet the difficulty of the chain', async () => {
    const { chain } = await createIdleChain({ difficulty: 500n });
    const work = await chain.work.offer();
    const easy = { ...work, difficulty: 1n };
    await expect(submit(chain, easy)).rejects.toThrow(
      /hash [0-9a-f]{64} .* is above the target [0-9a-f]{64}$/,
    );
    expect(await submit(chain, work)).toMatchObject({ result: 'IMPORTED_BEST' });
    expect(chain.head().totalDifficulty).toBe(1_000n);
  });
});

describe('competing solutions', () => {
  it('competing solutions with fees: the lowest hash wins, with an event for every head', async () => {
    const { chain, heard } = await createIdleChain();
    const work = await offerWithFees(chain);
    const [first, ...others] = await submitUntilReorganized(chain, work);
    if (first === undefined) throw new Error('nothing was submitted');
    const winner = others.at(-1);
    expect(others.slice(0, -1).every(({ result }) => result === 'IMPORTED_NOT_BEST')).toBe(true);
    for (const { hash } of [first, ...others.slice(0, -1)]) {
      expect(compareBytes(winner?.hash ?? hash, hash)).toBe(-1);
    }
    expect(chain.head().hash).toEqual(winner?.hash);
    expect(heard).toEqual([
      `block ${hexKey(first.hash)}`,
      `removed ${hexKey(first.hash)}`,
      `block ${hexKey(chain.head().hash)}`,
    ]);
  });

  it('without fees: the first solution stays the head', async () => {
    const { chain } = await createIdleChain();
    const work = await chain.work.offer();
    const first = await submit(chain, work);
    for (let extraNonce = 1; extraNonce < 9; extraNonce++) {
      expect((await submit(chain, work, extraNonce)).result).toBe('IMPORTED_NOT_BEST');
    }
    expect(chain.head().hash).toEqual(first.hash);
  });

  it('competing solutions win with doubled fees and return transactions to the pool', async () => {
    const { chain } = await createIdleChain();
    const cheap = await chain.sendFrom(SENDER, transfer({ maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }));
    const cheapWork = await chain.work.offer();
    await chain.dropTransactions();
    const dear = await chain.sendFrom(OTHER, transfer({ maxFeePerGas: 3n, maxPriorityFeePerGas: 3n }));
    const dearWork = await chain.work.offer();
    await submit(chain, cheapWork);
    expect((await submit(chain, dearWork)).result).toBe('IMPORTED_BEST');
    expect(chain.head().transactions.map(({ hash }) => hash)).toEqual([dear]);
    expect(chain.pool.pending().map(({ hash }) => hash)).toEqual([cheap]);
    expect(await chain.transaction(cheap)).toBeUndefined();
    await chain.mine();
    expect(chain.head().transactions.map(({ hash }) => hash)).toEqual([cheap]);
  });

  it('competing solutions return the transactions of 300 replaced blocks to the pool', async () => {
    const { chain } = await createIdleChain();
    const work = await chain.work.offer();
    const hash = await chain.sendFrom(SENDER, transfer());
    await chain.mine();
    for (let block = 1; block < 300; block++) await chain.mine();
    // The blocks of a node are equally difficult. Only an external miner can outweigh 300 of them.
    const take = BlockImport.prototype.import;
    const spy = vi.spyOn(BlockImport.prototype, 'import').mockImplementation(function (
      this: BlockImport,
      newcomer,
    ) {
      return take.call(this, { ...newcomer, block: { ...newcomer.block, totalDifficulty: 10_000n } });
    });
    onTestFinished(() => spy.mockRestore());
    expect(await submit(chain, work)).toMatchObject({ result: 'IMPORTED_BEST', number: 1 });
    expect(chain.pool.pending().map((transaction) => transaction.hash)).toEqual([hash]);
  });

  it('competing solutions that lost are uncles and count for the total difficulty', async () => {
    const { chain } = await createIdleChain({ difficulty: 3n });
    const submitted = await submitUntilReorganized(chain, await offerWithFees(chain));
    const losers = submitted.slice(0, -1).map(({ hash }) => hexKey(hash));
    await chain.mine();
    const block = chain.head();
    expect((await uncleHashes(chain, block)).sort()).toEqual(losers.slice().sort());
    expect(block.totalDifficulty).toBe(9n + 3n * BigInt(losers.length));
    await chain.mine();
    expect(chain.head().uncles).toEqual([]);
    expect(chain.head().totalDifficulty).toBe(block.totalDifficulty + 3n);
  });

  it('competing solutions that lost are uncles in offered work too', async () => {
    const { chain } = await createIdleChain();
    const first = await offerWithFees(chain);
    const submitted = await submitUntilReorganized(chain, first);
    const { block } = await chain.view({ tag: 'pending' });
    expect(block.uncles).toHaveLength(submitted.length - 1);
    await submit(chain, await chain.work.offer());
    expect(chain.head().uncles).toHaveLength(submitted.length - 1);
    expect(proofOfWorkFault(chain.head().header)).toBeNull();
  });

  it('competing solutions win after a loss if more blocks follow', async () => {
    const { chain } = await createIdleChain();
    const work = await offerWithFees(chain);
    const first = await submit(chain, work);
    const above = await chain.work.offer();
    await submitUntilReorganized(chain, work);
    const winner = chain.head();
    expect(winner.hash).not.toEqual(first.hash);
    const heard = listen(chain);
    const back = await submit(chain, above);
    expect(back).toMatchObject({ result: 'IMPORTED_BEST', number: 2 });
    expect(heard).toEqual([
      `removed ${hexKey(winner.hash)}`,
      `block ${hexKey(first.hash)}`,
      `block ${hexKey(back.hash)}`,
    ]);
    expect(chain.head().header.parentHash).toEqual(first.hash);
    await chain.mine();
    expect(await uncleHashes(chain, chain.head())).toContain(hexKey(winner.hash));
  });

  it('competing solutions replace a block of the local miner', async () => {
    const { chain } = await createIdleChain();
    const work = await offerWithFees(chain);
    await chain.mine();
    const local = chain.head();
    const submitted = [await submit(chain, work)];
    while (submitted.at(-1)?.result !== 'IMPORTED_BEST')
      submitted.push(await submit(chain, work, submitted.length));
    for (const { result, hash } of submitted) {
      expect(compareBytes(hash, local.hash) < 0).toBe(result === 'IMPORTED_BEST');
    }
    await chain.mine();
    expect(await uncleHashes(chain, chain.head())).toContain(hexKey(local.hash));
  });

  it('competing solutions that lost are dropped on a snapshot revert', async () => {
    const { chain } = await createIdleChain();
    const snapshot = await chain.snapshots.take();
    await submitUntilReorganized(chain, await offerWithFees(chain));
    expect(await chain.snapshots.revert(snapshot)).toBe(true);
    await chain.mine({ count: 2 });
    expect(chain.head().uncles).toEqual([]);
  });

  it('competing solutions do not change the clock', async () => {
    const { chain, time } = await createIdleChain();
    const work = await chain.work.offer();
    await submit(chain, work);
    await time.advance(60_000);
    const before = await chain.change(increaseTime(0));
    for (let extraNonce = 1; extraNonce < 9; extraNonce++) await submit(chain, work, extraNonce);
    expect(await chain.change(increaseTime(0))).toBe(before);
    await chain.mine();
    expect(chain.head().header.timestamp).toBe(Math.floor(time.clock.now() / 1000));
  });
});

describe('dump of a chain with uncles', () => {
  it('restores the blocks with their uncles', async () => {
    const { chain } = await createIdleChain();
    await submitUntilReorganized(chain, await offerWithFees(chain));
    await chain.mine();
    const dump = await nodeOf(chain).dump.write({ isCompressed: false, withKeys: false });
    const other = (await createIdleChain()).chain;
    await nodeOf(other).dump.load(dump);
    expect(other.head()).toEqual(chain.head());
    expect(other.head().uncles.length).toBeGreaterThan(0);
    expect(await other.block({ number: 1n })).toEqual(await chain.block({ number: 1n }));
  });
});
