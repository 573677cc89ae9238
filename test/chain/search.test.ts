import { describe, expect, it } from 'vitest';
import type { Chain } from '../../src/chain/chain.ts';
import { ChainResetError, MiningStoppedError } from '../../src/chain/errors.ts';
import { changeSettings, setNextTimestamp } from '../../src/chain/mining-controls.ts';
import type { ChainOptions } from '../../src/chain/settings/chain-options.ts';
import { bytesToBigInt } from '../../src/primitives/bytes.ts';
import { proofOfWorkFault } from '../../src/protocol/merged-mining/proof-of-work.ts';
import { nextIteration } from '../../src/scheduling/cancel-check.ts';
import { createTestChain, testAccount, transfer } from '../support/test-chain.ts';

const SENDER = testAccount(0).address;
const OTHER = testAccount(2).address;
/** A search takes more than one time slice. */
const SOME_DIFFICULTY = 20_000n;
/** A search does not end in a test. */
const ENDLESS_DIFFICULTY = 2n ** 60n;

function createSearchingChain(options: Partial<ChainOptions> = {}) {
  return createTestChain({ automine: false, difficulty: ENDLESS_DIFFICULTY, ...options });
}

/** Lets searches run for several turns of the event loop. */
async function turns(count = 3): Promise<void> {
  for (let turn = 0; turn < count; turn++) await nextIteration();
}

/** A chain with an endless search for a block, and the outcome of the search. */
async function createEndlessSearch(options: Partial<ChainOptions> = {}) {
  const { chain, time } = await createSearchingChain(options);
  const search = chain.mine().then(
    () => 'found',
    (error: unknown) => error,
  );
  await turns();
  return { chain, time, search };
}

describe('a running proof-of-work search', () => {
  it('a proof-of-work search allows changes of the chain', async () => {
    const { chain, search } = await createEndlessSearch();
    const hash = await chain.sendFrom(SENDER, transfer());
    expect(chain.pool.byHash(hash)).toBeDefined();
    const snapshot = await chain.snapshots.take();
    await chain.cheats.setBalance(OTHER, 5n);
    await chain.change(changeSettings({ coinbase: OTHER }));
    expect(await chain.snapshots.revert(snapshot)).toBe(true);
    expect(chain.head().header.number).toBe(0);
    await chain.close();
    expect(await search).toBeInstanceOf(MiningStoppedError);
  });

  it('a proof-of-work search is stopped by stopSearching, which also rejects later blocks', async () => {
    const { chain, search } = await createEndlessSearch();
    chain.stopSearching();
    expect(await search).toBeInstanceOf(MiningStoppedError);
    expect(await chain.mine().catch((error: unknown) => error)).toBeInstanceOf(MiningStoppedError);
    await chain.close();
  });

  it('a proof-of-work search allows changes of the chain if interval mining started it', async () => {
    const { chain, time } = await createSearchingChain({ blockTime: 1 });
    await time.advance(1_000);
    await turns();
    await chain.sendFrom(SENDER, transfer());
    expect(await chain.snapshots.take()).toBe(1);
    await chain.close();
  });

  it('a proof-of-work search delays only the transaction with automine', async () => {
    const { chain } = await createSearchingChain({ automine: true });
    const told: string[] = [];
    const sent = chain.sendFrom(SENDER, transfer()).then(
      () => told.push('mined'),
      () => told.push('stopped'),
    );
    await turns();
    await chain.snapshots.take();
    told.push('kept');
    expect(chain.pool.nextNonce(SENDER)).toBe(1n);
    await chain.close();
    await sent;
    expect(told).toEqual(['kept', 'stopped']);
  });

  it('a proof-of-work search is rejected by a reset with the blocks queued behind it', async () => {
    const { chain, search } = await createEndlessSearch();
    const behind = chain.mine().catch((error: unknown) => error);
    await chain.sendFrom(SENDER, transfer());
    await chain.snapshots.reset();
    expect(await search).toBeInstanceOf(ChainResetError);
    expect(await behind).toBeInstanceOf(ChainResetError);
    expect(chain.head().header.number).toBe(0);
    expect(chain.pool.size).toBe(0);
    await chain.close();
  });

  it('a proof-of-work search rejects its transaction on a reset', async () => {
    const { chain } = await createSearchingChain({ automine: true });
    const sent = chain.sendFrom(SENDER, transfer()).catch((error: unknown) => error);
    const next = chain.sendFrom(SENDER, transfer()).catch((error: unknown) => error);
    await turns();
    await chain.snapshots.reset();
    expect(await sent).toBeInstanceOf(ChainResetError);
    expect(await next).toBeInstanceOf(ChainResetError);
    expect(chain.pool.size).toBe(0);
    await chain.close();
  });

  it('a proof-of-work search is stopped by a reset, but interval mining continues', async () => {
    const { chain, time } = await createSearchingChain({ blockTime: 1, difficulty: SOME_DIFFICULTY });
    await time.advance(1_000);
    await chain.snapshots.reset();
    await turns(99);
    expect(chain.head().header.number).toBe(0);
    await time.advance(1_000);
    await turns(99);
    expect(chain.head().header.number).toBeGreaterThan(0);
    await chain.close();
  });
});

