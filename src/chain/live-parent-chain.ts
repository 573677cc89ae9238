import { concatBytes, joinBytes } from '../primitives/bytes.ts';
import type { Steps } from '../primitives/steps.ts';
import { CandidateWork } from '../protocol/merged-mining/candidate-work.ts';
import type { CreateWork } from '../protocol/merged-mining/proof-of-work.ts';
import { encodeLength } from '../rootstock/bitcoin/byte-reader.ts';
import { mergedMiningCandidate } from '../rootstock/parent-chain/merged-mining-candidate.ts';
import { GENESIS_BLOCK, type ParentBlock } from '../rootstock/parent-chain/parent-block.ts';
import {
  newParentChain,
  ParentChain,
  type ParentChainState,
} from '../rootstock/parent-chain/parent-chain.ts';
import {
  type ParentChainJson,
  parentBlockFromBytes,
  parentBlockToBytes,
  parentChainFromJson,
  parentChainToJson,
} from '../rootstock/parent-chain/parent-chain-json.ts';
import { submitBlock } from '../rootstock/parent-chain/submit-block.ts';

/** All chains have the same keys, so that addresses are the same in each run. */
const WALLET_SEED = 'node-cli';

/**
 * The receiver of the rewards of blocks that no client requested: a witness program of zeros, which nobody can
 * spend.
 */
export const UNCLAIMED_REWARD: Uint8Array = concatBytes(Uint8Array.of(0, 20), new Uint8Array(20));

/** A block of a merged miner: serialized, or its parts. */
export type SubmittedParentBlock = Uint8Array | ParentBlockParts;

interface ParentBlockParts {
  /** 80 bytes. */
  readonly header: Uint8Array;
  /** The first transaction. */
  readonly coinbase: Uint8Array;
  /** The ids of all transactions in text order, as digits. */
  readonly hashes: readonly string[];
}

/** The time of the chain, in seconds since 1970. */
interface Clock {
  now(): number;
}

/** The stored forms of a parent chain. */
export interface ParentChainForms {
  readonly genesis: ParentBlock;
  blockToBytes(block: ParentBlock): Uint8Array;
  /** Throws an error if the bytes are not a block on this parent. */
  blockFromBytes(parent: ParentBlock, bytes: Uint8Array): ParentBlock;
  /** Returns the state without its blocks. */
  toJson(state: ParentChainState): ParentChainJson;
  /** Throws an error if the value is invalid. */
  fromJson(tip: ParentBlock, json: ParentChainJson): ParentChainState;
}

export const PARENT_CHAIN_FORMS: ParentChainForms = {
  genesis: GENESIS_BLOCK,
  blockToBytes: parentBlockToBytes,
  blockFromBytes: parentBlockFromBytes,
  toJson: parentChainToJson,
  fromJson: parentChainFromJson,
};

/** The parent chain of one chain. Its time is the time of the chain. Loaded only with `--parent-chain`. */
export class LiveParentChain {
  readonly chain: ParentChain;
  readonly forms: ParentChainForms = PARENT_CHAIN_FORMS;

  /** `null` starts with the genesis block. */
  constructor(state: ParentChainState | null, clock: Clock) {
    this.chain = new ParentChain(state ?? newParentChain(WALLET_SEED), clock);
  }

  /** Called after a submitted block extended the chain. */
  onExtended: () => void = () => undefined;

  /** Creates the work of a Rootstock block on the next block of this chain. The chain does not change. */
  readonly createWork: CreateWork = (commitment, difficulty) =>
    new CandidateWork(mergedMiningCandidate(this.chain, commitment, UNCLAIMED_REWARD), difficulty);

  /**
   * Connects a block if it follows the best block and is valid. The transactions after the coinbase must be in
   * the block or in the mempool.
   */
  *submit(block: SubmittedParentBlock): Steps<void> {
    const bytes = block instanceof Uint8Array ? block : this.#assembled(block);
    if (bytes === null) return;
    if ((yield* submitBlock(this.chain, bytes)) === null) this.onExtended();
  }

  /** Returns the serialized block; `null` if a transaction is unknown. */
  #assembled({ header, coinbase, hashes }: ParentBlockParts): Uint8Array | null {
    const others = hashes.slice(1).flatMap((hash) => this.chain.mempool.entry(hash)?.transaction.bytes ?? []);
    if (others.length < hashes.length - 1) return null;
    return joinBytes([header, encodeLength(hashes.length), coinbase, ...others]);
  }

  get state(): ParentChainState {
    return this.chain.state;
  }

  /** Restores an earlier state; `null` restarts with the genesis block. */
  restore(state: ParentChainState | null): void {
    this.chain.restore(state ?? newParentChain(WALLET_SEED));
  }

  /** Returns an independent parent chain in this state, for a branch of the chain. */
  branch(state: ParentChainState | null, clock: Clock): LiveParentChain {
    return new LiveParentChain(state, clock);
  }
}
