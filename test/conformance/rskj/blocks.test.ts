import { beforeAll, describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../../src/primitives/hex.ts';
import { keccak256 } from '../../../src/primitives/keccak.ts';
import {
  type Call,
  COUNTER,
  createExampleChain,
  EXAMPLE,
  failureOf,
  RECEIVER,
  SENDER,
  UNKNOWN_HASH,
} from './scene.ts';

// Web3ImplTest and Web3ImplUnitTest: blocks, transactions and receipts.

const [FIRST_HASH, TRANSFER_BLOCK] = EXAMPLE.blockHashes;
const UNKNOWN_NUMBER = '0x1234';

/** Requests for unknown items, and the replies. */
const ABSENT: readonly (readonly [method: string, params: readonly unknown[], answer: unknown])[] = [
  ['eth_getBlockByNumber', [UNKNOWN_NUMBER, false], null],
  ['eth_getBlockByHash', [UNKNOWN_HASH, false], null],
  ['chain_getRawBlockHeaderByNumber', [UNKNOWN_NUMBER], null],
  ['chain_getRawBlockHeaderByHash', [UNKNOWN_HASH], null],
  ['eth_getTransactionByHash', [UNKNOWN_HASH], null],
  ['eth_getTransactionReceipt', [UNKNOWN_HASH], null],
  ['chain_getRawTransactionReceiptByHash', [UNKNOWN_HASH], null],
  ['eth_getTransactionByBlockHashAndIndex', [TRANSFER_BLOCK, '0x1'], null],
  ['eth_getTransactionByBlockHashAndIndex', [UNKNOWN_HASH, '0x0'], null],
  ['eth_getTransactionByBlockNumberAndIndex', ['0x1', '0x1'], null],
  ['eth_getTransactionByBlockNumberAndIndex', [UNKNOWN_NUMBER, '0x0'], null],
  ['eth_getUncleByBlockHashAndIndex', [TRANSFER_BLOCK, '0x0'], null],
  ['eth_getUncleByBlockHashAndIndex', [UNKNOWN_HASH, '0x0'], null],
  ['eth_getUncleByBlockNumberAndIndex', ['0x1', '0x0'], null],
  ['eth_getUncleByBlockNumberAndIndex', [UNKNOWN_NUMBER, '0x0'], null],
  ['eth_getBlockTransactionCountByHash', [UNKNOWN_HASH], null],
];

describe('blocks and transactions', () => {
  let call: Call;

  beforeAll(async () => {
    ({ call } = await createExampleChain());
  });

  it.each(ABSENT.map(([method, params, answer]) => ({ method, params, answer })))(
    'return $answer for an unknown item: $method $params',
    async ({ method, params, answer }) => {
      expect(await call(method, params)).toEqual(answer);
    },
  );

  it.each(['latest', 'earliest', '0x1'])('return the same block %s by number and by hash', async (number) => {
    const block = (await call('eth_getBlockByNumber', [number, false])) as Record<string, unknown>;

    expect(await call('eth_getBlockByHash', [block.hash, false])).toEqual(block);
    const raw = String(await call('chain_getRawBlockHeaderByNumber', [number]));
    expect(await call('chain_getRawBlockHeaderByHash', [block.hash])).toBe(raw);
    expect(toHex(keccak256(fromHex(`0x${raw.replace(/^0x/, '')}`)))).toBe(block.hash);
  });

  it('list the transactions of a block by hash or in full', async () => {
    const { transferHash } = EXAMPLE;
    const hashes = (await call('eth_getBlockByHash', [TRANSFER_BLOCK, false])) as Record<string, unknown>;
    const full = (await call('eth_getBlockByHash', [TRANSFER_BLOCK, true])) as Record<string, unknown>;

    expect(hashes).toMatchObject({ transactions: [transferHash], uncles: [], parentHash: FIRST_HASH });
    expect(full.transactions).toMatchObject([{ hash: transferHash, blockHash: TRANSFER_BLOCK, type: '0x0' }]);
  });

  it('return a mined transaction by hash, and by block and index', async () => {
    const transaction = {
      hash: EXAMPLE.transferHash,
      blockHash: TRANSFER_BLOCK,
      blockNumber: '0x1',
      transactionIndex: '0x0',
      from: SENDER,
      to: RECEIVER,
      input: '0x',
      value: '0xde0b6b3a7640000',
      type: '0x0',
    };

    expect(await call('eth_getTransactionByHash', [EXAMPLE.transferHash])).toMatchObject(transaction);
    expect(await call('eth_getTransactionByBlockHashAndIndex', [TRANSFER_BLOCK, '0x0'])).toMatchObject(
      transaction,
    );
    expect(await call('eth_getTransactionByBlockNumberAndIndex', ['0x1', '0x0'])).toMatchObject(transaction);
  });

  it('return a pending transaction without a block, and no receipt', async () => {
    expect(await call('eth_getTransactionByHash', [EXAMPLE.queuedHash])).toMatchObject({
      hash: EXAMPLE.queuedHash,
      blockHash: null,
      transactionIndex: null,
      input: '0x',
      to: RECEIVER,
    });
    expect(await call('eth_getTransactionReceipt', [EXAMPLE.queuedHash])).toBeNull();
  });

  it('return a receipt with sender, recipient, block, price and type', async () => {
    expect(await call('eth_getTransactionReceipt', [EXAMPLE.transferHash])).toMatchObject({
      transactionHash: EXAMPLE.transferHash,
      from: SENDER,
      to: RECEIVER,
      blockHash: TRANSFER_BLOCK,
      blockNumber: '0x1',
      effectiveGasPrice: '0x0',
      type: '0x0',
      status: '0x1',
    });
    const raw = String(await call('chain_getRawTransactionReceiptByHash', [EXAMPLE.transferHash]));
    const nodes = (await call('chain_getTransactionReceiptNodesByHash', [
      TRANSFER_BLOCK,
      EXAMPLE.transferHash,
    ])) as readonly string[];
    expect(raw.length).toBeGreaterThan(0);
    expect(nodes).toHaveLength(1);
  });

  it('count the transactions and the uncles of a block', async () => {
    expect(await call('eth_getBlockTransactionCountByNumber', ['0x1'])).toBe('0x1');
    expect(await call('eth_getBlockTransactionCountByHash', [TRANSFER_BLOCK])).toBe('0x1');
    expect(await call('eth_getUncleCountByBlockHash', [TRANSFER_BLOCK])).toBe('0x0');
    expect(await call('eth_getUncleCountByBlockNumber', ['0x1'])).toBe('0x0');
  });

  it.each([
    ['eth_getUncleCountByBlockHash', UNKNOWN_HASH],
    ['eth_getUncleCountByBlockNumber', UNKNOWN_NUMBER],
  ])('reject a transaction count of an unknown block: %s', async (method, block) => {
    const { code } = await failureOf(call(method, [block]));
    expect([-32600, -32602]).toContain(code);
  });

  it('return the code of a contract, and 0x for an account without code', async () => {
    expect(await call('eth_getCode', [COUNTER, 'latest'])).toMatch(/^0x60/);
    expect(await call('eth_getCode', [SENDER, 'latest'])).toBe('0x');
    expect(await call('eth_getCode', [COUNTER, '0x1'])).toBe('0x');
  });
});

describe('a transaction of a replaced block', () => {
  it('has no receipt, and is not in a block', async () => {
    const { call } = await createExampleChain();
    const hash = await call('eth_sendTransaction', [{ from: SENDER, to: RECEIVER, value: '0x1' }]);
    const { blockHash } = (await call('eth_getTransactionReceipt', [hash])) as { readonly blockHash: string };
    await call('anvil_reorg', [1, []]);

    expect(await call('eth_getTransactionReceipt', [hash])).toBeNull();
    const found = (await call('eth_getTransactionByHash', [hash])) as { readonly blockHash: unknown } | null;
    expect(found?.blockHash ?? null).toBeNull();
    expect(await call('eth_getBlockByHash', [blockHash, false])).toMatchObject({ hash: blockHash });
  });
});
