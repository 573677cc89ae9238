import { describe, expect, it } from 'vitest';
import { toHex } from '../../src/primitives/hex.ts';
import { addressOfPublicKey, curve } from '../../src/primitives/secp256k1/curve.ts';
import { accountFromSeed } from '../../src/wallet/dev-accounts.ts';
import { AccountNotFoundError, WrongPassphraseError } from '../../src/wallet/errors.ts';
import { Wallet } from '../../src/wallet/wallet.ts';
import { countingRandom } from '../support/counting-random.ts';
import { createManualClock } from '../support/manual-clock.ts';

const MINUTES = 60_000;
const YEARS = 365 * 24 * 60 * MINUTES;
const INITIAL = [accountFromSeed('first'), accountFromSeed('second')] as const;
const [FIRST, SECOND] = INITIAL;
const OTHER = accountFromSeed('other');

function createWallet() {
  const clock = createManualClock();
  return { clock, wallet: new Wallet(INITIAL, { clock, random: countingRandom() }) };
}

describe('initial account', () => {
  it('an initial account stays unlocked until it is locked', () => {
    const { wallet, clock } = createWallet();
    clock.advance(100 * YEARS);
    expect(wallet.isUnlocked(FIRST.address)).toBe(true);
    expect(wallet.lock(FIRST.address)).toBe(true);
    expect(wallet.isUnlocked(FIRST.address)).toBe(false);
    expect(wallet.lock(FIRST.address)).toBe(false);
    expect(wallet.isUnlocked(SECOND.address)).toBe(true);
  });

  it('an initial account is unlocked only by the empty passphrase', async () => {
    const { wallet } = createWallet();
    wallet.lock(FIRST.address);
    const refused = wallet.unlock(FIRST.address, 'guess', 0);
    await expect(refused).rejects.toThrow(WrongPassphraseError);
    await expect(refused).rejects.toThrow('pass an empty string');
    expect(wallet.isUnlocked(FIRST.address)).toBe(false);
    expect(await wallet.unlock(FIRST.address, '', 0)).toBe(true);
    expect(wallet.privateKey(FIRST.address)).toEqual(FIRST.privateKey);
  });

  it('an initial account stays unlocked after an unlock with a duration', async () => {
    const { wallet, clock } = createWallet();
    await wallet.unlock(FIRST.address, '', 1000);
    clock.advance(YEARS);
    expect(wallet.isUnlocked(FIRST.address)).toBe(true);
  });
});

describe('created account', () => {
  it('a created account has its own key, is listed last and signs', async () => {
    const { wallet } = createWallet();
    const one = await wallet.createAccount('a');
    const two = await wallet.createAccount('a');
    expect(wallet.addresses()).toEqual([FIRST.address, SECOND.address, one, two]);
    const hash = new Uint8Array(32).fill(7);
    expect(addressOfPublicKey(curve.recover(hash, wallet.signHash(two, hash)))).toEqual(two);
  });

  it('a created account uses new random bytes if the first are an invalid key', async () => {
    const random = countingRandom();
    const clock = createManualClock();
    let isFirst = true;
    const wallet = new Wallet([], {
      clock,
      random(length) {
        if (!isFirst) return random(length);
        isFirst = false;
        return new Uint8Array(length);
      },
    });
    expect(wallet.privateKey(await wallet.createAccount(''))).toEqual(new Uint8Array(32).fill(1));
  });

  it('a created account locks after 30 minutes and is unlocked only by its passphrase', async () => {
    const { wallet, clock } = createWallet();
    const address = await wallet.createAccount('right');
    clock.advance(30 * MINUTES - 1);
    expect(wallet.isUnlocked(address)).toBe(true);
    clock.advance(1);
    expect(wallet.isUnlocked(address)).toBe(false);
    expect(wallet.lock(address)).toBe(false);
    expect(wallet.addresses()).toContainEqual(address);
    expect(() => wallet.privateKey(address)).toThrow(AccountNotFoundError);
    await expect(wallet.unlock(address, 'wrong', 1000)).rejects.toThrow(
      `Wrong passphrase for account ${toHex(address)}`,
    );
    expect(wallet.isUnlocked(address)).toBe(false);
    expect(await wallet.unlock(address, 'right', 1000)).toBe(true);
    clock.advance(999);
    expect(wallet.isUnlocked(address)).toBe(true);
    clock.advance(1);
    expect(wallet.isUnlocked(address)).toBe(false);
  });

  it('a created account uses the duration of the last unlock', async () => {
    const { wallet, clock } = createWallet();
    const address = await wallet.createAccount('p');
    await wallet.unlock(address, 'p', 60 * MINUTES);
    await wallet.unlock(address, 'p', 10 * MINUTES);
    clock.advance(10 * MINUTES);
    expect(wallet.isUnlocked(address)).toBe(false);
    await wallet.unlock(address, 'p', 0);
    clock.advance(YEARS);
    expect(wallet.isUnlocked(address)).toBe(true);
  });
});

