/** The context of an evaluation: the moment, and the names of the contract whose code runs. */

import type { Abi, AbiFunction } from 'abitype';
import type { StorageLayout } from '../../artifacts/layout/storage-type.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import type { CancelCheck } from '../../scheduling/cancel-check.ts';
import type { KnownContract } from '../known-contracts.ts';
import type { Preimages } from '../storage/preimages.ts';
import type { Moment } from './moment-recorder.ts';
import type { ContractScope, ScopedFunction } from './scope.ts';
import type { StoragePlaces } from './storage-places.ts';
import type { ViewCalls } from './view-calls.ts';

/** The function of the source that runs at the moment. */
export interface RunningFunction {
  /** `null` without a syntax tree. */
  readonly declared: ScopedFunction | null;
  /** The contract that declares it; `null` if unknown, and for a free function. */
  readonly owner: string | null;
  /** The source of the function. */
  readonly text: string;
}

/** A contract with its ABI. */
export interface CallableContract {
  readonly name: string;
  readonly abi: Abi;
}

/** Finds contracts to call. */
export interface CallableContracts {
  /** Resolves to the contracts of this name. The contracts of the running contract's files come first. */
  named(name: string): Promise<readonly CallableContract[]>;
  /** Resolves to the contract at an address (20 bytes), and to the implementation of a proxy. */
  at(address: Uint8Array): Promise<readonly CallableContract[]>;
}

export interface EvaluationSite {
  readonly moment: Moment;
  /** The contract whose code runs; `null` if no artifact describes it. */
  readonly contract: KnownContract | null;
  /** The running code, with the values of immutable variables. */
  readonly code: Uint8Array;
  readonly layout: StorageLayout | null;
  readonly scope: ContractScope | null;
  /** `null` between functions. */
  readonly running: RunningFunction | null;
  readonly places: StoragePlaces;
  readonly calls: ViewCalls;
  readonly contracts: CallableContracts;
  /** The known keys of mappings. */
  readonly preimages: Preimages;
  readonly ruleSet: RuleSet;
  readonly chainId: number;
  readonly checkCancelled: CancelCheck;
}

/** Returns the functions of this name. */
export function functionsNamed(abi: Abi, name: string): readonly AbiFunction[] {
  return abi.filter((entry): entry is AbiFunction => entry.type === 'function' && entry.name === name);
}
