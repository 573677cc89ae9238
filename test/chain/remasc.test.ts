import { beforeEach, describe, expect, it } from 'vitest';
import type { Chain } from '../../src/chain/chain.ts';
import type { ChainOptions } from '../../src/chain/settings/chain-options.ts';
import { CallTracer } from '../../src/evm/tracers/call-tracer.ts';
import { TransactionTracer } from '../../src/evm/tracers/parity-tracers.ts';
import { bytesToBigInt, padLeft } from '../../src/primitives/bytes.ts';
import { fromHex, toHex } from '../../src/primitives/hex.ts';
import { headerHash } from '../../src/protocol/header-encoding.ts';
import { REMASC_ADDRESS, remascTransaction } from '../../src/protocol/remasc.ts';
import { locatedLogs } from '../../src/storage/log-search.ts';
import { code, deploying } from '../reference/scene.ts';
import { logsFound } from '../support/found-logs.ts';
import { createTestChain, nodeOf, testAccount, transfer } from '../support/test-chain.ts';

const sender = testAccount(0).address;
const LATEST = { tag: 'latest' } as const;
const LABS = fromHex('0xdabadabadabadabadabadabadabadabadaba0001');
const COINBASE = new Uint8Array(20).fill(0xcc);
const PAID = { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n };

async function balance(chain: Chain, address: Uint8Array): Promise<bigint | undefined> {
  return (await chain.view(LATEST)).state.account(address)?.balance;
}

async function remembered(chain: Chain, name: string): Promise<bigint> {
  const { state } = await chain.view(LATEST);
  const slot = padLeft(new TextEncoder().encode(name), 32);
  return bytesToBigInt(state.storageAt(REMASC_ADDRESS, slot));
}

function lastOf(chain: Chain) {
  const { transactions, receipts } = chain.head();
  return { transaction: transactions.at(-1), receipt: receipts.at(-1) };
}

/** Pays 21,000 wei of fees in block 1 and mines empty blocks up to the given number. */
async function grow(chain: Chain, last: number): Promise<void> {
  await chain.sendFrom(sender, transfer(PAID));
  await chain.mine({ count: last - 1 });
}

describe.each(['wasm', 'reference'] as const)('REMASC on the engine %s', (engine) => {
  let chain: Chain;

  beforeEach(async () => {
    ({ chain } = await createTestChain({ remasc: true, engine }));
  });

  it('ends each block with a REMASC transaction without gas', async () => {
    expect(chain.head().transactions).toEqual([]);
    await chain.sendFrom(sender, transfer());
    expect(chain.head().transactions).toHaveLength(2);
    expect(lastOf(chain).transaction).toEqual(remascTransaction(1));
    expect(lastOf(chain).receipt).toMatchObject({
      succeeded: true,
      gasUsed: 0n,
      cumulativeGasUsed: 21_000n,
      effectiveGasPrice: 0n,
      logs: [],
      contractAddress: null,
    });
    await chain.mine();
    expect(chain.head().transactions).toEqual([remascTransaction(2)]);
    expect(chain.head().hash).toEqual(headerHash(chain.head().header, 'network'));
  });

  it('collects fees and distributes them after the maturity', async () => {
    await grow(chain, 14);
    expect(await balance(chain, REMASC_ADDRESS)).toBe(21_000n);
    expect(await balance(chain, COINBASE)).toBeUndefined();
    expect(await remembered(chain, 'rewardBalance')).toBe(21_000n);
    await chain.mine();
    expect(lastOf(chain).receipt?.logs).toHaveLength(5);
    expect(await balance(chain, LABS)).toBe(840n);
    expect(await balance(chain, COINBASE)).toBe(3_327n);
    expect(await balance(chain, REMASC_ADDRESS)).toBe(16_800n);
    expect(await remembered(chain, 'rewardBalance')).toBe(16_800n);
  });

  it('keeps the COINBASE opcode and collects the fees', async () => {
    // COINBASE, stored in slot 0
    await chain.sendFrom(
      sender,
      transfer({ to: null, value: 0n, data: deploying(code('41 5f 55 00')), gasLimit: 200_000n }),
    );
    const contract = chain.head().receipts[0]?.contractAddress ?? new Uint8Array(0);
    await chain.sendFrom(sender, transfer({ to: contract, value: 0n, gasLimit: 100_000n, ...PAID }));
    const { state } = await chain.view(LATEST);
    expect(state.storageAt(contract, new Uint8Array(32))).toEqual(COINBASE);
    expect(await balance(chain, COINBASE)).toBeUndefined();
    expect(await balance(chain, REMASC_ADDRESS)).toBe(chain.head().header.paidFees);
  });

  it('charges the full gas limit to other senders and keeps their value', async () => {
    await chain.sendFrom(sender, transfer({ to: REMASC_ADDRESS, gasLimit: 50_000n, value: 5n, ...PAID }));
    expect(chain.head().receipts[0]).toMatchObject({
      succeeded: true,
      gasUsed: 21_000n,
      cumulativeGasUsed: 21_000n,
      logs: [],
    });
    expect(chain.head().header).toMatchObject({ gasUsed: 21_000n, paidFees: 50_000n });
    expect(await balance(chain, REMASC_ADDRESS)).toBe(50_000n);
    await chain.mine({ count: 13 });
    expect(await remembered(chain, 'rewardBalance')).toBe(50_000n);
    await chain.mine();
    // The contract distributes a fifth of the fees. RootstockLabs gets a fifth of that share.
    expect(await balance(chain, LABS)).toBe(2_000n);
    expect(await remembered(chain, 'rewardBalance')).toBe(40_000n);
  });
});

