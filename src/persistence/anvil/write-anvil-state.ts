import { toHex, toQuantity } from '../../primitives/hex.ts';
import { nextTurn } from '../../primitives/next-turn.ts';
import { perform, type Steps } from '../../primitives/steps.ts';
import { WorkPieces } from '../../primitives/work-pieces.ts';
import { type Block, type BlockHeader, hasWithdrawals } from '../../protocol/block.ts';
import { headerHash } from '../../protocol/header-encoding.ts';
import type { StorageTrie } from '../../state/account.ts';
import { trieValues } from '../../state/trie/trie.ts';
import type { WorldState } from '../../state/world-state.ts';
import type { Blockchain } from '../../storage/blockchain.ts';
import { anvilBlockJson, minedTransactionJson } from './anvil-block-json.ts';

type Json = Readonly<Record<string, unknown>>;

const HASH_SIZE = 32;
const BLOCKS_PER_TURN = 32;

/**
 * The chain in the form of Anvil's state files: the accounts at the head, and the blocks with their transactions and
 * receipts; not the states of the past, nor blocks of a reserved range. Headers are those of Ethereum, so under the
 * network's own rules blocks have other hashes there, which follow from each other as they should.
 */
export async function anvilStateJson(blockchain: Blockchain): Promise<Json> {
  const blocks: Json[] = [];
  const transactions: Json[] = [];
  let parentHash: Uint8Array | null = null;
  for (const entry of blockchain.entries()) {
    if ('range' in entry) {
      // What follows keeps its parent, which is not told.
      parentHash = null;
      continue;
    }
    const { block } = entry;
    const header = withoutEmptyRoot({ ...block.header, parentHash: parentHash ?? block.header.parentHash });
    const hash = headerHash(header, 'ethereum');
    blocks.push(anvilBlockJson({ ...block, header }));
    for (const transaction of minedJson(block, hash)) transactions.push(transaction);
    parentHash = hash;
    if (blocks.length % BLOCKS_PER_TURN === 0) await nextTurn();
  }
  const { header } = blockchain.head;
  return {
    block: blockEnvironmentJson(header),
    accounts: await perform(accountsJson(blockchain.headState, new WorkPieces())),
    best_block_number: header.number,
    blocks,
    transactions,
    historical_states: null,
  };
}

/** Anvil does not read the empty root that its first versions hashed. */
function withoutEmptyRoot(header: BlockHeader): BlockHeader {
  if (hasWithdrawals(header)) return header;
  return { ...header, ethereum: { ...header.ethereum, withdrawalsRoot: null } };
}

function minedJson({ header, transactions, receipts }: Block, hash: Uint8Array): Json[] {
  return transactions.flatMap((transaction, index) => {
    const receipt = receipts[index];
    const place = { hash, number: header.number };
    return receipt === undefined ? [] : [minedTransactionJson(transaction, receipt, index, place)];
  });
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

function* accountsJson(state: WorldState, pieces: WorkPieces): Steps<Json> {
  const accounts: Record<string, unknown> = {};
  for (const { address, nonce, balance, code, storage } of state.accounts()) {
    accounts[toHex(address)] = {
      nonce: Number(nonce),
      balance: toQuantity(balance),
      code: toHex(code.bytes),
      storage: yield* storageJson(storage, pieces),
    };
    const turn = pieces.spend(ENTRY_WORK + 2 * code.bytes.length);
    if (turn !== undefined) yield turn;
  }
  return accounts;
}

/** Units of work for writing a slot, or an account without code and storage. */
const ENTRY_WORK = 128;

function* storageJson(storage: StorageTrie, pieces: WorkPieces): Steps<Json> {
  const word = (bytes: Uint8Array) =>
    `0x${toHex(bytes)
      .slice(2)
      .padStart(2 * HASH_SIZE, '0')}`;
  const slots: Record<string, unknown> = {};
  for (const { slot, value } of trieValues(storage)) {
    slots[word(slot)] = word(value);
    const turn = pieces.spend(ENTRY_WORK);
    if (turn !== undefined) yield turn;
  }
  return slots;
}
