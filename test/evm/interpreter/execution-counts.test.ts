import { describe, expect, it } from 'vitest';
import type { Engine } from '../../../src/evm/engine.ts';
import { ExecutionCounts, type OpcodeCounts } from '../../../src/evm/execution-counts.ts';
import { interpreterCounting } from '../../../src/evm/interpreter/counting-module.ts';
import type { ExecutionObserver } from '../../../src/evm/observer.ts';
import { equalBytes } from '../../../src/primitives/bytes.ts';
import { toHex } from '../../../src/primitives/hex.ts';
import { OPCODES } from '../../../src/protocol/hardforks/opcodes.ts';
import { ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import { plain } from '../../../src/reference/shadow-engine.ts';
import type { CancelCheck } from '../../../src/scheduling/cancel-check.ts';
import type { Yielder } from '../../../src/scheduling/scheduler.ts';
import { Overlay } from '../../../src/state/overlay.ts';
import { WorldState } from '../../../src/state/world-state.ts';
import { Dice } from '../../fuzz/engines/dice.ts';
import { playScene } from '../../fuzz/engines/play-scene.ts';
import { type RandomScene, randomScene } from '../../fuzz/engines/random-scene.ts';
import { CONTRACT, code, deploying, ETHER, environmentOf, messageOf, SENDER } from '../../reference/scene.ts';
import { createWasmEngine } from '../../support/evm/engines.ts';
import { wordBytes } from '../../support/words.ts';

const OPTIONS = { chainId: 33, codeSizeLimit: 24_576 };

const ENVIRONMENT = environmentOf('prague');
/** Code that counts the first word of its data down to zero. */
const LOOP = code('5f 35 5b 6001 90 03 80 6002 57 00');
const LOOP_START = 2;

function engineOn(counts: ExecutionCounts): Engine {
  return createWasmEngine(ruleSetNamed('prague'), { ...OPTIONS, counting: interpreterCounting(counts) });
}

function sceneState(program: Uint8Array): Overlay {
  const state = new Overlay(WorldState.empty());
  state.setAccount(SENDER, { nonce: 0n, balance: ETHER });
  state.setAccount(CONTRACT, { nonce: 1n, balance: 0n });
  state.setCode(CONTRACT, program);
  return state;
}

function countsOf(counts: ExecutionCounts, program: Uint8Array): OpcodeCounts {
  for (const counted of counts.codes) if (equalBytes(counted.code, program)) return counted.opcodes();
  throw new Error('the code did not run');
}

/** Counts of all code by program counter and opcode. `fall <pc>` counts a JUMPI that did not jump. */
type Tally = Map<string, number>;

function raise(tally: Tally, key: string, times = 1): void {
  if (times !== 0) tally.set(key, (tally.get(key) ?? 0) + times);
}

/** Counts the steps of an execution. */
class TallyingObserver implements ExecutionObserver {
  readonly tally: Tally = new Map();
  /** Per open frame: the program counter of the last step if it was a JUMPI, else `null`. */
  readonly #jumps: (number | null)[] = [];

  frameStart(): void {
    this.#jumps.push(null);
  }

  frameEnd(): void {
    this.#jumps.pop();
  }

  step({ pc, opcode }: { readonly pc: number; readonly opcode: number }): void {
    raise(this.tally, `${pc} ${opcode}`);
    const jump = this.#jumps.at(-1) ?? null;
    if (jump !== null && pc === jump + 1) raise(this.tally, `fall ${jump}`);
    this.#jumps[this.#jumps.length - 1] = opcode === OPCODES.JUMPI ? pc : null;
  }
}

function tallyOf(counts: ExecutionCounts): Tally {
  const tally: Tally = new Map();
  for (const counted of counts.codes) {
    const opcodes = counted.opcodes();
    for (const [pc, opcode] of counted.code.entries()) {
      raise(tally, `${pc} ${opcode}`, opcodes.at(pc));
      if (opcode === OPCODES.JUMPI && opcodes.at(pc) > 0) raise(tally, `fall ${pc}`, opcodes.fallsOf(pc));
    }
  }
  return tally;
}

/** Returns the result of each message of the scene. */
async function play(scene: RandomScene, engine: Engine, observer?: ExecutionObserver): Promise<unknown[]> {
  const results: unknown[] = [];
  await playScene(
    scene,
    async ({ purpose, environment, state, message }) => {
      const result = await engine[purpose](environment, state, message, observer);
      results.push(plain({ ...result, root: toHex(state.toWorldState().root) }));
    },
    () => results.push('refused'),
  );
  return results;
}

function sorted(tally: Tally): [string, number][] {
  return [...tally].sort(([left], [right]) => (left < right ? -1 : 1));
}

describe('execution counts of the interpreter', () => {
  it('counts match the observed steps and change no result on random scenes', async () => {
    let steps = 0;
    for (let seed = 77_000; seed < 77_150; seed++) {
      const scene = randomScene(new Dice(seed));
      const ruleSet = ruleSetNamed(scene.ruleSet);
      const counts = new ExecutionCounts();
      const counting = createWasmEngine(ruleSet, { ...OPTIONS, counting: interpreterCounting(counts) });
      const observer = new TallyingObserver();
      const traced = await play(scene, createWasmEngine(ruleSet, OPTIONS), observer);
      const plainly = await play(scene, createWasmEngine(ruleSet, OPTIONS));
      const counted = await play(scene, counting);
      expect(counted, `seed ${seed}`).toEqual(plainly);
      expect(traced, `seed ${seed}`).toEqual(plainly);
      expect(sorted(tallyOf(counts)), `seed ${seed}`).toEqual(sorted(observer.tally));
      for (const [key, times] of observer.tally) if (!key.startsWith('fall')) steps += times;
    }
    expect(steps).toBeGreaterThan(20_000);
  });

  it('counts are the same with and without an observer', async () => {
    for (let seed = 78_000; seed < 78_060; seed++) {
      const scene = randomScene(new Dice(seed));
      const ruleSet = ruleSetNamed(scene.ruleSet);
      const [alone, observed] = [new ExecutionCounts(), new ExecutionCounts()];
      const engineOf = (counts: ExecutionCounts): Engine =>
        createWasmEngine(ruleSet, { ...OPTIONS, counting: interpreterCounting(counts) });
      await play(scene, engineOf(alone));
      await play(scene, engineOf(observed), new TallyingObserver());
      expect(sorted(tallyOf(observed)), `seed ${seed}`).toEqual(sorted(tallyOf(alone)));
    }
  });

  it('counts exclude the steps of a message that restarts after its admission', async () => {
    const counts = new ExecutionCounts();
    const engine = engineOn(counts);
    let isWaiting = false;
    const turns: Yielder = {
      // The first execution yields at its first slice, the second one does not.
      blockedFor: () => (isWaiting ? 0 : 1_000),
      wait: () => Promise.resolve(),
      admission: () => {
        if (isWaiting) return undefined;
        isWaiting = true;
        return Promise.resolve();
      },
    } as Yielder;
    const interrupt: CancelCheck = Object.assign(() => {}, { yielder: turns });
    const message = messageOf({ data: wordBytes(200_000), gasLimit: 20_000_000n });
    const state = sceneState(LOOP);
    const result = await engine.call(ENVIRONMENT, state, message, undefined, interrupt);
    expect(result.outcome).toBe('success');
    expect(isWaiting).toBe(true);
    expect(countsOf(counts, LOOP).at(LOOP_START)).toBe(200_000);
  });

  it('counts of a million steps take no more memory than counts of a few steps', async () => {
    const counts = new ExecutionCounts();
    const engine = engineOn(counts);
    const run = (rounds: number) =>
      engine.call(ENVIRONMENT, sceneState(LOOP), messageOf({ data: wordBytes(rounds), gasLimit: 1n << 40n }));
    await run(2);
    const [first] = counts.codes;
    const ranges = [...(first?.ranges() ?? [])].length;
    await run(200_000);
    const [counted, ...others] = counts.codes;
    expect(others).toEqual([]);
    expect([...(counted?.ranges() ?? [])]).toHaveLength(ranges);
    expect(countsOf(counts, LOOP).at(LOOP_START)).toBe(200_002);
  });

  it('counts distinguish a JUMPI that falls through from a jump to the next opcode', async () => {
    // Jumps to the next opcode if the first word of the data is not zero, else falls through.
    const program = code('5f 35 6005 57 5b 00');
    const counts = new ExecutionCounts();
    const engine = engineOn(counts);
    for (const first of [0, 0, 1]) {
      await engine.call(ENVIRONMENT, sceneState(program), messageOf({ data: wordBytes(first) }));
    }
    const opcodes = countsOf(counts, program);
    expect([opcodes.at(4), opcodes.at(5), opcodes.fallsOf(4)]).toEqual([3, 3, 2]);
  });

  it('counts include a JUMPI that falls through at the end of a code segment', async () => {
    const program = code(`${'5b'.repeat(4_090)} 5f 35 611000 57 5b 00`);
    const jumpi = program.indexOf(0x57);
    expect(jumpi).toBe(4_095);
    const counts = new ExecutionCounts();
    const engine = engineOn(counts);
    await engine.call(ENVIRONMENT, sceneState(program), messageOf({ data: wordBytes(0) }));
    expect(countsOf(counts, program).fallsOf(jumpi)).toBe(1);
  });

  it('counts keep initcode and deployed code apart', async () => {
    const runtime = code('6001 00');
    const counts = new ExecutionCounts();
    const engine = engineOn(counts);
    const state = sceneState(code('00'));
    const { createdAddress } = await engine.transact(
      ENVIRONMENT,
      state,
      messageOf({ to: null, data: deploying(runtime) }),
    );
    await engine.call(ENVIRONMENT, state, messageOf({ to: createdAddress, nonce: 1n }));
    const codes = Array.from(counts.codes, ({ side, code: bytes }) => [side, toHex(bytes)]);
    expect(codes).toEqual([
      ['creation', toHex(deploying(runtime))],
      ['deployed', toHex(runtime)],
    ]);
  });
});
