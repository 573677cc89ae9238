import type { StorageNode, StoragePage } from '../../../inspect/storage/storage-tree.ts';
import { toHex, toQuantity } from '../../../primitives/hex.ts';
import { text } from '../../codecs/basic.ts';
import { blockSelector, LATEST } from '../../codecs/block-selector.ts';
import { describeValue, exactObjectOf } from '../../codecs/codec.ts';
import { address, countUpTo, index } from '../../codecs/hex-values.ts';
import { InvalidParamsError } from '../../errors.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';

const MOST_ITEMS = 1000;
const ITEMS = 100;

const itemCount = countUpTo(MOST_ITEMS, 'items');

const storagePage = exactObjectOf(
  { variable: text, first: index, count: itemCount },
  'an object with variable, first and count',
);

/** A variable as JSON. Trees are at most as deep as `StorageTree` goes. */
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
   * Lists the state variables of the contract at an address with their values after a block; of a proxy those of its
   * implementation. Values are as decoded arguments are. Structs, arrays and mappings have `items`, with `hasMore` where there
   * are others; `page` asks for those of one variable by its whole name (`pairs[5].amounts`), from the item `first` on. Mappings do
   * not keep their keys: entries are those with keys that the latest transactions of the contract on this chain hashed, and that are
   * not zero. `unnamedCount` says how many slots hold something else: with 0 nothing is missing. It is `null` where the slots of the
   * contract are not known here, for a contract of the upstream of a fork and beyond 10,000 slots. On a fork, slots are fetched one by one.
   */
  defineMethod({
    name: 'inspect_storage',
    summary: 'The storage of a contract after a block, by variable',
    begins: 'late',
    params: [
      param('address', address),
      optional('block', blockSelector, LATEST),
      optional('page', storagePage, null),
    ],
    fork: { kind: 'state', at: 1, answer: 'anything' },
    result: {
      description:
        'The contract whose layout names the variables, where that comes from (`compiler`, `syntaxTree` or null), the variables, and what nothing names',
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
    handler: async ({ chain, inspector, checkInterrupt }, account, selector, page) => {
      const { block, state } = await chain.view(selector);
      await inspector.ready();
      const wanted: StoragePage = {
        variable: page?.variable ?? null,
        first: page?.first ?? 0,
        count: page?.count ?? ITEMS,
      };
      const blockNumber = Math.min(block.header.number, chain.head().header.number);
      const question = { state, address: account, blockNumber, page: wanted, checkInterrupt };
      const { contract, implementation, storage } = await (await inspector.load()).storage(question);
      if (storage === null) {
        const expected = 'the whole name of a variable of the contract';
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
  /** Lists the accounts that are impersonated by name, in the order in which that began, and says whether all others are too. */
  defineMethod({
    name: 'inspect_impersonation',
    summary: 'The accounts that are impersonated',
    begins: 'early',
    params: [],
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
    handler: ({ chain: { impersonation } }) => ({
      accounts: impersonation.addresses().map(toHex),
      automatic: impersonation.record.isAutomatic,
    }),
  }),
];
