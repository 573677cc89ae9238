import { expect, it } from 'vitest';
import { createWasmEngine } from '../../../src/evm/interpreter/interpreter-engine.ts';
import type { ExecutionObserver, FrameEnd, FrameStart } from '../../../src/evm/observer.ts';
import { toHex } from '../../../src/primitives/hex.ts';
import { ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import { Dice } from '../../fuzz/engines/dice.ts';
import { playScene } from '../../fuzz/engines/play-scene.ts';
import { type RandomScene, randomScene } from '../../fuzz/engines/random-scene.ts';

/** Writes down the frames of executions. */
class Frames implements ExecutionObserver {
  readonly wantsFramesOnly: boolean;
  readonly lines: string[] = [];
  steps = 0;

  constructor(wantsFramesOnly: boolean) {
    this.wantsFramesOnly = wantsFramesOnly;
  }

  frameStart({ kind, depth, from, to, input, gas, value }: FrameStart): void {
    this.lines.push(`${kind} ${depth} ${toHex(from)} ${toHex(to)} ${toHex(input)} ${gas} ${value}`);
  }

  frameEnd({ outcome, output, gasUsed }: FrameEnd): void {
    this.lines.push(`${outcome} ${toHex(output)} ${gasUsed}`);
  }

  step(): void {
    this.steps++;
  }
}

async function framesOf(scene: RandomScene, wantsFramesOnly: boolean): Promise<Frames> {
  const engine = createWasmEngine(ruleSetNamed(scene.ruleSet), { chainId: 33, codeSizeLimit: 24_576 });
  const observer = new Frames(wantsFramesOnly);
  await playScene(scene, async ({ purpose, environment, state, message }) => {
    await engine[purpose](environment, state, message, observer);
  });
  return observer;
}

/** Returns the frames down to that depth of each message; a frame that halts may halt before the calls that it would make. */
function significant(lines: readonly string[]): string[] {
  const kept: { readonly lines: string[] }[] = [{ lines: [] }];
  for (const line of lines) {
    const isEnd = /^(?:success|revert|halt) /.test(line);
    if (!isEnd) {
      kept.push({ lines: [line] });
      continue;
    }
    const frame = kept.pop();
    const [start = ''] = frame?.lines ?? [];
    const inside = line.startsWith('halt') ? [start] : (frame?.lines ?? []);
    kept.at(-1)?.lines.push(...inside, line);
  }
  return kept.flatMap((frame) => frame.lines);
}

it('shows those who want frames only the same frames, without steps', async () => {
  let frames = 0;
  for (let seed = 1; seed <= 150; seed++) {
    const scene = randomScene(new Dice(seed));
    const [all, only] = [await framesOf(scene, false), await framesOf(scene, true)];
    expect(significant(only.lines), `seed ${seed}`).toEqual(significant(all.lines));
    expect(only.steps).toBe(0);
    frames += only.lines.length;
  }
  expect(frames).toBeGreaterThan(1_000);
}, 60_000);
