import { verifyMerkleProof } from '@ethereumjs/mpt';
import { describe, expect, it } from 'vitest';
import { equalBytes } from '../../src/primitives/bytes.ts';
import { keccak256 } from '../../src/primitives/keccak.ts';
import { decodeRlp, encodeRlp } from '../../src/primitives/rlp.ts';
import { type AccountUpdate, codeOf, EMPTY_CODE, encodeAccount } from '../../src/state/account.ts';
import { UnknownStateError } from '../../src/state/errors.ts';
import { EMPTY_TRIE_ROOT } from '../../src/state/trie/trie-node.ts';
import { WorldState } from '../../src/state/world-state.ts';
import { type PlainAccount, referenceStateRoot } from './reference-trie.ts';
import { addressOf, slotOf } from './samples.ts';

const EMPTY = new Uint8Array(0);

function updateOf({ code, ...account }: PlainAccount): AccountUpdate {
  return { ...account, code: codeOf(code), clearsStorage: false };
}

function stateOf(accounts: readonly PlainAccount[]): WorldState {
  return WorldState.empty().apply({ updated: accounts.map(updateOf), deleted: [] });
}

/** Every third account is a contract. Its storage grows with its number. */
const accounts: PlainAccount[] = Array.from({ length: 120 }, (_, number) => {
  const isContract = number % 3 === 0;
  return {
    address: addressOf(number),
    nonce: BigInt(number % 7),
    balance: BigInt(number) ** 12n,
    code: isContract ? new Uint8Array(number + 1).fill(number) : EMPTY,
    storage: Array.from({ length: isContract ? number : 0 }, (_, index) => ({
      slot: slotOf(index),
      value: Uint8Array.of(index + 1, number),
    })),
  };
});

describe('WorldState', () => {
  it('a world state has the root of @ethereumjs/mpt for its accounts and storage', async () => {
    expect(stateOf(accounts).root).toEqual(await referenceStateRoot(accounts));
  });

  it('a world state has the empty root without accounts', () => {
    expect(WorldState.empty().root).toEqual(EMPTY_TRIE_ROOT);
    expect([...WorldState.empty().accounts()]).toEqual([]);
  });

  it('a world state returns accounts, code and storage by address', () => {
    const state = stateOf(accounts);
    for (const { address, nonce, balance, code, storage } of accounts) {
      expect(state.account(address)).toMatchObject({ address, nonce, balance, code: codeOf(code) });
      for (const { slot, value } of storage) expect(state.storageAt(address, slot)).toEqual(value);
      expect(state.storageAt(address, slotOf(5000))).toEqual(EMPTY);
    }
    expect(state.account(addressOf(9999))).toBeUndefined();
    expect(state.storageAt(addressOf(9999), slotOf(0))).toEqual(EMPTY);
    expect(new Set([...state.accounts()].map(({ address }) => address))).toEqual(
      new Set(accounts.map(({ address }) => address)),
    );
  });

  it('a world state stays unchanged after later states are derived', async () => {
    const before = stateOf(accounts);
    const root = before.root;
    const changed = accounts.slice(0, 60).map((account) => ({ ...account, balance: 1n, storage: [] }));
    const deleted = accounts.slice(60).map(({ address }) => address);
    const after = before.apply({
      updated: changed.map((account) => ({ ...updateOf(account), clearsStorage: true })),
      deleted,
    });
    expect(after.root).toEqual(await referenceStateRoot(changed));
    expect(before.root).toEqual(root);
    for (const { address, balance, storage } of accounts) {
      expect(before.account(address)?.balance).toBe(balance);
      for (const { slot, value } of storage) expect(before.storageAt(address, slot)).toEqual(value);
    }
  });

  it('a world state returns the same object for changes without effect', () => {
    const state = stateOf(accounts);
    const deleted = [addressOf(5000)];
    expect(state.apply({ updated: accounts.map(updateOf), deleted })).toBe(state);
    const unset = accounts.map((account) => ({
      ...updateOf(account),
      storage: [{ slot: slotOf(5000), value: EMPTY }],
    }));
    expect(state.apply({ updated: unset, deleted: [] })).toBe(state);
  });

  it('a world state keeps an empty account until it is deleted', async () => {
    const bare = { address: addressOf(1), nonce: 0n, balance: 0n, code: EMPTY, storage: [] };
    const state = stateOf([bare]);
    expect(state.account(bare.address)).toMatchObject({ nonce: 0n, balance: 0n, code: EMPTY_CODE });
    expect(state.root).toEqual(await referenceStateRoot([bare]));
    expect(state.apply({ updated: [], deleted: [bare.address] }).root).toEqual(EMPTY_TRIE_ROOT);
  });

  it('a world state proves its accounts, their storage, and the absence of others', async () => {
    const state = stateOf(accounts);
    for (const { address, storage } of accounts.slice(0, 40)) {
      const account = state.account(address);
      if (account === undefined) throw new Error('the account is missing');
      const leaf = await verifyMerkleProof(keccak256(address), state.accountProof(address));
      expect(leaf).toEqual(encodeAccount(account));
      const storageRoot = leaf === null ? undefined : decodeRlp(leaf)[2];
      for (const { slot, value } of storage) {
        const proof = state.storageProof(address, slot);
        expect(keccak256(proof[0] ?? EMPTY)).toEqual(storageRoot);
        expect(await verifyMerkleProof(keccak256(slot), proof)).toEqual(encodeRlp(value));
      }
    }
    const absent = addressOf(5000);
    expect(await verifyMerkleProof(keccak256(absent), state.accountProof(absent))).toBeNull();
    expect(state.storageProof(absent, slotOf(0))).toEqual([]);
  });
});

