import { LATEST } from '../../../chain/block-selector.ts';
import type { Chain } from '../../../chain/chain.ts';
import { OfflineError } from '../../../fork/errors.ts';
import type { Fork } from '../../../fork/fork.ts';
import type { ForkedContract } from '../../../inspect/storage/contract-storage-tree.ts';
import type { StorageNode, StoragePage } from '../../../inspect/storage/storage-tree.ts';
import { type UserKey, UserKeyError, type UserKeys } from '../../../inspect/storage/user-keys.ts';
import { toHex, toQuantity } from '../../../primitives/hex.ts';
import { recordOf, text } from '../../codecs/basic.ts';
import { blockSelector } from '../../codecs/block-selector.ts';
import { arrayOf, chosenBy, describeValue, exactObjectOf, leaf, refined } from '../../codecs/codec.ts';
import { address, countUpTo, index } from '../../codecs/hex-values.ts';
import { InvalidParamsError } from '../../errors.ts';
import { contractLogs } from '../../fork/contract-logs.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';

const MAX_ITEMS = 1000;
const ITEMS = 100;

const itemCount = countUpTo(MAX_ITEMS, 'items');

/** Maximum keys of all mappings in a request. */
const MAX_KEYS = 1000;
/** Maximum nesting of mappings. */
const MAX_PATH_LENGTH = 16;

const mappingKey = leaf<UserKey>(
  'a key: a string, a number, true or false',
  { oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] },
  (value) =>
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined,
);
const oneKey = refined(mappingKey, (key) => ({ value: [key] }));
const keyPath = arrayOf(
  mappingKey,
  `an array of at most ${MAX_PATH_LENGTH} keys, the outermost mapping first`,
  MAX_PATH_LENGTH,
);
const keyOrPath = chosenBy<UserKey[]>(
  (value) => (Array.isArray(value) ? keyPath : oneKey),
  [oneKey, keyPath],
);

const mappingKeys = refined(
  recordOf(
    text,
    arrayOf(keyOrPath, `an array of at most ${MAX_KEYS} keys`, MAX_KEYS),
    'an object whose keys are mapping names and whose values are arrays of keys',
    (variable, paths): UserKeys => ({ variable, paths }),
  ),
  (keys) =>
    keys.reduce((sum, { paths }) => sum + paths.length, 0) > MAX_KEYS
      ? { path: [], expected: `at most ${MAX_KEYS} keys` }
      : { value: keys },
);

const storagePage = exactObjectOf(
  { variable: text, first: index, count: itemCount, keys: mappingKeys },
  'an object with variable, first, count and keys',
);

/** Returns the error of an invalid key as {@link InvalidParamsError}; other errors unchanged. */
function keyErrorOf(error: unknown): unknown {
  if (!(error instanceof UserKeyError)) return error;
  const [variable = '', ...indexes] = error.path;
  const path = `page.keys.${String(variable).slice(0, MAX_NAME_LENGTH)}${indexes.map((at) => `[${at}]`).join('')}`;
  return new InvalidParamsError(path, error.expected, describeValue(error.got));
}

/** Maximum characters of a mapping's name in an error. */
const MAX_NAME_LENGTH = 100;

/** Returns the contract's part of the forked chain. The log reports a failed search for logs. */
function forkedContract(chain: Chain, fork: Fork, account: Uint8Array): ForkedContract {
  const report = (reason: string): void =>
    chain.events.emit(
      'notice',
      `inspect_storage lists fewer mapping entries of ${toHex(account)}, because the fork URL returned no logs: ${reason}`,
    );
  return {
    logs: () => contractLogs(fork, account, report),
    isNotCached: (error) => error instanceof OfflineError,
  };
}

/** Returns a variable as JSON. `StorageTree` limits the depth of the tree. */
function nodeView({ slot, length, items, ...node }: StorageNode): object {
  return {
    ...node,
    slot: toQuantity(slot),
    length: length === null ? null : String(length),
    items: items === null ? null : items.map(nodeView),
  };
}

