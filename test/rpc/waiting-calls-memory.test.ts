import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ruleSetNamed } from '../../src/protocol/hardforks/registry.ts';
import { ClientDisconnectedError } from '../../src/rpc/errors.ts';
import { CallSlots, requestCheck } from '../../src/rpc/request-check.ts';
import { nextIteration } from '../../src/scheduling/cancel-check.ts';
import type { Yielder } from '../../src/scheduling/scheduler.ts';
import { Overlay } from '../../src/state/overlay.ts';
import { WorldState } from '../../src/state/world-state.ts';
import { code, environmentOf, messageOf } from '../reference/scene.ts';
import { createWasmEngine } from '../support/evm/engines.ts';
import { createFakeTime } from '../support/fake-time.ts';
import { testConnection } from './rpc-harness.ts';

const CALLS = 12;
const SLOTS = 2;

/** The memories of all interpreters created since the start of the test. */
let memories: WeakRef<WeakKey>[];

const { Instance } = WebAssembly;

class CountedInstance extends Instance {
  constructor(module: WebAssembly.Module, imports: Readonly<Record<string, object>>) {
    super(module, imports);
    const { memory } = this.exports;
    if (memory instanceof WebAssembly.Memory) memories.push(new WeakRef(memory));
  }
}

beforeEach(() => {
  memories = [];
  WebAssembly.Instance = CountedInstance;
});

afterEach(() => {
  WebAssembly.Instance = Instance;
});

/** Memory still referenced by a compiler thread or an old stack slot is freed by a later collection. */
const MAX_COLLECTIONS = 20;

/** Number of memories left after garbage collection. Stops as soon as it reaches `fewest`. */
async function memoriesHeld(fewest: number): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  let held = memories.length;
  for (let count = 0; count < MAX_COLLECTIONS && held > fewest; count++) {
    // The target of a WeakRef stays alive until the end of the event loop turn.
    await nextIteration();
    collect();
    held = memories.filter((memory) => memory.deref() !== undefined).length;
  }
  return held;
}

/** Yielder that are always over time and resume only on request. */
function manualTurns(): { readonly yielder: Yielder; resume(): void } {
  const waiting: (() => void)[] = [];
  return {
    yielder: {
      blockedFor: () => Number.POSITIVE_INFINITY,
      wait: () => new Promise((resolve) => void waiting.push(resolve)),
    },
    resume: () => {
      for (const resume of waiting.splice(0)) resume();
    },
  };
}

it('calls that wait for a slot hold no interpreter, and running calls hold one', async () => {
  const engine = createWasmEngine(ruleSetNamed('cancun'), { chainId: 33, codeSizeLimit: null });
  const { yielder, resume } = manualTurns();
  const slots = new CallSlots({ perLane: SLOTS, inAll: SLOTS, waitingPerLane: CALLS });
  const bounds = { time: createFakeTime(0), timeout: 0, begunAt: 0, yielder, slots };
  const connection = testConnection();
  const base = new Overlay(WorldState.empty());
  base.setCode(messageOf({}).to ?? new Uint8Array(20), code('5b 5f 56'));
  const state = base.toWorldState();
  const message = messageOf({ gasLimit: 10n ** 15n, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n });
  const ends = Array.from({ length: CALLS }, async () =>
    engine.call(
      environmentOf('cancun'),
      new Overlay(state),
      message,
      undefined,
      requestCheck(connection, bounds),
    ),
  );
  const ended = Promise.allSettled(ends);

  expect(memories).toHaveLength(CALLS);
  expect(await memoriesHeld(SLOTS)).toBe(SLOTS);

  connection.close();
  resume();
  for (const { status, ...end } of await ended) {
    expect([status, end]).toEqual(['rejected', { reason: expect.any(ClientDisconnectedError) }]);
  }
});
