import type { BlockSelector } from '../../../chain/block-selector.ts';
import { LATEST } from '../../../chain/block-selector.ts';
import { type Awaitable, whenReady } from '../../../primitives/awaitable.ts';
import { EMPTY_BYTES, equalBytes, stripLeadingZeros } from '../../../primitives/bytes.ts';
import { type Hex, toHex, toQuantity } from '../../../primitives/hex.ts';
import { hexInSteps, type Steps } from '../../../primitives/steps.ts';
import type { Block, TransactionLocation } from '../../../protocol/block.ts';
import type { Encoding } from '../../../protocol/field-kinds.ts';
import { encodeHeader } from '../../../protocol/header-encoding.ts';
import { encodeReceipt } from '../../../protocol/receipt.ts';
import { orderedTrieProof } from '../../../state/trie/ordered-trie.ts';
import { tolerantWord } from '../../../wire/tolerant.ts';
import { orNull } from '../../../wire/values.ts';
import { requireBlock } from '../../block-answers.ts';
import { blockSelector } from '../../codecs/block-selector.ts';
import { address, data, hash32, QUANTITY_JSON_SCHEMA, storageSlot } from '../../codecs/hex-values.ts';
import { PROTOCOL_VERSION } from '../../discovery.ts';
import { numberOfBlock } from '../../fork/answer-on-fork.ts';
import { fromRaw } from '../../fork/derivations.ts';
import type { EncodableSource } from '../../fork/derived-raw.ts';
import {
  defineMethod,
  type ForkCall,
  type ForkRule,
  type Method,
  NOT_UPSTREAM,
  param,
  peerOptional,
} from '../../method.ts';
import type { RpcContext } from '../../rpc-context.ts';

/** Work units per encoded receipt, in addition to its bytes. */
const RECEIPT_WORK = 2_000;

/**
 * Returns the encoded nodes of the block's receipts trie, from the leaf of one receipt to the root. They
 * prove the receipt to a client that has the header's `receiptsRoot`.
 */
function* receiptProof(block: Block, index: number, encoding: Encoding): Steps<Hex[]> {
  const receipts: Uint8Array[] = [];
  for (const [position, receipt] of block.receipts.entries()) {
    const type = block.transactions[position]?.type ?? 0;
    const encoded = yield* encodeReceipt(receipt, type, encoding);
    receipts.push(encoded);
    yield RECEIPT_WORK + encoded.length;
  }
  const nodes: Hex[] = [];
  for (const node of orderedTrieProof(receipts, index).reverse()) nodes.push(yield* hexInSteps(node));
  return nodes;
}

function* rawReceipt({ receipt, transaction }: TransactionLocation, encoding: Encoding): Steps<Hex> {
  const encoded = yield* encodeReceipt(receipt, transaction.type, encoding);
  return yield* hexInSteps(encoded);
}

/** rskj's result for an empty slot. */
const NO_BYTES = '0x0';

function storageBytes(value: Uint8Array): string {
  return value.length === 0 ? NO_BYTES : toHex(value);
}

/** Returns the bytes before the fork from the storage word: only few upstreams have a method for bytes. */
async function storageBytesOfUpstream({ context, fork, params }: ForkCall): Promise<unknown> {
  const [, , block] = params.decoded as [Uint8Array, Uint8Array, BlockSelector];
  const number = await numberOfBlock(context.node.chain, fork, block);
  const { blocks } = context.node.chain;
  if (number === undefined || number >= blocks.first || blocks.isPruned(number)) return NOT_UPSTREAM;
  const [contract, position] = params.values;
  const question = [contract, position, toQuantity(number)];
  const word = await fork.upstream.ask({ method: 'eth_getStorageAt', params: question, expects: 'word' });
  return storageBytes(stripLeadingZeros(tolerantWord(word) ?? EMPTY_BYTES));
}

function rawHeader({ block, rules }: Pick<EncodableSource, 'block' | 'rules'>): Hex {
  return toHex(encodeHeader(block.header, rules.encoding));
}

const RAW_HEADER_RULE = {
  kind: 'block',
  at: 0,
  answer: 'anything',
  derive: async (call) => (await import('../../fork/derived-raw.ts')).ofBlock(call, 'header', rawHeader),
} as const satisfies ForkRule;

/** Resolves to the encoded header of a block; `null` if the block is unknown. */
async function answerRawHeader(
  { node: { chain } }: RpcContext,
  selector: BlockSelector,
): Promise<Hex | null> {
  const block = await chain.block(selector);
  return block === undefined ? null : rawHeader({ block, rules: chain.ruleSet });
}

/** Returns the proof of a receipt; `null` if the block does not contain the transaction. */
function receiptNodes(
  { block, rules, deadline }: EncodableSource,
  transactionHash: Uint8Array,
): Awaitable<Hex[] | null> {
  const index = block.transactions.findIndex(({ hash }) => equalBytes(hash, transactionHash));
  return index === -1 ? null : deadline.run(receiptProof(block, index, rules.encoding));
}

