import { concat, keccak256 } from 'viem';
import { describe, expect, it } from 'vitest';
import type { ChainOptions } from '../../../src/chain/settings/chain-options.ts';
import { settleMicrotasks } from '../../support/fake-time.ts';
import { ALICE, BOB, branchOf, CAROL } from '../../support/test-chain.ts';
import { createRpcHarness, harnessOn, type RpcHarness } from '../rpc-harness.ts';

type HexText = `0x${string}`;

/** Code that always reverts without data. */
const REVERTING = '0x5f5ffd';
const TARGET = `0x${'de'.repeat(20)}`;
const PRAGUE = { ruleSet: 'prague' } as const;
const MANUAL = { automine: false } as const;

interface SendFields {
  readonly from?: string;
  readonly to?: string;
  readonly nonce?: number;
  readonly value?: string;
  readonly gas?: string;
  readonly gasPrice?: string;
  readonly data?: string;
}

/** Signs a transaction of Alice. */
async function sign({ call }: RpcHarness, fields: SendFields = {}): Promise<HexText> {
  const signed = await call('eth_signTransaction', [
    { from: ALICE, to: BOB, value: '0x1', gas: '0x186a0', gasPrice: '0x3b9aca00', nonce: 0, ...fields },
  ]);
  return (typeof signed === 'string' ? signed : (signed as { raw: string }).raw) as HexText;
}

async function harness(options: Partial<ChainOptions> = {}): Promise<RpcHarness> {
  const made = await createRpcHarness({ compat: 'anvil' }, { ...PRAGUE, ...options });
  await made.call('anvil_setCode', [TARGET, REVERTING]);
  return made;
}

async function hashesOf({ call }: RpcHarness, block: string): Promise<unknown> {
  return ((await call('eth_getBlockByNumber', [block, false])) as { transactions: unknown }).transactions;
}

function hashOf(raw: HexText): HexText {
  return keccak256(raw);
}

function bundleHashOf(...raws: readonly HexText[]): HexText {
  return keccak256(concat(raws.map(hashOf)));
}

/** The state that a failed bundle must not change. */
async function traces({ call, chain }: RpcHarness): Promise<unknown> {
  return {
    head: await call('eth_getBlockByNumber', ['latest', false]),
    pool: await call('txpool_content'),
    size: chain.pool.size,
    nonces: [await call('eth_getTransactionCount', [ALICE, 'pending']), chain.pool.bundles.size],
    balance: await call('eth_getBalance', [ALICE, 'latest']),
  };
}

