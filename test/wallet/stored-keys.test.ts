import { describe, expect, it } from 'vitest';
import { accountFromSeed } from '../../src/wallet/dev-accounts.ts';
import { AccountNotFoundError } from '../../src/wallet/errors.ts';
import { Wallet } from '../../src/wallet/wallet.ts';
import { countingRandom } from '../support/counting-random.ts';
import { createManualClock } from '../support/manual-clock.ts';

const FIRST = accountFromSeed('first');

function createWallet(): Wallet {
  return new Wallet([FIRST], { clock: createManualClock(), random: countingRandom() });
}

describe('Wallet.storedKeys and Wallet.addStoredKeys', () => {
  it('store keystores, and plain keys for accounts without a passphrase', async () => {
    const wallet = createWallet();
    const made = await wallet.createAccount('word');
    const [first, second] = wallet.storedKeys();
    const { address, privateKey } = FIRST;
    expect(first).toEqual({ address, isInitial: true, stored: { privateKey } });
    expect(second).toMatchObject({ address: made, isInitial: false, stored: { keystore: { version: 3 } } });
  });

  it('add accounts to another wallet, locked if they have a passphrase', async () => {
    const wallet = createWallet();
    const made = await wallet.createAccount('word');
    const seed = wallet.addSeedAccount('seed');
    const other = new Wallet([], { clock: createManualClock(), random: countingRandom() });
    other.addStoredKeys(wallet.storedKeys());
    expect(other.addresses()).toEqual([FIRST.address, seed, made]);
    expect(other.privateKey(seed)).toEqual(wallet.privateKey(seed));
    expect(() => other.privateKey(made)).toThrow(AccountNotFoundError);
    expect(await other.unlock(made, 'word', 0)).toBe(true);
    expect(other.privateKey(made)).toEqual(wallet.privateKey(made));
  });

  it('keep a known locked account locked', () => {
    const wallet = createWallet();
    const kept = wallet.storedKeys();
    wallet.lock(FIRST.address);
    wallet.addStoredKeys(kept);
    expect(wallet.isUnlocked(FIRST.address)).toBe(false);
    expect(wallet.addresses()).toEqual([FIRST.address]);
  });
});
