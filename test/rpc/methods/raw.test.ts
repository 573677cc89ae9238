import { createBlockFromRLP } from '@ethereumjs/block';
import { createCustomCommon, Mainnet } from '@ethereumjs/common';
import { hexToBytes, keccak256, parseTransaction, serializeTransaction } from 'viem';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/primitives/hex.ts';
import { finish } from '../../../src/primitives/steps.ts';
import { orderedTrieRoot } from '../../../src/state/trie/ordered-trie.ts';
import { settleMicrotasks } from '../../support/fake-time.ts';
import { testAccount } from '../../support/test-chain.ts';
import { createExampleChain, EXAMPLE } from '../example-chain.ts';
import { createRpcHarness, type RpcHarness } from '../rpc-harness.ts';
import { SENDER } from './contract.ts';

type HexText = `0x${string}`;
type Fields = Readonly<Record<string, unknown>>;

const UNKNOWN = `0x${'ee'.repeat(32)}`;

/** Resolves when a transaction is in the pool and its client waits, so that time can advance. */
async function untilPooled({ chain }: RpcHarness): Promise<void> {
  while (chain.pool.size === 0) await settleMicrotasks();
  await settleMicrotasks();
}

describe('raw transactions', () => {
  it('all raw transaction methods return bytes that hash to the transaction hash', async () => {
    const { call } = await createExampleChain();
    const [, blockHash] = EXAMPLE.blockHashes;
    const answers = [
      await call('eth_getRawTransactionByHash', [EXAMPLE.transferHash]),
      await call('debug_getRawTransaction', [EXAMPLE.transferHash]),
      await call('eth_getRawTransactionByBlockHashAndIndex', [blockHash, 0]),
      await call('eth_getRawTransactionByBlockNumberAndIndex', [1, 0]),
    ];
    for (const raw of answers) expect(keccak256(raw as HexText)).toBe(EXAMPLE.transferHash);
    expect(await call('debug_getRawTransactions', [1])).toEqual(answers.slice(0, 1));
  });

  it('raw transaction methods return pending transactions, and null for unknown ones', async () => {
    const { call } = await createExampleChain();
    const raw = (await call('eth_getRawTransactionByHash', [EXAMPLE.queuedHash])) as HexText;
    expect(keccak256(raw)).toBe(EXAMPLE.queuedHash);
    expect(await call('eth_getRawTransactionByHash', [UNKNOWN])).toBeNull();
    expect(await call('eth_getRawTransactionByBlockHashAndIndex', [EXAMPLE.blockHashes[1], 1])).toBeNull();
    expect(await call('eth_getRawTransactionByBlockNumberAndIndex', ['0x0', 0])).toBeNull();
  });
});

describe('raw blocks', () => {
  it('raw Ethereum blocks, headers and receipts can be decoded by another implementation', async () => {
    const { call } = await createRpcHarness({}, { ruleSet: 'cancun' });
    const to = toHex(testAccount(1).address);
    const hash = await call('eth_sendTransaction', [{ from: SENDER, to, value: '0x1' }]);
    const { hash: blockHash, receiptsRoot } = (await call('eth_getBlockByNumber', ['latest'])) as Fields;
    const raw = (await call('debug_getRawBlock', ['latest'])) as HexText;
    const hardforks = Mainnet.hardforks
      .slice(0, Mainnet.hardforks.findIndex(({ name }) => name === 'cancun') + 1)
      .map(({ name, timestamp }) =>
        timestamp === undefined ? { name, block: 0 } : { name, block: null, timestamp: 0 },
      );
    const common = createCustomCommon({ chainId: 33, hardforks }, Mainnet, { hardfork: 'cancun' });
    const block = createBlockFromRLP(hexToBytes(raw), { common, setHardfork: true });
    expect(toHex(block.hash())).toBe(blockHash);
    expect(block.transactions.map((transaction) => toHex(transaction.hash()))).toEqual([hash]);
    expect(keccak256((await call('debug_getRawHeader', ['latest'])) as HexText)).toBe(blockHash);
    const receipts = (await call('debug_getRawReceipts', ['latest'])) as HexText[];
    expect(toHex(finish(orderedTrieRoot(receipts.map((receipt) => hexToBytes(receipt)))))).toBe(receiptsRoot);
  });

  it('raw Rootstock headers hash to the block hash', async () => {
    const { call } = await createExampleChain();
    for (const [number, hash] of EXAMPLE.blockHashes.entries()) {
      expect(keccak256((await call('debug_getRawHeader', [number])) as HexText)).toBe(hash);
    }
  });
});

