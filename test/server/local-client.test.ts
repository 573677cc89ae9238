import { describe, expect, it } from 'vitest';
import { isLocalClient } from '../../src/server/access-control.ts';

describe('isLocalClient', () => {
  it.each([
    [{ host: 'localhost:8545' }, '127.0.0.1'],
    [{ host: '127.0.0.1:8545' }, '::ffff:127.0.0.1'],
    [{ host: '[::1]:8545' }, '::1'],
    [{ host: 'localhost:8545', origin: 'http://localhost:8545' }, '127.0.0.1'],
    [{ host: 'node.localhost' }, '127.0.0.3'],
  ])('accepts %j from %s', (headers, address) => {
    expect(isLocalClient(headers, address)).toBe(true);
  });

  it.each([
    ['another machine', { host: 'localhost:8545' }, '192.168.1.7'],
    ['an unknown address', { host: 'localhost:8545' }, undefined],
    ['an address that only starts like a local one', { host: 'localhost' }, '127.0.0.1.evil.example'],
    ['a rebound name', { host: 'evil.example:8545' }, '127.0.0.1'],
    ['a page of another origin', { host: 'localhost:8545', origin: 'https://evil.example' }, '127.0.0.1'],
    ['an opaque origin', { host: 'localhost:8545', origin: 'null' }, '127.0.0.1'],
    ['a proxy', { host: 'localhost:8545', 'x-forwarded-for': '192.168.1.7' }, '127.0.0.1'],
    ['a proxy with the standard header', { host: 'localhost:8545', forwarded: 'for=1.2.3.4' }, '127.0.0.1'],
    ['a proxy for HTTPS', { host: 'localhost:8545', 'x-forwarded-proto': 'https' }, '127.0.0.1'],
    ['a proxy that names itself', { host: 'localhost:8545', via: '1.1 proxy' }, '127.0.0.1'],
    ['no host', {}, '127.0.0.1'],
  ])('rejects %s', (_case, headers, address) => {
    expect(isLocalClient(headers, address)).toBe(false);
  });
});
