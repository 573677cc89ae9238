import {
  type Address,
  type Hex,
  InsufficientFundsError,
  keccak256,
  type LocalAccount,
  NonceTooLowError,
  type PublicClient,
  parseAbiItem,
  parseGwei,
  TransactionReceiptNotFoundError,
  verifyMessage,
} from 'viem';
import { type HDAccount, mnemonicToAccount, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DEV_ACCOUNTS, DEV_MNEMONIC } from '../support/dev-accounts.ts';
import { type RunningNode, startNode } from '../support/node-process.ts';
import { connectViem, deployWithViem, type ViemClients } from '../support/viem.ts';

const STRANGER: Address = '0x00000000000000000000000000000000000A11cE';
const [{ address: holder }, { address: other }] = DEV_ACCOUNTS;
const incremented = parseAbiItem('event Increased(address indexed by, uint256 indexed step, uint256 count)');

/** The fields of a transfer that a test may set. */
interface Transfer {
  readonly account: Address | LocalAccount;
  readonly value: bigint;
  readonly nonce: number;
  readonly gas: bigint;
  readonly gasPrice: bigint;
}

/** The error of a call that must fail. */
function errorOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => new Error('it did not fail'),
    (reason) => reason,
  );
}

/** True if the error chain of viem contains the class. */
function isCausedBy(error: unknown, Kind: typeof NonceTooLowError | typeof InsufficientFundsError): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof Kind) return true;
  return false;
}

