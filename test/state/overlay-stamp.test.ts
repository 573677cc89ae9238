import { describe, expect, it } from 'vitest';
import { Overlay } from '../../src/state/overlay.ts';
import { WorldState } from '../../src/state/world-state.ts';

const ADDRESS = new Uint8Array(20).fill(7);
const SLOT = new Uint8Array(32).fill(1);

describe('Overlay.stamp', () => {
  it('the stamp equals the stamp of the base state until a change', () => {
    const world = WorldState.empty();
    const overlay = new Overlay(world);
    overlay.account(ADDRESS);
    overlay.storageAt(ADDRESS, SLOT);
    expect(overlay.stamp).toBe(world.stamp);
    expect(new Overlay(world).stamp).toBe(world.stamp);
  });

  it('the stamp changes with every change', () => {
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

  it('the stamp changes with a revert', () => {
    const overlay = new Overlay(WorldState.empty());
    overlay.checkpoint();
    overlay.setAccount(ADDRESS, { nonce: 1n, balance: 2n });
    const changed = overlay.stamp;
    overlay.revert();
    expect(overlay.stamp).not.toBe(changed);
  });

  it('the stamp becomes the stamp of the resulting state', () => {
    const overlay = new Overlay(WorldState.empty());
    overlay.setAccount(ADDRESS, { nonce: 1n, balance: 2n });
    const { stamp } = overlay;
    const world = overlay.toWorldState();
    expect(world.stamp).toBe(stamp);
    expect(overlay.stamp).toBe(stamp);
    expect(new Overlay(world).stamp).toBe(stamp);
  });
});

describe('Overlay.hasStorage and Overlay.mayHaveStorage', () => {
  it('follow written, cleared and zeroed slots', () => {
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

describe('Overlay.write', () => {
  it('sets nonce and balance and keeps code and storage', () => {
    const overlay = new Overlay(WorldState.empty());
    overlay.setCode(ADDRESS, Uint8Array.of(1, 2));
    overlay.setStorage(ADDRESS, SLOT, Uint8Array.of(9));
    const code = overlay.account(ADDRESS)?.code;
    if (code === undefined) throw new Error('the account is missing');
    overlay.write(ADDRESS, { nonce: 3n, balance: 4n, code });
    expect(overlay.account(ADDRESS)).toMatchObject({ nonce: 3n, balance: 4n });
    expect(overlay.code(ADDRESS)).toEqual(Uint8Array.of(1, 2));
    expect(overlay.storageAt(ADDRESS, SLOT)).toEqual(Uint8Array.of(9));
  });
});

describe('Overlay.changeLater', () => {
  const change = (overlay: Overlay) => () => overlay.setAccount(ADDRESS, { nonce: 5n, balance: 6n });

  it('applies the change before any read', () => {
    const looks: ((overlay: Overlay) => bigint | undefined)[] = [
      (overlay) => overlay.account(ADDRESS)?.nonce,
      (overlay) => overlay.toWorldState().account(ADDRESS)?.nonce,
      (overlay) => {
        overlay.checkpoint();
        overlay.setAccount(ADDRESS, { nonce: 9n, balance: 9n });
        overlay.revert();
        return overlay.account(ADDRESS)?.nonce;
      },
    ];
    for (const look of looks) {
      const overlay = new Overlay(WorldState.empty());
      overlay.changeLater(change(overlay));
      expect(look(overlay)).toBe(5n);
    }
  });

  it('keeps the order of changes', () => {
    const overlay = new Overlay(WorldState.empty());
    overlay.changeLater(change(overlay));
    overlay.changeLater(() => {
      const { nonce = 0n, balance = 0n } = overlay.account(ADDRESS) ?? {};
      overlay.setAccount(ADDRESS, { nonce: nonce + 1n, balance });
    });
    overlay.setCode(ADDRESS, Uint8Array.of(1));
    expect(overlay.account(ADDRESS)).toMatchObject({ nonce: 6n, balance: 6n });
  });

  it('applies the change only on a read and changes the stamp once', () => {
    const overlay = new Overlay(WorldState.empty());
    const before = overlay.stamp;
    let count = 0;
    overlay.changeLater(() => {
      count++;
      change(overlay)();
    });
    const { stamp } = overlay;
    expect(count).toBe(0);
    expect(stamp).not.toBe(before);
    overlay.account(ADDRESS);
    expect(count).toBe(1);
    expect(overlay.stamp).toBe(stamp);
  });
});
