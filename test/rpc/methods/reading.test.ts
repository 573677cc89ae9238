import { getContractAddress } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/primitives/hex.ts';
import type { CompatName } from '../../../src/rpc/compat.ts';
import { TEST_ACCOUNTS } from '../../support/test-chain.ts';
import { createRpcHarness } from '../rpc-harness.ts';
import { deploy, SENDER } from './contract.ts';

const UNKNOWN_HASH = `0x${'ee'.repeat(32)}`;
/** An account whose key the node does not have. */
const STRANGER = privateKeyToAccount(`0x${'5a'.repeat(32)}`);
const EMPTY_BLOCK_UNCLES = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347';

describe('network and client', () => {
  it.each([
    ['web3_clientVersion', [], 'anvil/v1.7.1/node-cli/1.2.3'],
    ['web3_sha3', ['0x'], '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'],
    ['net_version', [], '33'],
    ['net_listening', [], true],
    ['net_peerCount', [], '0x0'],
    ['net_peerList', [], []],
    ['eth_chainId', [], '0x21'],
    ['eth_protocolVersion', [], '0x3e'],
    ['eth_syncing', [], false],
    ['eth_coinbase', [], `0x${'cc'.repeat(20)}`],
    ['eth_mining', [], true],
    ['eth_hashrate', [], '0x0'],
    ['eth_gasPrice', [], '0x0'],
    ['eth_accounts', [], TEST_ACCOUNTS.map(({ address }) => toHex(address))],
    ['personal_listAccounts', [], TEST_ACCOUNTS.map(({ address }) => toHex(address))],
    ['eth_blockNumber', [], '0x0'],
  ])('%s returns its value', async (method, params, expected) => {
    const { call } = await createRpcHarness();
    expect(await call(method, params)).toEqual(expected);
  });

  it('web3_clientVersion returns the configured client version', async () => {
    const { call } = await createRpcHarness({ clientVersion: 'mine/1' });
    expect(await call('web3_clientVersion')).toBe('mine/1');
  });
});

describe('state queries', () => {
  it('state methods accept any block by number, tag, hash and object', async () => {
    const harness = await createRpcHarness();
    const { call } = harness;
    const contract = await deploy(harness, 'Counter');
    await call('eth_sendTransaction', [
      { from: SENDER, to: contract.address, data: contract.data('increase', 7n) },
    ]);
    const { hash } = harness.chain.head();
    const seven = `0x${'7'.padStart(64, '0')}`;
    for (const block of [
      'latest',
      'pending',
      'safe',
      '0x2',
      2,
      '2',
      toHex(hash),
      { blockHash: toHex(hash) },
    ]) {
      expect(await call('eth_getStorageAt', [contract.address, '0x0', block])).toBe(seven);
    }
    for (const block of ['0x1', { blockNumber: '0x1' }, 'earliest']) {
      expect(await call('eth_getStorageAt', [contract.address, '0x0', block])).toBe(`0x${'0'.repeat(64)}`);
    }
    expect(await call('eth_getTransactionCount', [SENDER, '0x1'])).toBe('0x1');
    expect(await call('eth_getTransactionCount', [SENDER])).toBe('0x2');
    expect(await call('eth_getCode', [contract.address, 'earliest'])).toBe('0x');
    expect(await call('eth_getCode', [contract.address, '0x1'])).toMatch(/^0x60/);
    expect(await call('eth_getBalance', [SENDER, 'earliest'])).toBe('0x56bc75e2d63100000');
  });

  it('eth_getTransactionCount at pending counts pending transactions', async () => {
    const { call } = await createRpcHarness({}, { automine: false });
    await call('eth_sendTransaction', [{ from: SENDER, to: SENDER }]);
    expect(await call('eth_getTransactionCount', [SENDER, 'latest'])).toBe('0x0');
    expect(await call('eth_getTransactionCount', [SENDER, 'pending'])).toBe('0x1');
  });

  it('state methods reject an unknown block', async () => {
    const { call } = await createRpcHarness();
    for (const block of ['0x5', { blockHash: UNKNOWN_HASH }, UNKNOWN_HASH]) {
      await expect(call('eth_getBalance', [SENDER, block])).rejects.toMatchObject({
        code: -32600,
        message: expect.stringContaining('not found'),
      });
    }
  });
});

