import { beforeAll, describe, expect, it } from 'vitest';
import type { Chain } from '../../src/chain/chain.ts';
import type { OfferedWork } from '../../src/chain/mining/mining-work.ts';
import { toHex } from '../../src/primitives/hex.ts';
import { proofOfBlock, readBitcoinBlock } from '../../src/protocol/merged-mining/parent-chain-block.ts';
import { workTarget } from '../../src/protocol/merged-mining/proof-of-work.ts';
import { code, deploying } from '../reference/scene.ts';
import { minedParentBlock } from '../support/pool.ts';
import { testAccount, transfer } from '../support/test-chain.ts';
import { createRpcHarness, harnessOn, type RpcHarness } from './rpc-harness.ts';

const SENDER = testAccount(0).address;
const OTHER = testAccount(2).address;
const DIFFICULTY = 3n;

async function submit(chain: Chain, { hashForMergedMining, difficulty }: OfferedWork): Promise<string> {
  const block = minedParentBlock(
    { blockHashForMergedMining: toHex(hashForMergedMining), target: toHex(workTarget(difficulty)) },
    { extraNonce: 0 },
  );
  const { hash } = await chain.work.submit(hashForMergedMining, () =>
    proofOfBlock(readBitcoinBlock(new Uint8Array(block.toBuffer()))),
  );
  return toHex(hash);
}

function paying(wei: bigint) {
  return { maxFeePerGas: wei, maxPriorityFeePerGas: wei };
}

