import { describe, expect, it } from 'vitest';
import { parentChainAddress } from '../../../src/rootstock/bitcoin/address.ts';
import { setBridgeScene } from './bridge-scene.ts';

const COIN = 100_000_000n;
const keyAddress = (byte: number) => parentChainAddress('key', new Uint8Array(20).fill(byte));

describe('the fee per kB on the parent chain', () => {
  it('changes the fee by a vote of its authorized account', async () => {
    const { ask, send } = await setBridgeScene();
    expect(await ask('getFeePerKb')).toBe(100_000n);
    expect(await send('somebody', 'voteFeePerKbChange', 1)).toBe(-10n);
    expect(await send('auth-fee-per-kb', 'voteFeePerKbChange', 0)).toBe(-1n);
    expect(await send('auth-fee-per-kb', 'voteFeePerKbChange', 5_000_001)).toBe(-2n);
    expect(await send('auth-fee-per-kb', 'voteFeePerKbChange', 2n ** 63n)).toBe(-10n);
    expect(await send('auth-fee-per-kb', 'voteFeePerKbChange', 1)).toBe(1n);
    expect(await ask('getFeePerKb')).toBe(1n);
  });
});

describe('the locking cap', () => {
  it('increases the cap by a vote of its authorized account, up to twice the current cap', async () => {
    const { ask, send } = await setBridgeScene();
    expect(await ask('getLockingCap')).toBe(1000n * COIN);
    expect(await send('somebody', 'increaseLockingCap', 2000n * COIN)).toBe(false);
    expect(await send('auth-increase_locking_cap', 'increaseLockingCap', 2000n * COIN + 1n)).toBe(false);
    expect(await send('auth-increase_locking_cap', 'increaseLockingCap', 1000n * COIN - 1n)).toBe(false);
    expect(await send('auth-increase_locking_cap', 'increaseLockingCap', 0)).toBe('failure');
    expect(await send('auth-increase_locking_cap', 'increaseLockingCap', 2n ** 63n)).toBe('failure');
    expect(await send('auth-increase_locking_cap', 'increaseLockingCap', 2000n * COIN)).toBe(true);
    expect(await ask('getLockingCap')).toBe(2000n * COIN);
  });
});

describe('the whitelist', () => {
  it('starts with an empty whitelist', async () => {
    const { ask } = await setBridgeScene();
    expect(await ask('getLockWhitelistSize')).toBe(0n);
    expect(await ask('getLockWhitelistAddress', 0)).toBe('');
    expect(await ask('getLockWhitelistEntryByAddress', keyAddress(1))).toBe(-1n);
    expect(await ask('getLockWhitelistEntryByAddress', 'nonsense')).toBe(-1n);
  });

  it('changes the whitelist only for its authorized account', async () => {
    const { ask, send } = await setBridgeScene();
    const keeper = 'auth-lock-whitelist';
    expect(await send('somebody', 'addOneOffLockWhitelistAddress', keyAddress(2), 7)).toBe(-10n);
    expect(await send(keeper, 'addOneOffLockWhitelistAddress', 'nonsense', 7)).toBe(-2n);
    expect(await send(keeper, 'addOneOffLockWhitelistAddress', keyAddress(2), 2n ** 63n)).toBe('failure');
    expect(await send(keeper, 'addOneOffLockWhitelistAddress', keyAddress(2), 7)).toBe(1n);
    expect(await send(keeper, 'addUnlimitedLockWhitelistAddress', keyAddress(2))).toBe(-1n);
    expect(await send(keeper, 'addUnlimitedLockWhitelistAddress', keyAddress(1))).toBe(1n);
    expect(await ask('getLockWhitelistSize')).toBe(2n);
    expect(await ask('getLockWhitelistAddress', 0)).toBe(keyAddress(1));
    expect(await ask('getLockWhitelistAddress', 1)).toBe(keyAddress(2));
    expect(await ask('getLockWhitelistAddress', 2)).toBe('');
    expect(await ask('getLockWhitelistEntryByAddress', keyAddress(2))).toBe(7n);
    expect(await ask('getLockWhitelistEntryByAddress', keyAddress(1))).toBe(0n);
    expect(await send('somebody', 'removeLockWhitelistAddress', keyAddress(1))).toBe(-10n);
    expect(await send(keeper, 'removeLockWhitelistAddress', 'nonsense')).toBe(-2n);
    expect(await send(keeper, 'removeLockWhitelistAddress', keyAddress(1))).toBe(1n);
    expect(await send(keeper, 'removeLockWhitelistAddress', keyAddress(1))).toBe(-1n);
    expect(await ask('getLockWhitelistAddress', 0)).toBe(keyAddress(2));
  });

  it('sets the end height of the whitelist once', async () => {
    const { send } = await setBridgeScene();
    const keeper = 'auth-lock-whitelist';
    expect(await send('somebody', 'setLockWhitelistDisableBlockDelay', 5)).toBe(-10n);
    expect(await send(keeper, 'setLockWhitelistDisableBlockDelay', 0)).toBe(-2n);
    expect(await send(keeper, 'setLockWhitelistDisableBlockDelay', 2n ** 31n)).toBe('failure');
    expect(await send(keeper, 'setLockWhitelistDisableBlockDelay', 5)).toBe(1n);
    expect(await send(keeper, 'setLockWhitelistDisableBlockDelay', 5)).toBe(-1n);
  });

  it('accepts the maximum end height of the whitelist', async () => {
    const { ask, send } = await setBridgeScene();
    const height = BigInt(String(await ask('getBtcBlockchainBestChainHeight')));
    const longest = 2n ** 31n - 1n - height;
    expect(await send('auth-lock-whitelist', 'setLockWhitelistDisableBlockDelay', longest)).toBe(1n);
  });
});