describe('eth_sendBundle with automine', () => {
  it.each<[SendFields, string]>([
    [{ gasPrice: '0x7' }, 'max fee per gas less than block base fee: 7 offered, base fee'],
    [{ gas: '0x1c9c380' }, 'the gas limit 30000000 exceeds the 29979000 gas that the block has left'],
  ])('names the reason if a transaction does not fit into the block (%o)', async (fields, reason) => {
    const made = await harness();
    const txs = [await sign(made, { gas: '0x5208' }), await sign(made, { nonce: 1, ...fields })];
    await expect(made.call('eth_sendBundle', [{ txs, blockNumber: 1 }])).rejects.toThrow(reason);
  });

  it('mines a bundle for the next block alone', async () => {
    const made = await harness();
    const { call } = made;
    const txs = [await sign(made), await sign(made, { nonce: 1 })];
    expect(await call('eth_sendBundle', [{ txs, blockNumber: '0x1' }])).toEqual({
      bundleHash: bundleHashOf(...txs),
    });
    expect(await hashesOf(made, '0x1')).toEqual(txs.map(hashOf));
    expect(await call('eth_getTransactionCount', [ALICE, 'latest'])).toBe('0x2');
    expect(made.chain.pool.bundles.size).toBe(0);
  });

  it('lets a transaction of the bundle fund a later sender', async () => {
    const made = await harness();
    const { call } = made;
    await call('anvil_setBalance', [CAROL, '0x0']);
    const txs = [
      await sign(made, { to: CAROL, value: '0xde0b6b3a7640000' }),
      await sign(made, { from: CAROL, value: '0x2' }),
    ];
    await call('eth_sendBundle', [{ txs, blockNumber: 1 }]);
    expect(await hashesOf(made, '0x1')).toEqual(txs.map(hashOf));
  });

  it('rejects a failed bundle for the next block, without a trace', async () => {
    const made = await harness();
    const { call, chain } = made;
    const filter = await call('eth_newPendingTransactionFilter');
    const before = await traces(made);
    const announced: unknown[] = [];
    chain.events.on('pendingTransaction', (transaction) => announced.push(transaction));
    const txs = [await sign(made), await sign(made, { nonce: 1, to: TARGET })];
    const sent = call('eth_sendBundle', [{ txs, blockNumber: '0x1' }]);
    await expect(sent).rejects.toMatchObject({
      code: -32000,
      message: expect.stringContaining(
        `transaction 2 of 2 (${hashOf(txs[1] as HexText)}): execution reverted`,
      ),
    });
    expect(await traces(made)).toEqual(before);
    expect(announced).toEqual([]);
    expect(await call('eth_getFilterChanges', [filter])).toEqual([]);
    expect(await call('eth_getTransactionByHash', [hashOf(txs[0] as HexText)])).toBeNull();
  });

  it('counts the transactions of bundles for the maximum of a block', async () => {
    const made = await harness({ maximumTransactions: 2 });
    const { call } = made;
    const txs = [await sign(made), await sign(made, { nonce: 1 }), await sign(made, { nonce: 2 })];
    await expect(call('eth_sendBundle', [{ txs, blockNumber: 1 }])).rejects.toThrow('transaction 3 of 3');
    await call('evm_setAutomine', [false]);
    await call('eth_sendBundle', [{ txs: txs.slice(0, 1), blockNumber: 1 }]);
    const pooled = [];
    for (const nonce of [0, 1])
      pooled.push(await call('eth_sendTransaction', [{ from: CAROL, to: BOB, gas: '0x5208', nonce }]));

    await call('evm_mine');

    expect(await hashesOf(made, '0x1')).toEqual([hashOf(txs[0] as HexText), pooled[0]]);
  });

  it('rejects a bundle with a nonce gap or an expired block', async () => {
    const made = await harness();
    const { call } = made;
    const gap = [await sign(made, { nonce: 1 })];
    await expect(call('eth_sendBundle', [{ txs: gap, blockNumber: 1 }])).rejects.toThrow('nonce');
    await call('evm_mine');
    const late = [await sign(made)];
    await expect(call('eth_sendBundle', [{ txs: late, blockNumber: 1 }])).rejects.toThrow(
      'the bundle is valid up to block 1, but the next block is 2',
    );
  });

  it('includes failed transactions that may revert, and leaves out transactions that may be dropped', async () => {
    const made = await harness();
    const { call } = made;
    const txs = [
      await sign(made, { to: TARGET }),
      await sign(made, { nonce: 1, value: '0xffffffffffffffffff' }),
      await sign(made, { nonce: 1, to: CAROL }),
    ];
    const [reverting, dropping] = txs.map(hashOf);
    await call('eth_sendBundle', [
      { txs, blockNumber: 1, revertingTxHashes: [reverting], droppingTxHashes: [dropping] },
    ]);
    expect(await hashesOf(made, '0x1')).toEqual([reverting, hashOf(txs[2] as HexText)]);
    expect(await call('eth_getTransactionReceipt', [reverting])).toMatchObject({ status: '0x0' });
  });

  it('keeps a bundle for a later block until another transaction or evm_mine makes the block', async () => {
    const made = await harness();
    const { call } = made;
    const txs = [await sign(made)];
    await call('eth_sendBundle', [{ txs, blockNumber: 2 }]);
    expect(await call('eth_blockNumber')).toBe('0x0');
    expect(await call('eth_getTransactionCount', [ALICE, 'pending'])).toBe('0x0');
    await call('evm_mine');
    expect(await hashesOf(made, '0x1')).toEqual([]);
    const other = await call('eth_sendTransaction', [{ from: CAROL, to: BOB, value: '0x1' }]);
    expect(await hashesOf(made, '0x2')).toEqual([...txs.map(hashOf), other]);
  });

  it('keeps a failed bundle while its range has later blocks', async () => {
    const made = await harness();
    const { call } = made;
    const txs = [await sign(made, { nonce: 1 })];
    await call('eth_sendBundle', [{ txs, blockNumber: 1, maxBlock: 3 }]);
    expect(made.chain.pool.bundles.size).toBe(1);
    await call('eth_sendTransaction', [{ from: ALICE, to: BOB, value: '0x1' }]);
    await call('evm_mine');
    expect(await hashesOf(made, '0x2')).toEqual(txs.map(hashOf));
    expect(made.chain.pool.bundles.size).toBe(0);
  });
});

