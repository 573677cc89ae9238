import { beforeEach, describe, expect, it, vi } from 'vitest';
import { toHex } from '../../../src/primitives/hex.ts';
import { BOB, testAccount } from '../../support/test-chain.ts';
import { createRpcHarness, type RpcHarness } from '../rpc-harness.ts';
import { type DeployedContract, deploy, receiptOf, SENDER } from './contract.ts';

const NOBODY = `0x${'77'.repeat(20)}`;
const UNKNOWN = `0x${'ee'.repeat(32)}`;

interface Page {
  readonly txs: readonly { readonly hash: string; readonly blockNumber: string }[];
  readonly receipts: readonly Readonly<Record<string, unknown>>[];
  readonly firstPage: boolean;
  readonly lastPage: boolean;
}

let harness: RpcHarness;
let call: RpcHarness['call'];

beforeEach(async () => {
  harness = await createRpcHarness();
  ({ call } = harness);
});

const send = (transaction: object) => call('eth_sendTransaction', [{ from: SENDER, ...transaction }]);

describe('Otterscan methods', () => {
  it('ots_getApiLevel returns 8, and erigon_getHeaderByNumber returns a header', async () => {
    expect(await call('ots_getApiLevel')).toBe(8);
    await call('evm_mine');
    expect(await call('erigon_getHeaderByNumber', [1])).toMatchObject({ number: '0x1' });
  });

  it('ots_hasCode returns true for a contract from its block', async () => {
    const { address } = await deploy(harness, 'Counter');
    expect(await call('ots_hasCode', [address, 'latest'])).toBe(true);
    expect(await call('ots_hasCode', [address, '0x0'])).toBe(false);
    expect(await call('ots_hasCode', [SENDER])).toBe(false);
  });
});

it('ots_searchTransactions methods skip the missing blocks below a first block with a high number', async () => {
  const number = 2 ** 40;
  const { call: callHigh } = await createRpcHarness({}, { genesisNumber: number });
  const hash = await callHigh('eth_sendTransaction', [{ from: SENDER, to: NOBODY, gas: '0x5208' }]);

  for (const method of ['ots_searchTransactionsBefore', 'ots_searchTransactionsAfter'])
    expect(await callHigh(method, [NOBODY, 0, 5])).toMatchObject({ txs: [{ hash }] });
  expect(await callHigh('ots_searchTransactionsBefore', [NOBODY, number, 5])).toMatchObject({ txs: [] });
});

