import { HDKey } from '@scure/bip32';
import { entropyToMnemonic, mnemonicToSeedSync } from '@scure/bip39';
import { wordlist as english } from '@scure/bip39/wordlists/english.js';
import { wordlist as spanish } from '@scure/bip39/wordlists/spanish.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../src/primitives/hex.ts';
import { derivePrivateKeys, isDerivationPath, mnemonicSeed } from '../../src/wallet/dev-accounts.ts';

const HARDENED = 2 ** 31;

const MNEMONICS = [
  'test test test test test test test test test test test junk',
  'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about',
  'legal winner thank year wave sausage worth useful legal winner thank yellow',
  entropyToMnemonic(new Uint8Array(32).fill(0x5a), english),
  // Accented letters have several Unicode forms.
  entropyToMnemonic(new Uint8Array(16).fill(0x13), spanish),
];

describe('mnemonicSeed', () => {
  it.each(MNEMONICS)('equals the seed of @scure/bip39 for "%s"', (mnemonic) => {
    expect(mnemonicSeed(mnemonic)).toEqual(new Uint8Array(mnemonicToSeedSync(mnemonic)));
  });

  it('is the same for both Unicode forms of the words', () => {
    const [, , , , accented = ''] = MNEMONICS;
    expect(accented.normalize('NFC')).not.toBe(accented.normalize('NFD'));
    expect(mnemonicSeed(accented.normalize('NFC'))).toEqual(mnemonicSeed(accented.normalize('NFD')));
  });
});

describe('derivePrivateKeys', () => {
  it.each([
    "m/44'/60'/0'/0",
    "m/44'/60'/0'/0/",
    "m/44'/37310'/0'/0",
    'm',
    'm/0/1/2',
    `m/${HARDENED - 1}/${HARDENED - 1}'`,
  ])('equals the keys of @scure/bip32 at %s', (path) => {
    for (const mnemonic of MNEMONICS) {
      const seed = mnemonicSeed(mnemonic);
      const parent = HDKey.fromMasterSeed(seed).derive(path.replace(/\/$/, ''));
      const expected = [0, 1, 2].map((index) => parent.deriveChild(index).privateKey);
      expect(derivePrivateKeys(seed, path, 3)).toEqual(expected);
    }
  });

  it('equals the keys of @scure/bip32 for random seeds and paths', () => {
    const step = fc
      .tuple(fc.oneof(fc.nat(100), fc.integer({ min: 0, max: HARDENED - 1 })), fc.constantFrom('', "'"))
      .map(([index, tick]) => `/${index}${tick}`);
    const path = fc.array(step, { maxLength: 5 }).map((steps) => `m${steps.join('')}`);
    const seed = fc.uint8Array({ minLength: 16, maxLength: 64 });
    const isSame = fc.property(seed, path, (bytes, text) => {
      const expected = HDKey.fromMasterSeed(bytes).derive(text).deriveChild(0).privateKey;
      expect(derivePrivateKeys(bytes, text, 1)).toEqual([expected]);
    });
    fc.assert(isSame, { numRuns: 30 });
  });

  it('returns the keys of the first test vector of BIP-32', () => {
    const seed = new Uint8Array(Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex'));
    // Chain m/0'/1. The document lists its child with index 2' next.
    const [first, second] = derivePrivateKeys(seed, "m/0'", 2);
    expect(first).not.toEqual(second);
    expect(toHex(second ?? new Uint8Array(0))).toBe(
      '0x3c6cb8d0f6a264c91ea8b5030fadaa8e538b020f0a387421a12de9319dc93368',
    );
  });

  it('returns the requested number of keys', () => {
    expect(derivePrivateKeys(new Uint8Array(64), 'm/0', 0)).toEqual([]);
    expect(derivePrivateKeys(new Uint8Array(64), 'm/0', 12)).toHaveLength(12);
  });
});

describe('isDerivationPath', () => {
  it.each(['m', 'm/', 'm/0', "m/44'/60'/0'/0", 'm/2147483647', "m/2147483647'/1/"])('accepts %s', (path) => {
    expect(isDerivationPath(path)).toBe(true);
  });

  it.each([
    '',
    '0',
    'm0',
    '/0',
    'm//0',
    'm/0//',
    'm/x',
    "m/'",
    "m/0''",
    'm/-1',
    'm/2147483648',
    'M/0',
    'm/0h',
    'm/ 0',
  ])('rejects "%s"', (path) => {
    expect(isDerivationPath(path)).toBe(false);
    expect(() => derivePrivateKeys(new Uint8Array(64), path, 1)).toThrow(RangeError);
  });
});
