import { address, networks, payments } from 'bitcoinjs-lib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addressOfScript,
  BITCOIN_NETWORKS,
  decodeAddress,
  parentChainAddress,
  scriptOfAddress,
} from '../../../src/rootstock/bitcoin/address.ts';
import { outputScriptOf } from '../../../src/rootstock/bitcoin/script.ts';

const hashes = fc.uint8Array({ minLength: 20, maxLength: 20 });
const longHashes = fc.uint8Array({ minLength: 32, maxLength: 32 });

describe('parent-chain addresses', () => {
  it.each([
    ['key', 0x6f],
    ['script', 0xc4],
  ] as const)('encodes the address of a %s like another library, and decodes it', (kind, version) => {
    fc.assert(
      fc.property(hashes, (hash) => {
        const text = parentChainAddress(kind, hash);
        expect(text).toBe(address.toBase58Check(hash, version));
        expect(decodeAddress(text)).toEqual({ kind, hash });
      }),
      { seed: 58, numRuns: 100 },
    );
  });

  it('rejects an address of another network', () => {
    expect(decodeAddress(address.toBase58Check(new Uint8Array(20), 0))).toBeUndefined();
    expect(decodeAddress(address.toBase58Check(new Uint8Array(20), 5))).toBeUndefined();
  });

  it.each(['', '1', 'O0', '2N5muMepJizJE1gR7FbHJU6CD18V3BpNF9q', '1111', 'é', '2'.repeat(10_000)])(
    'rejects %s as an address',
    (text) => {
      expect(decodeAddress(text)).toBeUndefined();
      expect(scriptOfAddress(text)).toBeUndefined();
    },
  );

  it.each([
    ['mainnet', networks.bitcoin],
    ['testnet', networks.testnet],
    ['regtest', networks.regtest],
  ] as const)('converts %s addresses and output scripts like another library', (name, network) => {
    const local = BITCOIN_NETWORKS[name];
    fc.assert(
      fc.property(hashes, longHashes, (hash, longHash) => {
        const scripts = [
          payments.p2pkh({ hash, network }),
          payments.p2sh({ hash, network }),
          payments.p2wpkh({ hash, network }),
          payments.p2wsh({ hash: longHash, network }),
        ];
        for (const { address: text = '', output = new Uint8Array() } of scripts) {
          expect(addressOfScript(output, local)).toBe(text);
          expect(scriptOfAddress(text, local)).toEqual(output);
        }
      }),
      { seed: 59, numRuns: 50 },
    );
  });

  it('encodes a taproot program with the checksum of BIP-350', () => {
    const text = 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0';
    const script = scriptOfAddress(text, BITCOIN_NETWORKS.mainnet);
    expect(script).toHaveLength(34);
    expect(script && addressOfScript(script, BITCOIN_NETWORKS.mainnet)).toBe(text);
  });

  it.each([
    ['a public key', Uint8Array.of(0x21, ...new Uint8Array(33).fill(2), 0xac)],
    ['a hash of 19 bytes', Uint8Array.of(0xa9, 19, ...new Uint8Array(19), 0x87)],
    ['a longer push', Uint8Array.of(0xa9, 0x4c, 20, ...new Uint8Array(20), 0x87)],
    ['nothing', new Uint8Array()],
  ])('finds no address in a script with %s', (_, script) => {
    expect(outputScriptOf(script)).toBeNull();
    expect(addressOfScript(script)).toBeUndefined();
  });
});
