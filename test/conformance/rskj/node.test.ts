import { describe, expect, it } from 'vitest';
import { createRpcHarness, testConnection } from '../../rpc/rpc-harness.ts';
import { createExampleChain, failureOf, SENDER } from './scene.ts';

// Web3ImplTest (client, network and accounts), Web3ImplSnapshotTest, Web3ImplScoringTest and PersonalModule tests.

describe('the node', () => {
  it.each([
    ['net_version', [], '33'],
    ['eth_chainId', [], '0x21'],
    ['net_peerCount', [], '0x0'],
    ['eth_syncing', [], false],
    ['eth_gasPrice', [], '0x0'],
    ['web3_sha3', ['0x68656c6c6f'], '0x1c8aff950685c2ed4bc3174f3472287b56d9517b9c948127319a09a7a36deac8'],
  ])('returns the expected result of %s', async (method, params, result) => {
    const { call } = await createExampleChain();

    expect(await call(method, params)).toEqual(result);
  });

  it('returns its coinbase and its listening state', async () => {
    const { call } = await createExampleChain();

    expect(await call('eth_coinbase')).toMatch(/^0x[0-9a-f]{40}$/);
    expect(await call('net_listening')).toEqual(expect.any(Boolean));
  });
});

describe('accounts', () => {
  it('include newly created accounts in the list', async () => {
    const { call } = await createRpcHarness();
    const before = (await call('personal_listAccounts')) as readonly string[];

    const made = [
      await call('personal_newAccount', ['first']),
      await call('personal_newAccount', ['second']),
    ];

    expect(await call('personal_listAccounts')).toEqual([...before, ...made]);
    expect(await call('eth_accounts')).toEqual(expect.arrayContaining(made));
  });

  it('from the same seed are created once', async () => {
    const { call } = await createRpcHarness();
    const address = await call('personal_newAccountWithSeed', ['sampleSeed']);
    const { length } = (await call('personal_listAccounts')) as readonly string[];

    expect(await call('personal_newAccountWithSeed', ['sampleSeed'])).toBe(address);
    expect(await call('personal_listAccounts')).toHaveLength(length);
  });

  it.each(['', '0x'])('are imported from a raw key with the prefix %j, and exported', async (prefix) => {
    const { call } = await createRpcHarness();
    const key = 'cd'.repeat(32);

    const address = await call('personal_importRawKey', [`${prefix}${key}`, 'passphrase']);
    expect(await call('personal_unlockAccount', [address, 'passphrase', ''])).toBe(true);

    expect(String(await call('personal_dumpRawKey', [address])).replace(/^0x/, '')).toBe(key);
  });

  it('are unlocked for a duration, and locked', async () => {
    const { call } = await createRpcHarness();
    const address = await call('personal_newAccount', ['passphrase']);

    expect(await call('personal_unlockAccount', [address, 'passphrase', '0x1e'])).toBe(true);
    expect(await call('personal_lockAccount', [address])).toBe(true);
    expect(await failureOf(call('personal_unlockAccount', [address, 'passphrase', '0xK']))).toMatchObject({
      code: -32602,
    });
    await failureOf(call('eth_sign', [address, '0x01']));
  });

  it('sign a message with the Ethereum prefix, in 65 bytes', async () => {
    const { call } = await createExampleChain();

    for (const message of ['0x', '0x01', `0x${'ab'.repeat(100)}`])
      expect(await call('eth_sign', [SENDER, message])).toMatch(/^0x[0-9a-f]{130}$/);
  });
});

describe('snapshots', () => {
  it('have ids that count up from 0x1', async () => {
    const { call } = await createRpcHarness();

    expect([await call('evm_snapshot'), await call('evm_snapshot')]).toEqual(['0x1', '0x2']);
  });

  it('restore head and total difficulty, and allow a reset to block 0', async () => {
    const { call } = await createRpcHarness();
    const head = (): Promise<unknown> => call('eth_getBlockByNumber', ['latest', false]);
    const first = await head();
    await call('hardhat_mine', ['0xa']);
    const tenth = await head();
    const id = await call('evm_snapshot');
    await call('hardhat_mine', ['0xa']);

    expect(await call('evm_revert', [id])).toBe(true);
    expect(await head()).toEqual(tenth);
    await call('evm_reset');
    expect(await call('eth_blockNumber')).toBe('0x0');
    expect(await head()).toEqual(first);
  });

  it('with an unknown id revert nothing', async () => {
    const { call } = await createRpcHarness();

    expect(await call('evm_revert', ['0x2a'])).toBe(false);
  });

  it('are not required to mine one block', async () => {
    const { call } = await createRpcHarness();

    await call('evm_mine');

    expect(await call('eth_blockNumber')).toBe('0x1');
  });
});

describe('peers and bans', () => {
  const ADDRESSES = ['192.168.56.1', '203.0.113.1/16', '2001:db8::1', '2001:db8::1/64'];

  it('start with no peers', async () => {
    const { call } = await createRpcHarness();

    expect(await call('sco_peerList')).toEqual([]);
    expect(await call('sco_bannedAddresses')).toEqual([]);
  });

  it.each(ADDRESSES)('add, list and remove a ban of %s', async (address) => {
    const { call } = await createRpcHarness();

    await call('sco_banAddress', [address]);
    expect(await call('sco_bannedAddresses')).toEqual([address]);
    await call('sco_unbanAddress', [address]);
    expect(await call('sco_bannedAddresses')).toEqual([]);
  });

  it.each(['192.168.56.1/a', '127.0.0.1', '127.0.0.1/8'])('reject a ban of %s', async (address) => {
    const { call } = await createRpcHarness();

    for (const method of ['sco_banAddress', 'sco_unbanAddress'])
      expect(await failureOf(call(method, [address]))).toMatchObject({
        code: -32602,
        message: expect.stringContaining(`invalid banned address ${address}`),
      });
  });

  it('lower the reputation of a client', async () => {
    const { call } = await createRpcHarness();
    const other = { ...testConnection(), remoteAddress: '203.0.113.7' };
    const [from] = (await call('eth_accounts')) as readonly string[];
    await call('eth_sendTransaction', [{ from, to: from }], other);

    await call('sco_banAddress', ['203.0.113.7']);

    const peers = (await call('sco_peerList')) as readonly { id: string; goodReputation: boolean }[];
    expect(peers.find(({ id }) => id === '203.0.113.7')?.goodReputation).toBe(false);
  });
});
