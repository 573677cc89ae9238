import type { BlockSelector } from '../../chain/block-selector.ts';
import { LATEST } from '../../chain/block-selector.ts';
import type { AccountOverride } from '../../chain/execution/state-overrides.ts';
import type { RuleSetName } from '../../protocol/hardforks/registry.ts';
import { hardfork } from './basic.ts';
import { blockSelector } from './block-selector.ts';
import { type CallObject, callObject } from './call-object.ts';
import { stateOverrides } from './call-overrides.ts';
import {
  type Codec,
  chosenBy,
  exactObjectOf,
  type HistoricCodec,
  historic,
  leaf,
  type Reading,
  refined,
} from './codec.ts';
import { hash32, QUANTITY_JSON_SCHEMA, readFixedData, readQuantity } from './hex-values.ts';

const HASH_SIZE = 32;
const NEWEST = 'last';

/** The number of a failure in `inspect_failures`, or its newest failure. */
export interface FailureTarget {
  readonly failure: number | typeof NEWEST;
}

/** A call on the state after a block, with the parameters of `inspect_call`. */
export interface CallTarget {
  readonly call: CallObject;
  /** The name that fork rules read. */
  readonly selector: BlockSelector;
  readonly accounts: readonly AccountOverride[];
  /** `null` for the hardfork of the chain. */
  readonly hardfork: RuleSetName | null;
}

/** An execution to debug: the hash of a transaction, a failure or a call. */
export type ExecutionTarget = Uint8Array | FailureTarget | CallTarget;

const EXPECTED =
  'a transaction hash, the number of a failure, or an object with failure, or with call, block, stateOverrides and hardfork';

function failureNumber(value: unknown): number | undefined {
  const number = readQuantity(value);
  const isNumber = number !== undefined && number > 0n && number <= BigInt(Number.MAX_SAFE_INTEGER);
  return isNumber ? Number(number) : undefined;
}

const failure: Codec<FailureTarget['failure']> = leaf(
  `the number of a failure, from 1, or "${NEWEST}"`,
  { oneOf: [QUANTITY_JSON_SCHEMA, { type: 'string', enum: [NEWEST] }] },
  (value) => (value === NEWEST ? NEWEST : failureNumber(value)),
);

/** A hash has exactly 32 bytes. Any other quantity is the number of a failure. */
const scalarTarget: Codec<ExecutionTarget> = leaf(
  EXPECTED,
  { oneOf: [hash32.jsonSchema, QUANTITY_JSON_SCHEMA] },
  (value) => {
    const hash = readFixedData(value, HASH_SIZE);
    if (hash !== undefined) return hash;
    const number = failureNumber(value);
    return number === undefined ? undefined : { failure: number };
  },
);

const objectTarget: Codec<ExecutionTarget> = refined(
  exactObjectOf({ failure, call: callObject, block: blockSelector, stateOverrides, hardfork }, EXPECTED),
  (fields): Reading<ExecutionTarget> => {
    const { failure: number, call, block, stateOverrides: accounts, hardfork: name } = fields;
    if (call !== null && number === null)
      return { value: { call, selector: block ?? LATEST, accounts: accounts ?? [], hardfork: name } };
    if (number === null) return { path: [], expected: EXPECTED };
    for (const other of ['call', 'block', 'stateOverrides', 'hardfork'] as const) {
      if (fields[other] !== null)
        return { path: [other], expected: 'no value, because failure selects the execution' };
    }
    return { value: { failure: number } };
  },
);

/** The execution of a debugger: see {@link ExecutionTarget}. */
export const executionTarget: HistoricCodec<ExecutionTarget> = historic(
  chosenBy(
    (value) => (typeof value === 'object' && value !== null ? objectTarget : scalarTarget),
    [scalarTarget, objectTarget],
  ),
);
