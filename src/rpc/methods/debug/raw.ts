import { type Hex, toHex } from '../../../primitives/hex.ts';
import { hexInSteps, type Steps } from '../../../primitives/steps.ts';
import { encodeAccessList } from '../../../protocol/block-access-list.ts';
import { encodeBlock, encodeHeader } from '../../../protocol/header-encoding.ts';
import { encodeReceipt, type Receipt } from '../../../protocol/receipt.ts';
import { requireBlock } from '../../block-answers.ts';
import { blockSelector } from '../../codecs/block-selector.ts';
import { data } from '../../codecs/hex-values.ts';
import { defineMethod, type Method, param } from '../../method.ts';

/** Work units per encoded receipt or transaction, in addition to its bytes. */
const ITEM_WORK = 2_000;

/** Encodes the items as DATA. Yields if they are many or long. */
function* encodedItems<Item>(
  items: readonly Item[],
  encode: (item: Item, index: number) => Uint8Array | Steps<Uint8Array>,
): Steps<Hex[]> {
  const texts: Hex[] = [];
  for (const [index, item] of items.entries()) {
    const made = encode(item, index);
    const encoded = made instanceof Uint8Array ? made : yield* made;
    yield ITEM_WORK + encoded.length;
    texts.push(yield* hexInSteps(encoded));
  }
  return texts;
}

export const DEBUG_RAW: readonly Method[] = [
  defineMethod({
    name: 'debug_getRawBlock',
    summary: 'The RLP encoding of a block',
    params: [param('block', blockSelector)],
    fork: { kind: 'block', at: 0, answer: 'anything' },
    result: { description: 'The block in RLP', schema: data.jsonSchema },
    handler: async (context, selector) => {
      const block = await requireBlock(context, selector);
      const encoded = encodeBlock(block, context.node.chain.ruleSet.encoding);
      return context.deadline.run(hexInSteps(encoded));
    },
  }),
  /** The Keccak hash of the header is the block hash. */
  defineMethod({
    name: 'debug_getRawHeader',
    summary: 'The RLP encoding of a block header',
    params: [param('block', blockSelector)],
    fork: { kind: 'block', at: 0, answer: 'anything' },
    result: { description: 'The header in RLP', schema: data.jsonSchema },
    handler: async (context, selector) => {
      const { header } = await requireBlock(context, selector);
      return toHex(encodeHeader(header, context.node.chain.ruleSet.encoding));
    },
  }),
  /** Executes the block again (EIP-7928). */
  defineMethod({
    name: 'debug_getRawBlockAccessList',
    summary: 'The RLP encoding of a block access list',
    params: [param('block', blockSelector)],
    fork: { kind: 'block', at: 0, answer: 'anything' },
    result: {
      description: 'The list in RLP; an error if the hardfork has no block access lists',
      schema: data.jsonSchema,
    },
    handler: async (context, selector) => {
      const {
        node: { chain },
        deadline,
      } = context;
      chain.access.requireLists();
      const list = await chain.access.of(await requireBlock(context, selector), deadline);
      return deadline.run(hexInSteps(encodeAccessList(list)));
    },
  }),
  /** The receipts are encoded as in the receipts trie. */
  defineMethod({
    name: 'debug_getRawReceipts',
    summary: 'The encoded receipts of a block',
    params: [param('block', blockSelector)],
    fork: { kind: 'block', at: 0, answer: 'anything' },
    result: { description: 'The receipts in RLP', schema: { type: 'array', items: data.jsonSchema } },
    handler: async (context, selector) => {
      const { receipts, transactions } = await requireBlock(context, selector);
      const { encoding } = context.node.chain.ruleSet;
      const encode = (receipt: Receipt, index: number): Steps<Uint8Array> =>
        encodeReceipt(receipt, transactions[index]?.type ?? 0, encoding);
      return context.deadline.run(encodedItems(receipts, encode));
    },
  }),
  defineMethod({
    name: 'debug_getRawTransactions',
    summary: 'The encoded transactions of a block',
    params: [param('block', blockSelector)],
    fork: { kind: 'block', at: 0, answer: 'anything' },
    result: { description: 'The signed transactions', schema: { type: 'array', items: data.jsonSchema } },
    handler: async (context, selector) => {
      const { transactions } = await requireBlock(context, selector);
      return context.deadline.run(encodedItems(transactions, ({ raw }) => raw));
    },
  }),
];
