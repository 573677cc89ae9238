import { toHex } from '../primitives/hex.ts';
import { Overlay } from '../state/overlay.ts';
import type { WorldState } from '../state/world-state.ts';
import {
  type BlockEnvironment,
  type Engine,
  type ExecutionResult,
  type Message,
  UnexecutableError,
} from './engine.ts';
import { PrestateTracer } from './tracers/prestate-tracer.ts';
import { TraceBudget } from './tracers/trace-budget.ts';

/** How one engine fared with a message. */
export interface Fate {
  /** `null` when the engine refused the message. */
  readonly result: ExecutionResult | null;
  readonly refusal: UnexecutableError | null;
  /** The root of the state afterwards. */
  readonly stateRoot: Uint8Array;
}

/** A message and where it runs. */
export interface Scene {
  readonly purpose: 'transact' | 'call';
  readonly environment: BlockEnvironment;
  readonly before: WorldState;
  readonly message: Message;
}

/** All that is needed to run a message again, and what either engine made of it. Fit for JSON. */
export interface DifferenceDump {
  /** What the engines differ in. */
  readonly difference: string;
  readonly purpose: Scene['purpose'];
  readonly environment: unknown;
  readonly message: unknown;
  /** The accounts and slots that the message touches, as they were before. */
  readonly accounts: unknown;
  /** By the engine's name. */
  readonly outcomes: Readonly<Record<string, unknown>>;
}

/** A value as JSON can show it: bytes as hex, big integers as decimal digits. */
export function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return toHex(value);
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, plain(field)]));
}

function outcomeOf({ result, refusal, stateRoot }: Fate): unknown {
  return {
    ...(refusal === null ? { result: plain(result) } : { refusal: refusal.message }),
    stateRoot: toHex(stateRoot),
  };
}

/** The accounts that the message touches when `engine` runs it; empty when the engine refuses it. */
async function touchedAccounts(
  { purpose, environment, before, message }: Scene,
  engine: Engine,
): Promise<unknown> {
  const subject = {
    message,
    environment,
    before,
    position: null,
    budget: new TraceBudget(Number.MAX_SAFE_INTEGER),
  };
  const tracer = new PrestateTracer(subject, { diffMode: false, disableCode: false, disableStorage: false });
  const state = new Overlay(before);
  try {
    return tracer.result(await engine[purpose](environment, state, message, tracer), state);
  } catch (error) {
    if (error instanceof UnexecutableError) return {};
    throw error;
  }
}

/** The dump of a difference; `reference` runs the message once more to see what it touches. */
export async function dumpDifference(
  difference: string,
  scene: Scene,
  reference: Engine,
  fates: ReadonlyMap<string, Fate>,
): Promise<DifferenceDump> {
  const { blockHash: _, ancestor: __, ...environment } = scene.environment;
  return {
    difference,
    purpose: scene.purpose,
    environment: plain(environment),
    message: plain(scene.message),
    accounts: await touchedAccounts(scene, reference),
    outcomes: Object.fromEntries([...fates].map(([name, fate]) => [name, outcomeOf(fate)])),
  };
}
