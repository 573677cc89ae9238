import { recoverAddress, verifyMessage } from 'ethers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes } from '../../src/primitives/bytes.ts';
import { toHex } from '../../src/primitives/hex.ts';
import { addressOfPublicKey, curve } from '../../src/primitives/secp256k1/curve.ts';
import { accountFromSeed, NETWORK_ACCOUNTS } from '../../src/wallet/dev-accounts.ts';
import { AccountNotFoundError } from '../../src/wallet/errors.ts';
import { messageHash, Wallet } from '../../src/wallet/wallet.ts';
import { countingRandom } from '../support/counting-random.ts';
import { createManualClock } from '../support/manual-clock.ts';

const ACCOUNTS = NETWORK_ACCOUNTS;
const ADDRESSES = ACCOUNTS.map(({ address }) => address);

function serialized({ compact, recovery }: { compact: Uint8Array; recovery: number }): string {
  return toHex(concatBytes(compact, Uint8Array.of(27 + recovery)));
}

describe('Wallet', () => {
  const wallet = new Wallet(ACCOUNTS, { clock: createManualClock(), random: countingRandom() });
  const account = fc.constantFrom(...ADDRESSES);

  it('lists its addresses in order of addition', () => {
    expect(wallet.addresses()).toEqual(ADDRESSES);
  });

  it('signs a hash so that ethers recovers the account', () => {
    const hash = fc.uint8Array({ minLength: 32, maxLength: 32 });
    const recovers = fc.property(account, hash, (address, digest) => {
      const signature = wallet.signHash(address, digest);
      expect(addressOfPublicKey(curve.recover(digest, signature))).toEqual(address);
      expect(recoverAddress(toHex(digest), serialized(signature)).toLowerCase()).toBe(toHex(address));
    });
    fc.assert(recovers, { numRuns: 30 });
  });

  it('signs a message so that ethers verifies it', () => {
    const verifies = fc.property(account, fc.uint8Array({ maxLength: 100 }), (address, message) => {
      const signature = wallet.signHash(address, messageHash(message));
      expect(verifyMessage(message, serialized(signature)).toLowerCase()).toBe(toHex(address));
    });
    fc.assert(verifies, { numRuns: 30 });
  });

  it('signs only for its own accounts', () => {
    const { address } = accountFromSeed('a stranger');
    expect(ADDRESSES.every((own) => wallet.isUnlocked(own))).toBe(true);
    expect(wallet.isUnlocked(address)).toBe(false);
    expect(() => wallet.signHash(address, new Uint8Array(32))).toThrow(AccountNotFoundError);
  });

  it('reports a missing account with the code of invalid params', () => {
    const error = new AccountNotFoundError(new Uint8Array(20).fill(0xab));
    expect(error.message).toBe(
      `Could not find account for address: 0x${'ab'.repeat(20)} (unknown or locked account)`,
    );
    expect(error.code).toBe(-32602);
  });
});
