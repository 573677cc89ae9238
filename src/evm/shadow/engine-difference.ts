// Reports of messages about which two engines disagree, with everything needed to reproduce them.

import { toHex } from '../../primitives/hex.ts';
import { WorkPieces } from '../../primitives/work-pieces.ts';
import { OPCODES } from '../../protocol/hardforks/opcodes.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { Overlay } from '../../state/overlay.ts';
import { fetchingState } from '../../state/state-source.ts';
import type { WorldState } from '../../state/world-state.ts';
import {
  type BlockEnvironment,
  type Engine,
  type ExecutionResult,
  type Message,
  UnexecutableError,
} from '../engine.ts';
import type { ExecutionStep } from '../observer.ts';
import { noImpersonatedSigner } from '../signers.ts';
import { PrestateTracer } from '../tracers/prestate-tracer.ts';
import { TraceBudget } from '../tracers/tracer.ts';

/** The outcome of a message on one engine. */
export interface EngineOutcome {
  /** `null` when the engine refused the message. */
  readonly result: ExecutionResult | null;
  readonly refusal: UnexecutableError | null;
  /** The root of the state afterwards. */
  readonly stateRoot: Uint8Array;
}

/** The configuration that both engines share. */
export interface EngineConfig {
  readonly ruleSet: RuleSet;
  readonly chainId: number;
  /** The maximum code size of an account in bytes; `null` for no limit. */
  readonly codeSizeLimit: number | null;
}

/** A message with its environment and state. */
export interface ComparedExecution {
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
export interface DifferenceDump {
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
export interface BlockDifferenceDump {
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
export async function dumpDifference(
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
