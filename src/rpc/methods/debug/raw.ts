import type { BlockSelector } from '../../../chain/block-selector.ts';
import type { Awaitable } from '../../../primitives/awaitable.ts';
import { type Hex, toHex } from '../../../primitives/hex.ts';
import { hexInSteps, type Steps } from '../../../primitives/steps.ts';
import { encodeAccessList } from '../../../protocol/block-access-list.ts';
import { encodeBlock, encodeHeader } from '../../../protocol/header-encoding.ts';
import { encodeReceipt, type Receipt } from '../../../protocol/receipt.ts';
import { requireBlock } from '../../block-answers.ts';
import { blockSelector } from '../../codecs/block-selector.ts';
import { data } from '../../codecs/hex-values.ts';
import type { EncodableSource, Parts } from '../../fork/derived-raw.ts';
import { defineMethod, type ForkRule, type Method, param } from '../../method.ts';
import type { RpcContext } from '../../rpc-context.ts';

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

function rawBlock({ block, rules, deadline }: EncodableSource): Awaitable<Hex> {
  return deadline.run(hexInSteps(encodeBlock(block, rules.encoding)));
}

function rawHeader({ block, rules }: EncodableSource): Hex {
  return toHex(encodeHeader(block.header, rules.encoding));
}

function rawReceipts({ block, rules, deadline }: EncodableSource): Awaitable<Hex[]> {
  const { receipts, transactions } = block;
  const encode = (receipt: Receipt, index: number): Steps<Uint8Array> =>
    encodeReceipt(receipt, transactions[index]?.type ?? 0, rules.encoding);
  return deadline.run(encodedItems(receipts, encode));
}

function rawTransactions({ block, deadline }: EncodableSource): Awaitable<Hex[]> {
  return deadline.run(encodedItems(block.transactions, ({ raw }) => raw));
}

/** Resolves to the selected block of the local chain. Rejects as {@link requireBlock}. */
async function localSource(context: RpcContext, selector: BlockSelector): Promise<EncodableSource> {
  const { node, deadline } = context;
  return { block: await requireBlock(context, selector), rules: node.chain.ruleSet, deadline };
}

/** The rule of a method that encodes the block, if the upstream does not. */
function rawOfUpstream(parts: Parts, answer: (source: EncodableSource) => unknown): ForkRule {
  return {
    kind: 'block',
    at: 0,
    answer: 'anything',
    derive: async (call) => (await import('../../fork/derived-raw.ts')).ofBlock(call, parts, answer),
  };
}

export const DEBUG_RAW: readonly Method[] = [
  defineMethod({
    name: 'debug_getRawBlock',
    summary: 'The RLP encoding of a block',
    params: [param('block', blockSelector)],
    fork: rawOfUpstream('everything', rawBlock),
    result: { description: 'The block in RLP', schema: data.jsonSchema },
    handler: async (context, selector) => rawBlock(await localSource(context, selector)),
  }),
  /** The Keccak hash of the header is the block hash. */
  defineMethod({
    name: 'debug_getRawHeader',
    summary: 'The RLP encoding of a block header',
    params: [param('block', blockSelector)],
    fork: rawOfUpstream('header', rawHeader),
    result: { description: 'The header in RLP', schema: data.jsonSchema },
    handler: async (context, selector) => rawHeader(await localSource(context, selector)),
  }),
  /** Executes the block again (EIP-7928). */
  defineMethod({
    name: 'debug_getRawBlockAccessList',
    summary: 'The RLP encoding of a block access list',
    params: [param('block', blockSelector)],
    fork: { kind: 'block', at: 0, answer: 'anything', executes: true },
    result: {
      description: 'The list in RLP; an error if the hardfork has no block access lists',
      schema: data.jsonSchema,
    },
    handler: async (context, selector) => {
      const { chain } = context.node;
      const { deadline } = context;
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
    fork: rawOfUpstream('receipts', rawReceipts),
    result: { description: 'The receipts in RLP', schema: { type: 'array', items: data.jsonSchema } },
    handler: async (context, selector) => rawReceipts(await localSource(context, selector)),
  }),
  defineMethod({
    name: 'debug_getRawTransactions',
    summary: 'The encoded transactions of a block',
    params: [param('block', blockSelector)],
    fork: rawOfUpstream('transactions', rawTransactions),
    result: { description: 'The signed transactions', schema: { type: 'array', items: data.jsonSchema } },
    handler: async (context, selector) => {
      const { node, settings } = context;
      if (settings.compat.emptyForUnknownBlock && (await node.chain.block(selector)) === undefined) return [];
      return rawTransactions(await localSource(context, selector));
    },
  }),
];
