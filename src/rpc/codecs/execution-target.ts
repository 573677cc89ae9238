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

/** The number of a hit of an attached debugger. */
export interface RecordingTarget {
  readonly recording: number;
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

/** An execution to debug: the hash of a transaction, a failure, a hit or a call. */
export type ExecutionTarget = Uint8Array | FailureTarget | RecordingTarget | CallTarget;

const EXPECTED =
  'a transaction hash, the number of a failure, or an object with failure, recording, or call, block, stateOverrides and hardfork';

function numberFromOne(value: unknown): number | undefined {
  const number = readQuantity(value);
  const isNumber = number !== undefined && number > 0n && number <= BigInt(Number.MAX_SAFE_INTEGER);
  return isNumber ? Number(number) : undefined;
}

const failure: Codec<FailureTarget['failure']> = leaf(
  `the number of a failure, from 1, or "${NEWEST}"`,
  { oneOf: [QUANTITY_JSON_SCHEMA, { type: 'string', enum: [NEWEST] }] },
  (value) => (value === NEWEST ? NEWEST : numberFromOne(value)),
);

const recording: Codec<number> = leaf('the number of a hit, from 1', QUANTITY_JSON_SCHEMA, numberFromOne);

/** A hash has exactly 32 bytes. Any other quantity is the number of a failure. */
const scalarTarget: Codec<ExecutionTarget> = leaf(
  EXPECTED,
  { oneOf: [hash32.jsonSchema, QUANTITY_JSON_SCHEMA] },
  (value) => {
    const hash = readFixedData(value, HASH_SIZE);
    if (hash !== undefined) return hash;
    const number = numberFromOne(value);
    return number === undefined ? undefined : { failure: number };
  },
);

const CALL_MEMBERS = ['call', 'block', 'stateOverrides', 'hardfork'] as const;

const objectTarget: Codec<ExecutionTarget> = refined(
  exactObjectOf(
    { failure, recording, call: callObject, block: blockSelector, stateOverrides, hardfork },
    EXPECTED,
  ),
  (fields): Reading<ExecutionTarget> => {
    const {
      failure: failed,
      recording: recorded,
      call,
      block,
      stateOverrides: accounts,
      hardfork: name,
    } = fields;
    const selecting = failed === null ? 'recording' : 'failure';
    if (failed === null && recorded === null)
      return call === null
        ? { path: [], expected: EXPECTED }
        : { value: { call, selector: block ?? LATEST, accounts: accounts ?? [], hardfork: name } };
    for (const other of failed === null ? CALL_MEMBERS : (['recording', ...CALL_MEMBERS] as const)) {
      if (fields[other] !== null)
        return { path: [other], expected: `no value, because ${selecting} selects the execution` };
    }
    if (failed !== null) return { value: { failure: failed } };
    return recorded === null ? { path: [], expected: EXPECTED } : { value: { recording: recorded } };
  },
);

/** The execution of a debugger: see {@link ExecutionTarget}. */
export const executionTarget: HistoricCodec<ExecutionTarget> = historic(
  chosenBy(
    (value) => (typeof value === 'object' && value !== null ? objectTarget : scalarTarget),
    [scalarTarget, objectTarget],
  ),
);