describe('waiting bundles', () => {
  it('come first in their block, in the order of arrival', async () => {
    const made = await harness(MANUAL);
    const { call } = made;
    const first = [await sign(made, { from: BOB, to: ALICE })];
    const second = [await sign(made), await sign(made, { nonce: 1 })];
    const rich = await call('eth_sendTransaction', [
      { from: CAROL, to: BOB, value: '0x1', gasPrice: '0x174876e800' },
    ]);
    await call('eth_sendBundle', [{ txs: first, blockNumber: 1 }]);
    await call('eth_sendBundle', [{ txs: second, blockNumber: 1 }]);
    const pending = (await call('eth_getBlockByNumber', ['pending', false])) as { transactions: unknown };
    await call('evm_mine');
    expect(await hashesOf(made, '0x1')).toEqual([...first, ...second].map(hashOf).concat(rich as HexText));
    expect(made.chain.pool.size).toBe(0);
    expect(pending.transactions).toEqual([rich]);
  });

  it('are dropped with a notice if they fail in their last block', async () => {
    const made = await harness(MANUAL);
    const { call, chain } = made;
    const notices: string[] = [];
    chain.events.on('notice', (text) => notices.push(text));
    const txs = [await sign(made), await sign(made, { nonce: 1, to: TARGET })];
    await call('eth_sendBundle', [{ txs, blockNumber: 1, maxBlock: 2 }]);
    await call('evm_mine');
    expect([chain.pool.bundles.size, notices]).toEqual([1, []]);
    await call('evm_mine');
    expect(chain.pool.bundles.size).toBe(0);
    expect(notices).toEqual([
      expect.stringMatching(/^Dropped bundle 0x.*: transaction 2 of 2 .*: execution reverted$/),
    ]);
    expect(await hashesOf(made, '0x2')).toEqual([]);
    expect(await call('eth_getTransactionCount', [ALICE, 'latest'])).toBe('0x0');
  });

  it('take the place of a pool transaction with the same nonce', async () => {
    const made = await harness(MANUAL);
    const { call } = made;
    await call('eth_sendTransaction', [{ from: ALICE, to: BOB, value: '0x5', nonce: '0x0' }]);
    const txs = [await sign(made)];
    await call('eth_sendBundle', [{ txs, blockNumber: 1 }]);
    await call('evm_mine');
    expect(await hashesOf(made, '0x1')).toEqual(txs.map(hashOf));
    expect(made.chain.pool.size).toBe(0);
  });

  it('wait for their timestamps', async () => {
    const made = await harness(MANUAL);
    const { call } = made;
    const { timestamp } = (await call('eth_getBlockByNumber', ['latest', false])) as { timestamp: string };
    const minTimestamp = Number(timestamp) + 1_000;
    const txs = [await sign(made)];
    await call('eth_sendBundle', [{ txs, blockNumber: 1, maxBlock: 9, minTimestamp }]);
    await call('evm_mine');
    expect(await hashesOf(made, '0x1')).toEqual([]);
    await call('evm_increaseTime', [1_000]);
    await call('evm_mine');
    expect(await hashesOf(made, '0x2')).toEqual(txs.map(hashOf));
    const late = [await sign(made, { nonce: 1 })];
    await expect(
      call('eth_sendBundle', [{ txs: late, blockNumber: 3, maxTimestamp: minTimestamp }]),
    ).rejects.toThrow(`the bundle is valid up to the timestamp ${minTimestamp}, but the next block has the`);
  });

  it('are included by hardhat_mine, also after many empty blocks', async () => {
    const made = await harness(MANUAL);
    const { call } = made;
    const txs = [await sign(made)];
    await call('eth_sendBundle', [{ txs, blockNumber: 300 }]);
    await call('hardhat_mine', ['0x3e8']);
    expect(await hashesOf(made, '0x12c')).toEqual(txs.map(hashOf));
    expect(await call('eth_blockNumber')).toBe('0x3e8');
  });

  it('leave the blocks around their block reserved', async () => {
    const made = await harness(MANUAL);
    const { call, chain } = made;
    const txs = [await sign(made)];
    await call('eth_sendBundle', [{ txs, blockNumber: 1_000 }]);
    await call('hardhat_mine', ['0x7d0']);
    expect(chain.blocks.rangeAt(500)?.last).toBe(998);
    expect(await hashesOf(made, '0x3e8')).toEqual(txs.map(hashOf));
    expect(chain.blocks.rangeAt(1_500)?.last).toBe(1_999);
    expect(await call('eth_blockNumber')).toBe('0x7d0');
  });

  it('wait for their timestamps in a series of blocks', async () => {
    const made = await harness(MANUAL);
    const { call, chain } = made;
    const minTimestamp = chain.head().header.timestamp + 5_000;
    const txs = [await sign(made)];
    await call('eth_sendBundle', [{ txs, blockNumber: 1, maxBlock: 2_000, minTimestamp }]);
    await call('hardhat_mine', ['0x3e8', '0xa']);
    const [hash] = txs.map(hashOf);
    const { blockNumber } = (await call('eth_getTransactionReceipt', [hash])) as { blockNumber: string };
    const { timestamp } = (await call('eth_getBlockByNumber', [blockNumber, false])) as { timestamp: string };
    expect(Number(timestamp)).toBeGreaterThanOrEqual(minTimestamp);
    expect(Number(timestamp)).toBeLessThan(minTimestamp + 10);
    expect(await call('eth_blockNumber')).toBe('0x3e8');
  });

  it('expire in a series of blocks without their timestamps', async () => {
    const made = await harness(MANUAL);
    const { call, chain } = made;
    const minTimestamp = chain.head().header.timestamp + 50_000;
    const txs = [await sign(made)];
    await call('eth_sendBundle', [{ txs, blockNumber: 1, maxBlock: 500, minTimestamp }]);
    await call('hardhat_mine', ['0x3e8']);
    expect(chain.blocks.rangeAt(500)?.last).toBe(999);
    expect(chain.pool.bundles.size).toBe(0);
  });

  it('are tried in at most 128 empty blocks of a series, and wait afterwards', async () => {
    const made = await harness(MANUAL);
    const { call, chain } = made;
    const txs = [await sign(made, { nonce: 1 })];
    await call('eth_sendBundle', [{ txs, blockNumber: 1, maxBlock: 5_000 }]);
    await call('hardhat_mine', ['0x3e8']);
    expect(chain.blocks.rangeAt(128)).toBeUndefined();
    expect(chain.blocks.rangeAt(500)?.last).toBe(999);
    expect(chain.pool.bundles.size).toBe(1);
    await call('eth_sendTransaction', [{ from: ALICE, to: BOB, value: '0x1' }]);
    await call('evm_mine');
    await call('evm_mine');
    expect(await hashesOf(made, '0x3ea')).toEqual(txs.map(hashOf));
  });

  it('are included by interval mining', async () => {
    const made = await harness({ automine: false, blockTime: 1 });
    const txs = [await sign(made)];
    await made.call('eth_sendBundle', [{ txs, blockNumber: 1 }]);
    made.time.advance(1_000);
    while (made.chain.head().header.number === 0) await settleMicrotasks();
    expect(await hashesOf(made, '0x1')).toEqual(txs.map(hashOf));
  });

  it('are replaced and cancelled by their replacement id', async () => {
    const made = await harness(MANUAL);
    const { call } = made;
    const [first, second] = [await sign(made), await sign(made, { value: '0x2' })];
    const replacementUuid = '0a0b0c0d-0000-4000-8000-000000000001';
    await call('eth_sendBundle', [{ txs: [first], blockNumber: 1, replacementUuid }]);
    await call('eth_sendBundle', [{ txs: [second], blockNumber: 1, replacementUuid }]);
    expect(made.chain.pool.bundles.size).toBe(1);
    expect(await call('eth_cancelBundle', [{ replacementUuid }])).toEqual([bundleHashOf(second)]);
    expect(await call('eth_cancelBundle', [{ replacementUuid }])).toEqual([]);
    await call('evm_mine');
    expect(await hashesOf(made, '0x1')).toEqual([]);
  });

  it('are cancelled by a bundle without transactions that has their replacement id', async () => {
    const made = await harness(MANUAL);
    const { call, chain } = made;
    const replacementUuid = '0a0b0c0d-0000-4000-8000-000000000001';
    await call('eth_sendBundle', [{ txs: [await sign(made)], blockNumber: 1, replacementUuid }]);

    await call('eth_sendBundle', [{ txs: [], replacementUuid }]);

    expect(chain.pool.bundles.size).toBe(0);
    await expect(call('eth_sendBundle', [{ txs: [], blockNumber: 1 }])).rejects.toThrow('bundle missing txs');
  });

  it('are part of snapshots and of lanes', async () => {
    const made = await harness(MANUAL);
    const { call } = made;
    const snapshot = await call('evm_snapshot');
    const txs = [await sign(made)];
    await call('eth_sendBundle', [{ txs, blockNumber: 1 }]);
    const lane = await branchOf(made.chain);
    await call('evm_revert', [snapshot]);
    await call('evm_mine');
    expect(await hashesOf(made, '0x1')).toEqual([]);
    const other = harnessOn(lane, made.time);
    await other.call('evm_mine');
    expect(await hashesOf(other, '0x1')).toEqual(txs.map(hashOf));
    await lane.close();
  });

  it('are limited in number', async () => {
    const made = await harness(MANUAL);
    const { call } = made;
    const txs = [await sign(made)];
    for (let block = 1; block <= 1_000; block++) await call('eth_sendBundle', [{ txs, blockNumber: block }]);
    await call('eth_sendBundle', [{ txs, blockNumber: 1 }]);
    expect(made.chain.pool.bundles.size).toBe(1_000);
    await expect(call('eth_sendBundle', [{ txs, blockNumber: 1_001 }])).rejects.toMatchObject({
      code: -32005,
    });
  });

  it('leave later bundles to the next block if failed ones use the gas of eight blocks', async () => {
    const made = await harness({ ...MANUAL, gasLimit: 150_000n });
    const { call, chain } = made;
    const HALTING = `0x${'ab'.repeat(20)}`;
    await call('anvil_setCode', [HALTING, '0xfe']);
    const failing = [await sign(made, { to: HALTING })];
    for (let last = 100; last < 113; last++)
      await call('eth_sendBundle', [{ txs: failing, blockNumber: 1, maxBlock: last }]);
    const txs = [await sign(made, { from: CAROL })];
    await call('eth_sendBundle', [{ txs, blockNumber: 1, maxBlock: 2 }]);
    await call('evm_mine');
    expect(await hashesOf(made, '0x1')).toEqual([]);
    expect(chain.pool.bundles.size).toBe(14);
    await call('evm_mine');
    expect(await hashesOf(made, '0x2')).toEqual(txs.map(hashOf));
    expect(chain.pool.bundles.size).toBe(13);
  });

  it('share the gas of their block with the pool', async () => {
    const made = await harness({ ...MANUAL, gasLimit: 150_000n });
    const { call } = made;
    const txs = [await sign(made)];
    const waiting = await call('eth_sendTransaction', [
      { from: CAROL, to: BOB, value: '0x1', gas: '0x186a0' },
    ]);
    await call('eth_sendBundle', [{ txs, blockNumber: 1 }]);
    await call('evm_mine');
    expect(await hashesOf(made, '0x1')).toEqual([...txs.map(hashOf), waiting]);
  });
});