export const CHAIN_RAW: readonly Method[] = [
  /** The Keccak hash of the header is the block hash. */
  defineMethod({
    name: 'chain_getRawBlockHeaderByHash',
    aliases: ['rsk_getRawBlockHeaderByHash'],
    summary: 'The RLP-encoded header of a block, by hash',
    params: [param('blockHash', hash32)],
    fork: { ...RAW_HEADER_RULE, upstreamName: 'rsk_getRawBlockHeaderByHash' },
    result: { description: 'The RLP encoding of the header, or null', schema: orNull(data.jsonSchema) },
    handler: (context, hash) => answerRawHeader(context, { hash }),
  }),
  defineMethod({
    name: 'chain_getRawBlockHeaderByNumber',
    aliases: ['rsk_getRawBlockHeaderByNumber'],
    summary: 'The RLP-encoded header of a block, by number',
    params: [param('block', blockSelector)],
    fork: { ...RAW_HEADER_RULE, upstreamName: 'rsk_getRawBlockHeaderByNumber' },
    result: { description: 'The RLP encoding of the header, or null', schema: orNull(data.jsonSchema) },
    handler: answerRawHeader,
  }),
  /** Returns the receipt as encoded in the receipts trie; `null` if it is not mined. */
  defineMethod({
    name: 'chain_getRawTransactionReceiptByHash',
    aliases: ['rsk_getRawTransactionReceiptByHash'],
    summary: 'The RLP-encoded receipt of a transaction',
    params: [param('transactionHash', hash32)],
    fork: {
      kind: 'transaction',
      at: 0,
      answer: 'anything',
      upstreamName: 'rsk_getRawTransactionReceiptByHash',
      derive: fromRaw('receipt'),
    },
    result: { description: 'The RLP encoding of the receipt, or null', schema: orNull(data.jsonSchema) },
    handler: ({ node: { chain }, deadline }, transactionHash) => {
      const mined = chain.transaction(transactionHash);
      if (mined === undefined) return null;
      return deadline.run(rawReceipt(mined, chain.ruleSet.encoding));
    },
  }),
  /**
   * Returns the nodes of the block's receipts trie, from the leaf of a transaction's receipt to the root. The
   * Keccak hash of the root is the header's `receiptsRoot`. Returns `null` if the block does not contain the
   * transaction.
   */
  defineMethod({
    name: 'chain_getTransactionReceiptNodesByHash',
    aliases: ['rsk_getTransactionReceiptNodesByHash'],
    summary: 'The proof that the receipts trie of a block contains a receipt',
    params: [param('blockHash', hash32), param('transactionHash', hash32)],
    fork: {
      kind: 'block',
      at: 0,
      answer: 'anything',
      upstreamName: 'rsk_getTransactionReceiptNodesByHash',
      derive: async (call) =>
        (await import('../../fork/derived-raw.ts')).receiptNodes(call, (source) =>
          receiptNodes(source, call.params.decoded[1] as Uint8Array),
        ),
    },
    result: {
      description: 'The encoded trie nodes, from the leaf to the root, or null',
      schema: orNull({ type: 'array', items: data.jsonSchema }),
    },
    handler: async (context, blockHash, transactionHash) => {
      const block = await requireBlock(context, { hash: blockHash });
      const { node, deadline } = context;
      return receiptNodes({ block, rules: node.chain.ruleSet, deadline }, transactionHash);
    },
  }),
  /** Returns `0x0` for an empty slot. Values of Rootstock's own contracts may be longer than a word. */
  defineMethod({
    name: 'chain_getStorageBytesAt',
    aliases: ['rsk_getStorageBytesAt'],
    summary: "The bytes in a contract's storage slot",
    priority: 'high',
    params: [
      param('address', address),
      param('position', storageSlot),
      peerOptional('block', blockSelector, LATEST),
    ],
    fork: { kind: 'range', answer: storageBytesOfUpstream },
    result: {
      description: 'The bytes without leading zeros, or 0x0',
      schema: { oneOf: [data.jsonSchema, { type: 'string', const: NO_BYTES }] },
    },
    handler: ({ node: { chain } }, contract, position, block) =>
      whenReady(chain.view(block), ({ state }) => storageBytes(state.storageAt(contract, position))),
  }),
  /**
   * Writes the chain to disk. With `--data-dir`, every response waits for this anyway; with `--no-sync`, it
   * confirms all earlier writes. Without `--data-dir`, it has no effect.
   */
  defineMethod({
    name: 'chain_flush',
    aliases: ['rsk_flush'],
    summary: 'Writes the chain to disk',
    result: { description: 'null', schema: { type: 'null' } },
    handler: async ({ node: { chain } }) => {
      await chain.durability?.flush();
      return null;
    },
  }),
  defineMethod({
    name: 'chain_protocolVersion',
    aliases: ['rsk_protocolVersion'],
    summary: 'The protocol version',
    result: { description: 'The protocol version', schema: QUANTITY_JSON_SCHEMA },
    handler: () => PROTOCOL_VERSION,
  }),
];
