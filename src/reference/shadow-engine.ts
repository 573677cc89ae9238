// An engine that verifies another engine against the reference engine.

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
import { runTask } from '../scheduling/task.ts';
import { Overlay } from '../state/overlay.ts';
import { fetchingState } from '../state/state-source.ts';
import type { WorldState } from '../state/world-state.ts';

// Dumps of differences between two engines, with all data to reproduce them

/** The outcome of a message on one engine. */
interface EngineOutcome {
  /** `null` if the engine rejected the message. */
  readonly result: ExecutionResult | null;
  readonly refusal: UnexecutableError | null;
  /** The state root after the message. */
  readonly stateRoot: Uint8Array;
}

/** The configuration shared by both engines. */
interface EngineConfig {
  readonly ruleSet: RuleSet;
  readonly chainId: number;
  /** Maximum code size in bytes; `null` for no limit. */
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
 * The input to execute a message again, and the outcomes of both engines, as a JSON value. It lacks data of
 * the chain: blocks that precompiles read, impersonated signers, and contracts destroyed earlier in the
 * block.
 */
interface DifferenceDump {
  readonly difference: string;
  readonly ruleSet: string;
  readonly chainId: number;
  readonly codeSizeLimit: number | null;
  readonly purpose: ComparedExecution['purpose'];
  readonly environment: unknown;
  readonly message: unknown;
  /** The accounts and slots that the message touches, before its execution. */
  readonly accounts: unknown;
  /** The hashes that the message read with BLOCKHASH, by block number. */
  readonly blockHashes: Readonly<Record<string, string>>;
  /** By engine name. */
  readonly outcomes: Readonly<Record<string, unknown>>;
}

/** A block that another implementation rejects, with its parent (hex of Ethereum's encoding), for JSON. */
interface BlockDifferenceDump {
  /** The difference, with the reason of the other implementation. */
  readonly difference: string;
  readonly ruleSet: string;
  readonly chainId: number;
  readonly block: string;
  readonly parent: string;
}

/** Converts a value for JSON: bytes to hex, and big integers to decimal strings. */
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

/** The number of blocks that BLOCKHASH can read. */
const HASHED_BLOCKS = 256n;

/** Records the touched state and the block hashes that a message reads. */
class ReadingTracer extends PrestateTracer {
  readonly #environment: BlockEnvironment;
  readonly #numbers = new Set<number>();

  constructor({ environment, message, before }: ComparedExecution) {
    const budget = new TraceBudget(Number.MAX_SAFE_INTEGER);
    const options = { diffMode: false, disableCode: false, disableStorage: false };
    // The reference engine rejects authorizations of impersonated signers, so no difference contains one.
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

/** Returns the accounts and block hashes that the message reads on `engine`; empty if rejected. */
async function readings(
  compared: ComparedExecution,
  engine: Engine,
): Promise<Pick<DifferenceDump, 'accounts' | 'blockHashes'>> {
  const { purpose, environment, before, message } = compared;
  const tracer = new ReadingTracer(compared);
  const state = new Overlay(before);
  try {
    const result = await engine[purpose](environment, state, message, tracer);
    const accounts = await runTask(tracer.result(result, state));
    return { accounts, blockHashes: await tracer.blockHashes() };
  } catch (error) {
    if (error instanceof UnexecutableError) return { accounts: {}, blockHashes: {} };
    throw error;
  }
}

/** Returns the dump of a difference. `reference` executes the message again to record its reads. */
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

/** Thrown if two engines disagree about a message or a sealed block. */
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

/** Returns true if the message exceeded the memory limit, because that limit is not a protocol rule. */
function hadNoRoom({ result }: EngineOutcome): boolean {
  return result?.haltReason === HALT_REASONS.outOfMemory;
}

/** Like {@link outcomeWith}; `null` if the engine runs out of memory. */
async function outcomeWithRoom(...run: Parameters<typeof outcomeWith>): Promise<EngineOutcome | null> {
  try {
    return await outcomeWith(...run);
  } catch (error) {
    if (error instanceof EngineMemoryError) return null;
    throw error;
  }
}

/** The possible halts of a precompile with too little gas and invalid input. Engines may differ. */
const EITHER_HALT: readonly unknown[] = [HALT_REASONS.outOfGas, HALT_REASONS.precompileFailed];

function isSame(field: string, left: unknown, right: unknown): boolean {
  if (isDeepStrictEqual(plain(left), plain(right))) return true;
  return field === 'haltReason' && EITHER_HALT.includes(left) && EITHER_HALT.includes(right);
}

/** Describes the difference of two outcomes, except rejection messages; `null` if equal. */
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
 * Returns an engine with the results of `primary` that also executes every message with `reference`, on a
 * copy of the state. If their rejection, result or state differs, it calls `onDifference` and throws
 * {@link EngineDifferenceError}. Messages that exceed memory limits are not compared. Both engines must
 * implement the `rules`.
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
    const [environment, state, message, , checkCancelled] = execution;
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
      checkCancelled,
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