describe('bundles and reorganizations', () => {
  it('an included bundle does not wait again after a reorganization', async () => {
    const made = await harness();
    const { call, chain } = made;
    const txs = [await sign(made), await sign(made, { nonce: 1 })];
    await call('eth_sendBundle', [{ txs, blockNumber: 1, maxBlock: 9 }]);

    await call('anvil_reorg', [1, []]);
    await call('evm_mine');

    expect([await hashesOf(made, '0x1'), await hashesOf(made, '0x2')]).toEqual([[], []]);
    expect([chain.pool.bundles.size, chain.pool.size]).toEqual([0, 0]);
  });

  it('its transactions return to the pool like others if the reorganization keeps transactions', async () => {
    const made = await harness(MANUAL);
    const { call, chain } = made;
    const txs = [await sign(made), await sign(made, { nonce: 1 })];
    await call('eth_sendBundle', [{ txs, blockNumber: 1, maxBlock: 9 }]);
    await call('evm_mine');

    await call('anvil_reorg', [1, [], true]);

    expect([chain.pool.bundles.size, chain.pool.size]).toEqual([0, 2]);
    await call('evm_mine');
    expect(await hashesOf(made, '0x2')).toEqual(txs.map(hashOf));
  });

  it('a waiting bundle keeps waiting after a reorganization', async () => {
    const made = await harness(MANUAL);
    const { call } = made;
    await call('evm_mine');
    const txs = [await sign(made)];
    await call('eth_sendBundle', [{ txs, blockNumber: 2 }]);

    await call('anvil_reorg', [1, []]);
    await call('evm_mine');

    expect(await hashesOf(made, '0x2')).toEqual(txs.map(hashOf));
  });
});

