import { describe, expect, it } from 'vitest';
import type { ExecutionObserver, ExecutionStep } from '../../../src/evm/observer.ts';
import { StackItems } from '../../../src/evm/tracers/step-recording.ts';
import { ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import { Dice } from '../../fuzz/engines/dice.ts';
import { playScene } from '../../fuzz/engines/play-scene.ts';
import { randomScene } from '../../fuzz/engines/random-scene.ts';
import { createWasmEngine } from '../../support/evm/engines.ts';

const SCENES = 300;

function spell(item: bigint): string {
  return item.toString(16);
}

/** Appends an item to the text of the items below it. */
function join(item: bigint, below: string | undefined): string {
  return below === undefined ? spell(item) : `${below},${spell(item)}`;
}

/** Compares the texts of each step with the texts of its whole stack. */
class ComparingObserver implements ExecutionObserver {
  readonly wrong: string[] = [];
  steps = 0;
  readonly #texts = new StackItems(spell);
  readonly #joined = new StackItems(join);

  frameStart(): void {
    this.#texts.open();
    this.#joined.open();
  }

  frameEnd(): void {
    this.#texts.close();
    this.#joined.close();
  }

  step(step: ExecutionStep): void {
    this.steps++;
    const whole = step.stack().map(spell);
    const texts = this.#texts.before(step);
    if (texts.join() !== whole.join()) this.wrong.push(`${texts.join()} instead of ${whole.join()}`);
    const joined = this.#joined.before(step).at(-1) ?? '';
    if (joined !== whole.join()) this.wrong.push(`${joined} instead of ${whole.join()}`);
  }
}

describe('StackItems', () => {
  it('returns the texts of all items of the stack at each step of random programs', async () => {
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
