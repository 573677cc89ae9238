import type { BlockSelector } from '../../../chain/block-selector.ts';
import { LATEST } from '../../../chain/block-selector.ts';
import type { Chain } from '../../../chain/chain.ts';
import { NoAccountError } from '../../../chain/errors.ts';
import { EMPTY_BYTES, equalBytes, padLeft } from '../../../primitives/bytes.ts';
import { type Hex, hexKey, toHex, toQuantity } from '../../../primitives/hex.ts';
import { KECCAK_EMPTY, keccak256 } from '../../../primitives/keccak.ts';
import { hexInSteps, mapInSteps, type Steps } from '../../../primitives/steps.ts';
import { type Account, type StorageTrie, storageRoot } from '../../../state/account.ts';
import { trieValues } from '../../../state/trie/trie.ts';
import { trieEntriesFrom } from '../../../state/trie/trie-walks.ts';
import type { WorldState } from '../../../state/world-state.ts';
import { accountJson, accountsJson, GETH_ACCOUNT, GETH_STORAGE, storageJson } from '../../../wire/account.ts';
import { type Json, objectSchema, orNull } from '../../../wire/values.ts';
import { requireBlock, requireTransactionIndex } from '../../block-answers.ts';
import { boolean } from '../../codecs/basic.ts';
import { blockNumberSelector, blockSelector } from '../../codecs/block-selector.ts';
import { refined } from '../../codecs/codec.ts';
import {
  address,
  data,
  hash32,
  index,
  keyStart,
  pageSize,
  QUANTITY_JSON_SCHEMA,
  storageSlot,
  word32,
} from '../../codecs/hex-values.ts';
import { InvalidParamsError, PartialStateError } from '../../errors.ts';
import { defineMethod, type ForkCall, type Method, optional, param } from '../../method.ts';
import type { RpcContext } from '../../rpc-context.ts';

// A state as JSON, complete or in pages, in geth's form.

const WORD = 32;

/** The optional parts of accounts in a dump. */
interface AccountParts {
  readonly hasCode: boolean;
  readonly hasStorage: boolean;
}

interface AccountPage extends AccountParts {
  /** The lowest address hash (32 bytes). */
  readonly start: Uint8Array;
  readonly limit: number;
}

/**
 * Returns at most `limit` slots of a storage as JSON, in the order of their hashes from `start` (32 bytes).
 */
function storageRangeView(storage: StorageTrie, start: Uint8Array, limit: number): Json {
  const found: [string, { key: string; value: string }][] = [];
  for (const { key: hash, value: entry } of trieEntriesFrom(storage, start)) {
    if (found.length === limit) return { storage: Object.fromEntries(found), nextKey: toHex(hash) };
    found.push([toHex(hash), { key: toHex(entry.slot), value: toHex(padLeft(entry.value, WORD)) }]);
  }
  return { storage: Object.fromEntries(found), nextKey: null };
}

const EVERYTHING: AccountParts = { hasCode: true, hasStorage: true };

/** Returns a state as JSON in the form of geth: the root without `0x`, accounts by address. */
function* stateDumpView(state: WorldState): Steps<Json> {
  return { root: hexKey(state.root), accounts: yield* accountsView(state.accounts(), EVERYTHING) };
}

/** Returns a page of {@link stateDumpView}; `next` is the hash of the next page's first account. */
function* accountRangeView(state: WorldState, page: AccountPage): Steps<Json> {
  const shown: Account[] = [];
  let next: Json = {};
  for (const account of state.accountsFrom(page.start)) {
    if (shown.length === page.limit) {
      next = { next: toHex(keccak256(account.address)) };
      break;
    }
    shown.push(account);
  }
  return { root: hexKey(state.root), accounts: yield* accountsView(shown, page), ...next };
}

