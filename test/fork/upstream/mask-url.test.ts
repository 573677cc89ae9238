import { describe, expect, it } from 'vitest';
import { maskSecrets, maskUrl } from '../../../src/fork/upstream/mask-url.ts';

describe('masking of URLs', () => {
  it.each([
    ['http://127.0.0.1:8545', 'http://127.0.0.1:8545'],
    ['http://127.0.0.1:8545/lane-1', 'http://127.0.0.1:8545/***'],
    ['http://host/teamkey-alpha', 'http://host/***'],
    ['https://rpc.testnet.example/ABC/', 'https://rpc.testnet.example/***/'],
    ['https://host/eth/mainnet/RPC/v1/word', 'https://host/eth/mainnet/RPC/v1/***'],
    ['https://host/api/json-rpc', 'https://host/api/json-rpc'],
    ['https://user:pass@host/', 'https://***@host'],
    ['https://key@host/rpc', 'https://***@host/rpc'],
    ['https://mainnet.example/v3/0123456789abcdef0123456789abcdef', 'https://mainnet.example/v3/***'],
    ['https://host/abcdefghijklmnopqrstuvwxyz', 'https://host/***'],
    ['https://host/rpc?apikey=abc&x=1', 'https://host/rpc?apikey=***&x=***'],
    ['https://host/rpc?bare-key', 'https://host/rpc?***'],
    ['https://host/rpc?a=&bare-key', 'https://host/rpc?***&***'],
    ['https://0a1b2c3d4e5f60718293a4b5c6d7e8f9.eth.example:8545/', 'https://***.eth.example:8545'],
    ['http://a-very-long-name-of-a-container-1:8545', 'http://a-very-long-name-of-a-container-1:8545'],
    ['not a url', '***'],
  ])('maskUrl prints %s as %s', (url, shown) => {
    expect(maskUrl(url)).toBe(shown);
  });

  it('maskSecrets masks the URL and its secrets in a message', () => {
    const url = 'https://user:hunter22@host/v2/0123456789abcdefghij?k=secret-key';
    expect(maskSecrets(`no access for hunter22 with secret-key at ${url}`, url, [])).toBe(
      'no access for *** with *** at https://***@host/v2/***?k=***',
    );
  });

  it('maskSecrets masks words of the path and a query without a value', () => {
    const masked = maskSecrets(
      'rpc: no team teamkey-alpha, nor bare-key, nor my key',
      'https://host/rpc/teamkey-alpha/my%20key?bare-key',
      [],
    );
    expect(masked).toBe('rpc: no team ***, nor ***, nor ***');
  });

  it('maskSecrets masks the longest secret if one secret contains another', () => {
    expect(maskSecrets('no teamkey-alpha', 'https://host/teamkey/teamkey-alpha', [])).toBe('no ***');
  });

  it('maskSecrets masks a password with an unescaped %', () => {
    const masked = maskSecrets('no access with half50%off', 'https://user:half50%off@host', []);
    expect(masked).toBe('no access with ***');
  });

  it('maskSecrets masks credentials of the wire and header values', () => {
    const text = 'hunter@22 dXNlcjpodW50ZXJAMjI= Bearer secret-token, secret-token';
    expect(maskSecrets(text, 'https://user:hunter%4022@host', ['Bearer secret-token'])).toBe(
      '*** *** ***, ***',
    );
  });

  it('maskSecrets ignores case and masks encoded and decoded query values', () => {
    const url = 'https://host/AbCdEf012345?key=two%20words';
    expect(maskSecrets('abcdef012345 ABCDEF012345 two%20words two words', url, [])).toBe('*** *** *** ***');
  });

  it('maskSecrets masks a key in the host name', () => {
    const masked = maskSecrets(
      'getaddrinfo ENOTFOUND 0a1b2c3d4e5f60718293a4b5c6d7e8f9.eth.example',
      'https://0a1b2c3d4e5f60718293a4b5c6d7e8f9.eth.example',
      [],
    );
    expect(masked).toBe('getaddrinfo ENOTFOUND ***.eth.example');
  });

  it('maskSecrets masks a short secret as a whole word only', () => {
    const url = 'https://me:s3c$@host/rpc/cat?v=1';
    expect(maskSecrets('no s3c$ for cat: concatenate (1)', url, [])).toBe('no *** for ***: concatenate (1)');
  });
});
