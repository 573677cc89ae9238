import { remascClosing } from '../../../src/chain/mining/remasc-closing.ts';
import type { BlockEnvironment, ExecutionResult } from '../../../src/evm/engine.ts';
import type { ExecutionObserver } from '../../../src/evm/observer.ts';
import { bytesToBigInt, padLeft } from '../../../src/primitives/bytes.ts';
import { toHex } from '../../../src/primitives/hex.ts';
import { decodeRlp } from '../../../src/primitives/rlp.ts';
import type { Block, BlockHeader } from '../../../src/protocol/block.ts';
import { ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import { REMASC_ADDRESS, remascTransaction } from '../../../src/protocol/remasc.ts';
import { Overlay } from '../../../src/state/overlay.ts';
import { WorldState } from '../../../src/state/world-state.ts';
import { emptyGenesis } from '../../support/empty-genesis.ts';

const ruleSet = ruleSetNamed('rootstock');
const genesis = emptyGenesis();

/** An address that repeats one byte. */
export function account(byte: number): Uint8Array {
  return new Uint8Array(20).fill(byte);
}

/** The default miner of the blocks of a scene. */
export const MINER = account(0xaa);

/** Fields of a block of a scene. */
export interface SceneBlock {
  /** Wei. */
  readonly fees?: bigint;
  readonly coinbase?: Uint8Array;
  /** The first byte of its hash. */
  readonly hash?: number;
  readonly uncles?: readonly BlockHeader[];
  /** True for a block without the REMASC transaction. */
  readonly isPlain?: boolean;
}

/** The header of a side block with this number. */
export function uncle(number: number, fields: Partial<BlockHeader> = {}): BlockHeader {
  return { ...genesis.header, number, coinbase: account(0xbb), ...fields };
}

/** The hash of the scene's block with this number. */
export function hashOf(number: number, first = 0): Uint8Array {
  return Uint8Array.from([first, ...new Uint8Array(30), number]);
}

/** A payment, read from its log. */
export interface Payment {
  readonly to: string;
  readonly value: bigint;
}

/** A chain of blocks. Each one ends on the state of the block before. */
export class RemascScene {
  readonly state = new Overlay(WorldState.empty());
  readonly #first: number;
  readonly #blocks = new Map<number, SceneBlock>();
  readonly #closing = remascClosing(ruleSet);

  /** Blocks below `first` are not available. */
  constructor(blocks: Readonly<Record<number, SceneBlock>>, first = 0) {
    this.#first = first;
    for (const [number, block] of Object.entries(blocks)) this.#blocks.set(Number(number), block);
  }

  #block(number: number): Block {
    const {
      fees = 0n,
      coinbase = MINER,
      hash,
      uncles = [],
      isPlain = false,
    } = this.#blocks.get(number) ?? {};
    const header = { ...genesis.header, number, coinbase, paidFees: fees, uncleCount: uncles.length };
    const transactions = isPlain ? [] : [remascTransaction(number)];
    return { ...genesis, header, hash: hashOf(number, hash), transactions, uncles };
  }

  /** Ends the block with this number. `minimumGasPrice` is in wei. */
  end(number: number, minimumGasPrice = 0n, observer?: ExecutionObserver): ExecutionResult {
    const environment: BlockEnvironment = {
      number,
      timestamp: number,
      coinbase: MINER,
      difficulty: 1n,
      gasLimit: 10_000_000n,
      minimumGasPrice,
      baseFeePerGas: null,
      excessBlobGas: null,
      blobBaseFee: null,
      prevRandao: new Uint8Array(32),
      parentBeaconBlockRoot: null,
      slotNumber: null,
      blockHash: () => new Uint8Array(32),
      ancestor: (below) => (below >= this.#first && below < number ? this.#block(below) : undefined),
    };
    return this.#closing.run(environment, this.state, observer);
  }

  /** Adds the fees of all blocks below `number` to the balance of REMASC. */
  collect(number: number): void {
    let balance = 0n;
    for (const [below, { fees = 0n }] of this.#blocks) if (below < number) balance += fees;
    this.state.setAccount(REMASC_ADDRESS, { nonce: 0n, balance });
  }

  /** Collects the fees below block `last`, ends all blocks up to it, and returns its payments. */
  payments(last: number): Payment[] {
    this.collect(last);
    for (let number = 1; number < last; number++) this.end(number);
    return paymentsIn(this.end(last));
  }

  /** Wei. */
  balance(address: Uint8Array): bigint | undefined {
    return this.state.account(address)?.balance;
  }

  /** The value with this name in REMASC's storage. */
  remembered(name: string): bigint {
    return bytesToBigInt(this.state.storageAt(REMASC_ADDRESS, padLeft(new TextEncoder().encode(name), 32)));
  }
}

/** Reads the payments from the logs of an execution. */
export function paymentsIn({ logs }: ExecutionResult): Payment[] {
  return logs.map(({ topics, data }) => {
    const [, value] = decodeRlp(data);
    if (!(value instanceof Uint8Array)) throw new TypeError('the log has no value');
    return { to: toHex(topics[1]?.subarray(12) ?? new Uint8Array(0)), value: bytesToBigInt(value) };
  });
}