function accountsView(accounts: Iterable<Account>, { hasCode, hasStorage }: AccountParts): Steps<Json> {
  return accountsJson(accounts, function* (account) {
    const { address, nonce, balance, code, storage } = account;
    return accountJson(GETH_ACCOUNT, {
      address,
      addressHash: keccak256(address),
      nonce,
      balance,
      codeText: hasCode ? yield* hexInSteps(code.bytes) : '0x',
      codeHash: code.hash,
      storageRoot: storageRoot(storage),
      storage: hasStorage ? yield* storageJson(GETH_STORAGE, trieValues(storage)) : undefined,
    });
  });
}

/** The default and maximum number of accounts of a page (geth's `AccountRangeMaxResults`). */
const MAX_ACCOUNTS = 256;

/** Work units per changed account, whose storage root may have to be encoded. */
const CHANGED_ACCOUNT_WORK = 2_000;

/**
 * Returns the addresses of the accounts that differ between two states: after the start block and after the
 * end block. Without an end block, it compares the states before and after the start block. Throws
 * {@link InvalidParamsError} unless `end` is above `start`.
 */
async function modifiedAccounts(
  { node: { chain }, deadline, settings }: RpcContext,
  start: BlockSelector,
  end: BlockSelector | null,
): Promise<readonly string[] | null> {
  if (settings.compat.emptyForUnknownBlock && (await chain.block(end ?? start)) === undefined) return null;
  const from = await chain.view(start);
  const { number } = from.block.header;
  const to = end === null ? from : await chain.view(end);
  const before = end === null ? await stateBelow(chain, number) : from.state;
  if (end !== null && to.block.header.number <= number) {
    const got = `the blocks ${number} and ${to.block.header.number}`;
    throw new InvalidParamsError('end', 'a block above start', got);
  }
  const changed = to.state.changedSince(before);
  return deadline.run(mapInSteps(changed, () => CHANGED_ACCOUNT_WORK, toHex));
}

/** Returns the state before a block. The genesis has no parent, so its own state is returned. */
async function stateBelow(chain: Chain, number: number): Promise<WorldState> {
  const { blocks } = chain;
  const below = blocks.isPruned(number - 1) ? number - 1 : Math.max(number - 1, blocks.first);
  return (await chain.view({ number: BigInt(below) })).state;
}

const MODIFIED_RESULT = {
  description: 'The addresses, in the order of their hashes',
  schema: { type: 'array', items: address.jsonSchema },
} as const;

const MODIFIED_DIFFERS = 'Also lists deleted accounts';

const modifiedOnFork = {
  kind: 'range',
  answer: async (call: ForkCall) => (await import('../../fork/fork-ranges.ts')).modifiedAccounts(call),
} as const;

/** Work units to compare the code hash of an account. */
const CODE_HASH_WORK = 2_000;

/** Returns the code with a hash (32 bytes) among the accounts of a state; `null` if no account has it. */
function* codeByHash(state: WorldState, hash: Uint8Array): Steps<Hex | null> {
  if (equalBytes(hash, KECCAK_EMPTY)) return toHex(EMPTY_BYTES);
  for (const { code } of state.accounts()) {
    if (equalBytes(code.hash, hash)) return yield* hexInSteps(code.bytes);
    yield CODE_HASH_WORK;
  }
  return null;
}

const CODE_ON_FORK = {
  kind: 'range',
  answer: async (call: ForkCall) => (await import('../../fork/fork-ranges.ts')).codeByHash(call),
} as const;

const CODE_RESULT = {
  description: 'The code, or null if no account of the state has it',
  schema: orNull(data.jsonSchema),
} as const;

/** The prefix of code hashes in the database of geth: the character `c`. */
const CODE_PREFIX = 0x63;

/** The key of a contract's code in the database of geth. Other keys do not exist on this node. */
const codeKey = refined(data, (key) =>
  key.length === 1 + WORD && key[0] === CODE_PREFIX
    ? { value: key.subarray(1) }
    : { path: [], expected: 'the byte 0x63 and a code hash of 32 bytes (other keys are not supported)' },
);