describe('headers', () => {
  it('header methods return the block without the fields derived from its body', async () => {
    const { call } = await createExampleChain();
    const block = (await call('eth_getBlockByNumber', ['latest', false])) as Fields;
    const { cumulativeDifficulty, totalDifficulty, size, transactions, uncles, ...header } = block;
    expect([cumulativeDifficulty, totalDifficulty, size, transactions, uncles]).not.toContain(undefined);
    for (const [method, parameter] of [
      ['eth_getHeaderByNumber', 'latest'],
      ['eth_getHeaderByHash', block.hash],
      ['erigon_getHeaderByNumber', 4],
    ] as const) {
      expect(await call(method, [parameter])).toEqual(header);
    }
    expect(await call('eth_getHeaderByHash', [UNKNOWN])).toBeNull();
  });
});

describe('eth_getBlockReceipts', () => {
  it('eth_getBlockReceipts returns the receipts of all transactions in order', async () => {
    const harness = await createRpcHarness();
    harness.chain.miner.setMode({ automine: false, blockTime: null });
    // Emits two empty logs. The second creation emits one.
    const creations = ['0x5f5fa05f5fa000', '0x5f5fa000'];
    const hashes: unknown[] = [];
    for (const data of creations)
      hashes.push(await harness.call('eth_sendTransaction', [{ from: SENDER, data }]));
    await harness.call('evm_mine');
    const single = await Promise.all(
      hashes.map((hash) => harness.call('eth_getTransactionReceipt', [hash]) as Promise<Fields>),
    );
    expect(single.map(({ logs }) => (logs as Fields[]).map(({ logIndex }) => logIndex))).toEqual([
      ['0x0', '0x1'],
      ['0x2'],
    ]);
    const { hash } = (await harness.call('eth_getBlockByNumber', ['latest'])) as Fields;
    for (const block of ['latest', '0x1', hash, { blockHash: hash }]) {
      expect(await harness.call('eth_getBlockReceipts', [block])).toEqual(single);
    }
    expect(await harness.call('eth_getBlockReceipts', ['0x0'])).toEqual([]);
    expect(await harness.call('eth_getBlockReceipts', ['0x9'])).toBeNull();
  });
});

describe('eth_signTransaction and eth_fillTransaction', () => {
  const asked = { from: SENDER, to: toHex(testAccount(1).address), value: '0x5' };

  it('eth_signTransaction returns a valid raw transaction without sending it', async () => {
    for (const ruleSet of ['rootstock', 'cancun'] as const) {
      const { call } = await createRpcHarness({}, { ruleSet });
      const raw = (await call('eth_signTransaction', [asked])) as HexText;
      expect(await call('eth_blockNumber')).toBe('0x0');
      expect(await call('eth_sendRawTransaction', [raw])).toBe(keccak256(raw));
      expect(await call('eth_getTransactionByHash', [keccak256(raw)])).toMatchObject({
        ...asked,
        nonce: '0x0',
        blockNumber: '0x1',
      });
    }
  });

  it('eth_fillTransaction fills in the fields for signing elsewhere', async () => {
    const { call } = await createRpcHarness({}, { ruleSet: 'cancun' });
    await call('eth_sendTransaction', [asked]);
    const { raw, tx } = (await call('eth_fillTransaction', [asked])) as { raw: HexText; tx: Fields };
    expect(tx).toMatchObject({
      ...asked,
      nonce: '0x1',
      type: '0x2',
      gas: '0x5208',
      r: '0x0',
    });
    const { r, s, yParity, v, ...unsigned } = parseTransaction(raw);
    expect([r, s, yParity, v]).toBeDefined();
    expect(parseTransaction(serializeTransaction(unsigned))).toMatchObject({
      nonce: 1,
      chainId: 33,
      value: 5n,
    });
  });

  it('eth_fillTransaction accepts accounts without a key, but eth_signTransaction rejects them', async () => {
    const { call } = await createRpcHarness();
    const stranger = { ...asked, from: `0x${'99'.repeat(20)}` };
    expect(await call('eth_fillTransaction', [stranger])).toMatchObject({ tx: { from: stranger.from } });
    await expect(call('eth_signTransaction', [stranger])).rejects.toMatchObject({ code: -32602 });
    const hosted = await createRpcHarness({ hosted: true });
    await expect(hosted.call('eth_signTransaction', [asked])).rejects.toMatchObject({ code: -32601 });
  });
});

