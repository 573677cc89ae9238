import { describe, expect, it } from 'vitest';
import { createWasmEngine } from '../../../src/evm/interpreter/interpreter-engine.ts';
import type { ExecutionObserver, ExecutionStep } from '../../../src/evm/observer.ts';
import { StackJson, StackTexts } from '../../../src/evm/tracers/step-recording.ts';
import { ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import { Dice } from '../../fuzz/engines/dice.ts';
import { playScene } from '../../fuzz/engines/play-scene.ts';
import { randomScene } from '../../fuzz/engines/random-scene.ts';

const SCENES = 300;

function spell(item: bigint): string {
  return item.toString(16);
}

/** Compares the texts of each step with those of its whole stack. */
class ComparingObserver implements ExecutionObserver {
  readonly wrong: string[] = [];
  steps = 0;
  readonly #texts = new StackTexts(spell);
  readonly #json = new StackJson();

  frameStart(): void {
    this.#texts.open();
    this.#json.open();
  }

  frameEnd(): void {
    this.#texts.close();
    this.#json.close();
  }

  step(step: ExecutionStep): void {
    this.steps++;
    const whole = step.stack().map(spell);
    const texts = this.#texts.before(step);
    if (texts.join() !== whole.join()) this.wrong.push(`${texts.join()} instead of ${whole.join()}`);
    const json = this.#json.before(step);
    const wholeJson = whole.map((text) => `"0x${text}"`).join();
    if (json !== wholeJson) this.wrong.push(`${json} instead of ${wholeJson}`);
  }
}

describe('the texts of a stack', () => {
  it('are those of all its items at each step of random programs', async () => {
    const observer = new ComparingObserver();
    for (let seed = 1; seed <= SCENES; seed++) {
      const scene = randomScene(new Dice(seed));
      const options = { chainId: 33, codeSizeLimit: null };
      const engine = await createWasmEngine(ruleSetNamed(scene.ruleSet), options);
      await playScene(scene, async ({ purpose, environment, state, message }) => {
        await engine[purpose](environment, state, message, observer);
      });
    }
    expect(observer.wrong).toEqual([]);
    expect(observer.steps).toBeGreaterThan(10_000);
  });
});
