import type { Engine } from '../../../src/engine/engine.ts';
import { UnexecutableError } from '../../../src/engine/engine.ts';
import { createReferenceEngine } from '../../../src/engine/reference/reference-engine.ts';
import { EngineDifferenceError, shadowEngine } from '../../../src/engine/shadow-engine.ts';
import { createWasmEngine } from '../../../src/engine/wasm/wasm-engine.ts';
import { type KnownRuleSetName, ruleSetNamed } from '../../../src/rules/rule-set.ts';
import { Overlay } from '../../../src/state/overlay.ts';
import { Dice } from './dice.ts';
import { type RandomScene, randomScene, stateOf } from './random-scene.ts';
import { TranscribingObserver } from './transcribing-observer.ts';

const CHAIN_ID = 33;
const CODE_SIZE_LIMIT = 24_576;

interface EnginePair {
  readonly wasm: Engine;
  readonly reference: Engine;
}

/** Runs scenes on both engines, which it makes when a rule set is first played. */
export class EngineComparison {
  readonly #pairs = new Map<KnownRuleSetName, Promise<EnginePair>>();

  /** What the engines differ in when they play the scene of that seed; `null` for nothing. */
  compareSeed(seed: number): Promise<string | null> {
    const dice = new Dice(seed);
    const scene = randomScene(dice);
    return dice.oneIn(8) ? this.#compareTranscripts(scene) : this.compareScene(scene);
  }

  /** What the engines differ in when they play the scene; `null` for nothing. */
  async compareScene(scene: RandomScene): Promise<string | null> {
    const { wasm, reference } = await this.#engines(scene.ruleSet);
    const engine = shadowEngine(wasm, reference, () => {});
    const state = new Overlay(stateOf(scene));
    for (const { purpose, message } of scene.messages) {
      const subject = purpose === 'call' ? new Overlay(state.toWorldState()) : state;
      try {
        await engine[purpose](scene.environment, subject, message);
      } catch (error) {
        if (error instanceof EngineDifferenceError)
          return JSON.stringify({ ruleSet: scene.ruleSet, ...error.dump });
        if (!(error instanceof UnexecutableError)) throw error;
      }
    }
    return null;
  }

  /** What the engines tell an observer differently when they play the scene; `null` for nothing. */
  async #compareTranscripts(scene: RandomScene): Promise<string | null> {
    const { wasm, reference } = await this.#engines(scene.ruleSet);
    const ours = await transcriptOf(wasm, scene);
    const theirs = await transcriptOf(reference, scene);
    const first = ours.findIndex((line, index) => line !== theirs[index]);
    const line = first === -1 && ours.length < theirs.length ? ours.length : first;
    if (line === -1) return null;
    const context = theirs.slice(Math.max(0, line - 3), line).join('\n');
    return `${scene.ruleSet}, line ${line}:\n${context}\nwasm      ${ours[line]}\nreference ${theirs[line]}`;
  }

  #engines(name: KnownRuleSetName): Promise<EnginePair> {
    const known = this.#pairs.get(name);
    if (known !== undefined) return known;
    const made = makeEngines(name);
    this.#pairs.set(name, made);
    return made;
  }
}

async function makeEngines(name: KnownRuleSetName): Promise<EnginePair> {
  const ruleSet = ruleSetNamed(name);
  const options = { chainId: CHAIN_ID, codeSizeLimit: CODE_SIZE_LIMIT };
  return {
    wasm: await createWasmEngine(ruleSet, options),
    reference: await createReferenceEngine(ruleSet, options),
  };
}

/** What the engine tells of all messages of the scene, line by line. */
async function transcriptOf(engine: Engine, scene: RandomScene): Promise<readonly string[]> {
  const observer = new TranscribingObserver();
  const state = new Overlay(stateOf(scene));
  for (const { purpose, message } of scene.messages) {
    const subject = purpose === 'call' ? new Overlay(state.toWorldState()) : state;
    try {
      const result = await engine[purpose](scene.environment, subject, message, observer);
      observer.note(`${result.outcome} gas used ${result.gasUsed}`);
    } catch (error) {
      if (!(error instanceof UnexecutableError)) throw error;
      observer.note('refused');
    }
  }
  return observer.lines;
}