describe('viem on a chain', () => {
  let node: RunningNode;
  let clients: ViemClients;
  let reader: PublicClient;
  let local: HDAccount;

  beforeAll(async () => {
    node = await startNode();
    clients = connectViem(node.url, holder);
    ({ reader } = clients);
    local = mnemonicToAccount(DEV_MNEMONIC, { addressIndex: 3 });
  });

  afterAll(() => node.stop());

  /** Sends wei to a stranger. The node signs for its own accounts, and viem signs for local accounts. */
  function transfer({ account = holder, ...fields }: Partial<Transfer>): Promise<Hex> {
    return clients.writer.sendTransaction({ account, to: STRANGER, chain: clients.writer.chain, ...fields });
  }

  it('reads chain id 33 and the accounts of the mnemonic', async () => {
    expect(await reader.getChainId()).toBe(33);
    const addresses = await clients.writer.getAddresses();
    expect(addresses).toHaveLength(10);
    expect(addresses.slice(0, 4)).toEqual(DEV_ACCOUNTS.map(({ address }) => address));
  });

  it('sends legacy transactions because blocks have no base fee', async () => {
    expect((await reader.getBlock()).baseFeePerGas ?? null).toBeNull();
    const prepared = await clients.writer.prepareTransactionRequest({
      account: local,
      to: STRANGER,
      chain: clients.writer.chain,
    });
    expect(prepared).toMatchObject({ type: 'legacy', gasPrice: 0n, gas: 21_000n });
    const hash = await transfer({ account: local, value: 1n });
    expect(await reader.waitForTransactionReceipt({ hash })).toMatchObject({
      type: 'legacy',
      status: 'success',
    });
  });

  it('sends a locally signed transaction and reads it with its receipt', async () => {
    const gasPrice = parseGwei('2');
    const before = await reader.getBalance({ address: local.address });
    const nonce = await reader.getTransactionCount({ address: local.address });
    const fields = { nonce, gasPrice, gas: 50_000n, to: STRANGER, value: 1234n } as const;
    const serializedTransaction = await local.signTransaction({
      ...fields,
      data: '0x00ff',
      chainId: 33,
      type: 'legacy',
    });
    const blockNumber = (await reader.getBlockNumber()) + 1n;
    const hash = await reader.sendRawTransaction({ serializedTransaction });
    expect(hash).toBe(keccak256(serializedTransaction));
    const receipt = await reader.getTransactionReceipt({ hash });
    const gasUsed = 21_020n;
    expect(receipt).toMatchObject({
      transactionHash: hash,
      transactionIndex: 0,
      blockNumber,
      from: local.address.toLowerCase(),
      to: STRANGER.toLowerCase(),
      contractAddress: null,
      logs: [],
      gasUsed,
      cumulativeGasUsed: gasUsed,
      effectiveGasPrice: gasPrice,
      status: 'success',
      type: 'legacy',
    });
    expect(await reader.getBalance({ address: local.address })).toBe(before - 1234n - gasUsed * gasPrice);
    const found = await reader.getTransaction({ hash });
    expect(found).toMatchObject({
      ...fields,
      to: STRANGER.toLowerCase(),
      blockNumber,
      input: '0x00ff',
    });
    expect([101n, 102n]).toContain(found.v);
    const block = await reader.getBlock({ blockNumber, includeTransactions: true });
    expect(block.transactions).toEqual([found]);
    expect(block).toMatchObject({ hash: receipt.blockHash, gasUsed, gasLimit: 30_000_000n });
    expect(await reader.getBlock({ blockHash: receipt.blockHash })).toMatchObject({ transactions: [hash] });
  });

  it('recognises its own error classes in errors of the node', async () => {
    const nonce = await reader.getTransactionCount({ address: local.address });
    const stale = { account: local, nonce: nonce - 1, gas: 21_000n, gasPrice: 0n };
    expect(isCausedBy(await errorOf(transfer(stale)), NonceTooLowError)).toBe(true);
    const poor = privateKeyToAccount(keccak256('0x01'));
    const unpaid = { account: poor, value: 1n, gas: 21_000n, gasPrice: 0n };
    expect(isCausedBy(await errorOf(transfer(unpaid)), InsufficientFundsError)).toBe(true);
  });

  it('sends two simultaneous transactions of an unlocked account with separate nonces', async () => {
    const nonce = await reader.getTransactionCount({ address: other });
    const hashes = await Promise.all([
      transfer({ account: other, value: 1n }),
      transfer({ account: other, value: 2n }),
    ]);
    const receipts = await Promise.all(hashes.map((hash) => reader.waitForTransactionReceipt({ hash })));
    expect(receipts.map(({ status }) => status)).toEqual(['success', 'success']);
    const nonces = await Promise.all(
      hashes.map(async (hash) => (await reader.getTransaction({ hash })).nonce),
    );
    expect(nonces.sort((left, right) => left - right)).toEqual([nonce, nonce + 1]);
  });

  it('leaves a transaction with a future nonce pending until the gap closes', async () => {
    const nonce = await reader.getTransactionCount({ address: local.address });
    const future = await transfer({ account: local, value: 20n, nonce: nonce + 1, gasPrice: 0n });
    const missing = await errorOf(reader.getTransactionReceipt({ hash: future }));
    expect(missing).toBeInstanceOf(TransactionReceiptNotFoundError);
    expect(await reader.getTransaction({ hash: future })).toMatchObject({
      blockHash: null,
      blockNumber: null,
      transactionIndex: null,
    });
    await transfer({ account: local, value: 10n, nonce, gasPrice: 0n });
    expect(await reader.waitForTransactionReceipt({ hash: future })).toMatchObject({ status: 'success' });
    expect(await reader.getTransactionCount({ address: local.address })).toBe(nonce + 2);
  });

  it('signs messages with accounts of the node', async () => {
    const signature = await clients.writer.request({ method: 'eth_sign', params: [holder, '0x636f6d65'] });
    expect(await verifyMessage({ address: holder, message: 'come', signature })).toBe(true);
  });

  describe('viem with a contract', () => {
    let counter: Awaited<ReturnType<typeof deployWithViem>>;

    beforeEach(async () => {
      counter = await deployWithViem(clients, 'cancun', 'Counter');
    });

    function count(blockNumber?: bigint): Promise<unknown> {
      const at = blockNumber === undefined ? {} : { blockNumber };
      return reader.readContract({ ...counter, functionName: 'count', ...at });
    }

    async function increase(step: bigint, gas?: bigint) {
      const hash = await clients.writer.writeContract({
        ...counter,
        functionName: 'increase',
        args: [step],
        account: holder,
        chain: clients.writer.chain,
        ...(gas === undefined ? {} : { gas }),
      });
      return reader.waitForTransactionReceipt({ hash });
    }

    it('estimates sufficient gas', async () => {
      expect(await reader.estimateGas({ account: holder, to: STRANGER, value: 1n })).toBe(21_000n);
      const call = { ...counter, functionName: 'increase', args: [1n], account: holder };
      const estimate = await reader.estimateContractGas(call);
      const { status, gasUsed } = await increase(1n, estimate);
      expect(status).toBe('success');
      expect(gasUsed).toBeLessThanOrEqual(estimate);
    });

    it('calls contracts at past blocks', async () => {
      const start = await reader.getBlockNumber();
      const nonce = await reader.getTransactionCount({ address: holder });
      for (let step = 1n; step <= 3n; step++) await increase(step);
      const counts = [0n, 1n, 2n, 3n].map((after) => count(start + after));
      expect(await Promise.all(counts)).toEqual([0n, 1n, 3n, 6n]);
      const slot = await reader.getStorageAt({
        address: counter.address,
        slot: '0x0',
        blockNumber: start + 2n,
      });
      expect(BigInt(slot ?? '0x')).toBe(3n);
      const nonceThen = await reader.getTransactionCount({ address: holder, blockNumber: start + 1n });
      expect(nonceThen).toBe(nonce + 1);
      expect(await reader.getCode({ address: counter.address, blockNumber: start - 1n })).toBeUndefined();
      expect(await reader.getBalance({ address: holder, blockTag: 'earliest' })).toBe(10_000n * 10n ** 18n);
    });

    it('reverts to a snapshot once', async () => {
      await increase(5n);
      const head = await reader.getBlock();
      const id = await clients.controls.snapshot();
      const { transactionHash: hash } = await increase(6n);
      expect(await count()).toBe(11n);
      await clients.controls.revert({ id });
      expect(await count()).toBe(5n);
      expect((await reader.getBlock()).hash).toBe(head.hash);
      expect(await errorOf(reader.getTransactionReceipt({ hash }))).toBeInstanceOf(
        TransactionReceiptNotFoundError,
      );
      const events = await reader.getLogs({ address: counter.address, event: incremented, fromBlock: 0n });
      expect(events.map(({ args }) => args)).toEqual([{ by: holder, step: 5n, count: 5n }]);
      expect(await clients.controls.request({ method: 'evm_revert', params: [id] })).toBe(false);
    });

    it('increases the time of the next block', async () => {
      const clock = await deployWithViem(clients, 'cancun', 'Clock');
      const { timestamp: before } = await reader.getBlock();
      await clients.controls.increaseTime({ seconds: 86_400 });
      await clients.controls.request({ method: 'evm_mine', params: undefined });
      const { timestamp: after } = await reader.getBlock();
      expect(Number(after - before)).toBeGreaterThanOrEqual(86_400);
      expect(await reader.readContract({ ...clock, functionName: 'timestamp' })).toBe(after);
    });
  });
});
