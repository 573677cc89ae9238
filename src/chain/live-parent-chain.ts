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

/** All chains have the same keys, so that addresses are the same in each run. */
const WALLET_SEED = 'node-cli';

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
