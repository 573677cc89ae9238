import { describe, expect, it } from 'vitest';
import { type Machine, ServedAddresses } from '../../src/rpc/served-addresses.ts';

const NAMES: Readonly<Record<string, readonly string[]>> = {
  'alias.example': ['192.168.1.7'],
  'loop.example': ['127.0.0.1'],
  'node.example': ['203.0.113.5'],
};

const MACHINE: Machine = {
  name: 'workstation',
  addresses: ['127.0.0.0/8', '::1', '0.0.0.0', '::', '192.168.1.7'],
  lookUp: async (name) => {
    const found = NAMES[name];
    if (found === undefined) throw new Error(`getaddrinfo ENOTFOUND ${name}`);
    return found;
  },
};

function servedAt(host: string, port = 8545): ServedAddresses {
  const addresses = new ServedAddresses(() => MACHINE);
  addresses.add({ host, port });
  return addresses;
}

describe('ServedAddresses', () => {
  it.each([
    'http://localhost:8545',
    'http://LOCALHOST.:8545/',
    'http://app.localhost:8545',
    'http://127.0.0.1:8545/lane?query=1#part',
    'http://127.0.0.2:8545',
    'http://2130706433:8545',
    'http://[::1]:8545/',
    'http://[::ffff:127.0.0.1]:8545',
    'http://0.0.0.0:8545',
    'http://[::]:8545',
    'ws://localhost:8545/lane',
    'wss://user:pass@localhost:8545',
    'https://localhost:8545',
  ])('includes %s for a server on loopback', async (url) => {
    for (const host of ['127.0.0.1', 'localhost', '::1'])
      expect(await servedAt(host).includes(url)).toBe(true);
  });

  it.each([
    'http://localhost:8546',
    'http://localhost',
    'https://node.example:8545',
    'http://192.168.1.7:8545',
    'http://workstation:8545',
  ])('does not include %s for a server on loopback', async (url) => {
    expect(await servedAt('127.0.0.1').includes(url)).toBe(false);
  });

  it.each(['http://localhost:8545', 'http://192.168.1.7:8545/lane', 'ws://workstation:8545'])(
    'includes %s for a server on all addresses',
    async (url) => {
      for (const host of ['0.0.0.0', '::']) expect(await servedAt(host).includes(url)).toBe(true);
    },
  );

  it('includes only the listening name for a server on another name', async () => {
    const addresses = servedAt('Node.Example');
    expect(await addresses.includes('http://node.example:8545/lane')).toBe(true);
    expect(await addresses.includes('http://localhost:8545')).toBe(false);
  });

  it('uses the default port of the scheme', async () => {
    expect(await servedAt('127.0.0.1', 80).includes('ws://localhost')).toBe(true);
    expect(await servedAt('127.0.0.1', 443).includes('https://localhost')).toBe(true);
  });

  it('includes no URL after the server has closed', async () => {
    const addresses = new ServedAddresses(() => MACHINE);
    const remove = addresses.add({ host: '127.0.0.1', port: 8545 });
    remove();
    expect(await addresses.includes('http://localhost:8545')).toBe(false);
  });

  it('includes names that resolve to an address of a server', async () => {
    expect(await servedAt('0.0.0.0').includes('http://alias.example:8545')).toBe(true);
    expect(await servedAt('127.0.0.1').includes('http://alias.example:8545')).toBe(false);
    expect(await servedAt('127.0.0.1').includes('http://loop.example:8545/lane')).toBe(true);
    expect(await servedAt('0.0.0.0').includes('http://node.example:8545')).toBe(false);
    expect(await servedAt('0.0.0.0').includes('http://unknown.example:8545')).toBe(false);
  });
});