describe('bundles under Rootstock rules', () => {
  it('a bundle is mined and simulated with its fees', async () => {
    const made = await createRpcHarness({}, { remasc: true });
    const { call } = made;
    const txs = [await sign(made), await sign(made, { nonce: 1 })];
    const simulated = await call('eth_callBundle', [{ txs, blockNumber: 1, stateBlockNumber: 'latest' }]);
    expect(simulated).toMatchObject({
      totalGasUsed: 42_000,
      ethSentToCoinbase: '0',
      gasFees: '42000000000000',
    });
    await call('eth_sendBundle', [{ txs, blockNumber: 1 }]);
    expect(((await hashesOf(made, '0x1')) as unknown[]).slice(0, 2)).toEqual(txs.map(hashOf));
  });
});

describe('eth_callBundle', () => {
  it('returns gas, fees and payments to the coinbase', async () => {
    const made = await harness();
    const { call } = made;
    const txs = [await sign(made, { to: CAROL }), await sign(made, { nonce: 1, to: TARGET })];
    const simulated = (await call('eth_callBundle', [
      { txs, blockNumber: '0x1', stateBlockNumber: 'latest', coinbase: CAROL, baseFee: '0x3b9ac9ff' },
    ])) as { readonly results: readonly { readonly gasUsed: number }[] };
    const gas = simulated.results.map(({ gasUsed }) => gasUsed);
    const total = gas.reduce((sum, used) => sum + used, 0);
    expect(simulated).toEqual({
      bundleHash: bundleHashOf(...txs),
      bundleGasPrice: '1',
      coinbaseDiff: `${total + 1}`,
      ethSentToCoinbase: '1',
      gasFees: `${total}`,
      stateBlockNumber: 0,
      totalGasUsed: total,
      results: [
        {
          txHash: hashOf(txs[0] as HexText),
          fromAddress: ALICE,
          toAddress: CAROL,
          gasUsed: 21_000,
          gasPrice: '1',
          gasFees: '21000',
          coinbaseDiff: '21001',
          ethSentToCoinbase: '1',
          value: '0x',
        },
        expect.objectContaining({ error: 'execution reverted', revert: '0x' }),
      ],
    });
    expect(await call('eth_getTransactionCount', [ALICE, 'latest'])).toBe('0x0');
  });

  it('returns a gas price that includes payments to the coinbase, as on the relay', async () => {
    const made = await harness();
    const txs = [await sign(made, { to: CAROL, value: '0x2386f26fc10000', gas: '0x5208' })];

    const simulated = await made.call('eth_callBundle', [
      { txs, blockNumber: '0x1', coinbase: CAROL, baseFee: '0x3b9ac9fd' },
    ]);

    const price = {
      coinbaseDiff: '10000000000063000',
      ethSentToCoinbase: '10000000000000000',
      gasFees: '63000',
    };
    expect(simulated).toMatchObject({
      ...price,
      bundleGasPrice: '476190476193',
      results: [{ ...price, gasPrice: '476190476193' }],
    });
  });

  it('simulates the block of the next interval', async () => {
    const made = await harness({ automine: false, blockTime: 5 });
    const { call } = made;
    // MSTORE(0, TIMESTAMP), RETURN(0, 32)
    await call('anvil_setCode', [TARGET, '0x425f5260205ff3']);
    const { timestamp } = (await call('eth_getBlockByNumber', ['latest', false])) as { timestamp: string };
    const txs = [await sign(made, { to: TARGET })];

    const { results } = (await call('eth_callBundle', [{ txs, blockNumber: 1 }])) as {
      readonly results: readonly { readonly value: string }[];
    };

    expect(results.map(({ value }) => Number(value) - Number(timestamp))).toEqual([5]);
  });

  it('rejects an empty bundle, a missing block and a transaction that cannot be executed', async () => {
    const made = await harness();
    const { call } = made;
    const txs = [await sign(made, { nonce: 3 })];
    await expect(call('eth_callBundle', [{ txs: [], blockNumber: 1 }])).rejects.toThrow('bundle missing txs');
    await expect(call('eth_callBundle', [{ txs, blockNumber: 0 }])).rejects.toThrow(
      'bundle missing blockNumber',
    );
    await expect(call('eth_callBundle', [{ txs, blockNumber: 1 }])).rejects.toMatchObject({
      code: -32000,
      message: expect.stringMatching(/^err: .*nonce.*; txhash 0x/),
    });
  });
});

