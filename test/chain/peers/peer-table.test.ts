import { describe, expect, it } from 'vitest';
import { InvalidBannedAddressError } from '../../../src/chain/errors.ts';
import { machineAddresses, PeerTable } from '../../../src/node/peer-table.ts';

const createTable = () => new PeerTable(() => ['127.0.0.0/8', '::1', '192.168.1.5']);

describe('PeerTable bans', () => {
  it('bans an address or range until it is unbanned', () => {
    const table = createTable();
    table.ban('203.0.113.7');
    table.ban('198.51.100.0/24');
    table.ban('2001:db8::/32');
    expect(table.bannedAddresses()).toEqual(['203.0.113.7', '198.51.100.0/24', '2001:db8::/32']);
    for (const banned of [
      '203.0.113.7',
      '::ffff:203.0.113.7',
      '198.51.100.200',
      '2001:db8::9',
      '2001:db8::9%eth0',
    ])
      expect(table.isBanned(banned), banned).toBe(true);
    for (const free of ['203.0.113.8', '198.51.101.1', '2001:db9::9', 'in-process', 'unknown'])
      expect(table.isBanned(free), free).toBe(false);
    table.unban('203.0.113.7');
    table.unban('198.51.100.77/24');
    expect(table.bannedAddresses()).toEqual(['2001:db8::/32']);
    expect(table.isBanned('203.0.113.7')).toBe(false);
    expect(table.isBanned('198.51.100.200')).toBe(false);
  });

  it('keeps a repeated ban once and ignores unknown unbans', () => {
    const table = createTable();
    table.ban('203.0.113.7');
    table.ban('203.0.113.7/32');
    table.unban('203.0.113.8');
    table.unban('203.0.113.0/24');
    expect(table.bannedAddresses()).toEqual(['203.0.113.7']);
  });

  it('bans an address that was seen before', () => {
    const table = createTable();
    expect(table.isBanned('203.0.113.7')).toBe(false);
    table.ban('203.0.113.0/24');
    expect(table.isBanned('203.0.113.7')).toBe(true);
  });

  it.each([
    '127.0.0.1',
    '127.9.9.9',
    '::1',
    '192.168.1.5',
    '192.168.1.0/24',
    '0.0.0.0/0',
    '::ffff:127.0.0.1',
  ])('rejects a ban of %s, which includes this machine', (address) => {
    const table = createTable();
    for (const change of [() => table.ban(address), () => table.unban(address)]) {
      expect(change).toThrow(InvalidBannedAddressError);
      expect(change).toThrow(`invalid banned address ${address}: it includes`);
    }
    expect(table.bannedAddresses()).toEqual([]);
  });

  it('rejects a ban of an invalid address with a short message', () => {
    expect(() => createTable().ban('somewhere')).toThrow(
      'invalid banned address somewhere: expected an IP address',
    );
    expect(() => createTable().ban('x'.repeat(1000))).toThrow(/^.{0,300}$/);
  });

  it('notifies listeners of new bans until they unsubscribe', () => {
    const table = createTable();
    let calls = 0;
    const stop = table.onBan(() => calls++);
    table.ban('203.0.113.7');
    table.ban('203.0.113.7');
    table.unban('203.0.113.7');
    expect(calls).toBe(1);
    stop();
    table.ban('203.0.113.7');
    expect(calls).toBe(1);
  });
});

describe('PeerTable reputation', () => {
  it('counts messages per address', () => {
    const table = createTable();
    table.count('203.0.113.7', 'validTransactions');
    table.count('203.0.113.7', 'validTransactions');
    table.count('203.0.113.8', 'invalidMessages');
    table.isBanned('203.0.113.9');
    table.count('in-process', 'validTransactions');
    const none = {
      validTransactions: 0,
      invalidTransactions: 0,
      invalidMessages: 0,
      score: 0,
      isBanned: false,
    };
    expect(table.peers()).toEqual([
      { ...none, address: '203.0.113.7', validTransactions: 2, score: 2 },
      { ...none, address: '203.0.113.8', invalidMessages: 1, score: -1 },
      { ...none, address: '203.0.113.9' },
    ]);
  });

  it('drops a good score on the first invalid message', () => {
    const table = createTable();
    for (const what of ['validTransactions', 'validTransactions', 'invalidTransactions'] as const)
      table.count('203.0.113.7', what);
    expect(table.peers()).toMatchObject([{ score: -1 }]);
    table.count('203.0.113.7', 'invalidMessages');
    expect(table.peers()).toMatchObject([{ score: -2 }]);
  });

  it('keeps its counts through a ban and an unban', () => {
    const table = createTable();
    table.count('203.0.113.7', 'validTransactions');
    table.ban('203.0.113.7');
    expect(table.peers()).toMatchObject([{ isBanned: true, validTransactions: 1 }]);
    table.unban('203.0.113.7');
    expect(table.peers()).toMatchObject([{ isBanned: false, validTransactions: 1 }]);
  });

  it('keeps ten thousand addresses and evicts the oldest', () => {
    const table = createTable();
    for (let number = 0; number <= 10_000; number++)
      table.isBanned(`10.0.${Math.floor(number / 256)}.${number % 256}`);
    expect(table.peers()).toHaveLength(10_000);
    expect(table.peers()[0]).toMatchObject({ address: '10.0.0.1' });
  });
});

it('rejects a ban of any address of this machine', () => {
  const table = new PeerTable(machineAddresses);
  for (const own of ['127.0.0.1', '::1', ...machineAddresses()]) {
    expect(() => table.ban(own), own).toThrow(InvalidBannedAddressError);
  }
});
