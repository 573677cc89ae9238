import { hexKey } from '../primitives/hex.ts';
import { keccak256 } from '../primitives/keccak.ts';
import { encodeRlp } from '../primitives/rlp.ts';
import { type Code, EMPTY_CODE, type StorageEntry } from '../state/account.ts';
import { EMPTY_TRIE_ROOT } from '../state/trie/trie-node.ts';
import { WorldState } from '../state/world-state.ts';
import {
  type Block,
  type BlockHeader,
  type EthereumHeaderFields,
  HEADER_DEFAULTS,
  NO_ETHEREUM_FIELDS,
  NO_TRANSACTIONS,
} from './block.ts';
import type { RuleSet } from './hardforks/rule-set.ts';
import { encodeBlock, headerHash, unclesHash } from './header-encoding.ts';

const NO_HASH = new Uint8Array(32);
const GENESIS_COINBASE = new Uint8Array(20).fill(0x33);
const GENESIS_EXTRA_DATA = new TextEncoder().encode('horse');
/** The SHA-256 hash of no data, 32 bytes: the requests hash of a block without requests (EIP-7685). */
export const NO_REQUESTS_HASH = new Uint8Array(
  Buffer.from('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', 'hex'),
);

/** The hash of an empty access list, 32 bytes (EIP-7928). */
export const NO_ACCESSES_HASH = keccak256(encodeRlp([]));

/** A contract in the genesis block. */
export interface GenesisContract {
  readonly nonce: bigint;
  readonly code: Code;
  readonly storage: readonly StorageEntry[];
}

/** An account in the genesis block. */
export interface GenesisAccount {
  /** 20 bytes. */
  readonly address: Uint8Array;
  /** Wei. */
  readonly balance: bigint;
  readonly contract?: GenesisContract;
}

const NO_CONTRACT: GenesisContract = { nonce: 0n, code: EMPTY_CODE, storage: [] };

/** Optional header fields of the genesis block. Fields that the rule set lacks are ignored. */
export interface GenesisHeader {
  /** 0, unless the chain continues another chain. */
  readonly number: number;
  /** 32 bytes: the hash of a block outside of this chain; zeros if there is none. */
  readonly parentHash: Uint8Array;
  /** 20 bytes. */
  readonly coinbase: Uint8Array;
  readonly extraData: Uint8Array;
  /** Unused under proof of stake. */
  readonly difficulty: bigint;
  /** 32 bytes. */
  readonly mixHash: Uint8Array;
  /** Wei per gas. */
  readonly baseFeePerGas: bigint;
  readonly blobGasUsed: bigint;
  readonly excessBlobGas: bigint;
}

/** The parts of the genesis block. */
export interface GenesisOptions {
  readonly ruleSet: RuleSet;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly gasLimit: bigint;
  /** Wei per gas. */
  readonly minimumGasPrice: bigint;
  /** The initial accounts. If an address occurs twice, the last entry counts. */
  readonly allocation: readonly GenesisAccount[];
  /** Header fields that differ from the defaults of the rule set. */
  readonly header?: Partial<GenesisHeader>;
}

/**
 * Returns the Ethereum fields of a block under the rule set. Ignores fields that the rule set lacks. Default:
 * no blob gas and no requests. The caller provides the base fee.
 */
export function ethereumFields(
  ruleSet: RuleSet,
  given: Pick<EthereumHeaderFields, 'baseFeePerGas' | 'mixHash'> & Partial<EthereumHeaderFields>,
): EthereumHeaderFields {
  return {
    baseFeePerGas: given.baseFeePerGas,
    mixHash: given.mixHash,
    withdrawalsRoot: ruleSet.hasWithdrawals ? EMPTY_TRIE_ROOT : null,
    blobGasUsed: ruleSet.blobs === null ? null : (given.blobGasUsed ?? 0n),
    excessBlobGas: ruleSet.blobs === null ? null : (given.excessBlobGas ?? 0n),
    parentBeaconBlockRoot: localBeaconRoot(ruleSet, given.parentBeaconBlockRoot ?? null),
    requestsHash: ruleSet.hasRequests ? (given.requestsHash ?? NO_REQUESTS_HASH) : null,
    blockAccessListHash: ruleSet.hasAccessLists ? (given.blockAccessListHash ?? NO_ACCESSES_HASH) : null,
    slotNumber: ruleSet.hasSlotNumbers ? (given.slotNumber ?? 0n) : null,
  };
}

