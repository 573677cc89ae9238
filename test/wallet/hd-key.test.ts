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
  // Its letters with accents have several spellings in Unicode.
  entropyToMnemonic(new Uint8Array(16).fill(0x13), spanish),
];

describe('a mnemonic seed', () => {
  it.each(MNEMONICS)('is that of @scure/bip39 for "%s"', (mnemonic) => {
    expect(mnemonicSeed(mnemonic)).toEqual(new Uint8Array(mnemonicToSeedSync(mnemonic)));
  });

  it('is the same for either Unicode spelling of the words', () => {
    const [, , , , accented = ''] = MNEMONICS;
    expect(accented.normalize('NFC')).not.toBe(accented.normalize('NFD'));
    expect(mnemonicSeed(accented.normalize('NFC'))).toEqual(mnemonicSeed(accented.normalize('NFD')));
  });
});

describe('derived keys', () => {
  it.each([
    "m/44'/60'/0'/0",
    "m/44'/60'/0'/0/",
    "m/44'/37310'/0'/0",
    'm',
    'm/0/1/2',
    `m/${HARDENED - 1}/${HARDENED - 1}'`,
  ])('are at %s those of @scure/bip32', (path) => {
    for (const mnemonic of MNEMONICS) {
      const seed = mnemonicSeed(mnemonic);
      const parent = HDKey.fromMasterSeed(seed).derive(path.replace(/\/$/, ''));
      const expected = [0, 1, 2].map((index) => parent.deriveChild(index).privateKey);
      expect(derivePrivateKeys(seed, path, 3)).toEqual(expected);
    }
  });

  it('are those of @scure/bip32 for any seed and path', () => {
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

  it('are the published ones of the first vector of BIP-32', () => {
    const seed = new Uint8Array(Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex'));
    // Chain m/0'/1: the key above the one with index 2' that the document lists next.
    const [first, second] = derivePrivateKeys(seed, "m/0'", 2);
    expect(first).not.toEqual(second);
    expect(toHex(second ?? new Uint8Array(0))).toBe(
      '0x3c6cb8d0f6a264c91ea8b5030fadaa8e538b020f0a387421a12de9319dc93368',
    );
  });

  it('are as many as asked for', () => {
    expect(derivePrivateKeys(new Uint8Array(64), 'm/0', 0)).toEqual([]);
    expect(derivePrivateKeys(new Uint8Array(64), 'm/0', 12)).toHaveLength(12);
  });
});

describe('a derivation path', () => {
  it.each(['m', 'm/', 'm/0', "m/44'/60'/0'/0", 'm/2147483647', "m/2147483647'/1/"])('may be %s', (path) => {
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
  ])('may not be "%s"', (path) => {
    expect(isDerivationPath(path)).toBe(false);
    expect(() => derivePrivateKeys(new Uint8Array(64), path, 1)).toThrow(RangeError);
  });
});
