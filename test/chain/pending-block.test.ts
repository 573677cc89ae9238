import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import type { Chain } from '../../src/chain/chain.ts';
import { BlockBuilder } from '../../src/chain/mining/block-builder.ts';
import type { ChainOptions } from '../../src/chain/settings/chain-options.ts';
import { createRpcHarness } from '../rpc/rpc-harness.ts';
import { createTestChain, testAccount, transfer } from '../support/test-chain.ts';

const SENDER = testAccount(0).address;
const OTHER = testAccount(2).address;

/** Code that increments slot 0. */
const COUNTER = Buffer.from('600054600101600055', 'hex');

/** Initcode of a contract with the given code. */
function creationOf(code: Uint8Array): Uint8Array {
  return Uint8Array.of(0x60, code.length, 0x60, 12, 0x60, 0, 0x39, 0x60, code.length, 0x60, 0, 0xf3, ...code);
}

let executions: MockInstance<BlockBuilder['add']>;

beforeEach(() => {
  executions = vi.spyOn(BlockBuilder.prototype, 'add');
});

afterEach(() => {
  executions.mockRestore();
});

/** The number of transactions that the work executes. */
async function executionsOf(work: () => Promise<unknown>): Promise<number> {
  executions.mockClear();
  await work();
  return executions.mock.calls.length;
}

/** The hashes of the transactions in the pending block. */
async function pendingHashes(chain: Chain): Promise<Uint8Array[] | undefined> {
  return (await chain.block({ tag: 'pending' }))?.transactions.map(({ hash }) => hash);
}

/** The pending block, built from scratch on a new chain with the options. */
async function builtAnew(chain: Chain, options: Partial<ChainOptions>): Promise<unknown> {
  const { chain: fresh } = await createTestChain(options);
  for (const transaction of chain.pool.pending()) await fresh.send(transaction);
  return (await fresh.view({ tag: 'pending' })).block;
}

describe('pending block', () => {
  it('the pending block executes each transaction once if transactions and reads alternate', async () => {
    const { chain } = await createTestChain({ automine: false });
    const count = await executionsOf(async () => {
      for (let sent = 0; sent < 20; sent++) {
        await chain.sendFrom(SENDER, transfer());
        await chain.view({ tag: 'pending' });
      }
    });
    expect(count).toBe(20);
  });

  it.each([
    ['the interpreter', {}],
    ['the reference engine', { engine: 'reference' }],
    ['both', { shadow: true }],
    ['REMASC at the end of blocks', { remasc: true }],
    ['base fees', { ruleSet: 'cancun' }],
  ] as const)('the pending block equals a block built from scratch, with %s', async (_name, fields) => {
    const options = { automine: false, genesisTimestamp: 1_700_000_000, ...fields };
    const { chain } = await createTestChain(options);
    const data = creationOf(COUNTER);
    const price = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 10n };
    for (const sender of [SENDER, OTHER, SENDER, OTHER]) {
      await chain.sendFrom(sender, transfer({ to: null, data, gasLimit: 200_000n, value: 0n, ...price }));
      await chain.view({ tag: 'pending' });
    }
    const { block } = await chain.view({ tag: 'pending' });
    expect(block).toEqual(await builtAnew(chain, options));
    const sent = block.transactions.filter(({ to }) => to === null);
    expect(sent).toHaveLength(4);
    expect(block.receipts.every(({ succeeded }) => succeeded)).toBe(true);
  });

  it('the pending block does not change an earlier view', async () => {
    const { chain } = await createTestChain({ automine: false });
    await chain.sendFrom(SENDER, transfer());
    const before = await chain.view({ tag: 'pending' });
    await chain.sendFrom(SENDER, transfer());
    const after = await chain.view({ tag: 'pending' });
    expect([before.block.transactions.length, after.block.transactions.length]).toEqual([1, 2]);
    expect(before.state.account(SENDER)?.nonce).toBe(1n);
    expect(after.state.account(SENDER)?.nonce).toBe(2n);
  });

  it('the pending block serves concurrent reads while it is built', async () => {
    const { chain } = await createTestChain({ automine: false });
    await chain.sendFrom(SENDER, transfer());
    const count = await executionsOf(async () => {
      const first = chain.view({ tag: 'pending' });
      await chain.sendFrom(SENDER, transfer());
      const views = await Promise.all([first, chain.view({ tag: 'pending' })]);
      expect(views.map(({ block }) => block.transactions.length)).toEqual([1, 2]);
    });
    expect(count).toBe(2);
  });

  it('the pending block is rebuilt after a better-paid, a removed or a replaced transaction', async () => {
    const { chain } = await createTestChain({ automine: false });
    const hash = await chain.sendFrom(SENDER, transfer());
    await chain.view({ tag: 'pending' });
    const paid = await chain.sendFrom(OTHER, transfer({ maxFeePerGas: 5n, maxPriorityFeePerGas: 5n }));
    expect(await pendingHashes(chain)).toEqual([paid, hash]);
    await chain.change(({ pool }) => pool.remove(paid));
    expect(await pendingHashes(chain)).toEqual([hash]);
    const replacement = await chain.sendFrom(
      SENDER,
      transfer({ nonce: 0n, maxFeePerGas: 5n, maxPriorityFeePerGas: 5n }),
    );
    expect(await pendingHashes(chain)).toEqual([replacement]);
  });

  it('the pending block omits later transactions of a sender if one does not fit', async () => {
    const { chain } = await createTestChain({ automine: false, gasLimit: 100_000n });
    const first = await chain.sendFrom(SENDER, transfer());
    await chain.view({ tag: 'pending' });
    await chain.sendFrom(SENDER, transfer({ gasLimit: 90_000n }));
    await chain.view({ tag: 'pending' });
    await chain.sendFrom(SENDER, transfer());
    const other = await chain.sendFrom(OTHER, transfer());
    expect(await pendingHashes(chain)).toEqual([first, other]);
  });

  it('the pending block is not executed again for sends without gas and pending reads', async () => {
    const { call } = await createRpcHarness({ compat: 'anvil' }, { automine: false });
    const from = `0x${Buffer.from(SENDER).toString('hex')}`;
    const created = { from, data: `0x${Buffer.from(creationOf(COUNTER)).toString('hex')}` };
    const count = await executionsOf(async () => {
      for (let sent = 0; sent < 10; sent++) {
        await call('eth_sendTransaction', [created]);
        await call('eth_getBalance', [from, 'pending']);
        await call('eth_call', [{ from, to: from }, 'pending']);
        await call('eth_getBlockByNumber', ['pending', false]);
      }
    });
    expect(count).toBe(10);
  });
});
