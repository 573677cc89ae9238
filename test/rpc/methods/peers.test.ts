import { describe, expect, it } from 'vitest';
import { createRpcHarness, testConnection } from '../rpc-harness.ts';
import { SENDER } from './contract.ts';

const PEER_FIELDS =
  `id type goodReputation successfulHandshakes failedHandshakes invalidNetworks repeatedMessages
  validBlocks score invalidBlocks validTransactions invalidTransactions invalidMessages unexpectedMessages
  timeoutMessages invalidHeader punishments punishedUntil`.split(/\s+/);
const SUMMARY_FIELDS = `count successfulHandshakes failedHandshakes invalidHeader validBlocks invalidBlocks
  validTransactions invalidTransactions invalidNetworks invalidMessages repeatedMessages timeoutMessages
  unexpectedMessages peersTotalScore punishments goodReputationCount badReputationCount`.split(/\s+/);

const elsewhere = { ...testConnection(), remoteAddress: '203.0.113.7' };

describe('banned addresses', () => {
  it('addresses are banned, listed and unbanned', async () => {
    const { call } = await createRpcHarness();
    expect(await call('sco_bannedAddresses')).toEqual([]);
    expect(await call('sco_banAddress', ['203.0.113.7'])).toBeNull();
    expect(await call('sco_banAddress', ['198.51.100.0/24'])).toBeNull();
    expect(await call('sco_bannedAddresses')).toEqual(['203.0.113.7', '198.51.100.0/24']);
    expect(await call('sco_unbanAddress', ['203.0.113.7'])).toBeNull();
    expect(await call('sco_unbanAddress', ['203.0.113.7'])).toBeNull();
    expect(await call('sco_bannedAddresses')).toEqual(['198.51.100.0/24']);
  });

  it.each(['127.0.0.1', '::1', '192.168.1.5', 'nowhere', '10.0.0.0/33', ''])(
    'ban methods reject %j',
    async (address) => {
      const { call } = await createRpcHarness();
      for (const method of ['sco_banAddress', 'sco_unbanAddress']) {
        await expect(call(method, [address])).rejects.toMatchObject({
          code: -32602,
          message: expect.stringContaining(`invalid banned address ${address}`),
        });
      }
      expect(await call('sco_bannedAddresses')).toEqual([]);
    },
  );

  it.each([
    ['sco_banAddress', []],
    ['sco_banAddress', [7]],
    ['sco_unbanAddress', [null]],
    ['sco_unbanAddress', ['10.0.0.1', 'x']],
    ['sco_peerList', ['x']],
    ['sco_bannedAddresses', ['x']],
    ['sco_reputationSummary', ['x']],
  ])('%s %j is rejected for its parameters', async (method, params) => {
    const { call } = await createRpcHarness();
    await expect(call(method, params)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('invalid params: '),
    });
  });
});

describe('sco_clearPeerScoring', () => {
  it('sco_clearPeerScoring removes the counts of an address and keeps its ban', async () => {
    const { call } = await createRpcHarness();
    const send = { from: SENDER, to: SENDER };
    await call('eth_sendTransaction', [send], elsewhere);
    await call('eth_sendTransaction', [send], { ...elsewhere, remoteAddress: '::ffff:203.0.113.8' });
    await call('sco_banAddress', ['203.0.113.8']);

    const left = (await call('sco_clearPeerScoring', ['203.0.113.8'])) as { id: string }[];

    expect(left.map(({ id }) => id)).toContain('203.0.113.7');
    expect(left.map(({ id }) => id)).not.toContain('203.0.113.8');
    expect(await call('sco_bannedAddresses')).toEqual(['203.0.113.8']);
    expect(await call('sco_clearPeerScoring', ['203.0.113.7'])).toEqual(
      left.filter(({ id }) => id !== '203.0.113.7'),
    );
  });

  it('sco_clearPeerScoring accepts a Rootstock node id, which has no counts', async () => {
    const { call } = await createRpcHarness();
    await call('eth_sendTransaction', [{ from: SENDER, to: SENDER }], elsewhere);
    const before = await call('sco_peerList');

    expect(await call('sco_clearPeerScoring', ['ab'.repeat(64)])).toEqual(before);
  });

  it.each(['nowhere', '203.0.113.0/24', '0xab', ''])('sco_clearPeerScoring rejects %j', async (id) => {
    const { call } = await createRpcHarness();

    await expect(call('sco_clearPeerScoring', [id])).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('params: id: expected an IP address, or a node id'),
    });
  });
});

describe('peer reputation', () => {
  it('reputation counts the transactions sent by each address', async () => {
    const { call } = await createRpcHarness();
    await call('eth_sendTransaction', [{ from: SENDER, to: SENDER }], elsewhere);
    for (const [method, params] of [
      ['eth_sendRawTransaction', ['0x01']],
      ['eth_sendTransaction', [{ from: SENDER, to: SENDER, nonce: '0x0' }]],
    ] as const) {
      await expect(call(method, params)).rejects.toThrow();
    }
    await expect(
      call('eth_sendTransaction', [{ from: `0x${'01'.repeat(20)}` }], elsewhere),
    ).rejects.toThrow();
    await call('sco_banAddress', ['203.0.113.0/24']);
    const list = (await call('sco_peerList')) as object[];
    expect(list).toMatchObject([
      { id: '203.0.113.7', type: 'address', validTransactions: 1, score: 1, goodReputation: false },
      { id: '127.0.0.1', type: 'address', invalidTransactions: 2, score: -2, goodReputation: true },
    ]);
    for (const peer of list) expect(Object.keys(peer)).toEqual(PEER_FIELDS);
    const summary = await call('sco_reputationSummary');
    expect(summary).toMatchObject({
      count: 2,
      validTransactions: 1,
      invalidTransactions: 2,
      peersTotalScore: -1,
      goodReputationCount: 1,
      badReputationCount: 1,
    });
    expect(Object.keys(summary as object)).toEqual(SUMMARY_FIELDS);
  });
});