describe('a found block', () => {
  it('a found block uses the settings and pool at the time of discovery', async () => {
    const { chain } = await createSearchingChain({ difficulty: SOME_DIFFICULTY });
    const dropped = await chain.sendFrom(SENDER, transfer());
    const mined = chain.mine();
    const changed = Promise.all([
      chain.change(({ pool }) => pool.remove(dropped)),
      chain.cheats.setBalance(OTHER, 5n),
      chain.change(changeSettings({ coinbase: OTHER })),
      chain.change(setNextTimestamp(2_000_000_000)),
    ]);
    await changed;
    expect(chain.head().header.number).toBe(0);
    const [block] = await mined;
    expect(block).toMatchObject({ header: { coinbase: OTHER, timestamp: 2_000_000_000 }, transactions: [] });
    expect(block && proofOfWorkFault(block.header)).toBeNull();
    expect((await chain.view({ tag: 'latest' })).state.account(OTHER)?.balance).toBe(5n);
  });

  it('a found block builds on a head that arrived during the search', async () => {
    const { chain } = await createSearchingChain({ difficulty: SOME_DIFFICULTY });
    const work = await chain.work.offer();
    const nonce = await solutionOf(chain, work.hashForMergedMining);
    const mined = chain.mine();
    const solved = chain.work.solve(work.hashForMergedMining, work.merkleRoot, { time: 0, nonce });
    expect(await solved).toBe(true);
    const solution = chain.head();
    expect(solution.header.number).toBe(1);
    const [block] = await mined;
    expect(block?.header).toMatchObject({ number: 2, parentHash: solution.hash });
  });

  it('a found block omits transactions that arrived during the search', async () => {
    const { chain } = await createSearchingChain({ difficulty: SOME_DIFFICULTY });
    const mined = chain.mine();
    await chain.sendFrom(SENDER, transfer());
    expect(chain.head().header.number).toBe(0);
    const [block] = await mined;
    expect(block?.transactions).toEqual([]);
    expect(chain.pool.pending()).toHaveLength(1);
  });

  it('a found block is mined in the order of the requests', async () => {
    const { chain } = await createSearchingChain({ difficulty: SOME_DIFFICULTY });
    const told: string[] = [];
    const tell = (name: string) => () => void told.push(`${name} ${chain.head().header.number}`);
    await Promise.all([
      chain.mine({ count: 2 }).then(tell('two')),
      chain.mineBulk().then(tell('one')),
      chain.mine({ timestamp: 2_000_000_000 }).then(tell('at')),
    ]);
    expect(told).toEqual(['two 2', 'one 3', 'at 4']);
    expect(chain.head().header.timestamp).toBe(2_000_000_000);
  });

  it('a found block holds one transaction with automine, in order of arrival', async () => {
    const { chain } = await createSearchingChain({ automine: true, difficulty: SOME_DIFFICULTY });
    const heights: number[] = [];
    const send = async (sender: Uint8Array, price: bigint) => {
      const hash = await chain.sendFrom(
        sender,
        transfer({ maxFeePerGas: price, maxPriorityFeePerGas: price }),
      );
      heights.push(chain.head().header.number);
      return (await chain.transaction(hash))?.block.header.number;
    };
    const sent = await Promise.all([send(SENDER, 1n), send(OTHER, 9n), send(SENDER, 1n)]);
    expect(sent).toEqual([1, 2, 3]);
    expect(heights).toEqual([1, 2, 3]);
  });

  it('a found block is the last of a bulk, with the settings at the time of discovery', async () => {
    const { chain } = await createSearchingChain({ difficulty: SOME_DIFFICULTY });
    // With this count, the proof of the last block takes more than one time slice.
    const mined = chain.mineBulk({ count: 301, interval: { seconds: 10, movesFirst: true } });
    while (chain.head().header.number === 0) await nextIteration();
    const before = chain.head().header;
    await chain.change(changeSettings({ coinbase: OTHER }));
    await mined;
    const { header } = chain.head();
    expect(header.number).toBe(301);
    expect(header.coinbase).toEqual(OTHER);
    expect(header.timestamp - before.timestamp).toBe(300 * 10);
  });

  it('replaces blocks of a reorganization with the settings at the time of discovery', async () => {
    const { chain } = await createSearchingChain({ difficulty: 5n * SOME_DIFFICULTY });
    await chain.mine({ count: 2 });
    const replaced = chain.head().hash;
    const reorganized = chain.reorganizer.reorganize({
      depth: 2,
      transactions: new Map(),
      keepsTransactions: true,
    });
    await chain.change(changeSettings({ coinbase: OTHER }));
    expect(chain.head().hash).toEqual(replaced);
    await reorganized;
    expect(chain.head().header).toMatchObject({ number: 2, coinbase: OTHER });
  });
});

/** A nonce that solves the work in the Bitcoin block of the node. */
async function solutionOf(chain: Chain, hash: Uint8Array): Promise<number> {
  const { LocalWork } = await import('../../src/protocol/merged-mining/proof-of-work.ts');
  const proof = new LocalWork(hash, chain.ruleSet.difficulty).search(Number.POSITIVE_INFINITY);
  if (proof === null) throw new Error('there is none');
  return Number(bytesToBigInt(proof.header.slice(76).toReversed()));
}