describe('blocks and transactions', () => {
  it('blocks and transactions are found by hash, number and index', async () => {
    const { call } = await createRpcHarness();
    const hash = await call('eth_sendTransaction', [{ from: SENDER, to: SENDER, value: '0x1' }]);
    const transaction = await call('eth_getTransactionByHash', [hash]);
    const block = await call('eth_getBlockByNumber', ['latest', true]);
    expect(block).toMatchObject({
      number: '0x1',
      transactions: [transaction],
      uncles: [],
      sha3Uncles: EMPTY_BLOCK_UNCLES,
    });
    const { hash: blockHash } = block as { readonly hash: string };
    expect(await call('eth_getBlockByHash', [blockHash, true])).toEqual(block);
    expect(await call('eth_getBlockByHash', [blockHash])).toMatchObject({ transactions: [hash] });
    expect(await call('eth_getTransactionByBlockHashAndIndex', [blockHash, '0x0'])).toEqual(transaction);
    expect(await call('eth_getTransactionByBlockNumberAndIndex', ['0x1', 0])).toEqual(transaction);
    expect(await call('eth_getBlockTransactionCountByHash', [blockHash])).toBe('0x1');
    expect(await call('eth_getBlockTransactionCountByNumber', ['latest'])).toBe('0x1');
    expect(await call('eth_getUncleCountByBlockHash', [blockHash])).toBe('0x0');
    expect(await call('eth_getUncleCountByBlockNumber', ['latest'])).toBe('0x0');
    expect(await call('eth_getTransactionReceipt', [hash])).toMatchObject({ blockHash, status: '0x1' });
  });

  it('unknown blocks and transactions are null', async () => {
    const { call } = await createRpcHarness();
    const { hash } = (await call('eth_getBlockByNumber', ['0x0'])) as { readonly hash: string };
    for (const [method, params] of [
      ['eth_getBlockByHash', [UNKNOWN_HASH]],
      ['eth_getBlockByNumber', ['0x9']],
      ['eth_getBlockByNumber', ['0xffffffffffffffff']],
      ['eth_getBlockTransactionCountByHash', [UNKNOWN_HASH]],
      ['eth_getBlockTransactionCountByNumber', ['0x9']],
      ['eth_getTransactionByHash', [UNKNOWN_HASH]],
      ['eth_getTransactionReceipt', [UNKNOWN_HASH]],
      ['eth_getTransactionByBlockHashAndIndex', [hash, '0x0']],
      ['eth_getTransactionByBlockHashAndIndex', [UNKNOWN_HASH, '0x0']],
      ['eth_getTransactionByBlockNumberAndIndex', ['latest', `0x${'f'.repeat(64)}`]],
      ['eth_getUncleByBlockHashAndIndex', [hash, '0x0']],
      ['eth_getUncleByBlockNumberAndIndex', ['latest', '0x0']],
    ] as const) {
      expect(await call(method, params), method).toBeNull();
    }
    for (const [method, params] of [
      ['eth_getUncleCountByBlockHash', [UNKNOWN_HASH]],
      ['eth_getUncleCountByBlockNumber', ['0x9']],
    ] as const) {
      await expect(call(method, params), method).rejects.toMatchObject({ code: -32600 });
    }
  });

  it('pending transactions have no block hash, number or index', async () => {
    const { call } = await createRpcHarness({}, { automine: false });
    const hash = await call('eth_sendTransaction', [{ from: SENDER, to: SENDER }]);
    const pending = { hash, blockHash: null, blockNumber: null, transactionIndex: null };
    expect(await call('eth_getTransactionByHash', [hash])).toMatchObject(pending);
    const later = await call('eth_sendTransaction', [{ from: SENDER, to: SENDER, nonce: '0x5' }]);
    // A transaction with a nonce gap follows the executable ones.
    expect(await call('eth_pendingTransactions')).toMatchObject([pending, { ...pending, hash: later }]);
    expect(await call('eth_getTransactionReceipt', [hash])).toBeNull();
    expect(await call('eth_getBlockTransactionCountByNumber', ['pending'])).toBe('0x1');
  });

  it.each<{ compat: CompatName; areOthersListed: boolean }>([
    { compat: 'service', areOthersListed: false },
    { compat: 'anvil', areOthersListed: true },
    { compat: 'hardhat', areOthersListed: true },
  ])(
    'eth_pendingTransactions in compat mode $compat lists impersonated senders, others: $areOthersListed',
    async ({ compat, areOthersListed }) => {
      const { call } = await createRpcHarness({ compat }, { automine: false });
      const impersonated = `0x${'1a'.repeat(20)}`;
      for (const account of [impersonated, STRANGER.address])
        await call('anvil_setBalance', [account, '0xde0b6b3a7640000']);
      await call('anvil_impersonateAccount', [impersonated]);
      const hash = await call('eth_sendTransaction', [{ from: impersonated, to: SENDER }]);
      const raw = await STRANGER.signTransaction({
        chainId: 33,
        nonce: 0,
        gas: 21_000n,
        gasPrice: 1_000_000_000n,
        to: SENDER as `0x${string}`,
      });
      const others = await call('eth_sendRawTransaction', [raw]);
      const listed = (await call('eth_pendingTransactions')) as readonly { readonly hash: string }[];
      expect(new Set(listed.map((transaction) => transaction.hash))).toEqual(
        new Set(areOthersListed ? [hash, others] : [hash]),
      );
    },
  );
});