describe('Otterscan transactions', () => {
  let factory: DeployedContract;

  beforeEach(async () => {
    factory = await deploy(harness, 'Factory');
  });

  const salt = `0x${'00'.repeat(32)}`;

  it('ots_getInternalOperations returns internal transfers and creations unless reverted', async () => {
    const hashes = [
      await send({ to: factory.address, data: factory.data('create', 1n), value: '0x9' }),
      await send({ to: factory.address, data: factory.data('createSalted', 2n, salt) }),
    ];
    const vault = await deploy(harness, 'Vault');
    const deposit = await send({ to: vault.address, value: '0x9' });
    const withdrawal = await send({ to: vault.address, data: vault.data('withdraw', 4n) });
    const operations = async (hash: unknown) => call('ots_getInternalOperations', [hash]);
    expect(await operations(hashes[0])).toMatchObject([{ type: 2, from: factory.address, value: '0x9' }]);
    expect(await operations(hashes[1])).toMatchObject([{ type: 3, from: factory.address, value: '0x0' }]);
    expect(await operations(deposit)).toEqual([]);
    expect(await operations(withdrawal)).toEqual([
      { type: 0, from: vault.address, to: SENDER, value: '0x4' },
    ]);
    const unlucky = await send({ to: factory.address, data: factory.data('create', 13n), gas: '0x7a120' });
    expect(await operations(unlucky)).toEqual([]);
  });

  it('ots_getInternalOperations returns self-destructs', async () => {
    // Initcode: CALLVALUE to the contract, whose code destroys it in favour of BOB.
    const runtime = `73${BOB.slice(2)}ff`;
    const data = `0x75${runtime}5f52601660${'0a'}f3`;
    const { contractAddress } = await receiptOf(harness, await send({ data, value: '0x3' }));
    const hash = await send({ to: contractAddress });
    expect(await call('ots_getInternalOperations', [hash])).toEqual([
      { type: 1, from: contractAddress, to: BOB, value: '0x3' },
    ]);
  });

  it('ots_traceTransaction returns a flat list of calls with their depth', async () => {
    const hash = await send({ to: factory.address, data: factory.data('create', 1n), value: '0x9' });
    const trace = (await call('ots_traceTransaction', [hash])) as Readonly<Record<string, unknown>>[];
    expect(trace).toMatchObject([
      { type: 'CALL', depth: 0, from: SENDER, to: factory.address, value: '0x9' },
      { type: 'CREATE', depth: 1, from: factory.address, value: '0x9' },
    ]);
    expect(factory.decode('create', trace[0]?.output)?.toString().toLowerCase()).toBe(trace[1]?.to);
  });

  it('ots_getTransactionError returns the revert data', async () => {
    const failures = await deploy(harness, 'Failures');
    const hash = await send({ to: failures.address, data: failures.data('reason') });
    expect(await call('ots_getTransactionError', [hash])).toMatch(/^0x08c379a0/);
    const halted = await send({ to: failures.address, data: failures.data('invalidOpcode'), gas: '0x186a0' });
    expect(await call('ots_getTransactionError', [halted])).toBe('0x');
    expect(await call('ots_getTransactionError', [await send({ to: BOB })])).toBe('0x');
    for (const method of ['ots_getTransactionError', 'ots_traceTransaction', 'ots_getInternalOperations']) {
      await expect(call(method, [UNKNOWN])).rejects.toMatchObject({ code: -32000 });
    }
  });

  it('a transaction is found by its sender and nonce', async () => {
    const hashes = [await send({ to: BOB }), await send({ to: BOB })];
    harness.chain.miner.setMode({ automine: false, blockTime: null });
    const waiting = await send({ to: BOB });
    const found = (nonce: number) => call('ots_getTransactionBySenderAndNonce', [SENDER, nonce]);
    expect([await found(1), await found(2), await found(3), await found(9)]).toEqual([...hashes, null, null]);
    expect(await call('ots_getTransactionBySenderAndNonce', [NOBODY, 0])).toBeNull();
    const whole = (nonce: number) => call('eth_getTransactionBySenderAndNonce', [SENDER, nonce]);
    expect(await whole(2)).toEqual(await call('eth_getTransactionByHash', [hashes[1]]));
    expect(await whole(3)).toMatchObject({ hash: waiting, blockHash: null });
    expect(await whole(4)).toBeNull();
  });

  it('ots_getContractCreator returns the creator and transaction, also for inner creations', async () => {
    const hash = await send({ to: factory.address, data: factory.data('create', 1n) });
    await call('evm_mine');
    const [, creation] = (await call('ots_traceTransaction', [hash])) as { to: string }[];
    expect(await call('ots_getContractCreator', [creation?.to])).toEqual({ hash, creator: factory.address });
    expect(await call('ots_getContractCreator', [factory.address])).toMatchObject({ creator: SENDER });
    expect(await call('ots_getContractCreator', [SENDER])).toBeNull();
    await harness.chain.cheats.setCode(testAccount(2).address, new Uint8Array([0]));
    expect(await call('ots_getContractCreator', [toHex(testAccount(2).address)])).toBeNull();
  });
});

describe('Otterscan blocks', () => {
  async function mineThree(): Promise<string[]> {
    harness.chain.miner.setMode({ automine: false, blockTime: null });
    const hashes: string[] = [];
    for (let nonce = 0; nonce < 3; nonce++) {
      const data = `0x1234567${nonce}aa`;
      hashes.push(String(await send({ to: BOB, gas: '0xc350', gasPrice: '0x2', data })));
    }
    await call('evm_mine');
    return hashes;
  }

  it('ots_getBlockDetails returns a block without its transactions', async () => {
    await mineThree();
    const block = (await call('eth_getBlockByNumber', ['latest', false])) as Readonly<
      Record<string, unknown>
    >;
    const { transactions, ...rest } = block;
    const details = await call('ots_getBlockDetails', [1]);
    expect(details).toEqual({
      block: { ...rest, logsBloom: null, transactionCount: 3 },
      issuance: { blockReward: '0x0', uncleReward: '0x0', issuance: '0x0' },
      totalFees: `0x${(2n * BigInt(String(block.gasUsed))).toString(16)}`,
    });
    expect(transactions).toHaveLength(3);
    expect(await call('ots_getBlockDetailsByHash', [block.hash])).toEqual(details);
  });

  it('ots_getBlockTransactions returns pages from the end, with short inputs and receipts', async () => {
    const hashes = await mineThree();
    const page = async (number: number, size: number) => {
      const answer = (await call('ots_getBlockTransactions', [1, number, size])) as {
        readonly fullblock: {
          readonly transactions: readonly { readonly hash: string; readonly input: string }[];
        };
        readonly receipts: readonly object[];
      };
      const { transactions } = answer.fullblock;
      expect(answer.receipts).toMatchObject(
        transactions.map(({ hash }) => ({ transactionHash: hash, logs: null, logsBloom: null })),
      );
      return transactions;
    };
    expect((await page(0, 2)).map(({ hash }) => hash)).toEqual(hashes.slice(1));
    expect((await page(1, 2)).map(({ hash }) => hash)).toEqual(hashes.slice(0, 1));
    expect(await page(2, 2)).toEqual([]);
    expect((await page(0, 25)).map(({ input }) => input)).toEqual(['0x12345670', '0x12345671', '0x12345672']);
  });
});

