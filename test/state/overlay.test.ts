import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stripLeadingZeros } from '../../src/primitives/bytes.ts';
import { codeOf, EMPTY_CODE } from '../../src/state/account.ts';
import { CheckpointError } from '../../src/state/errors.ts';
import { Overlay } from '../../src/state/overlay.ts';
import { SlotChanges } from '../../src/state/slot-changes.ts';
import { EMPTY_TRIE_ROOT } from '../../src/state/trie/trie-node.ts';
import { WorldState } from '../../src/state/world-state.ts';
import { OverlayModel } from './overlay-model.ts';
import { referenceRoot, referenceStateRoot } from './reference-trie.ts';
import { addressOf, slotOf } from './samples.ts';

const EMPTY = new Uint8Array(0);
const ADDRESSES = [1, 2, 3, 4, 5].map(addressOf);
const SLOTS = [0, 1, 2, 3].map(slotOf);

type Step = (overlay: Overlay, model: OverlayModel) => void;

const address = fc.constantFrom(...ADDRESSES);
const slot = fc.constantFrom(...SLOTS);
const bytes = fc.uint8Array({ maxLength: 40 });
const slotValue = fc.uint8Array({ maxLength: 32 }).map(stripLeadingZeros);

const write: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(address, fc.bigInt(0n, 3n), fc.bigInt(0n, 1n << 128n)).map(([of, nonce, balance]): Step => {
    return (overlay, model) => {
      overlay.setAccount(of, { nonce, balance });
      model.setAccount(of, nonce, balance);
    };
  }),
  fc.tuple(address, bytes).map(([of, code]): Step => {
    return (overlay, model) => {
      overlay.setCode(of, code);
      model.setCode(of, code);
    };
  }),
  {
    weight: 4,
    arbitrary: fc.tuple(address, slot, slotValue).map(([of, at, value]): Step => {
      return (overlay, model) => {
        overlay.setStorage(of, at, value);
        model.setStorage(of, at, value);
      };
    }),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(address, fc.uniqueArray(fc.tuple(slot, slotValue), { minLength: 1, selector: ([at]) => at }))
      .map(([of, written]): Step => {
        return (overlay, model) => {
          for (const [at, value] of written) model.setStorage(of, at, value);
          const { nonce, balance, code } = overlay.account(of) ?? {
            nonce: 0n,
            balance: 0n,
            code: EMPTY_CODE,
          };
          overlay.write(of, { nonce, balance, code });
          overlay.writeStorage(of, SlotChanges.of(written.map(([at, value]) => ({ slot: at, value }))));
        };
      }),
  },
  address.map((of): Step => {
    return (overlay, model) => {
      overlay.clearStorage(of);
      model.clearStorage(of);
    };
  }),
  address.map((of): Step => {
    return (overlay, model) => {
      overlay.deleteAccount(of);
      model.deleteAccount(of);
    };
  }),
);

const checkpoint: Step = (overlay, model) => {
  overlay.checkpoint();
  model.checkpoint();
};
const commit: Step = (overlay, model) => {
  if (model.openCheckpoints === 0) return;
  overlay.commit();
  model.commit();
};
const revert: Step = (overlay, model) => {
  if (model.openCheckpoints === 0) return;
  overlay.revert();
  model.revert();
};
const seal: Step = (overlay, model) => {
  if (model.openCheckpoints === 0) overlay.toWorldState();
};

const step = fc.oneof(
  { weight: 6, arbitrary: write },
  { weight: 5, arbitrary: fc.constantFrom(checkpoint, checkpoint, commit, revert, seal) },
);

function expectSame(overlay: Overlay, model: OverlayModel): void {
  for (const of of ADDRESSES) {
    const expected = model.account(of);
    const view = overlay.account(of);
    expect(view && [view.nonce, view.balance, view.code]).toEqual(
      expected && [expected.nonce, expected.balance, codeOf(expected.code)],
    );
    expect(overlay.code(of)).toEqual(expected?.code ?? EMPTY);
    for (const at of SLOTS) expect(overlay.storageAt(of, at)).toEqual(model.storageAt(of, at));
  }
}