describe('eth_sendRawTransactionSync', () => {
  async function signed(harness: Awaited<ReturnType<typeof createRpcHarness>>, fields: object = {}) {
    const transaction = { from: SENDER, to: toHex(testAccount(1).address), ...fields };
    const raw = (await harness.call('eth_signTransaction', [transaction])) as HexText;
    return { raw, hash: keccak256(raw) };
  }

  it('eth_sendRawTransactionSync returns the receipt of a transaction mined immediately', async () => {
    const harness = await createRpcHarness();
    const { raw, hash } = await signed(harness);
    const receipt = await harness.call('eth_sendRawTransactionSync', [raw]);
    expect(receipt).toEqual(await harness.call('eth_getTransactionReceipt', [hash]));
    expect(receipt).toMatchObject({ status: '0x1', blockNumber: '0x1' });
  });

  it('eth_sendRawTransactionSync waits for the next block', async () => {
    const harness = await createRpcHarness({}, { automine: false, blockTime: 10 });
    const { raw, hash } = await signed(harness);
    const answer = harness.call('eth_sendRawTransactionSync', [raw, 20_000]);
    await untilPooled(harness);
    await harness.time.advance(10_000);
    await expect(answer).resolves.toMatchObject({ transactionHash: hash, blockNumber: '0x1' });
    await harness.chain.close();
  });

  it('eth_sendRawTransactionSync returns the hash in the error after the timeout', async () => {
    const harness = await createRpcHarness({}, { automine: false });
    const { raw, hash } = await signed(harness);
    const answer = expect(harness.call('eth_sendRawTransactionSync', [raw, '0x3e8'])).rejects.toMatchObject({
      code: 4,
      data: hash,
      message: expect.stringMatching(/1000 ms/),
    });
    await untilPooled(harness);
    await harness.time.advance(1_000);
    await answer;
    expect(await harness.call('eth_getTransactionByHash', [hash])).toMatchObject({ blockNumber: null });
  });

  it('eth_sendRawTransactionSync immediately rejects a transaction with a nonce gap', async () => {
    const harness = await createRpcHarness();
    const { raw, hash } = await signed(harness, { nonce: '0x5' });
    await expect(harness.call('eth_sendRawTransactionSync', [raw])).rejects.toMatchObject({
      code: 5,
      data: hash,
      message: expect.stringMatching(/nonce below 5/),
    });
    expect(await harness.call('eth_getTransactionByHash', [hash])).toMatchObject({ blockNumber: null });
  });
});