describe('WorldState.differencesFrom', () => {
  const before = stateOf(accounts);

  it('returns all accounts for an empty base and none for an equal base', () => {
    const differences = Array.from(before.differencesFrom(WorldState.empty()));
    expect(differences).toHaveLength(accounts.length);
    expect(Array.from(before.differencesFrom(before))).toEqual([]);
    expect(Array.from(stateOf(accounts).differencesFrom(before))).toEqual([]);
  });

  it('returns changed fields of an account, and code only if it changed', () => {
    const [address, gone] = [addressOf(3), addressOf(4)];
    const code = codeOf(Uint8Array.of(1, 2, 3));
    const account = { address, nonce: 9n, balance: 8n, clearsStorage: false };
    const [slot, cleared] = [slotOf(70), slotOf(1)];
    const storage = [
      { slot, value: Uint8Array.of(7) },
      { slot: cleared, value: EMPTY },
    ];
    const { code: sameCode = EMPTY_CODE } = before.account(address) ?? {};
    const after = before.apply({ updated: [{ ...account, code: sameCode, storage }], deleted: [gone] });
    const later = after.apply({ updated: [{ ...account, code, storage: [] }], deleted: [] });
    const differences = Array.from(after.differencesFrom(before));
    expect(differences).toContainEqual({ address: gone, becomes: null });
    const changed = differences.find((difference) => equalBytes(difference.address, address))?.becomes;
    expect(changed).toMatchObject({ nonce: 9n, balance: 8n, code: null });
    expect(changed?.storage).toHaveLength(2);
    expect(changed?.storage).toEqual(expect.arrayContaining(storage));
    expect(Array.from(later.differencesFrom(after))).toEqual([
      { address, becomes: { nonce: 9n, balance: 8n, code, storage: [] } },
    ]);
  });
});

describe('WorldState.unknown', () => {
  it('reports that it is unknown and throws on every read', () => {
    const state = WorldState.unknown();
    expect(state.isKnown).toBe(false);
    expect(WorldState.empty().isKnown).toBe(true);
    const address = addressOf(1);
    for (const ask of [
      () => state.root,
      () => state.account(address),
      () => state.storageAt(address, slotOf(1)),
      () => state.accounts(),
      () => state.accountProof(address),
      () => state.storageProof(address, slotOf(1)),
      () => state.differencesFrom(WorldState.empty()),
      () => state.apply({ updated: [], deleted: [address] }),
    ]) {
      expect(ask).toThrow(UnknownStateError);
    }
  });
});
