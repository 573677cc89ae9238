import { Wallet as EthersWallet, encryptKeystoreJson } from 'ethers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hexKey, toHex } from '../../src/primitives/hex.ts';
import { keccak256 } from '../../src/primitives/keccak.ts';
import { addressOfPrivateKey } from '../../src/primitives/secp256k1/curve.ts';
import { decryptKey, encryptKey, type Keystore } from '../../src/wallet/keystore.ts';
import { countingRandom } from '../support/counting-random.ts';

const PRIVATE_KEY = keccak256(new TextEncoder().encode('cow'));
const ADDRESS = addressOfPrivateKey(PRIVATE_KEY);

function encrypted(passphrase: string): Promise<Keystore> {
  return encryptKey(PRIVATE_KEY, ADDRESS, passphrase, countingRandom());
}

describe('keystore', () => {
  it('a keystore returns the key only for its passphrase', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        fc.string({ unit: 'grapheme' }),
        fc.string({ unit: 'grapheme' }),
        async (key, passphrase, other) => {
          fc.pre(passphrase !== other);
          const keystore = await encryptKey(key, ADDRESS, passphrase, countingRandom());
          expect(await decryptKey(keystore, passphrase)).toEqual(key);
          expect(await decryptKey(keystore, other)).toBeUndefined();
        },
      ),
      { numRuns: 25 },
    );
  });

  it('a keystore is decrypted by ethers from JSON', async () => {
    const keystore = await encrypted('open sesame');
    const wallet = await EthersWallet.fromEncryptedJson(JSON.stringify(keystore), 'open sesame');
    expect(wallet.privateKey).toBe(toHex(PRIVATE_KEY));
    expect(wallet.address.toLowerCase()).toBe(toHex(ADDRESS));
  });

  it('decrypts a keystore of ethers with other costs', async () => {
    const options = { scrypt: { N: 1024, r: 4, p: 2 } };
    const json = await encryptKeystoreJson(
      { address: toHex(ADDRESS), privateKey: toHex(PRIVATE_KEY) },
      'open sesame',
      options,
    );
    // Ethers writes `Crypto` in upper case, as early keystores did.
    const { Crypto: crypto, ...rest } = JSON.parse(json);
    expect(await decryptKey({ ...rest, crypto }, 'open sesame')).toEqual(PRIVATE_KEY);
  });

  it('a keystore contains the address, a version 4 UUID and the key derivation', async () => {
    expect(await encrypted('')).toMatchObject({
      version: 3,
      id: '03030303-0303-4303-8303-030303030303',
      address: hexKey(ADDRESS),
      crypto: { kdf: 'scrypt', kdfparams: { n: 4096, r: 8, p: 1, dklen: 32, salt: '01'.repeat(32) } },
    });
  });

  it('a keystore does not contain the private key', async () => {
    expect(JSON.stringify(await encrypted('open sesame'))).not.toContain(hexKey(PRIVATE_KEY));
  });
});