describe('eth_sendTransactionSync', () => {
  const transaction = { from: SENDER, to: toHex(testAccount(1).address), value: '0x1' };

  it('eth_sendTransactionSync sends a transaction and returns its receipt, also for failures', async () => {
    const harness = await createRpcHarness();
    const receipt = (await harness.call('eth_sendTransactionSync', [transaction])) as { blockNumber: string };
    expect(receipt).toMatchObject({ status: '0x1', from: SENDER, blockNumber: '0x1' });
    const failing = { from: SENDER, data: '0xfe', gas: '0x186a0' };
    expect(await harness.call('eth_sendTransactionSync', [failing])).toMatchObject({ status: '0x0' });
  });

  it('eth_sendTransactionSync waits for the next block up to the timeout', async () => {
    const harness = await createRpcHarness({}, { automine: false });
    const answer = expect(harness.call('eth_sendTransactionSync', [transaction, 500])).rejects.toMatchObject({
      code: 4,
      data: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    });
    await untilPooled(harness);
    await harness.time.advance(500);
    await answer;
    expect(await harness.call('txpool_status')).toEqual({ pending: 1, queued: 0 });
    await expect(harness.call('eth_sendTransactionSync', [transaction, 600_001])).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/params: timeout:/),
    });
  });

  it('eth_sendTransactionSync is unavailable on a hosted node', async () => {
    const { call } = await createRpcHarness({ hosted: true });
    await expect(call('eth_sendTransactionSync', [transaction])).rejects.toMatchObject({ code: -32601 });
  });
});

describe('eth_resend', () => {
  const RECIPIENT = toHex(testAccount(1).address);
  const transaction = { from: SENDER, to: RECIPIENT, value: '0x7', data: '0x1234', gas: '0x186a0' };

  it('eth_resend replaces a pending transaction with another gas price and gas limit', async () => {
    const harness = await createRpcHarness({}, { automine: false });
    const hash = await harness.call('eth_sendTransaction', [
      { ...transaction, gasPrice: '0x64', nonce: '0x0' },
    ]);
    const named = { from: SENDER, to: RECIPIENT, nonce: '0x0' };
    const resent = await harness.call('eth_resend', [named, '0xc8', '0x30d40']);
    expect(await harness.call('eth_getTransactionByHash', [hash])).toBeNull();
    expect(await harness.call('eth_getTransactionByHash', [resent])).toMatchObject({
      from: SENDER,
      to: RECIPIENT,
      value: '0x7',
      input: '0x1234',
      gasPrice: '0xc8',
      gas: '0x30d40',
      nonce: '0x0',
    });
    await harness.call('evm_mine');
    expect(await harness.call('eth_getTransactionReceipt', [resent])).toMatchObject({ status: '0x1' });
  });

  it('eth_resend keeps the type and gas, and uses the price for both fees under London rules', async () => {
    const harness = await createRpcHarness({}, { automine: false, ruleSet: 'prague' });
    await harness.call('eth_sendTransaction', [{ ...transaction, nonce: '0x0' }]);
    const resent = await harness.call('eth_resend', [{ ...transaction, nonce: '0x0' }, '0x2540be400']);
    expect(await harness.call('eth_getTransactionByHash', [resent])).toMatchObject({
      type: '0x2',
      gas: '0x186a0',
      maxFeePerGas: '0x2540be400',
      maxPriorityFeePerGas: '0x2540be400',
    });
  });

  it('eth_resend rejects a transaction that is not pending, and an underpriced replacement', async () => {
    const harness = await createRpcHarness({}, { automine: false });
    const hash = await harness.call('eth_sendTransaction', [
      { ...transaction, gasPrice: '0x64', nonce: '0x0' },
    ]);
    const named = { from: SENDER, to: RECIPIENT, nonce: '0x0' };
    for (const [given, price, code, message] of [
      [{ from: SENDER, to: RECIPIENT }, '0xc8', -32602, /params: transaction\.nonce:/],
      [{ ...named, nonce: '0x1' }, '0xc8', -32000, /no matching transaction of .* with nonce 1 in the pool/],
      [{ ...named, to: SENDER }, '0xc8', -32000, /no matching transaction/],
      [{ ...named, value: '0x8' }, '0xc8', -32000, /no matching transaction/],
      [{ ...named, data: '0x12' }, '0xc8', -32000, /no matching transaction/],
      [{ ...named, gasPrice: '0x65' }, '0xc8', -32000, /no matching transaction/],
      [named, '0x65', -32010, /underpriced/],
    ] as const) {
      await expect(harness.call('eth_resend', [given, price])).rejects.toMatchObject({
        code,
        message: expect.stringMatching(message),
      });
    }
    expect(await harness.call('eth_getTransactionByHash', [hash])).toMatchObject({ gasPrice: '0x64' });
  });
});
