import { isDeepStrictEqual } from 'node:util';
import {
  type Engine,
  type ExecutionResult,
  type Message,
  UnexecutableError,
} from '../../../src/evm/engine.ts';
import type { ExecutionObserver } from '../../../src/evm/observer.ts';
import { type RuleSetName, ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import { EngineDifferenceError, plain, shadowEngine } from '../../../src/reference/shadow-engine.ts';
import { Overlay } from '../../../src/state/overlay.ts';
import { RemoteOverlay } from '../../evm/interpreter/remote-overlay.ts';
import { createReferenceEngine, createWasmEngine } from '../../support/evm/engines.ts';
import { Dice } from './dice.ts';
import { playScene, stateOf, type Turn } from './play-scene.ts';
import { type RandomScene, randomScene } from './random-scene.ts';
import { TranscribingObserver } from './transcribing-observer.ts';

const ENGINE_OPTIONS = { chainId: 33, codeSizeLimit: 24_576 };

interface EnginePair {
  readonly wasm: Engine;
  readonly reference: Engine;
}

/** Returns the message of an `UnexecutableError`; throws other errors. */
function unexecutable(error: unknown): string {
  if (error instanceof UnexecutableError) return error.message;
  throw error;
}

/** Runs scenes on both engines. Creates the engines on first use of a rule set. */
export class EngineComparison {
  readonly #pairs = new Map<RuleSetName, Promise<EnginePair>>();

  /** The difference between the engines for the scene of a seed; `null` if they agree. */
  compareSeed(seed: number): Promise<string | null> {
    const dice = new Dice(seed);
    const scene = randomScene(dice);
    if (dice.oneIn(16)) return this.compareInterleaved(scene, dice.oneIn(2) ? dice.bytes(32) : undefined);
    if (dice.oneIn(8)) return this.compareWithUsedGas(scene);
    return dice.oneIn(8) ? this.compareTranscripts(scene) : this.compareScene(scene);
  }

  /** The difference between the engines for a scene; `null` if they agree. */
  async compareScene(scene: RandomScene): Promise<string | null> {
    const { wasm, reference } = await this.#engines(scene.ruleSet);
    const rules = { ...ENGINE_OPTIONS, ruleSet: ruleSetNamed(scene.ruleSet) };
    const engine = shadowEngine(wasm, reference, rules, () => {});
    try {
      await playScene(scene, async ({ purpose, environment, state, message }) => {
        await engine[purpose](environment, state, message);
      });
    } catch (error) {
      if (!(error instanceof EngineDifferenceError)) throw error;
      return JSON.stringify(error.dump);
    }
    return null;
  }

  /** The difference between the events of the engines for a scene; `null` if they agree. */
  async compareTranscripts(scene: RandomScene): Promise<string | null> {
    const { wasm, reference } = await this.#engines(scene.ruleSet);
    const ours = await transcriptOf(wasm, scene);
    const theirs = await transcriptOf(reference, scene);
    const first = ours.findIndex((line, index) => line !== theirs[index]);
    const line = first === -1 && ours.length < theirs.length ? ours.length : first;
    if (line === -1) return null;
    const context = theirs.slice(Math.max(0, line - 3), line).join('\n');
    return `${scene.ruleSet}, line ${line}:\n${context}\nwasm      ${ours[line]}\nreference ${theirs[line]}`;
  }

  /**
   * The difference if all messages of the scene run concurrently as calls, on a state with asynchronous
   * reads; `null` if they agree. The engine uses the placeholder for missing words. Every second call is observed.
   */
  async compareInterleaved(scene: RandomScene, placeholder?: Uint8Array): Promise<string | null> {
    const { wasm } = await this.#engines(scene.ruleSet);
    const ahead = createWasmEngine(ruleSetNamed(scene.ruleSet), { ...ENGINE_OPTIONS, placeholder });
    const world = stateOf(scene);
    const fateOn = async (
      engine: Engine,
      state: Overlay,
      message: Message,
      place: number,
    ): Promise<unknown> => {
      const events: string[] = [];
      const observer = place % 2 === 0 ? undefined : stepsInto(events);
      try {
        const result = await engine.call(scene.environment, state, message, observer);
        return plain({ ...result, root: state.toWorldState().root, events });
      } catch (error) {
        if (!(error instanceof UnexecutableError)) throw error;
        return 'refused';
      }
    };
    const messages = scene.messages.map(({ message }) => message);
    const alone: unknown[] = [];
    for (const [place, message] of messages.entries())
      alone.push(await fateOn(wasm, new Overlay(world), message, place));
    const remote = stateOf(scene);
    const known = new Set<string>();
    const together = await Promise.all(
      messages.map((message, place) => fateOn(ahead, new RemoteOverlay(remote, known), message, place)),
    );
    const difference = messages.findIndex((_, index) => !isDeepStrictEqual(alone[index], together[index]));
    if (difference === -1) return null;
    const [ours, theirs] = [together[difference], alone[difference]].map((fate) => JSON.stringify(fate));
    return `${scene.ruleSet}, message ${difference}: waiting ${ours}, at once ${theirs}`;
  }

  /** The difference if messages that do not observe their gas run with only the gas they use; `null` if none. */
  async compareWithUsedGas(scene: RandomScene): Promise<string | null> {
    const { wasm } = await this.#engines(scene.ruleSet);
    const world = stateOf(scene);
    const resultOf = async (message: Message): Promise<ExecutionResult> => {
      const state = new Overlay(world);
      const result = await wasm.call(scene.environment, state, message);
      return Object.assign(result, { root: state.toWorldState().root });
    };
    for (const [index, { message }] of scene.messages.entries()) {
      let isUnobserved = false;
      const onUnobservedGas = (): void => {
        isUnobserved = true;
      };
      const price = { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n, authorizationList: [] };
      const first = await resultOf({ ...message, ...price, onUnobservedGas }).catch(unexecutable);
      if (!isUnobserved || typeof first === 'string' || first.outcome !== 'success') continue;
      const again = await resultOf({ ...message, ...price, gasLimit: first.gasBeforeRefund }).catch(
        unexecutable,
      );
      if (isDeepStrictEqual(again, first)) continue;
      const [ours, theirs] = [again, first].map((result) => JSON.stringify(plain(result)));
      return `${scene.ruleSet}, message ${index}: with the used gas ${ours}, with more ${theirs}`;
    }
    return null;
  }

  #engines(name: RuleSetName): Promise<EnginePair> {
    const known = this.#pairs.get(name);
    if (known !== undefined) return known;
    const made = makeEngines(name);
    this.#pairs.set(name, made);
    return made;
  }
}

