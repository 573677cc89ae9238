import { type Hex, toHex } from '../../../primitives/hex.ts';
import { encodeAccessList } from '../../../protocol/block-access-list.ts';
import { encodeBlock, encodeHeader } from '../../../protocol/header-encoding.ts';
import { encodeReceiptInPieces, type Receipt } from '../../../protocol/receipt.ts';
import { runTask, type Task } from '../../../scheduling/task.ts';
import { hexInPieces, WorkPieces } from '../../../scheduling/work-pieces.ts';
import { requireBlock } from '../../block-answers.ts';
import { blockSelector } from '../../codecs/block-selector.ts';
import { data } from '../../codecs/hex-values.ts';
import { defineMethod, type Method, param } from '../../method.ts';

/** Work units per encoded receipt or transaction, in addition to its bytes. */
const ITEM_WORK = 2_000;

/** Encodes the items as DATA. Yields if they are many or long. */
function* encodedInPieces<Item>(
  items: readonly Item[],
  encode: (item: Item, index: number) => Uint8Array | Task<Uint8Array>,
  pieces: WorkPieces,
): Task<Hex[]> {
  const texts: Hex[] = [];
  for (const [index, item] of items.entries()) {
    const made = encode(item, index);
    const encoded = made instanceof Uint8Array ? made : yield* made;
    const turn = pieces.spend(ITEM_WORK + encoded.length);
    if (turn !== undefined) yield turn;
    texts.push(yield* hexInPieces(encoded, pieces));
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
      return runTask(hexInPieces(encoded, new WorkPieces(context.deadline)));
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
      return runTask(hexInPieces(encodeAccessList(list), new WorkPieces(deadline)));
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
      const pieces = new WorkPieces(context.deadline);
      const encode = (receipt: Receipt, index: number): Task<Uint8Array> =>
        encodeReceiptInPieces(receipt, transactions[index]?.type ?? 0, encoding, pieces);
      return runTask(encodedInPieces(receipts, encode, pieces));
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
      const pieces = new WorkPieces(context.deadline);
      return runTask(encodedInPieces(transactions, ({ raw }) => raw, pieces));
    },
  }),
];
