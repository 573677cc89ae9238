import { describe, expect, it } from 'vitest';
import { accountFromSeed } from '../../src/wallet/dev-accounts.ts';
import { Wallet } from '../../src/wallet/wallet.ts';
import { countingRandom } from '../support/counting-random.ts';
import { createManualClock } from '../support/manual-clock.ts';

const ACCOUNTS = [accountFromSeed('one'), accountFromSeed('two')];
const [FIRST, SECOND] = [accountFromSeed('one').address, accountFromSeed('two').address];

function createWallet(): Wallet {
  return new Wallet(ACCOUNTS, { clock: createManualClock(), random: countingRandom() });
}

describe('Wallet.fork', () => {
  it('copies the keys and their locks', async () => {
    const wallet = createWallet();
    const imported = await wallet.importKey(new Uint8Array(32).fill(9), 'words');
    wallet.lock(FIRST);
    const fork = wallet.fork();
    expect(fork.addresses()).toEqual(wallet.addresses());
    expect([FIRST, SECOND, imported].map((address) => fork.isUnlocked(address))).toEqual([false, true, true]);
    expect(fork.signHash(SECOND, new Uint8Array(32))).toEqual(wallet.signHash(SECOND, new Uint8Array(32)));
  });

  it('separates later changes of the fork and its parent', async () => {
    const wallet = createWallet();
    const locked = await wallet.importKey(new Uint8Array(32).fill(9), 'words');
    const fork = wallet.fork();
    wallet.lock(FIRST);
    fork.lock(SECOND);
    expect([wallet, fork].map((one) => one.isUnlocked(FIRST))).toEqual([false, true]);
    expect([wallet, fork].map((one) => one.isUnlocked(SECOND))).toEqual([true, false]);
    expect(await fork.remove(locked, 'words')).toBe(true);
    expect(wallet.addresses()).toContainEqual(locked);
    const added = wallet.addSeedAccount('a seed');
    expect(fork.addresses()).not.toContainEqual(added);
    await wallet.importKey(new Uint8Array(32).fill(9), 'other words');
    const again = wallet.fork();
    again.lock(locked);
    expect(await again.unlock(locked, 'other words', 0)).toBe(true);
    expect(wallet.isUnlocked(locked)).toBe(true);
  });

  it('locks accounts at the same time as its parent', async () => {
    const clock = createManualClock();
    const wallet = new Wallet(ACCOUNTS, { clock, random: countingRandom() });
    const address = await wallet.importKey(new Uint8Array(32).fill(9), 'words');
    const fork = wallet.fork();
    clock.advance(31 * 60_000);
    expect([fork.isUnlocked(address), wallet.isUnlocked(address)]).toEqual([false, false]);
  });
});
