// The environment of code in a block that is not sealed yet.

import { blobBaseFee } from '../protocol/blobs.ts';
import type { Block } from '../protocol/block.ts';
import { localBeaconRoot, localPrevRandao, localSlotNumber } from '../protocol/genesis.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import type { BlockEnvironment } from './engine.ts';

/** The properties of a block that are fixed before its transactions run and visible to their code. */
export interface EnvironmentTemplate {
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly coinbase: Uint8Array;
  readonly gasLimit: bigint;
  /** Wei per gas. */
  readonly minimumGasPrice: bigint;
  /** Wei per gas; `null` under rule sets without a base fee. */
  readonly baseFeePerGas: bigint | null;
  /** `null` under rule sets without blobs (EIP-4844). */
  readonly excessBlobGas: bigint | null;
  /** 32 bytes; `null` for the value that follows from the parent. Without meaning before proof of stake. */
  readonly prevRandao: Uint8Array | null;
  /** 32 bytes; `null` for zeros. Without meaning before EIP-4788. */
  readonly parentBeaconBlockRoot: Uint8Array | null;
  /** `null` for that of a local block. Without meaning before EIP-7843. */
  readonly slotNumber: bigint | null;
  /** Returns the hash of a block up to the parent. */
  blockHash(number: number): Uint8Array;
  /** Returns the block with that number, up to the parent; `undefined` for a missing one, such as below a fork. */
  readonly ancestor: (number: number) => Block | undefined;
}

/** Returns the environment of the block with that number, built from the template on top of the parent. */
export function blockEnvironment(
  ruleSet: RuleSet,
  template: EnvironmentTemplate,
  number: number,
  parentHash: Uint8Array,
): BlockEnvironment {
  return {
    number,
    timestamp: template.timestamp,
    coinbase: template.coinbase,
    difficulty: ruleSet.difficulty,
    gasLimit: template.gasLimit,
    minimumGasPrice: template.minimumGasPrice,
    baseFeePerGas: template.baseFeePerGas,
    excessBlobGas: template.excessBlobGas,
    blobBaseFee: blobBaseFee(template.excessBlobGas, ruleSet.blobs),
    prevRandao: template.prevRandao ?? localPrevRandao(ruleSet, parentHash),
    parentBeaconBlockRoot: localBeaconRoot(ruleSet, template.parentBeaconBlockRoot),
    slotNumber: ruleSet.hasSlotNumbers ? (template.slotNumber ?? localSlotNumber(ruleSet, number)) : null,
    blockHash: template.blockHash,
    ancestor: template.ancestor,
  };
}
