import { expect, it } from 'vitest';
import type { ExecutionObserver, ExecutionStep, FrameEnd, FrameStart } from '../../../src/evm/observer.ts';
import { toHex } from '../../../src/primitives/hex.ts';
import { OPCODES } from '../../../src/protocol/hardforks/opcodes.ts';
import { ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import type { Log } from '../../../src/protocol/receipt.ts';
import { Dice } from '../../fuzz/engines/dice.ts';
import { playScene } from '../../fuzz/engines/play-scene.ts';
import { type RandomScene, randomScene } from '../../fuzz/engines/random-scene.ts';
import { createWasmEngine } from '../../support/evm/engines.ts';

/** Records the frames of executions. */
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

/** Records every event of an observer without steps. */
class Calls implements ExecutionObserver {
  readonly lines: string[] = [];

  frameStart({ kind, depth, from, to, input, gas, value, isPrecompile }: FrameStart): void {
    const facts = [toHex(from), toHex(to), toHex(input), gas, value, isPrecompile];
    this.lines.push(`${kind} ${depth} ${facts.join(' ')}`);
  }

  frameEnd({ outcome, haltReason, output, gasUsed }: FrameEnd): void {
    this.lines.push(`${outcome} ${haltReason} ${toHex(output)} ${gasUsed}`);
  }

  log({ address, topics, data }: Log): void {
    this.lines.push(`log ${toHex(address)} ${topics.map((topic) => toHex(topic)).join()} ${toHex(data)}`);
  }
}

/** Records the same events and every step. The engine decodes each opcode separately for it. */
class SteppedCalls extends Calls {
  readonly steps: number[] = [];
  readonly wanted: number[] = [];

  step({ pc, opcode }: ExecutionStep): void {
    this.steps.push(pc);
    if (WANTED.has(opcode)) this.wanted.push(pc);
  }
}

const WANTED: ReadonlySet<number> = new Set([OPCODES.JUMPI, OPCODES.SSTORE, OPCODES.KECCAK256]);

/** Records the program counters of all steps, and the steps of a few opcodes. */
class Trail extends Calls {
  readonly wantedSteps = WANTED;
  readonly steps: number[] = [];
  readonly wanted: number[] = [];

  trail(places: Uint32Array): void {
    this.steps.push(...places);
  }

  step({ pc }: ExecutionStep): void {
    // A reported step is the last one of the trail.
    expect(this.steps.at(-1)).toBe(pc);
    this.wanted.push(pc);
  }
}

async function observed<Observer extends ExecutionObserver>(
  scene: RandomScene,
  observer: Observer,
): Promise<Observer> {
  const engine = createWasmEngine(ruleSetNamed(scene.ruleSet), { chainId: 33, codeSizeLimit: 24_576 });
  await playScene(scene, async ({ purpose, environment, state, message }) => {
    await engine[purpose](environment, state, message, observer);
  });
  return observer;
}

/** Drops the calls of frames that halt: a frame that halts may halt before its calls. */
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

it('an observer without steps gets the same frames, logs and halt reasons', async () => {
  let logs = 0;
  let halts = 0;
  for (let seed = 1; seed <= 100; seed++) {
    const scene = randomScene(new Dice(seed));
    const [fast, stepped] = [await observed(scene, new Calls()), await observed(scene, new SteppedCalls())];
    expect(fast.lines, `seed ${seed}`).toEqual(stepped.lines);
    logs += fast.lines.filter((line) => line.startsWith('log ')).length;
    halts += fast.lines.filter((line) => line.startsWith('halt ')).length;
  }
  expect(logs).toBeGreaterThan(50);
  expect(halts).toBeGreaterThan(50);
});

it('an observer gets the trail of all steps, and the steps of the opcodes that it wants', async () => {
  let steps = 0;
  for (let seed = 1; seed <= 75; seed++) {
    const scene = randomScene(new Dice(seed));
    const [trail, all] = [await observed(scene, new Trail()), await observed(scene, new SteppedCalls())];
    expect(trail.steps, `seed ${seed}`).toEqual(all.steps);
    expect(trail.wanted, `seed ${seed}`).toEqual(all.wanted);
    expect(trail.lines, `seed ${seed}`).toEqual(all.lines);
    steps += trail.steps.length;
  }
  expect(steps).toBeGreaterThan(5_000);
});

it('an observer gets all steps except the steps of frames that it skips', async () => {
  /** Skips every second frame. */
  class Skipping extends Trail {
    #frames = 0;
    #open: boolean[] = [];
    skipsFrame = false;

    override frameStart(start: FrameStart): void {
      super.frameStart(start);
      this.skipsFrame = this.#frames++ % 2 === 1;
      this.#open.push(this.skipsFrame);
    }

    override frameEnd(end: FrameEnd): void {
      super.frameEnd(end);
      this.#open.pop();
      this.skipsFrame = this.#open.at(-1) ?? false;
    }
  }
  let left = 0;
  for (let seed = 1; seed <= 75; seed++) {
    const scene = randomScene(new Dice(seed));
    const [some, all] = [await observed(scene, new Skipping()), await observed(scene, new Trail())];
    expect(some.lines, `seed ${seed}`).toEqual(all.lines);
    expect(some.steps.length).toBeLessThanOrEqual(all.steps.length);
    left += all.steps.length - some.steps.length;
  }
  expect(left).toBeGreaterThan(1_000);
});

it('an observer that wants only frames gets the same frames without steps', async () => {
  let frames = 0;
  for (let seed = 1; seed <= 75; seed++) {
    const scene = randomScene(new Dice(seed));
    const [all, only] = [await framesOf(scene, false), await framesOf(scene, true)];
    expect(significant(only.lines), `seed ${seed}`).toEqual(significant(all.lines));
    expect(only.steps).toBe(0);
    frames += only.lines.length;
  }
  expect(frames).toBeGreaterThan(500);
});