export const INSPECT_ACCOUNTS: readonly Method[] = [
  /**
   * Lists the state variables of the contract at an address with their values after a block. For a proxy,
   * these are the variables of its implementation. Values have the form of decoded arguments. Structs, arrays
   * and mappings have `items`. `hasMore` is true if a variable has more items. `page.variable` selects one
   * variable by its full name (`pairs[5].amounts`), and `page.first` its first item.
   *
   * Mappings do not contain their keys. Entries are listed if the latest transactions of the contract on this
   * chain hashed their keys, and if they are not zero. `hasUnknownKeys` is true for a mapping that may have
   * other entries. `page.keys` names keys: `{ balances: ['0x70…'], allowances: [['0x70…', '0x3c…']] }`. Each
   * key of a nested mapping is an array, the outermost key first. Entries of named keys are listed even if
   * they are zero.
   *
   * For a contract of a forked chain, the node also tries its own accounts as keys. Other tried keys are the
   * words in logs and transactions of the contract. The search for logs covers the last 500 blocks up to the
   * fork block. At most 500 slots are read. For other entries, name the keys.
   *
   * `unnamedCount` is the number of other slots that are not zero: with 0, all storage is listed. It is
   * `null` if the node does not know the slots in use: for a contract of a forked chain, and beyond 10,000
   * slots. On a fork, slots are fetched in batches.
   *
   * @example
   * await request('inspect_storage', [token, 'latest', { variable: 'balances', keys: { balances: [holder] } }]);
   */
  defineMethod({
    name: 'inspect_storage',
    summary: 'The storage of a contract after a block, decoded by variable',
    priority: 'low',
    params: [
      param('address', address),
      optional('block', blockSelector, LATEST),
      optional('page', storagePage, null),
    ],
    fork: { kind: 'state', at: 1, answer: 'anything', executes: true },
    result: {
      description:
        'The contract, the `origin` of its storage layout (`compiler`, `syntaxTree` or null), its variables, and the slots that belong to no variable',
      schema: {
        type: 'object',
        properties: {
          address: { type: 'string' },
          contract: { anyOf: [{ type: 'string' }, { type: 'null' }] },
          implementation: { anyOf: [{ type: 'string' }, { type: 'null' }] },
          origin: { anyOf: [{ type: 'string' }, { type: 'null' }] },
          variables: { type: 'array', items: { type: 'object' } },
          unnamed: { type: 'array', items: { type: 'object' } },
          unnamedCount: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
        },
        required: ['address', 'contract', 'implementation', 'origin', 'variables', 'unnamed', 'unnamedCount'],
      },
    },
    handler: async ({ node: { chain, inspector, fork }, deadline }, account, selector, page) => {
      const { block, state } = await chain.view(selector);
      await inspector.ready();
      const wanted: StoragePage = {
        variable: page?.variable ?? null,
        first: page?.first ?? 0,
        count: page?.count ?? ITEMS,
      };
      const blockNumber = Math.min(block.header.number, chain.head().header.number);
      const keys = page?.keys ?? [];
      const forked = fork.current === null ? null : forkedContract(chain, fork.current, account);
      const at = { state, address: account, blockNumber };
      const question = { ...at, page: wanted, keys, forked, checkCancelled: deadline };
      const loaded = await inspector.load();
      const { contract, implementation, storage } = await loaded.storage(question).catch((error: unknown) => {
        throw keyErrorOf(error);
      });
      if (storage === null) {
        const expected = 'the full name of a variable of the contract';
        throw new InvalidParamsError('page.variable', expected, describeValue(wanted.variable));
      }
      return {
        address: toHex(account),
        contract,
        implementation: implementation === null ? null : toHex(implementation),
        origin: storage.origin,
        variables: storage.variables.map(nodeView),
        unnamed: storage.unnamed.map(({ slot, word }) => ({ slot: toQuantity(slot), word })),
        unnamedCount: storage.unnamedCount,
      };
    },
  }),
  defineMethod({
    name: 'inspect_impersonation',
    summary: 'The impersonated accounts',
    priority: 'high',
    result: {
      description: 'The addresses, and whether every account is impersonated',
      schema: {
        type: 'object',
        properties: {
          accounts: { type: 'array', items: address.jsonSchema },
          automatic: { type: 'boolean' },
        },
        required: ['accounts', 'automatic'],
      },
    },
    handler: ({
      node: {
        chain: { impersonation },
      },
    }) => ({
      accounts: impersonation.addresses().map(toHex),
      automatic: impersonation.record.isAutomatic,
    }),
  }),
];