describe('REMASC', () => {
  async function remascChain(options: Partial<ChainOptions> = {}): Promise<Chain> {
    return (await createTestChain({ remasc: true, ...options })).chain;
  }

  it('finds a REMASC transaction by hash after a reorganization and a rollback', async () => {
    const chain = await remascChain();
    await chain.mine({ count: 2 });
    const before = chain.head().hash;
    const { hash } = remascTransaction(2);
    expect(await chain.transaction(hash)).toMatchObject({ index: 0, block: { hash: before } });
    await chain.sendFrom(sender, transfer());
    await chain.reorganizer.reorganize({
      depth: 2,
      transactions: new Map(),
      keepsTransactions: true,
    });
    expect(chain.head().header.number).toBe(3);
    const found = await chain.transaction(hash);
    expect(found?.block.hash).not.toEqual(before);
    expect(found?.block.header.number).toBe(2);
    expect(chain.pool.pending()).toHaveLength(1);
    await chain.reorganizer.rollback(2);
    expect(await chain.transaction(hash)).toBeUndefined();
  });

  it('restores the collected fees on a snapshot revert', async () => {
    const chain = await remascChain();
    await grow(chain, 14);
    const id = await chain.snapshots.take();
    const mineOn = async (): Promise<Uint8Array> => {
      await chain.mine({ count: 3 });
      return chain.head().header.stateRoot;
    };
    const first = await mineOn();
    const paid = await balance(chain, LABS);
    await chain.snapshots.revert(id);
    expect(await balance(chain, LABS)).toBeUndefined();
    expect(await remembered(chain, 'rewardBalance')).toBe(21_000n);
    expect(await mineOn()).toEqual(first);
    expect(await balance(chain, LABS)).toBe(paid);
  });

  it('pays by the blocks of the new branch after a reorganization', async () => {
    const chain = await remascChain();
    await grow(chain, 13);
    await chain.reorganizer.reorganize({
      depth: 13,
      transactions: new Map([
        [1, [{ sender, request: transfer({ maxFeePerGas: 2n, maxPriorityFeePerGas: 2n }) }]],
      ]),
      keepsTransactions: false,
    });
    expect(await remembered(chain, 'rewardBalance')).toBe(42_000n);
    await chain.mine({ count: 2 });
    expect(await balance(chain, LABS)).toBe(1_680n);
  });

  it('ends the pending block too, but stays out of the pool', async () => {
    const chain = await remascChain({ automine: false });
    await chain.sendFrom(sender, transfer());
    const pending = await chain.view({ tag: 'pending' });
    expect(pending.block.transactions.at(-1)).toEqual(remascTransaction(1));
    expect(pending.block.transactions).toHaveLength(2);
    await chain.sendFrom(sender, transfer());
    expect((await chain.view({ tag: 'pending' })).block.transactions).toHaveLength(3);
    expect(chain.pool.pending()).toHaveLength(2);
  });

  it('ends blocks of interval mining', async () => {
    const { chain, time } = await createTestChain({ remasc: true, automine: false, blockTime: 1 });
    await time.advance(3_000);
    expect(chain.head().transactions).toEqual([remascTransaction(3)]);
  });

  it('creates every block of a bulk with its transaction and logs', async () => {
    const chain = await remascChain();
    await chain.mineBulk({ count: 200 });
    const found = await chain.transaction(remascTransaction(150).hash);
    expect(found?.block.header.number).toBe(150);
    const block = await chain.block({ number: 150n });
    expect(block?.hash).toEqual(block === undefined ? null : headerHash(block.header, 'network'));
    const logs = locatedLogs(logsFound(chain, { fromBlock: 1, toBlock: 200, addresses: [], topics: [] }));
    expect(logs).toHaveLength(5 * (200 - 14));
  });

  it('continues identically from a loaded dump', async () => {
    const chain = await remascChain();
    await grow(chain, 14);
    const dump = await nodeOf(chain).dump.write({ isCompressed: true, withKeys: false });
    const loaded = await remascChain();
    await nodeOf(loaded).dump.load(dump);
    expect(loaded.head()).toEqual(chain.head());
    expect(await loaded.transaction(remascTransaction(9).hash)).toMatchObject({
      transaction: remascTransaction(9),
    });
    const timestamp = chain.head().header.timestamp + 9;
    await chain.mine({ timestamp });
    await loaded.mine({ timestamp });
    expect(loaded.head()).toEqual(chain.head());
    expect(await balance(loaded, LABS)).toBe(840n);
  });

  it('ignores fees of blocks without REMASC after a dump is loaded', async () => {
    const { chain: plain } = await createTestChain();
    await grow(plain, 20);
    const chain = await remascChain();
    await nodeOf(chain).dump.load(await nodeOf(plain).dump.write({ isCompressed: true, withKeys: false }));
    await chain.sendFrom(sender, transfer(PAID));
    await chain.mine({ count: 10 });
    expect(await balance(chain, COINBASE)).toBe(21_000n + 3_327n);
  });

  it('is traced as a call with an inner call for each payment', async () => {
    const chain = await remascChain();
    await grow(chain, 15);
    const block = chain.head();
    const [traced] = await chain.tracing.block(block, (subject) => new TransactionTracer(subject));
    expect(traced?.trace).toHaveLength(6);
    expect(traced?.trace[0]).toMatchObject({
      type: 'call',
      subtraces: 5,
      transactionPosition: 0,
      action: {
        from: `0x${'0'.repeat(40)}`,
        to: toHex(REMASC_ADDRESS),
        gas: '0x0',
        value: '0x0',
        input: '0x',
      },
      result: { gasUsed: '0x0', output: '0x' },
    });
    expect(traced?.trace[1]).toMatchObject({
      action: { to: toHex(LABS), value: '0x348' },
      traceAddress: [0],
    });
    const tree = await chain.tracing.transaction(
      block,
      0,
      (subject) => new CallTracer(subject, { onlyTopCall: false, withLog: true, describeRevert: () => null }),
    );
    expect(tree).toMatchObject({
      type: 'CALL',
      to: toHex(REMASC_ADDRESS),
      calls: { length: 5 },
      logs: { length: 5 },
    });
  });

  it('provides the state after a REMASC transaction', async () => {
    const chain = await remascChain();
    await grow(chain, 15);
    const block = chain.head();
    const state = await chain.simulation.stateBefore(block, 1);
    expect(state.root).toEqual(block.header.stateRoot);
  });

  it('lists the blocks of REMASC and of its payees as their activity', async () => {
    const chain = await remascChain();
    await grow(chain, 16);
    const range = { first: 1, last: 16, count: 100 };
    expect((await chain.history.activityOf(REMASC_ADDRESS, range)).transactions).toHaveLength(16);
    const { transactions } = await chain.history.activityOf(LABS, range);
    expect(transactions.map(({ block }) => block.header.number)).toEqual([15, 16]);
    const untilThen = await chain.history.activityOf(LABS, { ...range, last: 15 });
    expect(untilThen.transactions.map(({ block }) => block.header.number)).toEqual([15]);
  });

  it('is the same on both engines', async () => {
    const chain = await remascChain({ shadow: true });
    await grow(chain, 15);
    expect(await balance(chain, LABS)).toBe(840n);
  });
});

it('a chain without REMASC pays the fees to the miner', async () => {
  const { chain } = await createTestChain();
  await chain.sendFrom(sender, transfer(PAID));
  expect(chain.head().transactions).toHaveLength(1);
  expect(await balance(chain, COINBASE)).toBe(21_000n);
  expect(await balance(chain, REMASC_ADDRESS)).toBeUndefined();
});
