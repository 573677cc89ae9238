// Writes the chain as an Anvil state file.

import { jsonParts } from '../../json/json-writer.ts';
import { toHex, toQuantity } from '../../primitives/hex.ts';
import { KeccakStream } from '../../primitives/keccak.ts';
import { joinInSteps, type Steps } from '../../primitives/steps.ts';
import {
  type Block,
  type BlockHeader,
  hasWithdrawals,
  locatedTransactions,
  type TransactionLocation,
} from '../../protocol/block.ts';
import { headerHash } from '../../protocol/header-encoding.ts';
import type { Receipt } from '../../protocol/receipt.ts';
import type { Transaction } from '../../protocol/transaction.ts';
import { nextIteration } from '../../scheduling/cancel-check.ts';
import { runTask } from '../../scheduling/task.ts';
import { TimeSlice } from '../../scheduling/time-slice.ts';
import { trieValues } from '../../state/trie/trie.ts';
import type { WorldState } from '../../state/world-state.ts';
import type { Blockchain } from '../../storage/blockchain.ts';
import { ANVIL_ACCOUNT, ANVIL_STORAGE, accountJson, accountsJson, storageJson } from '../../wire/account.ts';
import { FILED_WORK } from '../../wire/block-file.ts';
import { anvilHeaderJson } from '../../wire/header.ts';
import { anvilReceiptJson } from '../../wire/receipt-file.ts';
import type { StrictValue } from '../../wire/strict-value.ts';
import { anvilTransactionJson } from '../../wire/transaction.ts';
import type { Json } from '../../wire/values.ts';

/** True for a transaction from `withoutSignature`. A real signature has different `r` and `s`. */
function isUnsigned({ v, r, s }: Transaction): boolean {
  return v === 0n && r === s;
}

/** Returns a block in the form of Anvil's `blocks`. */
function anvilBlockJson(block: Pick<Block, 'header' | 'transactions' | 'uncles'>): Json {
  return {
    header: anvilHeaderJson(block.header),
    transactions: block.transactions.map((transaction) => ({
      transaction: transactionJson(transaction),
      impersonated_sender: isUnsigned(transaction) ? toHex(transaction.sender) : null,
    })),
    ommers: block.uncles.map(anvilHeaderJson),
    withdrawals: hasWithdrawals(block.header) ? [] : null,
  };
}

// Anvil reads 27 and 28 as a signature without replay protection. It ignores an impersonated sender's
// signature.
const UNPROTECTED_V = 27n;

function transactionJson(transaction: Transaction): Json {
  const hasNoV = transaction.type === 0 && isUnsigned(transaction);
  return anvilTransactionJson(hasNoV ? { ...transaction, v: UNPROTECTED_V } : transaction);
}

/** Returns a transaction and its receipt in the form of Anvil's `transactions`. */
function* minedTransactionJson(location: TransactionLocation): Steps<Json> {
  const { block, transaction, receipt } = location;
  const forms = yield* anvilReceiptJson(location);
  yield FILED_WORK;
  const end = receipt.succeeded ? 'Stop' : 'Revert';
  return {
    info: {
      ...forms.info,
      traces: [rootTraceJson(transaction, receipt, end)],
      exit: end,
      out: null,
      nonce: Number(transaction.nonce),
    },
    receipt: forms.receipt,
    block_hash: toHex(block.hash),
    block_number: block.header.number,
  };
}

/** Anvil requires at least one call in a trace: the transaction itself. */
function rootTraceJson(
  { sender, to, value, data, gasLimit }: Transaction,
  receipt: Receipt,
  end: string,
): Json {
  return {
    parent: null,
    children: [],
    idx: 0,
    trace: {
      depth: 0,
      success: receipt.succeeded,
      caller: toHex(sender),
      address: toHex(to ?? receipt.contractAddress ?? new Uint8Array(20)),
      maybe_precompile: null,
      selfdestruct_address: null,
      selfdestruct_refund_target: null,
      selfdestruct_transferred_value: null,
      kind: to === null ? 'CREATE' : 'CALL',
      value: toQuantity(value),
      data: toHex(data),
      output: '0x',
      gas_used: Number(receipt.gasUsed),
      gas_limit: Number(gasLimit),
      gas_refund_counter: 0,
      status: end,
      steps: [],
      decoded: null,
    },
    logs: [],
    ordering: [],
  };
}

/** A field that Anvil ignores. It has node-cli's own dump, with the data that Anvil's form lacks. */
const FIELD = 'node_cli';