describe('side blocks', () => {
  let harness: RpcHarness;
  /** A block with a transaction that logs and sets a slot, and the sibling that replaces it. */
  let loser: string;
  let winner: string;
  let transactionHash: string;
  let contract: string;

  beforeAll(async () => {
    harness = await createRpcHarness({}, { automine: false, difficulty: DIFFICULTY });
    const { chain } = harness;
    await chain.sendFrom(
      SENDER,
      transfer({ to: null, value: 0n, data: deploying(code('6001 5f 55 5f 5f a0')), gasLimit: 200_000n }),
    );
    await chain.mine();
    const created = chain.head().receipts[0]?.contractAddress ?? new Uint8Array(20);
    contract = toHex(created);
    const call = transfer({ to: created, value: 0n, gasLimit: 100_000n, ...paying(1n) });
    transactionHash = toHex(await chain.sendFrom(SENDER, call));
    const cheap = await chain.work.offer();
    await chain.dropTransactions();
    await chain.sendFrom(OTHER, transfer(paying(10n)));
    const dear = await chain.work.offer();
    loser = await submit(chain, cheap);
    winner = await submit(chain, dear);
    await chain.dropTransactions();
    expect(toHex(chain.head().hash)).toBe(winner);
    // The side block is too old to become an uncle.
    await chain.mine({ count: 20 });
  });

  it('a side block is found by hash, with its transactions, receipts and logs', async () => {
    const { call } = harness;
    const block = { hash: loser, number: '0x2', transactions: [transactionHash] };
    expect(await call('eth_getBlockByHash', [loser, false])).toMatchObject({
      ...block,
      totalDifficulty: `0x${(3n * DIFFICULTY).toString(16)}`,
      cumulativeDifficulty: `0x${DIFFICULTY.toString(16)}`,
    });
    expect(await call('eth_getHeaderByHash', [loser])).toMatchObject({ hash: loser });
    expect(await call('eth_getBlockTransactionCountByHash', [loser])).toBe('0x1');
    expect(await call('eth_getUncleCountByBlockHash', [loser])).toBe('0x0');
    const placed = { blockHash: loser, transactionIndex: '0x0' };
    expect(await call('eth_getTransactionByBlockHashAndIndex', [loser, '0x0'])).toMatchObject({
      ...placed,
      hash: transactionHash,
    });
    expect(await call('eth_getRawTransactionByBlockHashAndIndex', [loser, '0x0'])).toMatch(/^0xf8/);
    expect(await call('eth_getBlockReceipts', [loser])).toMatchObject([{ ...placed, transactionHash }]);
    expect(await call('eth_getLogs', [{ blockHash: loser }])).toMatchObject([
      { ...placed, address: contract, transactionHash, logIndex: '0x0', removed: false },
    ]);
    expect(await call('eth_getLogs', [{ blockHash: loser, address: toHex(OTHER) }])).toEqual([]);
    expect(await call('chain_getRawBlockHeaderByHash', [loser])).toMatch(/^0xf9/);
    expect(await call('debug_getRawBlock', [loser])).toMatch(/^0xf9/);
    expect(await call('chain_getTransactionReceiptNodesByHash', [loser, transactionHash])).toBeInstanceOf(
      Array,
    );
    expect(await call('ots_getBlockDetailsByHash', [loser])).toMatchObject({ block: { hash: loser } });
  });

  it('eth_getBlocksByNumber lists a side block after the canonical one', async () => {
    const { call } = harness;

    const blocks = await call('eth_getBlocksByNumber', ['0x2']);

    const totalDifficulty = `0x${(3n * DIFFICULTY).toString(16)}`;
    expect(blocks).toEqual([
      { hash: winner, totalDifficulty, inMainChain: true },
      { hash: loser, totalDifficulty, inMainChain: false },
    ]);
    expect(await call('eth_getBlocksByNumber', ['0x99'])).toEqual([]);
    await expect(call('eth_getBlocksByNumber', ['latest'])).rejects.toMatchObject({ code: -32602 });
  });

  it('a side block is not found by number, nor its transactions by hash', async () => {
    const { call } = harness;
    expect(await call('eth_getBlockByNumber', ['0x2', false])).toMatchObject({ hash: winner });
    expect(await call('eth_getTransactionReceipt', [transactionHash])).toBeNull();
    expect(await call('eth_getTransactionByHash', [transactionHash])).toBeNull();
  });

  it('a side block is traced on its own parent state', async () => {
    const { call } = harness;
    expect(await call('debug_traceBlockByHash', [loser, { tracer: 'callTracer' }])).toMatchObject([
      { txHash: transactionHash, result: { to: contract } },
    ]);
    expect(await call('trace_block', [{ blockHash: loser }])).toMatchObject([{ blockHash: loser }]);
  });

  it('the state of a side block is read by its hash', async () => {
    const { call } = harness;
    const ofLoser = { blockHash: loser };
    const ofWinner = { blockHash: winner };
    const slot = (block: unknown) => call('eth_getStorageAt', [contract, '0x0', block]);
    expect([await slot(ofLoser), await slot(ofWinner)]).toEqual([
      `0x${'1'.padStart(64, '0')}`,
      `0x${'0'.repeat(64)}`,
    ]);
    const count = (block: unknown) => call('eth_getTransactionCount', [toHex(SENDER), block]);
    expect([await count(ofLoser), await count(ofWinner)]).toEqual(['0x2', '0x1']);
    expect(await call('eth_getProof', [contract, ['0x0'], ofLoser])).toMatchObject({
      storageProof: [{ value: '0x1' }],
    });
    const message = { from: toHex(SENDER), to: contract };
    expect(await call('eth_call', [message, ofLoser])).toBe('0x');
    expect(await call('eth_estimateGas', [message, ofLoser])).not.toBe(
      await call('eth_estimateGas', [message, ofWinner]),
    );
    expect(
      await call('eth_simulateV1', [{ blockStateCalls: [{ calls: [message] }] }, ofLoser]),
    ).toMatchObject([{ parentHash: loser, number: '0x3' }]);
  });

  it('a side block is rejected if a canonical block is required', async () => {
    const { call } = harness;
    const required = { blockHash: loser, requireCanonical: true };
    for (const [method, ...params] of [
      ['eth_getBalance', contract],
      ['eth_getTransactionCount', contract],
      ['eth_getStorageAt', contract, '0x0'],
      ['eth_call', { to: contract }],
      ['eth_getBlockReceipts'],
      ['eth_simulateV1', { blockStateCalls: [{}] }],
    ] as const) {
      await expect(call(method, [...params, required])).rejects.toMatchObject({
        code: -32600,
        message: `Block with hash ${loser} is not canonical and it is required (hash is not currently canonical)`,
      });
      await call(method, [...params, { blockHash: winner, requireCanonical: true }]);
    }
  });

  it.each(['anvil', 'hardhat'] as const)(
    'requireCanonical rejects a side block with the code of EIP-1898 in compat mode %s',
    async (compat) => {
      const { call } = harnessOn(harness.chain, harness.time, { compat });
      const required = { blockHash: loser, requireCanonical: true };
      await expect(call('eth_getBalance', [contract, required])).rejects.toMatchObject({
        code: -32000,
        message: expect.stringContaining('hash is not currently canonical'),
      });
      const unknown = { blockHash: `0x${'ee'.repeat(32)}`, requireCanonical: true };
      await expect(call('eth_getBalance', [contract, unknown])).rejects.not.toThrow(/canonical/);
    },
  );

  it('a side block as an uncle has the total difficulty up to it', async () => {
    const { call } = harness;
    expect(await call('eth_getUncleByBlockNumberAndIndex', ['0x3', '0x0'])).toMatchObject({
      hash: loser,
      totalDifficulty: `0x${(3n * DIFFICULTY).toString(16)}`,
    });
  });
});