describe('methods that the service document flags for pending', () => {
  const FLAGGED = [
    ['eth_getCode', [SENDER, 'pending']],
    ['eth_getBlockByNumber', ['pending', true]],
    ['eth_getUncleCountByBlockNumber', ['pending']],
    ['eth_getTransactionByBlockNumberAndIndex', ['pending', '0x0']],
    ['eth_getUncleByBlockNumberAndIndex', ['pending', '0x0']],
  ] as const;

  it.each(FLAGGED)('%s rejects pending in compat mode service', async (method, params) => {
    const { call } = await createRpcHarness();
    await expect(call(method, params)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/^invalid params: block: .*pending/),
    });
  });

  it.each(['anvil', 'hardhat'] as const)(
    'the flagged methods accept pending in compat mode %s',
    async (compat) => {
      const { call } = await createRpcHarness({ compat }, { automine: false });
      const hash = await call('eth_sendTransaction', [{ from: SENDER, to: SENDER }]);
      for (const [method, params] of FLAGGED) await expect(call(method, params)).resolves.not.toThrow();
      const block = await call('eth_getBlockByNumber', ['pending', false]);
      expect(block).toMatchObject({ transactions: [hash] });
      expect(await call('eth_getTransactionByBlockNumberAndIndex', ['pending', '0x0'])).toMatchObject({
        blockHash: null,
      });
    },
  );
});

describe('the pending block', () => {
  it.each(['service', 'hardhat'] as const)(
    'the pending block has no hash, nonce and bloom in compat mode %s',
    async (compat) => {
      const { call } = await createRpcHarness({ compat }, { automine: false });
      const method = compat === 'service' ? 'eth_getHeaderByNumber' : 'eth_getBlockByNumber';
      const pending = await call(method, ['pending']);
      expect(pending).toMatchObject({ number: '0x1', hash: null, nonce: null, logsBloom: null });
    },
  );

  it('the pending block and its transactions have mined fields in compat mode anvil', async () => {
    const harness = await createRpcHarness({ compat: 'anvil' });
    const { call } = harness;
    const counter = await deploy(harness, 'Counter');
    await call('evm_setAutomine', [false]);
    const empty = { number: '0x2', nonce: `0x${'00'.repeat(8)}`, logsBloom: `0x${'00'.repeat(256)}` };
    expect(await call('eth_getBlockByNumber', ['pending', false])).toMatchObject(empty);
    expect(await call('eth_getHeaderByNumber', ['pending'])).toMatchObject(empty);
    const data = counter.data('increase', 1n);
    await call('eth_sendTransaction', [{ from: SENDER, to: counter.address, data }]);
    const block = (await call('eth_getBlockByNumber', ['pending', true])) as Record<string, unknown>;
    const { hash, logsBloom, timestamp } = block;
    expect(hash).toMatch(/^0x[0-9a-f]{64}$/);
    expect(logsBloom).not.toBe(empty.logsBloom);
    expect(block.transactions).toMatchObject([
      { blockHash: hash, blockNumber: '0x2', blockTimestamp: timestamp, transactionIndex: '0x0' },
    ]);
  });
});