describe('MEV-Share bundles', () => {
  const inclusion = { block: '0x1' };

  it('nested bundles are mined together', async () => {
    const made = await harness();
    const { call } = made;
    const [first, second, third] = [
      await sign(made),
      await sign(made, { nonce: 1, to: TARGET }),
      await sign(made, { nonce: 2 }),
    ];
    const nested = { inclusion: { block: '0x1', maxBlock: '0x5' }, body: [{ tx: second, canRevert: true }] };
    const bundle = {
      version: 'v0.1',
      inclusion,
      body: [{ tx: first, canRevert: false }, { bundle: nested }, { tx: third, canRevert: false }],
    };
    const simulated = await call('mev_simBundle', [bundle, {}]);
    expect(simulated).toMatchObject({
      success: true,
      stateBlock: '0x0',
      logs: [{ txLogs: [] }, { bundleLogs: [{ txLogs: [] }] }, { txLogs: [] }],
    });
    await call('mev_sendBundle', [bundle]);
    expect(await hashesOf(made, '0x1')).toEqual([first, second, third].map(hashOf));
  });

  it('a hash in the body is a transaction of the pool', async () => {
    const made = await harness(MANUAL);
    const { call } = made;
    const target = await call('eth_sendTransaction', [{ from: ALICE, to: BOB, value: '0x1' }]);
    const backrun = await sign(made, { from: BOB, to: ALICE });
    const body = [{ hash: target }, { tx: backrun, canRevert: false }];
    await call('mev_sendBundle', [{ inclusion, body }]);
    await call('evm_mine');
    expect(await hashesOf(made, '0x1')).toEqual([target, hashOf(backrun)]);
    const unknown = [{ hash: `0x${'11'.repeat(32)}` }];
    await expect(call('mev_sendBundle', [{ inclusion: { block: 2 }, body: unknown }])).rejects.toThrow(
      'bundle.body[0].hash',
    );
  });

  it('a hash in the body can be a private transaction, and both are mined once', async () => {
    const made = await harness(MANUAL);
    const { call, chain } = made;
    const hash = await call('eth_sendPrivateTransaction', [{ tx: await sign(made) }]);
    const backrun = await sign(made, { from: BOB, to: ALICE });
    await call('mev_sendBundle', [{ inclusion, body: [{ hash }, { tx: backrun }] }]);
    await call('evm_mine');
    expect(await hashesOf(made, '0x1')).toEqual([hash, hashOf(backrun)]);
    expect(chain.pool.bundles.size).toBe(0);
  });

  it('a simulation reports why the bundle would fail', async () => {
    const made = await harness();
    const { call } = made;
    const tx = await sign(made, { to: TARGET });
    const simulate = (body: unknown, block = '0x1'): Promise<unknown> =>
      call('mev_simBundle', [{ inclusion: { block }, body }, {}]);
    const failed = await simulate([{ tx, canRevert: false }]);
    expect(failed).toMatchObject({
      success: false,
      error: expect.stringContaining('execution reverted'),
      execError: 'execution reverted',
      profit: '0x0',
    });
    expect(failed).not.toHaveProperty('revert');
    // MSTORE8(0, 0xaa), REVERT(0, 1)
    await call('anvil_setCode', [TARGET, '0x60aa5f5360015ffd']);
    expect(await simulate([{ tx, canRevert: false }])).toMatchObject({ revert: '0xaa' });
    expect(await simulate([{ tx, canRevert: true }])).toMatchObject({ success: true });
    expect(await simulate([{ tx, canRevert: true }], '0x5')).toMatchObject({
      success: false,
      error: 'block 1 is not in the range from 5 to 5',
    });
  });

  it('the revert mode decides whether a failed transaction is included or dropped', async () => {
    const made = await harness();
    const { call } = made;
    const [first, failing] = [await sign(made), await sign(made, { nonce: 1, to: TARGET })];
    const send = (revertMode: string): Promise<unknown> =>
      call('mev_sendBundle', [{ inclusion, body: [{ tx: first }, { tx: failing, revertMode }] }]);
    const snapshot = await call('evm_snapshot');

    await expect(send('fail')).rejects.toThrow('execution reverted');
    await send('drop');
    expect(await hashesOf(made, '0x1')).toEqual([hashOf(first)]);
    await call('evm_revert', [snapshot]);
    await send('allow');
    expect(await hashesOf(made, '0x1')).toEqual([first, failing].map(hashOf));
    await expect(send('ignore')).rejects.toThrow('revertMode: expected one of fail, allow, drop');
  });

  it('are replaced and cancelled by their replacement id', async () => {
    const made = await harness(MANUAL);
    const { call, chain } = made;
    const replacementUuid = '0a0b0c0d-0000-4000-8000-000000000001';
    const send = async (tx: HexText): Promise<unknown> =>
      call('mev_sendBundle', [{ inclusion, replacementUuid, body: [{ tx }] }]);
    await send(await sign(made));
    await send(await sign(made, { value: '0x2' }));

    expect(chain.pool.bundles.size).toBe(1);
    expect(await call('eth_cancelBundle', [{ replacementUuid }])).toHaveLength(1);
    expect(chain.pool.bundles.size).toBe(0);
  });

  it('bundles with invalid bodies are rejected', async () => {
    const made = await harness();
    const { call } = made;
    const tx = await sign(made);
    const send = (bundle: unknown): Promise<unknown> => call('mev_sendBundle', [bundle]);
    let deep: object = { inclusion, body: [{ tx }] };
    for (let level = 0; level < 5; level++) deep = { inclusion, body: [{ bundle: deep }] };
    await expect(send({ inclusion, body: [] })).rejects.toMatchObject({ code: -32602 });
    await expect(send({ body: [{ tx }] })).rejects.toThrow('bundle.inclusion.block');
    await expect(send({ inclusion, body: [{ tx, hash: hashOf(tx) }] })).rejects.toThrow('exactly one of');
    await expect(send(deep)).rejects.toThrow('at most 5 levels');
    await expect(
      send({ inclusion, body: [{ bundle: { inclusion: { block: 2 }, body: [{ tx }] } }] }),
    ).rejects.toThrow('nested bundles with a common block');
  });
});

