import type { BlockSelector } from '../../../chain/block-selector.ts';
import type { Awaitable } from '../../../primitives/awaitable.ts';
import { padLeft } from '../../../primitives/bytes.ts';
import { toHex, toQuantity } from '../../../primitives/hex.ts';
import { hexInSteps, mapInSteps } from '../../../primitives/steps.ts';
import {
  type AccountAccess,
  encodeAccessList,
  type IndexedChange,
} from '../../../protocol/block-access-list.ts';
import { type JsonSchema, objectSchema, orNull } from '../../../wire/values.ts';
import { blockNumberSelector, blockSelector } from '../../codecs/block-selector.ts';
import { address, data, hash32, QUANTITY_JSON_SCHEMA } from '../../codecs/hex-values.ts';
import { defineMethod, type Method, param } from '../../method.ts';
import type { RpcContext } from '../../rpc-context.ts';

function changesSchema(name: 'value' | 'code', schema: JsonSchema): JsonSchema {
  return { type: 'array', items: objectSchema({ index: QUANTITY_JSON_SCHEMA, [name]: schema }) };
}

/** The form of execution-apis. */
const ACCESS_LIST_JSON_SCHEMA: JsonSchema = orNull({
  type: 'array',
  items: objectSchema({
    address: address.jsonSchema,
    storageChanges: {
      type: 'array',
      items: objectSchema({ key: hash32.jsonSchema, changes: changesSchema('value', hash32.jsonSchema) }),
    },
    storageReads: { type: 'array', items: hash32.jsonSchema },
    balanceChanges: changesSchema('value', QUANTITY_JSON_SCHEMA),
    nonceChanges: changesSchema('value', QUANTITY_JSON_SCHEMA),
    codeChanges: changesSchema('code', data.jsonSchema),
  }),
});

function changes<Value>(
  list: readonly IndexedChange<Value>[],
  spelled: (value: Value) => string,
  name: 'value' | 'code' = 'value',
): object[] {
  return list.map(({ index, value }) => ({ index: toQuantity(index), [name]: spelled(value) }));
}

const wordHex = (bytes: Uint8Array): string => toHex(padLeft(bytes, 32));

function accessView(account: AccountAccess): object {
  return {
    address: toHex(account.address),
    storageChanges: account.storageChanges.map((slot) => ({
      key: toHex(slot.slot),
      changes: changes(slot.changes, wordHex),
    })),
    storageReads: account.storageReads.map(toHex),
    balanceChanges: changes(account.balanceChanges, toQuantity),
    nonceChanges: changes(account.nonceChanges, toQuantity),
    codeChanges: changes(account.codeChanges, toHex, 'code'),
  };
}

/** Characters of JSON per account without slots and code, and per slot. */
const ACCOUNT_SIZE = 250;
const SLOT_SIZE = 200;

function sizeOf({ storageChanges, storageReads, codeChanges }: AccountAccess): number {
  const code = codeChanges.reduce((sum, { value }) => sum + 2 * value.length, 0);
  return ACCOUNT_SIZE + SLOT_SIZE * (storageChanges.length + storageReads.length) + code;
}

async function answer(
  { node: { chain }, deadline }: RpcContext,
  selector: BlockSelector,
): Promise<Awaitable<object[]> | null> {
  chain.access.requireLists();
  const block = await chain.block(selector);
  if (block === undefined) return null;
  const list = await chain.access.of(block, deadline);
  return deadline.run(mapInSteps(list, sizeOf, accessView));
}

async function rawAnswer(
  { node: { chain }, deadline }: RpcContext,
  selector: BlockSelector,
): Promise<Awaitable<string> | null> {
  chain.access.requireLists();
  const block = await chain.block(selector);
  if (block === undefined) return null;
  const list = await chain.access.of(block, deadline);
  return deadline.run(hexInSteps(encodeAccessList(list)));
}

const RESULT = {
  description: 'Reads and changes by address, or null; an error if the hardfork has no block access lists',
  schema: ACCESS_LIST_JSON_SCHEMA,
} as const;

export const ETH_ACCESS_LISTS: readonly Method[] = [
  /**
   * Returns the access list of a block (EIP-7928), by executing it again: all accounts and slots that it
   * reads, and their changes. Index 0 is before the transactions; each transaction has its index from 1 on,
   * and the last index is after them. `null` if the block does not exist.
   */
  defineMethod({
    name: 'eth_getBlockAccessList',
    summary: 'The block access list: the accounts and slots that a block reads and changes',
    params: [param('block', blockSelector)],
    fork: { kind: 'block', at: 0, answer: 'anything', executes: true },
    result: RESULT,
    handler: answer,
  }),
  defineMethod({
    name: 'eth_getBlockAccessListByBlockHash',
    summary: 'The block access list of a block, by hash',
    params: [param('blockHash', hash32)],
    fork: { kind: 'block', at: 0, answer: 'anything', executes: true },
    result: RESULT,
    handler: (context, hash) => answer(context, { hash }),
  }),
  defineMethod({
    name: 'eth_getBlockAccessListByBlockNumber',
    summary: 'The block access list of a block, by number',
    params: [param('block', blockNumberSelector)],
    fork: { kind: 'block', at: 0, answer: 'anything', executes: true },
    result: RESULT,
    handler: answer,
  }),
  /** Returns the list whose Keccak hash is in the header, by executing the block again. */
  defineMethod({
    name: 'eth_getBlockAccessListRaw',
    summary: 'The RLP encoding of a block access list, or null',
    params: [param('block', blockSelector)],
    fork: { kind: 'block', at: 0, answer: 'anything', executes: true },
    result: {
      description: 'The list in RLP, or null; an error if the hardfork has no block access lists',
      schema: orNull(data.jsonSchema),
    },
    handler: rawAnswer,
  }),
];
