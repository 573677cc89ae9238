// An engine that checks another one against the reference engine.

import { isDeepStrictEqual } from 'node:util';
import { equalBytes } from '../../primitives/bytes.ts';
import { Overlay } from '../../state/overlay.ts';
import {
  type Engine,
  EngineMemoryError,
  type ExecutionResult,
  HALT_REASONS,
  UnexecutableError,
  UnsupportedMessageError,
} from '../engine.ts';
import {
  type BlockDifferenceDump,
  type ComparedExecution,
  type DifferenceDump,
  dumpDifference,
  type EngineConfig,
  type EngineOutcome,
  plain,
} from './engine-difference.ts';

/** Thrown when two engines disagree about a message, or about a sealed block: one of them is wrong. */
export class EngineDifferenceError extends Error {
  override readonly name = 'EngineDifferenceError';
  readonly dump: DifferenceDump | BlockDifferenceDump;

  constructor(dump: DifferenceDump | BlockDifferenceDump) {
    super(`the engines disagree in: ${dump.difference}`);
    this.dump = dump;
  }
}

type Execution = Parameters<Engine['call']>;

async function outcomeWith(
  engine: Engine,
  purpose: ComparedExecution['purpose'],
  ...execution: Execution
): Promise<EngineOutcome> {
  const [, state] = execution;
  try {
    const result = await engine[purpose](...execution);
    return { result, refusal: null, stateRoot: state.toWorldState().root };
  } catch (error) {
    if (!(error instanceof UnexecutableError)) throw error;
    return { result: null, refusal: error, stateRoot: state.toWorldState().root };
  }
}

/** True for a message that ran out of memory, whose limit is not part of the rules. */
function hadNoRoom({ result }: EngineOutcome): boolean {
  return result?.haltReason === HALT_REASONS.outOfMemory;
}

/** Same as {@link outcomeWith}; `null` when the engine has not enough memory for the message. */
async function outcomeWithRoom(...run: Parameters<typeof outcomeWith>): Promise<EngineOutcome | null> {
  try {
    return await outcomeWith(...run);
  } catch (error) {
    if (error instanceof EngineMemoryError) return null;
    throw error;
  }
}

/** The two halts of a precompile with too little gas for an input that it would refuse: engines may report either. */
const EITHER_HALT: readonly unknown[] = [HALT_REASONS.outOfGas, HALT_REASONS.precompileFailed];

function isSame(field: string, left: unknown, right: unknown): boolean {
  if (isDeepStrictEqual(plain(left), plain(right))) return true;
  return field === 'haltReason' && EITHER_HALT.includes(left) && EITHER_HALT.includes(right);
}

/**
 * Returns a description of the difference between two outcomes; `null` when they are the same. The messages of refusals
 * may differ.
 */
function differenceBetween(ours: EngineOutcome, theirs: EngineOutcome): string | null {
  if (ours.result === null || theirs.result === null) {
    return ours.result === theirs.result ? null : 'whether the message can be executed';
  }
  const [left, right]: Readonly<Record<string, unknown>>[] = [{ ...ours.result }, { ...theirs.result }];
  for (const field of new Set([...Object.keys(ours.result), ...Object.keys(theirs.result)])) {
    if (!isSame(field, left?.[field], right?.[field])) return field;
  }
  return equalBytes(ours.stateRoot, theirs.stateRoot) ? null : 'the state afterwards';
}

/**
 * Returns an engine that answers like `primary` and has `reference` execute every message too, on a copy of the state,
 * unless one of them runs out of memory. When the two differ in anything (refusal, result, state afterwards), it calls
 * `onDifference` and throws {@link EngineDifferenceError}. Both engines must implement the `rules`.
 */
export function shadowEngine(
  primary: Engine,
  reference: Engine,
  rules: EngineConfig,
  onDifference: (error: EngineDifferenceError) => void,
): Engine {
  const run = async (
    purpose: ComparedExecution['purpose'],
    ...execution: Execution
  ): Promise<ExecutionResult> => {
    const [environment, state, message, , checkInterrupt] = execution;
    const before = state.toWorldState();
    const ours = await outcomeWith(primary, purpose, ...execution);
    if (hadNoRoom(ours)) return resultOf(ours);
    const theirs = await outcomeWithRoom(
      reference,
      purpose,
      environment,
      new Overlay(before),
      message,
      undefined,
      checkInterrupt,
    );
    if (theirs === null || hadNoRoom(theirs)) return resultOf(ours);
    if (theirs.refusal instanceof UnsupportedMessageError) return resultOf(ours);
    const difference = differenceBetween(ours, theirs);
    if (difference !== null) {
      const outcomes = new Map([
        [primary.name, ours],
        [reference.name, theirs],
      ]);
      const compared = { rules, purpose, environment, before, message };
      const error = new EngineDifferenceError(
        await dumpDifference(difference, compared, reference, outcomes),
      );
      onDifference(error);
      throw error;
    }
    return resultOf(ours);
  };
  return {
    name: `${primary.name} shadowed by ${reference.name}`,
    transact: (...execution) => run('transact', ...execution),
    call: (...execution) => run('call', ...execution),
  };
}

function resultOf({ result, refusal }: EngineOutcome): ExecutionResult {
  if (result === null) throw refusal;
  return result;
}
