import { describe, expect, it } from 'vitest';
import { Overlay } from '../../src/state/overlay.ts';
import { WorldState } from '../../src/state/world-state.ts';

const ADDRESS = new Uint8Array(20).fill(7);
const SLOT = new Uint8Array(32).fill(1);

describe('the stamp of an overlay', () => {
  it('is that of the state below until something changes', () => {
    const world = WorldState.empty();
    const overlay = new Overlay(world);
    overlay.account(ADDRESS);
    overlay.storageAt(ADDRESS, SLOT);
    expect(overlay.stamp).toBe(world.stamp);
    expect(new Overlay(world).stamp).toBe(world.stamp);
  });

  it('is another after each change', () => {
    const overlay = new Overlay(WorldState.empty());
    const changes: (() => void)[] = [
      () => overlay.setAccount(ADDRESS, { nonce: 1n, balance: 2n }),
      () => overlay.setCode(ADDRESS, Uint8Array.of(1)),
      () => overlay.setStorage(ADDRESS, SLOT, Uint8Array.of(1)),
      () => overlay.writeStorage(ADDRESS, [{ slot: SLOT, value: Uint8Array.of(2) }]),
      () => overlay.clearStorage(ADDRESS),
      () => overlay.deleteAccount(ADDRESS),
    ];
    const stamps = new Set<object>([overlay.stamp]);
    for (const change of changes) {
      change();
      stamps.add(overlay.stamp);
      expect(overlay.stamp).toBe(overlay.stamp);
    }
    expect(stamps.size).toBe(changes.length + 1);
  });

  it('is another after a revert', () => {
    const overlay = new Overlay(WorldState.empty());
    overlay.checkpoint();
    overlay.setAccount(ADDRESS, { nonce: 1n, balance: 2n });
    const changed = overlay.stamp;
    overlay.revert();
    expect(overlay.stamp).not.toBe(changed);
  });

  it('goes over to the state that it becomes', () => {
    const overlay = new Overlay(WorldState.empty());
    overlay.setAccount(ADDRESS, { nonce: 1n, balance: 2n });
    const { stamp } = overlay;
    const world = overlay.toWorldState();
    expect(world.stamp).toBe(stamp);
    expect(overlay.stamp).toBe(stamp);
    expect(new Overlay(world).stamp).toBe(stamp);
  });
});

describe('an overlay asked whether an account has storage', () => {
  it('knows slots that were written, cleared and set to zero', () => {
    const overlay = new Overlay(WorldState.empty());
    const answers = (): boolean[] => [overlay.mayHaveStorage(ADDRESS), overlay.hasStorage(ADDRESS)];
    expect(answers()).toEqual([false, false]);
    overlay.setStorage(ADDRESS, SLOT, Uint8Array.of(1));
    expect(answers()).toEqual([true, true]);
    overlay.toWorldState();
    expect(answers()).toEqual([true, true]);
    overlay.setStorage(ADDRESS, SLOT, new Uint8Array(0));
    expect(answers()).toEqual([true, false]);
    overlay.clearStorage(ADDRESS);
    expect(answers()).toEqual([false, false]);
  });
});

describe('an account written at once', () => {
  it('has its nonce, balance, code and slots', () => {
    const overlay = new Overlay(WorldState.empty());
    overlay.setCode(ADDRESS, Uint8Array.of(1, 2));
    const code = overlay.account(ADDRESS)?.code;
    if (code === undefined) throw new Error('the account is missing');
    const value = Uint8Array.of(9);
    overlay.write(ADDRESS, { nonce: 3n, balance: 4n, code }, [{ slot: SLOT, value }]);
    expect(overlay.account(ADDRESS)).toMatchObject({ nonce: 3n, balance: 4n });
    expect(overlay.code(ADDRESS)).toEqual(Uint8Array.of(1, 2));
    expect(overlay.storageAt(ADDRESS, SLOT)).toEqual(value);
  });
});