/** Returns the JSON of a value as bytes. Yields for long values. */
export function* jsonBytes(value: unknown): Steps<Uint8Array> {
  const texts = yield* jsonParts(value, () => undefined);
  const parts: Uint8Array[] = [];
  for (const text of texts) {
    parts.push(Buffer.from(text));
    yield text.length;
  }
  return yield* joinInSteps(parts);
}

/** Work units per hashed character. */
const HASH_WORK = 4;

function* digestOf(state: Json): Steps<string> {
  const hash = new KeccakStream();
  for (const text of yield* jsonParts(state, () => undefined)) {
    hash.add(Buffer.from(text));
    yield HASH_WORK * text.length;
  }
  return toHex(hash.finish());
}

/** Returns the Anvil state with this node's own dump (compressed) and a digest of the rest. */
export async function withCarriedDump(state: Json, dump: Uint8Array): Promise<Json> {
  const digest = await runTask(digestOf(state), new TimeSlice());
  return { ...state, [FIELD]: { digest, dump: Buffer.from(dump).toString('base64') } };
}

/**
 * Returns this node's own dump (compressed) in an Anvil state. Returns `null` if it is absent, or if the
 * state was edited, because the dump must not override the edits.
 */
export async function carriedDump(value: StrictValue): Promise<Uint8Array | null> {
  const carried = value.field(FIELD);
  if (carried.isNothing) return null;
  const { [FIELD]: _, ...state } = value.json as Json;
  const isUnchanged = carried.field('digest').json === (await runTask(digestOf(state), new TimeSlice()));
  return isUnchanged ? new Uint8Array(Buffer.from(carried.field('dump').text(), 'base64')) : null;
}

const BLOCKS_PER_TURN = 32;

/**
 * Returns the chain in the form of Anvil's state files: the accounts at the head, and the blocks with
 * transactions and receipts. Past states and reserved blocks are omitted. Headers have Ethereum's form. Under
 * Rootstock's rules, blocks therefore have different hashes there, which form a consistent chain. On a fork, only
 * local blocks and the accounts that they changed are written.
 */
export async function anvilStateJson(blockchain: Blockchain, isFork: boolean): Promise<Json> {
  const blocks: Json[] = [];
  const transactions: Json[] = [];
  const slice = new TimeSlice();
  let parentHash: Uint8Array | null = null;
  for (const entry of blockchain.entries()) {
    if ('range' in entry) {
      // The next block keeps its parent hash, because its parent is not written.
      parentHash = null;
      continue;
    }
    const { block } = entry;
    if (isFork && block.header.number === blockchain.first) continue;
    const header = withoutEmptyRoot({ ...block.header, parentHash: parentHash ?? block.header.parentHash });
    const hash = headerHash(header, 'ethereum');
    blocks.push(anvilBlockJson({ ...block, header }));
    for (const mined of locatedTransactions({ ...block, hash }))
      transactions.push(await runTask(minedTransactionJson(mined), slice));
    parentHash = hash;
    if (blocks.length % BLOCKS_PER_TURN === 0) await nextIteration();
  }
  const { header } = blockchain.head.block;
  return {
    block: blockEnvironmentJson(header),
    accounts: await runTask(stateJson(blockchain.head.state), new TimeSlice()),
    best_block_number: header.number,
    blocks,
    transactions,
    historical_states: null,
  };
}

/** Anvil cannot read the empty root that its first versions hashed. */
function withoutEmptyRoot(header: BlockHeader): BlockHeader {
  if (hasWithdrawals(header)) return header;
  return { ...header, ethereum: { ...header.ethereum, withdrawalsRoot: null } };
}

function blockEnvironmentJson(header: BlockHeader): Json {
  return {
    number: toQuantity(header.number),
    beneficiary: toHex(header.coinbase),
    timestamp: toQuantity(header.timestamp),
    gas_limit: Number(header.gasLimit),
    basefee: Number(header.ethereum.baseFeePerGas ?? 0n),
    difficulty: toQuantity(header.difficulty),
    prevrandao: toHex(header.ethereum.mixHash),
    blob_excess_gas_and_price: { excess_blob_gas: 0, blob_gasprice: 1 },
    slot_num: 0,
  };
}

function stateJson(state: WorldState): Steps<Json> {
  return accountsJson(state.accounts(), function* ({ nonce, balance, code, storage }) {
    yield 2 * code.bytes.length;
    return accountJson(ANVIL_ACCOUNT, {
      nonce,
      balance,
      code: code.bytes,
      storage: yield* storageJson(ANVIL_STORAGE, trieValues(storage)),
    });
  });
}