describe('imported key', () => {
  it('an imported key returns the same address and uses the last passphrase', async () => {
    const { wallet } = createWallet();
    expect(await wallet.importKey(OTHER.privateKey, 'old')).toEqual(OTHER.address);
    expect(await wallet.importKey(OTHER.privateKey, 'new')).toEqual(OTHER.address);
    expect(wallet.addresses()).toHaveLength(3);
    wallet.lock(OTHER.address);
    await expect(wallet.unlock(OTHER.address, 'old', 0)).rejects.toThrow(WrongPassphraseError);
    expect(await wallet.unlock(OTHER.address, 'new', 0)).toBe(true);
  });

  it('an imported key sets a passphrase on an initial account without locking it', async () => {
    const { wallet, clock } = createWallet();
    await wallet.importKey(FIRST.privateKey, 'secret');
    clock.advance(YEARS);
    expect(wallet.isUnlocked(FIRST.address)).toBe(true);
    expect(wallet.addresses()).toEqual([FIRST.address, SECOND.address]);
    wallet.lock(FIRST.address);
    await expect(wallet.unlock(FIRST.address, '', 0)).rejects.toThrow(WrongPassphraseError);
    expect(await wallet.unlock(FIRST.address, 'secret', 0)).toBe(true);
  });
});

describe('seed account', () => {
  it('a seed account has the Keccak hash of the text as key and precedes stored accounts', async () => {
    const { wallet, clock } = createWallet();
    const stored = await wallet.createAccount('p');
    expect(wallet.addSeedAccount('other')).toEqual(OTHER.address);
    expect(wallet.addresses()).toEqual([FIRST.address, SECOND.address, OTHER.address, stored]);
    clock.advance(YEARS);
    expect(wallet.privateKey(OTHER.address)).toEqual(OTHER.privateKey);
  });

  it('a seed account unlocks a known account and keeps its passphrase', async () => {
    const { wallet } = createWallet();
    await wallet.importKey(OTHER.privateKey, 'secret');
    wallet.lock(OTHER.address);
    wallet.addSeedAccount('other');
    expect(wallet.lock(OTHER.address)).toBe(true);
    await expect(wallet.unlock(OTHER.address, '', 0)).rejects.toThrow(WrongPassphraseError);
  });
});

describe('signerWithPassphrase', () => {
  it('signs for a locked account and leaves it locked', async () => {
    const { wallet } = createWallet();
    await wallet.importKey(OTHER.privateKey, 'p');
    wallet.lock(OTHER.address);
    const sign = await wallet.signerWithPassphrase(OTHER.address, 'p');
    const hash = new Uint8Array(32).fill(9);
    expect(sign?.(hash)).toEqual(curve.sign(hash, OTHER.privateKey));
    expect(wallet.isUnlocked(OTHER.address)).toBe(false);
  });

  it('requires the passphrase even if the account is unlocked', async () => {
    const { wallet } = createWallet();
    await wallet.importKey(OTHER.privateKey, 'p');
    await expect(wallet.signerWithPassphrase(OTHER.address, 'q')).rejects.toThrow(WrongPassphraseError);
    await expect(wallet.signerWithPassphrase(FIRST.address, 'q')).rejects.toThrow(WrongPassphraseError);
  });

  it('rejects an unknown address', async () => {
    const { wallet } = createWallet();
    await expect(wallet.signerWithPassphrase(OTHER.address, '')).rejects.toThrow(AccountNotFoundError);
  });
});

it('an unknown address is neither locked nor unlocked', async () => {
  const { wallet } = createWallet();
  expect(wallet.lock(OTHER.address)).toBe(false);
  expect(await wallet.unlock(OTHER.address, '', 0)).toBe(false);
  expect(() => wallet.privateKey(OTHER.address)).toThrow(AccountNotFoundError);
});