function rebuilt(model: OverlayModel): WorldState {
  const overlay = new Overlay(WorldState.empty());
  for (const account of model.accounts()) {
    overlay.setAccount(account.address, account);
    overlay.setCode(account.address, account.code);
    for (const entry of account.storage) overlay.setStorage(account.address, entry.slot, entry.value);
  }
  return overlay.toWorldState();
}

describe('Overlay', () => {
  it('matches a copying model through random writes, checkpoints, commits and reverts', async () => {
    const sequences = fc.tuple(
      fc.array(write, { maxLength: 20 }),
      fc.array(fc.tuple(step, fc.boolean()), { maxLength: 60, size: 'max' }),
    );
    const followsModel = fc.asyncProperty(sequences, async ([before, steps]) => {
      const model = new OverlayModel();
      const first = new Overlay(WorldState.empty());
      for (const write of before) write(first, model);
      const base = first.toWorldState();
      const baseRoot = base.root;
      const overlay = new Overlay(base);
      for (const [next, isRead] of steps) {
        next(overlay, model);
        if (isRead) expectSame(overlay, model);
      }
      while (model.openCheckpoints > 0) (model.openCheckpoints % 2 === 0 ? commit : revert)(overlay, model);
      const after = overlay.toWorldState();
      expectSame(overlay, model);
      expect(after.root).toEqual(rebuilt(model).root);
      expect(after.root).toEqual(await referenceStateRoot(model.accounts()));
      expect(overlay.toWorldState()).toBe(after);
      expect(base.root).toEqual(baseRoot);
    });
    await fc.assert(followsModel, { numRuns: 200 });
  });

  const [alice = EMPTY, contract = EMPTY] = ADDRESSES;
  const [slotZero = EMPTY, slotOne = EMPTY] = SLOTS;
  const contractState = () => {
    const overlay = new Overlay(WorldState.empty());
    overlay.setAccount(contract, { nonce: 1n, balance: 9n });
    overlay.setCode(contract, Uint8Array.of(0x60, 0x00));
    overlay.setStorage(contract, slotZero, Uint8Array.of(7));
    return overlay.toWorldState();
  };

  it('returns no account that is neither in the state nor written', () => {
    const overlay = new Overlay(WorldState.empty());
    expect(overlay.account(alice)).toBeUndefined();
    expect(overlay.code(alice)).toEqual(EMPTY);
    expect(overlay.storageAt(alice, slotZero)).toEqual(EMPTY);
    expect(overlay.storageRootOf(alice)).toEqual(EMPTY_TRIE_ROOT);
  });

  it('keeps code and storage if nonce and balance are set', () => {
    const overlay = new Overlay(contractState());
    overlay.setAccount(contract, { nonce: 2n, balance: 10n });
    expect(overlay.account(contract)).toEqual({
      nonce: 2n,
      balance: 10n,
      code: codeOf(Uint8Array.of(0x60, 0x00)),
    });
    expect(overlay.storageAt(contract, slotZero)).toEqual(Uint8Array.of(7));
  });

  it('recreates a deleted account empty and restores it on revert', () => {
    const overlay = new Overlay(contractState());
    overlay.checkpoint();
    overlay.deleteAccount(contract);
    expect(overlay.account(contract)).toBeUndefined();
    overlay.setAccount(contract, { nonce: 0n, balance: 1n });
    overlay.setStorage(contract, slotOne, Uint8Array.of(8));
    expect(overlay.account(contract)).toMatchObject({ nonce: 0n, balance: 1n, code: EMPTY_CODE });
    expect(overlay.storageAt(contract, slotZero)).toEqual(EMPTY);
    overlay.revert();
    expect(overlay.code(contract)).toEqual(Uint8Array.of(0x60, 0x00));
    expect(overlay.storageAt(contract, slotZero)).toEqual(Uint8Array.of(7));
    expect(overlay.storageAt(contract, slotOne)).toEqual(EMPTY);
    expect(overlay.toWorldState().root).toEqual(contractState().root);
  });

  it('returns the storage root with all writes so far', async () => {
    const overlay = new Overlay(contractState());
    const before = overlay.storageRootOf(contract);
    overlay.checkpoint();
    overlay.clearStorage(contract);
    expect(overlay.storageRootOf(contract)).toEqual(EMPTY_TRIE_ROOT);
    overlay.setStorage(contract, slotZero, Uint8Array.of(7));
    expect(overlay.storageRootOf(contract)).toEqual(before);
    overlay.revert();
    expect(overlay.storageRootOf(contract)).toEqual(before);
    expect(before).not.toEqual(await referenceRoot([]));
  });

  it('returns the base state if the writes have no effect', () => {
    const state = contractState();
    const overlay = new Overlay(state);
    overlay.setAccount(contract, { nonce: 1n, balance: 9n });
    overlay.setCode(contract, Uint8Array.of(0x60, 0x00));
    overlay.setStorage(contract, slotZero, Uint8Array.of(7));
    overlay.setStorage(contract, slotOne, EMPTY);
    overlay.deleteAccount(alice);
    expect(overlay.toWorldState()).toBe(state);
  });

  it('keeps an empty written account until it is deleted', () => {
    const overlay = new Overlay(WorldState.empty());
    overlay.setAccount(alice, { nonce: 0n, balance: 0n });
    const state = overlay.toWorldState();
    expect(state.account(alice)).toMatchObject({ nonce: 0n, balance: 0n });
    overlay.deleteAccount(alice);
    expect(overlay.toWorldState().root).toEqual(EMPTY_TRIE_ROOT);
  });

  it('nests checkpoints 2000 deep', () => {
    const overlay = new Overlay(WorldState.empty());
    for (let depth = 0; depth < 2000; depth++) {
      overlay.checkpoint();
      overlay.setAccount(alice, { nonce: BigInt(depth), balance: 0n });
    }
    for (let depth = 1999; depth >= 1000; depth--) {
      expect(overlay.account(alice)?.nonce).toBe(BigInt(depth));
      overlay.revert();
    }
    for (let depth = 0; depth < 999; depth++) overlay.commit();
    expect(overlay.account(alice)?.nonce).toBe(999n);
    overlay.revert();
    expect(overlay.account(alice)).toBeUndefined();
  });

  it('rejects a close without a checkpoint and a state with an open one', () => {
    const overlay = new Overlay(WorldState.empty());
    expect(() => overlay.commit()).toThrow(CheckpointError);
    expect(() => overlay.revert()).toThrow(CheckpointError);
    overlay.checkpoint();
    expect(() => overlay.toWorldState()).toThrow(CheckpointError);
    overlay.commit();
    expect(overlay.toWorldState().root).toEqual(EMPTY_TRIE_ROOT);
  });
});