describe('private transactions', () => {
  it('are mined immediately with automine', async () => {
    const made = await harness();
    const tx = await sign(made, { to: TARGET });
    expect(await made.call('eth_sendPrivateTransaction', [{ tx }])).toBe(hashOf(tx));
    expect(await hashesOf(made, '0x1')).toEqual([hashOf(tx)]);
  });

  it('can be sent without an object', async () => {
    const made = await harness(MANUAL);
    const tx = await sign(made);
    const preferences = { privacy: { hints: ['hash'] } };
    await expect(made.call('eth_sendPrivateRawTransaction', ['0x'])).rejects.toThrow(
      'params: transaction: expected a signed transaction, got no bytes',
    );
    expect(await made.call('eth_sendPrivateRawTransaction', [tx, preferences])).toBe(hashOf(tx));
    expect(made.chain.pool.size).toBe(0);
    await made.call('evm_mine');
    expect(await hashesOf(made, '0x1')).toEqual([hashOf(tx)]);
  });

  it('wait outside the pool, and can be cancelled', async () => {
    const made = await harness(MANUAL);
    const { call, chain } = made;
    const tx = await sign(made);
    await call('eth_sendPrivateTransaction', [{ tx, maxBlockNumber: '0x2' }]);
    expect([chain.pool.size, chain.pool.bundles.size]).toEqual([0, 1]);
    expect(await call('eth_cancelPrivateTransaction', [{ txHash: hashOf(tx) }])).toBe(true);
    expect(await call('eth_cancelPrivateTransaction', [{ txHash: hashOf(tx) }])).toBe(false);
    await call('evm_mine');
    expect(await hashesOf(made, '0x1')).toEqual([]);
  });
});