describe('Otterscan transactions of an account', () => {
  const search = async (direction: 'Before' | 'After', address: unknown, block: number, size: number) =>
    (await call(`ots_searchTransactions${direction}`, [address, block, size])) as Page;
  const hashesOf = ({ txs }: Page) => txs.map(({ hash }) => hash);

  it('searches trace each block only once', async () => {
    const factory = await deploy(harness, 'Factory');
    for (const salt of [1n, 2n]) await send({ to: factory.address, data: factory.data('create', salt) });
    const traced = vi.spyOn(harness.chain.tracing, 'block');
    expect((await search('Before', factory.address, 0, 25)).txs).toHaveLength(3);
    expect(traced).toHaveBeenCalledTimes(3);
    expect((await search('Before', SENDER, 0, 25)).txs).toHaveLength(3);
    expect((await search('After', factory.address, 0, 25)).txs).toHaveLength(3);
    expect(traced).toHaveBeenCalledTimes(3);
  });

  it('searches return transactions that an account sent, received or took part in', async () => {
    const factory = await deploy(harness, 'Factory');
    const creation = await send({ to: factory.address, data: factory.data('create', 1n) });
    const [, { to: child } = { to: '' }] = (await call('ots_traceTransaction', [creation])) as {
      to: string;
    }[];
    const direct = await send({ to: child });
    const other = await send({ to: BOB, value: '0x1' });
    await call('evm_mine');
    expect(hashesOf(await search('Before', child, 0, 25))).toEqual([direct, creation]);
    expect(hashesOf(await search('Before', factory.address, 0, 25))[0]).toBe(creation);
    expect(hashesOf(await search('After', BOB, 0, 25))).toEqual([other]);
    expect((await search('Before', SENDER, 0, 25)).txs).toHaveLength(4);
    expect(await search('Before', NOBODY, 0, 25)).toEqual({
      txs: [],
      receipts: [],
      firstPage: true,
      lastPage: true,
    });
  });

  it('searches return pages in both directions', async () => {
    const hashes: unknown[] = [];
    for (let sent = 0; sent < 5; sent++) hashes.push(await send({ to: BOB }));
    const newestFirst = hashes.toReversed();
    const first = await search('Before', BOB, 0, 2);
    expect(hashesOf(first)).toEqual(newestFirst.slice(0, 2));
    expect(first).toMatchObject({ firstPage: true, lastPage: false });
    const second = await search('Before', BOB, 4, 2);
    expect(hashesOf(second)).toEqual(newestFirst.slice(2, 4));
    expect(second).toMatchObject({ firstPage: false, lastPage: false });
    const third = await search('Before', BOB, 2, 2);
    expect(hashesOf(third)).toEqual(newestFirst.slice(4));
    expect(third).toMatchObject({ firstPage: false, lastPage: true });
    const last = await search('After', BOB, 0, 2);
    expect(hashesOf(last)).toEqual(newestFirst.slice(3));
    expect(last).toMatchObject({ firstPage: false, lastPage: true });
    expect(await search('After', BOB, 3, 2)).toMatchObject({ firstPage: true, lastPage: false });
    expect(hashesOf(await search('After', BOB, 99, 2))).toEqual([]);
    expect(first.receipts).toMatchObject([
      { transactionHash: newestFirst[0], timestamp: harness.chain.head().header.timestamp },
      { transactionHash: newestFirst[1] },
    ]);
  });

  it('a page includes all transactions of its last block, and follows a revert', async () => {
    const snapshot = await call('evm_snapshot');
    harness.chain.miner.setMode({ automine: false, blockTime: null });
    for (let sent = 0; sent < 3; sent++) await send({ to: BOB });
    await call('evm_mine');
    expect((await search('Before', BOB, 0, 1)).txs).toHaveLength(3);
    await call('evm_revert', [snapshot]);
    expect((await search('Before', BOB, 0, 1)).txs).toEqual([]);
  });
});