export const DEBUG_STATE: readonly Method[] = [
  /**
   * Returns an account after a transaction of a block, as the transaction left it. Rejects for an index without
   * a transaction, except 0 in an empty block.
   */
  defineMethod({
    name: 'debug_accountInfoAt',
    summary: 'Balance, nonce and code of an account after a transaction',
    priority: 'low',
    params: [param('block', blockSelector), param('transactionIndex', index), param('address', address)],
    fork: { kind: 'block', at: 0, answer: 'anything', executes: true },
    result: {
      description: 'The account, with zeros if it does not exist',
      schema: objectSchema({
        balance: QUANTITY_JSON_SCHEMA,
        nonce: QUANTITY_JSON_SCHEMA,
        code: data.jsonSchema,
      }),
    },
    handler: async (context, selector, transactionIndex, account) => {
      const block = await requireBlock(context, selector);
      requireTransactionIndex(block, transactionIndex);
      const { chain } = context.node;
      const { deadline } = context;
      const state = await chain.simulation.stateBefore(block, transactionIndex + 1, deadline);
      const found = state.account(account);
      return {
        balance: toQuantity(found?.balance ?? 0n),
        nonce: toQuantity(found?.nonce ?? 0n),
        code: await deadline.run(hexInSteps(found?.code.bytes ?? EMPTY_BYTES)),
      };
    },
  }),
  /** Finds the code of any account in the state, also code that `anvil_setCode` set. */
  defineMethod({
    name: 'debug_codeByHash',
    summary: 'The code with a Keccak-256 hash',
    differs: 'Finds only code of accounts in the state after the block. On a fork, the fork URL is asked too',
    priority: 'low',
    params: [param('codeHash', word32), optional('block', blockSelector, LATEST)],
    fork: CODE_ON_FORK,
    result: CODE_RESULT,
    handler: async ({ node: { chain }, deadline }, hash, selector) =>
      deadline.run(codeByHash((await chain.view(selector)).state, hash)),
  }),
  defineMethod({
    name: 'debug_dbGet',
    summary: 'A value of the database, by key: the code with a hash',
    differs: 'Supports only keys of code (`0x63` and the hash), as Anvil and reth',
    priority: 'low',
    params: [param('key', codeKey)],
    fork: CODE_ON_FORK,
    result: CODE_RESULT,
    handler: async ({ node: { chain }, deadline }, hash) =>
      deadline.run(codeByHash((await chain.view(LATEST)).state, hash)),
  }),
  /**
   * Returns accounts after a block in the order of their address hashes, in the form of debug_dumpBlock. The
   * first has the lowest hash from `start` on (DATA, padded with zeros on the right). A page has at most 256;
   * `next` is the start of the next page.
   */
  defineMethod({
    name: 'debug_accountRange',
    summary: 'The accounts in the state after a block, in pages',
    differs:
      '`next` is hexadecimal data, not Base64, and can be passed as `start` of the next request. Every account includes its address',
    priority: 'low',
    params: [
      param('block', blockSelector),
      optional('start', keyStart, new Uint8Array(32)),
      optional('limit', index, MAX_ACCOUNTS),
      optional('withoutCode', boolean, false),
      optional('withoutStorage', boolean, false),
      optional('incompletes', boolean, false),
    ],
    // Only the upstream has the whole state at the fork block.
    fork: { kind: 'block', at: 0, answer: 'anything' },
    result: {
      description: 'The state root, the accounts by address, and the start of the next page',
      schema: {
        type: 'object',
        properties: {
          root: { type: 'string' },
          accounts: { type: 'object' },
          next: hash32.jsonSchema,
        },
        required: ['root', 'accounts'],
      },
    },
    handler: async (
      { node: { chain, fork }, deadline },
      selector,
      start,
      limit,
      withoutCode,
      withoutStorage,
    ) => {
      const { state } = await chain.view(selector);
      if (fork.current !== null) throw new PartialStateError('state');
      const page = {
        start,
        limit: limit === 0 ? MAX_ACCOUNTS : Math.min(limit, MAX_ACCOUNTS),
        hasCode: !withoutCode,
        hasStorage: !withoutStorage,
      };
      return deadline.run(accountRangeView(state, page));
    },
  }),
  /** Includes code and storage. Numbers are decimal; storage digits have no `0x`. */
  defineMethod({
    name: 'debug_dumpBlock',
    summary: 'All accounts in the state after a block',
    priority: 'low',
    params: [param('block', blockNumberSelector)],
    // Only the upstream has the whole state at the fork block.
    fork: { kind: 'block', at: 0, answer: 'anything' },
    result: {
      description: 'The state root and the accounts by address',
      schema: {
        type: 'object',
        properties: { root: { type: 'string' }, accounts: { type: 'object' } },
        required: ['root', 'accounts'],
      },
    },
    handler: async ({ node: { chain, fork }, deadline }, selector) => {
      const { state } = await chain.view(selector);
      if (fork.current !== null) throw new PartialStateError('state');
      return deadline.run(stateDumpView(state));
    },
  }),
  /**
   * Returns a contract's storage slots before a transaction of a block, in the order of their hashes. The
   * first has the lowest hash from `start` on; `nextKey` is the hash after the page. Rejects for an index
   * without a transaction, except 0 in an empty block, and for an unknown account.
   */
  defineMethod({
    name: 'debug_storageRangeAt',
    summary: 'The storage slots of a contract before a transaction, in pages',
    params: [
      param('block', blockSelector),
      param('transactionIndex', index),
      param('address', address),
      param('start', storageSlot),
      param('limit', pageSize),
    ],
    // Only the upstream has the whole state at the fork block.
    fork: { kind: 'block', at: 0, answer: 'anything' },
    result: {
      description: 'Slots and values by slot hash, and the start of the next page',
      schema: {
        type: 'object',
        properties: { storage: { type: 'object' }, nextKey: orNull(hash32.jsonSchema) },
        required: ['storage', 'nextKey'],
      },
    },
    handler: async (context, selector, transactionIndex, contract, start, limit) => {
      const block = await requireBlock(context, selector);
      const { chain } = context.node;
      const { deadline } = context;
      requireTransactionIndex(block, transactionIndex);
      const state = await chain.simulation.stateBefore(block, transactionIndex, deadline);
      const account = state.account(contract);
      if (account === undefined) throw new NoAccountError(contract);
      if (account.storageSource !== undefined)
        throw new PartialStateError('storage of a contract from the forked chain');
      return storageRangeView(account.storage, start, limit);
    },
  }),
  defineMethod({
    name: 'debug_getModifiedAccountsByHash',
    summary: 'The accounts changed by a block or a range of blocks, by hash',
    differs: MODIFIED_DIFFERS,
    params: [param('start', hash32), optional<Uint8Array | null>('end', hash32, null)],
    fork: modifiedOnFork,
    result: MODIFIED_RESULT,
    handler: (context, start, end) =>
      modifiedAccounts(context, { hash: start }, end === null ? null : { hash: end }),
  }),
  /**
   * Returns the accounts whose nonce, balance, code or storage a block changed. With a second block, the
   * changes of all blocks after the first are combined. An account with its original values is not listed.
   */
  defineMethod({
    name: 'debug_getModifiedAccountsByNumber',
    summary: 'The accounts changed by a block or a range of blocks',
    differs: MODIFIED_DIFFERS,
    params: [
      param('start', blockNumberSelector),
      optional<BlockSelector | null>('end', blockNumberSelector, null),
    ],
    fork: modifiedOnFork,
    result: MODIFIED_RESULT,
    handler: modifiedAccounts,
  }),
];