describe('receipt of a failed creation', () => {
  it.each([
    ['service', false],
    ['anvil', true],
    ['hardhat', false],
  ] as const)(
    'the receipt of a failed creation in compat mode %s has a contract address: %s',
    async (compat, isNamed) => {
      const { call } = await createRpcHarness({ compat }, { automine: false });
      const hash = await call('eth_sendTransaction', [{ from: SENDER, data: '0xfe', gas: '0x10000' }]);
      await call('evm_mine');
      const contractAddress = isNamed ? getContractAddress({ from: SENDER, nonce: 0n }).toLowerCase() : null;
      const receipt = { status: '0x0', to: null, contractAddress };
      expect(await call('eth_getTransactionReceipt', [hash])).toMatchObject(receipt);
      expect(await call('eth_getBlockReceipts', ['latest'])).toMatchObject([receipt]);
    },
  );
});

describe('evm methods', () => {
  it('evm_snapshot and evm_revert save and restore the chain', async () => {
    const { call } = await createRpcHarness();
    expect(await call('evm_snapshot')).toBe('0x1');
    await call('evm_mine');
    expect(await call('evm_revert', ['0x1'])).toBe(true);
    expect(await call('eth_blockNumber')).toBe('0x0');
    expect(await call('evm_revert', ['0x1'])).toBe(false);
    expect(await call('evm_revert', [`0x${'f'.repeat(64)}`])).toBe(false);
    expect(await call('evm_snapshot')).toBe('0x2');
  });

  it('evm_mine mines one block or several, at a given timestamp', async () => {
    const { call, chain } = await createRpcHarness();
    const later = chain.head().header.timestamp + 1_000;
    await call('evm_mine', [later]);
    expect(await call('eth_getBlockByNumber', ['latest'])).toMatchObject({
      timestamp: `0x${later.toString(16)}`,
    });
    await call('evm_mine', [{ blocks: 3 }]);
    expect(await call('eth_blockNumber')).toBe('0x4');
    await expect(call('evm_mine', [1])).rejects.toMatchObject({ code: -32602 });
  });

  it.each([
    ['service', null, '0x3c'],
    ['anvil', '0x0', 60],
    ['hardhat', '0', '60'],
  ] as const)(
    'evm_mine and evm_increaseTime return the values of compat mode %s',
    async (compat, mined, offset) => {
      const { call } = await createRpcHarness({ compat });
      expect(await call('evm_mine')).toBe(mined);
      expect(await call('evm_increaseTime', [60])).toBe(offset);
    },
  );

  it('evm_increaseTime adds up the offsets of the clock', async () => {
    const { call, chain } = await createRpcHarness();
    const start = chain.head().header.timestamp;
    await call('evm_increaseTime', ['0x64']);
    expect(await call('evm_increaseTime', ['100'])).toBe('0xc8');
    await call('evm_mine');
    expect(chain.head().header.timestamp).toBe(start + 200);
    await expect(call('evm_increaseTime', [-1])).rejects.toMatchObject({ code: -32602 });
  });
});

describe('field names', () => {
  it('blocks have the field names of Rootstock if configured', async () => {
    const { call } = await createRpcHarness({ fieldNames: 'native' });
    const block = await call('eth_getBlockByNumber', ['latest']);
    expect(block).toHaveProperty('bitcoinMergedMiningHeader');
  });
});