/** Returns the parent beacon block root of a local block: `set`, or zeros; `null` before EIP-4788. */
export function localBeaconRoot(ruleSet: RuleSet, set: Uint8Array | null): Uint8Array | null {
  return ruleSet.hasBlobFields ? (set ?? NO_HASH) : null;
}

/** Returns the slot number of a local block, its block number; `null` before EIP-7843. */
export function localSlotNumber({ hasSlotNumbers }: RuleSet, number: number): bigint | null {
  return hasSlotNumbers ? BigInt(number) : null;
}

/** Returns PREVRANDAO of the block after `parentHash`: a hash, so that a chain can be replayed. */
export function localPrevRandao(ruleSet: RuleSet, parentHash: Uint8Array): Uint8Array {
  return ruleSet.isProofOfStake ? keccak256(parentHash) : NO_ETHEREUM_FIELDS.mixHash;
}

function genesisFields(ruleSet: RuleSet, given: Partial<GenesisHeader>): EthereumHeaderFields {
  const mixHash = ruleSet.encoding === 'ethereum' ? (given.mixHash ?? NO_HASH) : NO_HASH;
  const baseFeePerGas = ruleSet.fees.baseFee(given.baseFeePerGas ?? null);
  const { blobGasUsed = 0n, excessBlobGas = 0n } = given;
  const slotNumber = localSlotNumber(ruleSet, given.number ?? 0);
  return ethereumFields(ruleSet, { baseFeePerGas, mixHash, blobGasUsed, excessBlobGas, slotNumber });
}

/** Returns the genesis block and the state after it. */
export function createGenesis({ allocation, ...options }: GenesisOptions): {
  readonly block: Block;
  readonly state: WorldState;
} {
  const accounts = new Map(allocation.map((account) => [hexKey(account.address), account]));
  const updated = Array.from(accounts.values(), ({ address, balance, contract = NO_CONTRACT }) => ({
    address,
    balance,
    ...contract,
    clearsStorage: true,
  }));
  const state = WorldState.empty().apply({ updated, deleted: [] });
  return { block: createFirstBlock(options, state.root), state };
}

/** Returns a block without transactions, with this state root (32 bytes). */
export function createFirstBlock(options: Omit<GenesisOptions, 'allocation'>, stateRoot: Uint8Array): Block {
  const { ruleSet, header: given = {} } = options;
  const header: BlockHeader = {
    ...HEADER_DEFAULTS,
    parentHash: given.parentHash ?? NO_HASH,
    unclesHash: unclesHash([], ruleSet.encoding),
    coinbase: given.coinbase ?? GENESIS_COINBASE,
    stateRoot,
    ...NO_TRANSACTIONS,
    difficulty: ruleSet.isProofOfStake ? ruleSet.difficulty : (given.difficulty ?? ruleSet.difficulty),
    number: given.number ?? 0,
    gasLimit: options.gasLimit,
    timestamp: options.timestamp,
    extraData: given.extraData ?? GENESIS_EXTRA_DATA,
    minimumGasPrice: options.minimumGasPrice,
    mergedMining: {
      header: Uint8Array.of(0),
      coinbaseTransaction: Uint8Array.of(0),
      merkleProof: Uint8Array.of(0),
    },
    ethereum: genesisFields(ruleSet, given),
  };
  const body = { header, transactions: [], uncles: [] };
  return {
    ...body,
    hash: headerHash(header, ruleSet.encoding),
    receipts: [],
    totalDifficulty: header.difficulty,
    size: encodeBlock(body, ruleSet.encoding).length,
  };
}