describe('Overlay with many reads', () => {
  const many = Array.from({ length: 5_000 }, (_, index) => addressOf(1_000 + index));

  /** An overlay, and the number of reads of the account from its base state. */
  function counted(of: Uint8Array): { readonly overlay: Overlay; readonly asked: () => number } {
    let asked = 0;
    const base = WorldState.empty();
    const account = base.account.bind(base);
    base.account = (other) => {
      if (other === of) asked++;
      return account(other);
    };
    return { overlay: new Overlay(base), asked: () => asked };
  }

  it('evicts accounts that were only read', () => {
    const of = addressOf(1);
    const { overlay, asked } = counted(of);
    overlay.account(of);
    overlay.account(of);
    expect(asked()).toBe(1);
    for (const other of many) overlay.account(other);
    expect(overlay.account(of)).toBeUndefined();
    expect(asked()).toBe(2);
  });

  it('keeps written accounts and slots, and reverts their writes', () => {
    const [of, slot] = [addressOf(1), slotOf(1)];
    const { overlay, asked } = counted(of);
    overlay.setAccount(of, { nonce: 1n, balance: 7n });
    overlay.checkpoint();
    overlay.setStorage(of, slot, Uint8Array.of(9));
    overlay.setAccount(of, { nonce: 2n, balance: 8n });
    for (const other of many) overlay.account(other);
    expect(overlay.account(of)).toMatchObject({ nonce: 2n, balance: 8n });
    expect(overlay.storageAt(of, slot)).toEqual(Uint8Array.of(9));
    overlay.revert();
    for (const other of many) overlay.account(other);
    expect(overlay.account(of)).toMatchObject({ nonce: 1n, balance: 7n });
    expect(overlay.storageAt(of, slot)).toEqual(EMPTY);
    expect(asked()).toBe(1);
  });
});
