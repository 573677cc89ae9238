import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Contract, type ContractAbi, FMT_BYTES, FMT_NUMBER, type Log, WebSocketProvider } from 'web3';
import { DEV_ACCOUNTS, STRANGER } from '../support/dev-accounts.ts';
import { type RunningNode, startNode } from '../support/node-process.ts';
import { type ConnectedWeb3, connectWeb3, deployWithWeb3, method, pastEvents } from '../support/web3.ts';

const [{ address: holder }, { address: other }, , { address: local, privateKey }] = DEV_ACCOUNTS;

describe('web3 on a chain', () => {
  let node: RunningNode;
  let web3: ConnectedWeb3;

  beforeAll(async () => {
    node = await startNode();
    web3 = connectWeb3(node.url);
  });

  afterAll(() => node.stop());

  /** Sends a request that web3 has no function for. */
  function ask(name: string, ...params: readonly unknown[]): Promise<unknown> {
    return web3.requestManager.send({ method: name, params });
  }

  /** Signs with the local key; resolves to the raw transaction and its hash. */
  async function sign(fields: { nonce: bigint; value?: bigint; data?: string; gasPrice?: bigint }) {
    const { value = 0n, gasPrice = 0n, data = '0x', nonce } = fields;
    const transaction = {
      chainId: 33n,
      type: '0x0',
      to: STRANGER,
      gas: 50_000n,
      nonce,
      value,
      gasPrice,
      data,
    };
    const { rawTransaction, transactionHash } = await web3.eth.accounts.signTransaction(
      transaction,
      privateKey,
    );
    return { raw: rawTransaction, hash: transactionHash };
  }

  it('reads chain id 33 and the accounts of the mnemonic', async () => {
    expect(await web3.eth.getChainId()).toBe(33n);
    expect(await web3.eth.net.getId()).toBe(33n);
    const accounts = await web3.eth.getAccounts();
    expect(accounts).toHaveLength(10);
    expect(accounts.slice(0, 4)).toEqual(DEV_ACCOUNTS.map(({ address }) => address));
    expect(await web3.eth.getNodeInfo()).toContain('node-cli');
    expect(await web3.eth.isSyncing()).toBe(false);
  });

  it('signs locally with a key of its wallet', async () => {
    const signer = connectWeb3(node.url);
    signer.eth.accounts.wallet.add(privateKey);
    const receipt = await signer.eth.sendTransaction({ from: local, to: STRANGER, value: 3n });
    expect(receipt).toMatchObject({ status: 1n, type: 0n, from: local.toLowerCase(), gasUsed: 21_000n });
  });

  it('sends a locally signed transaction and reads it with its receipt', async () => {
    const gasPrice = 2_000_000_000n;
    const before = await web3.eth.getBalance(local);
    const nonce = await web3.eth.getTransactionCount(local);
    const { raw, hash } = await sign({ nonce, value: 1234n, data: '0x00ff', gasPrice });
    const blockNumber = (await web3.eth.getBlockNumber()) + 1n;
    const receipt = await web3.eth.sendSignedTransaction(raw);
    const gasUsed = 21_020n;
    expect(receipt).toMatchObject({
      transactionHash: hash,
      transactionIndex: 0n,
      blockNumber,
      from: local.toLowerCase(),
      to: STRANGER.toLowerCase(),
      logs: [],
      gasUsed,
      cumulativeGasUsed: gasUsed,
      effectiveGasPrice: gasPrice,
      status: 1n,
      type: 0n,
    });
    expect(await web3.eth.getBalance(local)).toBe(before - 1234n - gasUsed * gasPrice);
    const found = await web3.eth.getTransaction(hash);
    expect(found).toMatchObject({
      hash,
      nonce,
      blockNumber,
      value: 1234n,
      input: '0x00ff',
      gas: 50_000n,
      gasPrice,
    });
    expect([101n, 102n]).toContain(found.v);
    const block = await web3.eth.getBlock(blockNumber, true);
    expect(block).toMatchObject({
      hash: receipt.blockHash,
      gasUsed,
      gasLimit: 30_000_000n,
      transactions: [{ hash }],
    });
    expect(block.baseFeePerGas).toBeUndefined();
    expect(await web3.eth.getBlockTransactionCount(blockNumber)).toBe(1n);
    expect(await web3.eth.getTransactionFromBlock(blockNumber, 0)).toMatchObject({ hash });
  });

  it('sends two simultaneous transactions of an unlocked account with separate nonces', async () => {
    const nonce = await web3.eth.getTransactionCount(other);
    const receipts = await Promise.all(
      [1n, 2n].map((value) => web3.eth.sendTransaction({ from: other, to: STRANGER, value })),
    );
    expect(receipts.map(({ status }) => status)).toEqual([1n, 1n]);
    expect(await web3.eth.getTransactionCount(other)).toBe(nonce + 2n);
  });

  it('leaves a transaction with a future nonce pending until the gap closes', async () => {
    const nonce = await web3.eth.getTransactionCount(local);
    const future = await sign({ nonce: nonce + 1n, value: 20n });
    const gap = await sign({ nonce, value: 10n });
    expect(await ask('eth_sendRawTransaction', future.raw)).toBe(future.hash);
    expect(await ask('eth_getTransactionReceipt', future.hash)).toBeNull();
    await web3.eth.sendSignedTransaction(gap.raw);
    expect(await web3.eth.getTransactionReceipt(future.hash)).toMatchObject({ status: 1n });
    expect(await web3.eth.getTransactionCount(local)).toBe(nonce + 2n);
  });

  it('receives errors for an expired nonce and an unknown account', async () => {
    const nonce = await web3.eth.getTransactionCount(local);
    const stale = await sign({ nonce: nonce - 1n });
    await expect(ask('eth_sendRawTransaction', stale.raw)).rejects.toThrow(/nonce too low/);
    const unlisted = web3.eth.sendTransaction({ from: STRANGER, to: other, value: 1n, gas: 21_000n });
    await expect(unlisted).rejects.toMatchObject({ cause: { code: -32602 } });
  });

  it('signs messages with accounts of the node', async () => {
    const signature = await web3.eth.sign(web3.utils.utf8ToHex('come'), holder);
    expect(web3.eth.accounts.recover('come', String(signature))).toBe(holder);
  });

  describe('web3 with a contract', () => {
    let counter: Contract<ContractAbi>;

    beforeEach(async () => {
      counter = await deployWithWeb3(web3, holder, 'cancun', 'Counter');
    });

    function count(at: bigint | 'latest' = 'latest'): Promise<unknown> {
      return method(counter, 'count').call({}, at);
    }

    function increase(step: bigint) {
      return method(counter, 'increase', step).send({ from: holder });
    }

    it('estimates sufficient gas', async () => {
      const gas = await method(counter, 'increase', 1n).estimateGas({ from: holder });
      const receipt = await method(counter, 'increase', 1n).send({ from: holder, gas: String(gas) });
      expect(receipt.status).toBe(1n);
      expect(receipt.gasUsed).toBeLessThanOrEqual(gas);
    });

    it('calls contracts at past blocks', async () => {
      const start = await web3.eth.getBlockNumber();
      for (let step = 1n; step <= 3n; step++) await increase(step);
      const counts = [0n, 1n, 2n, 3n].map((after) => count(start + after));
      expect(await Promise.all(counts)).toEqual([0n, 1n, 3n, 6n]);
      const address = counter.options.address ?? '';
      expect(BigInt(await web3.eth.getStorageAt(address, 0, start + 2n))).toBe(3n);
      expect(await web3.eth.getCode(address, start - 1n)).toBe('0x');
      expect(await web3.eth.getBalance(holder, 'earliest')).toBe(10_000n * 10n ** 18n);
    });

    it('reverts to a snapshot once', async () => {
      await increase(5n);
      const { hash } = await web3.eth.getBlock();
      const snapshot = await ask('evm_snapshot');
      await increase(6n);
      expect(await ask('evm_revert', snapshot)).toBe(true);
      expect(await count()).toBe(5n);
      expect((await web3.eth.getBlock()).hash).toBe(hash);
      expect(await pastEvents(counter, 'Increased')).toMatchObject([{ step: 5n }]);
      expect(await ask('evm_revert', snapshot)).toBe(false);
    });

    it('increases the time of the next block', async () => {
      const clock = await deployWithWeb3(web3, holder, 'cancun', 'Clock');
      const { timestamp: before } = await web3.eth.getBlock();
      await ask('evm_increaseTime', 86_400);
      await ask('evm_mine');
      const { timestamp: after } = await web3.eth.getBlock();
      expect(after - before).toBeGreaterThanOrEqual(86_400n);
      expect(await method(clock, 'timestamp').call()).toBe(after);
    });
  });

  describe('web3 over WebSocket', () => {
    let provider: WebSocketProvider;
    let socket: ConnectedWeb3;

    beforeAll(() => {
      provider = new WebSocketProvider(node.webSocketUrl, {}, { autoReconnect: false });
      socket = connectWeb3(provider);
    });

    afterAll(() => provider.disconnect());

    it('receives blocks, pending transactions and logs until it unsubscribes', async () => {
      const counter = await deployWithWeb3(socket, holder, 'cancun', 'Counter');
      const deaf = await deployWithWeb3(socket, holder, 'cancun', 'Counter');
      const blocks: unknown[] = [];
      const pending: unknown[] = [];
      const logs: Log[] = [];
      const heads = await socket.eth.subscribe('newBlockHeaders', {
        number: FMT_NUMBER.BIGINT,
        bytes: FMT_BYTES.HEX,
      });
      heads.on('data', ({ number }) => {
        blocks.push(number);
      });
      const transactions = await socket.eth.subscribe('pendingTransactions');
      transactions.on('data', (hash) => {
        pending.push(hash);
      });
      const address = counter.options.address ?? '';
      const events = await socket.eth.subscribe('logs', { address });
      events.on('data', (log) => {
        logs.push(log);
      });

      const head = await socket.eth.getBlockNumber();
      const receipts: { transactionHash: string; blockHash: string }[] = [];
      for (const contract of [deaf, counter]) {
        receipts.push(await method(contract, 'increase', 2n).send({ from: holder }));
      }
      await vi.waitFor(() => {
        expect(blocks).toEqual([head + 1n, head + 2n]);
        expect(pending).toEqual(receipts.map(({ transactionHash }) => transactionHash));
        expect(logs).toMatchObject([{ address: address.toLowerCase(), blockHash: receipts[1]?.blockHash }]);
      });
      for (const subscription of [heads, transactions, events]) await subscription.unsubscribe();
      await method(counter, 'increase', 3n).send({ from: holder });
      expect(blocks).toHaveLength(2);
      expect(logs).toHaveLength(1);
    });
  });
});
