import { NoAccountError } from '../../../chain/errors.ts';
import { compareBytes, padLeft } from '../../../primitives/bytes.ts';
import { hexKey, toHex } from '../../../primitives/hex.ts';
import { keccak256 } from '../../../primitives/keccak.ts';
import { runTask, type Task } from '../../../primitives/task.ts';
import { WorkPieces } from '../../../primitives/work-pieces.ts';
import { type StorageTrie, storageRoot } from '../../../state/account.ts';
import { trieValues } from '../../../state/trie/trie.ts';
import type { WorldState } from '../../../state/world-state.ts';
import { accountJson, accountsJson, GETH_ACCOUNT, GETH_STORAGE, storageJson } from '../../../wire/account.ts';
import { type Json, orNull } from '../../../wire/json.ts';
import { requireBlock, requireTransactionIndex } from '../../block-answers.ts';
import { blockNumberSelector, blockSelector } from '../../codecs/block-selector.ts';
import { address, hash32, storageSlot } from '../../codecs/data.ts';
import { index, pageSize } from '../../codecs/quantity.ts';
import { PartialStateError } from '../../errors.ts';
import { defineMethod, type Method, param } from '../../method.ts';

const WORD = 32;

/** Slots of a storage in the order of their hashes as JSON, from the hash `start` (32 bytes) on, at most `limit`. */
function storageRangeView(
  storage: StorageTrie,
  start: Uint8Array,
  limit: number,
): Readonly<Record<string, unknown>> {
  const found: [string, { key: string; value: string }][] = [];
  for (const { slot, value } of trieValues(storage)) {
    const hash = keccak256(slot);
    if (compareBytes(hash, start) < 0) continue;
    if (found.length === limit) return { storage: Object.fromEntries(found), nextKey: toHex(hash) };
    found.push([toHex(hash), { key: toHex(slot), value: toHex(padLeft(value, WORD)) }]);
  }
  return { storage: Object.fromEntries(found), nextKey: null };
}

/** A state as JSON, as geth dumps it: the root without `0x`, accounts by address. */
function* stateDumpView(state: WorldState, pieces: WorkPieces): Task<Json> {
  const accounts = yield* accountsJson(state.accounts(), pieces, function* (account) {
    const { address, nonce, balance, code, storage } = account;
    const turn = pieces.spend(2 * code.bytes.length);
    if (turn !== undefined) yield turn;
    return accountJson(GETH_ACCOUNT, {
      address,
      addressHash: keccak256(address),
      nonce,
      balance,
      code: code.bytes,
      codeHash: code.hash,
      storageRoot: storageRoot(storage),
      storage: yield* storageJson(GETH_STORAGE, trieValues(storage), pieces),
    });
  });
  return { root: hexKey(state.root), accounts };
}

export const DEBUG_STATE: readonly Method[] = [
  /** All accounts after a block, with code and storage. Numbers are written in decimal, digits of storage without `0x`. */
  defineMethod({
    name: 'debug_dumpBlock',
    summary: 'All accounts after a block',
    params: [param('block', blockNumberSelector)],
    // The state at the fork is whole on the upstream alone.
    fork: { kind: 'block', at: 0, answer: 'anything' },
    result: {
      description: 'The state root and the accounts by address',
      schema: {
        type: 'object',
        properties: { root: { type: 'string' }, accounts: { type: 'object' } },
        required: ['root', 'accounts'],
      },
    },
    handler: async ({ chain, fork, checkInterrupt }, selector) => {
      const { state } = await chain.view(selector);
      if (fork.current !== null) throw new PartialStateError('state');
      return runTask(stateDumpView(state, new WorkPieces(checkInterrupt)));
    },
  }),
  /**
   * The storage of a contract as it stands in a block before the transaction at an index, from the slot on whose hash is
   * not below the start: as many slots as asked for, and the hash of the next one. An index that no transaction of the block
   * has is refused, but for 0 in a block without any, and so is an address without an account.
   */
  defineMethod({
    name: 'debug_storageRangeAt',
    summary: 'The storage of a contract inside a block, slot by slot',
    params: [
      param('block', blockSelector),
      param('transactionIndex', index),
      param('address', address),
      param('start', storageSlot),
      param('limit', pageSize),
    ],
    // The state at the fork is whole on the upstream alone.
    fork: { kind: 'block', at: 0, answer: 'anything' },
    result: {
      description: 'Slots and values by the hash of the slot, and where to go on',
      schema: {
        type: 'object',
        properties: { storage: { type: 'object' }, nextKey: orNull(hash32.jsonSchema) },
        required: ['storage', 'nextKey'],
      },
    },
    handler: async (context, selector, transactionIndex, contract, start, limit) => {
      const block = await requireBlock(context, selector);
      const { chain, checkInterrupt } = context;
      requireTransactionIndex(block, transactionIndex);
      const state = await chain.simulation.stateBefore(block, transactionIndex, checkInterrupt);
      const account = state.account(contract);
      if (account === undefined) throw new NoAccountError(contract);
      if (account.storageSource !== undefined)
        throw new PartialStateError('storage of a contract of the upstream');
      return storageRangeView(account.storage, start, limit);
    },
  }),
];