/** Adds the frames and steps to the list. Reads no state, because that can be missing. */
function stepsInto(events: string[]): ExecutionObserver {
  return {
    frameStart: ({ kind, gas }) => void events.push(`start ${kind} ${gas}`),
    frameEnd: ({ outcome, gasUsed }) => void events.push(`end ${outcome} ${gasUsed}`),
    step: (step) =>
      void events.push(`${step.pc} ${step.opcode} ${step.gas} ${step.gasCost} ${step.stackItem(0)}`),
  };
}

async function makeEngines(name: RuleSetName): Promise<EnginePair> {
  const ruleSet = ruleSetNamed(name);
  return {
    wasm: await createWasmEngine(ruleSet, ENGINE_OPTIONS),
    reference: await createReferenceEngine(ruleSet, ENGINE_OPTIONS),
  };
}

/** The events of an engine for all messages of the scene, one per line. */
async function transcriptOf(engine: Engine, scene: RandomScene): Promise<readonly string[]> {
  const observer = new TranscribingObserver();
  const execute = async ({ purpose, environment, state, message }: Turn): Promise<void> => {
    const result = await engine[purpose](environment, state, message, observer);
    observer.note(`${result.outcome} gas used ${result.gasUsed}`);
  };
  await playScene(scene, execute, () => observer.note('refused'));
  return observer.lines;
}
