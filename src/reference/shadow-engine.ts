// An engine that checks another one against the reference engine.

import { isDeepStrictEqual } from 'node:util';
import {
  type BlockEnvironment,
  type Engine,
  type ExecutionResult,
  type Message,
  UnexecutableError,
  UnsupportedMessageError,
} from '../evm/engine.ts';
import { EngineMemoryError } from '../evm/errors.ts';
import { HALT_REASONS } from '../evm/halt-reasons.ts';
import type { ExecutionStep } from '../evm/observer.ts';
import { noImpersonatedSigner } from '../evm/signers.ts';
import { PrestateTracer } from '../evm/tracers/prestate-tracer.ts';
import { TraceBudget } from '../evm/tracers/tracer.ts';
import { equalBytes } from '../primitives/bytes.ts';
import { toHex } from '../primitives/hex.ts';
import { OPCODES } from '../protocol/hardforks/opcodes.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import { WorkPieces } from '../scheduling/work-pieces.ts';
import { Overlay } from '../state/overlay.ts';
import { fetchingState } from '../state/state-source.ts';
import type { WorldState } from '../state/world-state.ts';

// Reports of messages about which two engines disagree, with everything needed to reproduce them.

/** The outcome of a message on one engine. */
interface EngineOutcome {
  /** `null` when the engine refused the message. */
  readonly result: ExecutionResult | null;
  readonly refusal: UnexecutableError | null;
  /** The root of the state afterwards. */
  readonly stateRoot: Uint8Array;
}

/** The configuration that both engines share. */
interface EngineConfig {
  readonly ruleSet: RuleSet;
  readonly chainId: number;
  /** The maximum code size of an account in bytes; `null` for no limit. */
  readonly codeSizeLimit: number | null;
}

/** A message with its environment and state. */
interface ComparedExecution {
  readonly rules: EngineConfig;
  readonly purpose: 'transact' | 'call';
  readonly environment: BlockEnvironment;
  readonly before: WorldState;
  readonly message: Message;
}

/**
 * The input needed to execute a message again, and the outcome of either engine. Fit for JSON. It lacks data that only
 * the chain has: the blocks that native contracts read, impersonated signers, and the contracts that earlier messages
 * of the block destroyed, whose addresses stay taken until the block ends under the network's rules.
 */
interface DifferenceDump {
  /** The description of the difference. */
  readonly difference: string;
  /** The name of the rule set. */
  readonly ruleSet: string;
  readonly chainId: number;
  readonly codeSizeLimit: number | null;
  readonly purpose: ComparedExecution['purpose'];
  readonly environment: unknown;
  readonly message: unknown;
  /** The accounts and slots that the message touches, before it. */
  readonly accounts: unknown;
  /** The hashes that the message read with BLOCKHASH, by the numbers of the blocks. */
  readonly blockHashes: Readonly<Record<string, string>>;
  /** By the engine's name. */
  readonly outcomes: Readonly<Record<string, unknown>>;
}

/** A block that another implementation does not take, with its parent, in Ethereum's encoding as hex. Fit for JSON. */
interface BlockDifferenceDump {
  /** The difference, with the reason that the other implementation gives. */
  readonly difference: string;
  /** The name of the rule set. */
  readonly ruleSet: string;
  readonly chainId: number;
  readonly block: string;
  readonly parent: string;
}

/** A value as JSON can show it: bytes as hex, big integers as decimal digits. */
export function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return toHex(value);
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, plain(field)]));
}

function outcomeOf({ result, refusal, stateRoot }: EngineOutcome): unknown {
  return {
    ...(refusal === null ? { result: plain(result) } : { refusal: refusal.message }),
    stateRoot: toHex(stateRoot),
  };
}

/** The number of blocks that BLOCKHASH reaches back. */
const HASHED_BLOCKS = 256n;

/** Records the block hashes that a message reads, besides the state it touches. */
class ReadingTracer extends PrestateTracer {
  readonly #environment: BlockEnvironment;
  readonly #numbers = new Set<number>();

  constructor({ environment, message, before }: ComparedExecution) {
    const budget = new TraceBudget(Number.MAX_SAFE_INTEGER);
    const options = { diffMode: false, disableCode: false, disableStorage: false };
    // The reference engine executes no message with an authorization of an impersonated signer, so none is in a
    // difference.
    const impersonatedSigner = noImpersonatedSigner;
    super({ environment, message, before, position: null, budget, impersonatedSigner }, options);
    this.#environment = environment;
  }

  override step(step: ExecutionStep): void {
    super.step(step);
    if (step.opcode !== OPCODES.BLOCKHASH) return;
    const number = step.stackItem(0);
    const own = BigInt(this.#environment.number);
    if (number !== undefined && number < own && number >= own - HASHED_BLOCKS)
      this.#numbers.add(Number(number));
  }

  async blockHashes(): Promise<Record<string, string>> {
    const hashes: Record<string, string> = {};
    for (const number of this.#numbers) {
      hashes[number] = toHex(await fetchingState(() => this.#environment.blockHash(number)));
    }
    return hashes;
  }
}

/**
 * Returns the accounts and the block hashes that the message reads when `engine` runs it; none when the engine refuses
 * it.
 */
async function readings(
  compared: ComparedExecution,
  engine: Engine,
): Promise<Pick<DifferenceDump, 'accounts' | 'blockHashes'>> {
  const { purpose, environment, before, message } = compared;
  const tracer = new ReadingTracer(compared);
  const state = new Overlay(before);
  try {
    const result = await engine[purpose](environment, state, message, tracer);
    const accounts = await tracer.result(result, state, new WorkPieces());
    return { accounts, blockHashes: await tracer.blockHashes() };
  } catch (error) {
    if (error instanceof UnexecutableError) return { accounts: {}, blockHashes: {} };
    throw error;
  }
}

/** Returns the dump of a difference; `reference` runs the message once more to see what it reads. */
async function dumpDifference(
  difference: string,
  compared: ComparedExecution,
  reference: Engine,
  outcomes: ReadonlyMap<string, EngineOutcome>,
): Promise<DifferenceDump> {
  const { blockHash: _, ancestor: __, ...environment } = compared.environment;
  const { ruleSet, chainId, codeSizeLimit } = compared.rules;
  return {
    difference,
    ruleSet: ruleSet.name,
    chainId,
    codeSizeLimit,
    purpose: compared.purpose,
    environment: plain(environment),
    message: plain(compared.message),
    ...(await readings(compared, reference)),
    outcomes: Object.fromEntries([...outcomes].map(([name, outcome]) => [name, outcomeOf(outcome)])),
  };
}

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