describe('eth_sendRawTransactionConditional', () => {
  const SLOT = `0x${'00'.repeat(31)}01`;
  const method = 'eth_sendRawTransactionConditional';

  it('mines the transaction if the conditions hold', async () => {
    const made = await harness();
    const { call } = made;
    await call('anvil_setStorageAt', [TARGET, SLOT, `0x${'00'.repeat(31)}2a`]);
    const { storageHash } = (await call('eth_getProof', [TARGET, [], 'latest'])) as { storageHash: string };
    const raw = await sign(made);
    const knownAccounts = { [TARGET]: storageHash, [ALICE]: { nonce: '0x0', code: '' } };
    const condition = { knownAccounts, blockNumberMin: '0x1', blockNumberMax: 1, timestampMin: 0 };
    expect(await call(method, [raw, condition])).toBe(hashOf(raw));
    expect(await hashesOf(made, '0x1')).toEqual([hashOf(raw)]);
  });

  it('rejects the transaction with -32003 if the next block breaks a condition', async () => {
    const made = await harness();
    const { call } = made;
    const raw = await sign(made);
    const before = await traces(made);
    const broken: readonly (readonly [object, string])[] = [
      [{ blockNumberMin: 2 }, 'block number'],
      [{ blockNumberMax: 0 }, 'block number'],
      [{ timestampMax: 1 }, 'timestamp'],
      [{ knownAccounts: { [TARGET]: { '0x1': '0x2' } } }, `account ${TARGET}: slot`],
      [{ knownAccounts: { [TARGET]: `0x${'11'.repeat(32)}` } }, 'storage root'],
      [{ knownAccounts: { [TARGET]: { code: '' } } }, 'code'],
      [{ knownAccounts: { [ALICE]: { nonce: 4 } } }, 'nonce'],
      [{ knownAccounts: { [ALICE]: { balance: 4 } } }, 'balance'],
    ];
    for (const [condition, words] of broken)
      await expect(call(method, [raw, condition])).rejects.toMatchObject({
        code: -32003,
        message: expect.stringContaining(words),
      });
    expect(await traces(made)).toEqual(before);
  });

  it('rejects unknown and too large conditions', async () => {
    const made = await harness();
    const raw = await sign(made);
    await expect(made.call(method, [raw, { paysCoinbase: '0x1' }])).rejects.toMatchObject({ code: -32602 });
    const slots = Object.fromEntries(
      Array.from({ length: 1_001 }, (_, index) => [`0x${index.toString(16)}`, '0x0']),
    );
    await expect(made.call(method, [raw, { knownAccounts: { [BOB]: slots } }])).rejects.toMatchObject({
      code: -32005,
    });
  });

  it('drops a waiting transaction if its block breaks the conditions', async () => {
    const made = await harness(MANUAL);
    const { call, chain } = made;
    const notices: string[] = [];
    chain.events.on('notice', (text) => notices.push(text));
    await call('eth_sendTransaction', [{ from: BOB, to: CAROL, value: '0x1', gasPrice: '0x174876e800' }]);
    const raw = await sign(made);
    await call(method, [raw, { knownAccounts: { [BOB]: { nonce: '0x0' } } }]);
    expect(chain.pool.size).toBe(2);
    await call('eth_getBlockByNumber', ['pending', false]);
    await call('evm_mine');
    expect(chain.pool.size).toBe(0);
    expect(await call('eth_getTransactionReceipt', [hashOf(raw)])).toBeNull();
    expect(notices).toEqual([expect.stringContaining('the nonce is 1, expected 0')]);
  });
});

it('mev_simBundle rejects an invalid index of a refund', async () => {
  const { call } = await harness();
  const bundle = { inclusion: { block: 1 }, body: [], validity: { refund: [{ bodyIdx: -1, percent: 1 }] } };
  await expect(call('mev_simBundle', [bundle])).rejects.toThrow('refund[0].bodyIdx: expected an index');
});
