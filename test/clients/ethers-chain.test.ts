import {
  type Contract,
  HDNodeWallet,
  id,
  isError,
  type JsonRpcProvider,
  type JsonRpcSigner,
  keccak256,
  parseUnits,
  type TransactionReceipt,
  type TransactionResponse,
  toQuantity,
  verifyMessage,
  Wallet,
} from 'ethers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DEV_ACCOUNTS, DEV_MNEMONIC, STRANGER } from '../support/dev-accounts.ts';
import { connectEthers, deploy, read, write } from '../support/ethers.ts';
import { type RunningNode, startNode } from '../support/node-process.ts';

describe('ethers on a chain', () => {
  let node: RunningNode;
  let provider: JsonRpcProvider;
  let unlocked: JsonRpcSigner;
  let wallet: HDNodeWallet;

  beforeAll(async () => {
    node = await startNode();
    provider = connectEthers(node.url);
    unlocked = await provider.getSigner(0);
    wallet = HDNodeWallet.fromPhrase(DEV_MNEMONIC, undefined, "m/44'/60'/0'/0/3").connect(provider);
  });

  afterAll(async () => {
    provider.destroy();
    await node.stop();
  });

  async function mined(sent: TransactionResponse): Promise<TransactionReceipt> {
    const receipt = await sent.wait();
    if (receipt === null) throw new Error('no receipt');
    return receipt;
  }

  it('reads chain id 33 and the funded accounts of the mnemonic', async () => {
    expect((await provider.getNetwork()).chainId).toBe(33n);
    expect(await provider.send('net_version', [])).toBe('33');
    const accounts = await provider.listAccounts();
    expect(accounts).toHaveLength(10);
    expect(accounts.slice(0, 4).map(({ address }) => address)).toEqual(
      DEV_ACCOUNTS.map(({ address }) => address),
    );
    expect(await provider.getBalance(DEV_ACCOUNTS[2].address)).toBe(10_000n * 10n ** 18n);
  });

  it('sends legacy transactions because blocks have no base fee', async () => {
    expect(await provider.send('eth_getBlockByNumber', ['latest', false])).not.toHaveProperty(
      'baseFeePerGas',
    );
    expect(await provider.getFeeData()).toMatchObject({ maxFeePerGas: null, maxPriorityFeePerGas: null });
    const sent = await wallet.sendTransaction({ to: STRANGER, value: 1n });
    expect(sent.type).toBe(0);
    await mined(sent);
  });

  it('receives an error for a transaction with fee market fields', async () => {
    const sent = wallet.sendTransaction({
      to: STRANGER,
      type: 2,
      maxFeePerGas: parseUnits('1', 'gwei'),
      maxPriorityFeePerGas: 1n,
    });
    const error: unknown = await sent.catch((reason) => reason);
    expect(error).toMatchObject({
      info: { error: { code: -32602, message: expect.stringMatching(/maxFeePerGas.*no base fee/) } },
    });
    const signed = await wallet.signTransaction({
      to: STRANGER,
      type: 2,
      chainId: 33n,
      nonce: 0,
      gasLimit: 21_000n,
      maxFeePerGas: parseUnits('1', 'gwei'),
      maxPriorityFeePerGas: 1n,
    });
    await expect(provider.send('eth_sendRawTransaction', [signed])).rejects.toMatchObject({
      error: { code: -32010, message: expect.stringMatching(/transaction type not valid.*legacy/) },
    });
  });

  it('sends a locally signed transaction and reads it with its receipt', async () => {
    const gasPrice = parseUnits('2', 'gwei');
    const before = await provider.getBalance(wallet.address);
    const nonce = await wallet.getNonce();
    const raw = await wallet.signTransaction({
      type: 0,
      chainId: 33n,
      nonce,
      to: STRANGER,
      value: 1234n,
      gasLimit: 50_000n,
      gasPrice,
      data: '0x00ff',
    });
    const head = await provider.getBlockNumber();
    const sent = await provider.broadcastTransaction(raw);
    expect(sent.hash).toBe(keccak256(raw));
    const receipt = await mined(sent);
    const gasUsed = 21_000n + 4n + 16n;
    expect(receipt).toMatchObject({
      hash: sent.hash,
      index: 0,
      blockNumber: head + 1,
      from: wallet.address,
      to: STRANGER,
      contractAddress: null,
      logs: [],
      logsBloom: `0x${'00'.repeat(256)}`,
      gasUsed,
      cumulativeGasUsed: gasUsed,
      gasPrice,
      status: 1,
      type: 0,
    });
    expect(await provider.getBalance(wallet.address)).toBe(before - 1234n - gasUsed * gasPrice);

    const found = await provider.getTransaction(sent.hash);
    expect(found).toMatchObject({
      hash: sent.hash,
      blockHash: receipt.blockHash,
      index: 0,
      nonce,
      from: wallet.address,
      to: STRANGER,
      value: 1234n,
      gasLimit: 50_000n,
      gasPrice,
      data: '0x00ff',
      chainId: 33n,
      type: 0,
    });
    expect([101n, 102n]).toContain(found?.signature.networkV);

    const block = await provider.getBlock(receipt.blockHash, true);
    expect(block).toMatchObject({ number: head + 1, gasUsed, gasLimit: 30_000_000n, baseFeePerGas: null });
    expect(block?.prefetchedTransactions.map(({ hash }) => hash)).toEqual([sent.hash]);
    expect(await provider.getBlock(head + 1)).toMatchObject({ hash: receipt.blockHash });
    expect(block?.parentHash).toBe((await provider.getBlock(head))?.hash);
  });

  it('recognises expired nonces and insufficient funds', async () => {
    const nonce = await wallet.getNonce();
    const stale = await wallet.sendTransaction({ to: STRANGER, nonce: nonce - 1 }).catch((error) => error);
    expect(isError(stale, 'NONCE_EXPIRED')).toBe(true);
    const poor = new Wallet(id('an account that owns nothing'), provider);
    const transfer = { to: STRANGER, value: 1n, gasLimit: 21_000n };
    const unpaid = await poor.sendTransaction(transfer).catch((error) => error);
    expect(isError(unpaid, 'INSUFFICIENT_FUNDS')).toBe(true);
    expect(await wallet.getNonce()).toBe(nonce);
  });

  it('sends two simultaneous transactions of an unlocked account with separate nonces', async () => {
    const nonce = await unlocked.getNonce();
    const sent = await Promise.all([
      unlocked.sendTransaction({ to: STRANGER, value: 1n }),
      unlocked.sendTransaction({ to: STRANGER, value: 2n }),
    ]);
    const receipts = await Promise.all(sent.map(mined));
    expect(receipts.map(({ status }) => status)).toEqual([1, 1]);
    expect(sent.map((each) => each.nonce).sort((left, right) => left - right)).toEqual([nonce, nonce + 1]);
  });

  it('leaves a transaction with a future nonce pending until the gap closes', async () => {
    const nonce = await wallet.getNonce();
    const balance = await provider.getBalance(STRANGER);
    const future = await wallet.sendTransaction({ to: STRANGER, value: 20n, nonce: nonce + 1 });
    expect(await provider.getTransactionReceipt(future.hash)).toBeNull();
    expect(await provider.getTransaction(future.hash)).toMatchObject({ blockNumber: null, blockHash: null });
    expect(await wallet.getNonce()).toBe(nonce);
    const gap = await wallet.sendTransaction({ to: STRANGER, value: 10n, nonce });
    const receipts = [await mined(gap), await mined(future)];
    expect(receipts.map(({ status }) => status)).toEqual([1, 1]);
    expect(await provider.getBalance(STRANGER)).toBe(balance + 30n);
    expect(await wallet.getNonce()).toBe(nonce + 2);
  });

  it('replaces a queued transaction only with a sufficient price increase', async () => {
    const nonce = await wallet.getNonce();
    const at = { to: STRANGER, nonce: nonce + 1, gasLimit: 21_000n };
    const first = await wallet.sendTransaction({ ...at, value: 1n, gasPrice: 1000n });
    const cheap = await wallet.sendTransaction({ ...at, value: 2n, gasPrice: 1399n }).catch((error) => error);
    expect(isError(cheap, 'REPLACEMENT_UNDERPRICED')).toBe(true);
    const better = await wallet.sendTransaction({ ...at, value: 3n, gasPrice: 1400n });
    await mined(await wallet.sendTransaction({ to: STRANGER, nonce }));
    expect(await provider.getTransactionReceipt(better.hash)).toMatchObject({ status: 1 });
    expect(await provider.getTransaction(first.hash)).toBeNull();
  });

  it('signs messages with accounts of the node', async () => {
    const message = 'come on in';
    expect(verifyMessage(message, await unlocked._legacySignMessage(message))).toBe(unlocked.address);
  });

  describe('ethers with a contract', () => {
    let counter: Contract;
    let clock: Contract;

    beforeEach(async () => {
      counter = await deploy(unlocked, 'cancun', 'Counter');
      clock = await deploy(unlocked, 'cancun', 'Clock');
    });

    it('estimates sufficient gas', async () => {
      expect(await provider.estimateGas({ from: unlocked.address, to: STRANGER, value: 1n })).toBe(21_000n);
      const estimate = await counter.getFunction('increment').estimateGas();
      const receipt = await write(counter, 'increment', { gasLimit: estimate });
      expect(receipt.status).toBe(1);
      expect(receipt.gasUsed).toBeLessThanOrEqual(estimate);
    });

    it('calls contracts at past blocks', async () => {
      const start = await provider.getBlockNumber();
      const address = await counter.getAddress();
      const nonce = await unlocked.getNonce();
      for (let step = 1n; step <= 3n; step++) await write(counter, 'increase', step);
      const counts = [0, 1, 2, 3].map((after) => read(counter, 'count', { blockTag: start + after }));
      expect(await Promise.all(counts)).toEqual([0n, 1n, 3n, 6n]);
      expect(BigInt(await provider.getStorage(address, 0, start + 2))).toBe(3n);
      expect(await provider.getTransactionCount(unlocked.address, start + 1)).toBe(nonce + 1);
      expect(await provider.getCode(address, 0)).toBe('0x');
      expect(await provider.call({ to: address, data: '0x06661abd', blockTag: 0 })).toBe('0x');
      expect(await provider.getBalance(unlocked.address, 0)).toBe(10_000n * 10n ** 18n);
    });

    it('reads the block fields that a contract sees', async () => {
      await write(clock, 'mark');
      const block = await provider.getBlock('latest');
      if (block === null) throw new Error('no latest block');
      expect(await read(clock, 'markedNumber')).toBe(BigInt(block.number));
      expect(await read(clock, 'markedTimestamp')).toBe(BigInt(block.timestamp));
      expect(await read(clock, 'chainId')).toBe(33n);
      expect(await read(clock, 'coinbase')).toBe(block.miner);
      expect(await read(clock, 'gasLimit')).toBe(block.gasLimit);
      expect(await read(clock, 'baseFee')).toBe(0n);
      expect(await read(clock, 'blockHash', block.number - 1)).toBe(block.parentHash);
      expect(await read(clock, 'blockHash', block.number + 1)).toBe(`0x${'00'.repeat(32)}`);
    });

    it('reverts to a snapshot once', async () => {
      await write(counter, 'increase', 5n);
      const before = {
        block: await provider.getBlock('latest'),
        nonce: await unlocked.getNonce(),
        balance: await provider.getBalance(STRANGER),
      };
      const snapshot: unknown = await provider.send('evm_snapshot', []);
      const increased = await write(counter, 'increase', 6n);
      const later = await deploy(unlocked, 'cancun', 'Counter');
      await mined(await unlocked.sendTransaction({ to: STRANGER, value: 9n }));
      expect(await read(counter, 'count')).toBe(11n);

      expect(await provider.send('evm_revert', [snapshot])).toBe(true);
      expect(await read(counter, 'count')).toBe(5n);
      expect((await provider.getBlock('latest'))?.hash).toBe(before.block?.hash);
      expect(await unlocked.getNonce()).toBe(before.nonce);
      expect(await provider.getBalance(STRANGER)).toBe(before.balance);
      expect(await provider.getCode(later)).toBe('0x');
      expect(await provider.getTransactionReceipt(increased.hash)).toBeNull();
      expect(await provider.getTransaction(increased.hash)).toBeNull();
      expect(await provider.getBlock(increased.blockHash)).toBeNull();
      expect(await counter.queryFilter('Increased', 0)).toHaveLength(1);
      expect(await provider.send('evm_revert', [snapshot])).toBe(false);
      await write(counter, 'increase', 1n);
      expect(await read(counter, 'count')).toBe(6n);
    });

    it('increases the time of the next block', async () => {
      const before = (await provider.getBlock('latest'))?.timestamp ?? 0;
      await provider.send('evm_increaseTime', [86_400]);
      await provider.send('evm_mine', []);
      const after = (await provider.getBlock('latest'))?.timestamp ?? 0;
      expect(after - before).toBeGreaterThanOrEqual(86_400);
      expect(after - before).toBeLessThan(86_400 + 60);
      expect(await read(clock, 'timestamp')).toBe(BigInt(after));
      await provider.send('evm_increaseTime', [toQuantity(100)]);
      await write(clock, 'mark');
      expect(Number(await read(clock, 'markedTimestamp')) - after).toBeGreaterThanOrEqual(100);
    });
  });
});
