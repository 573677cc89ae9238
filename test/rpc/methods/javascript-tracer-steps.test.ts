// The steps that a JavaScript tracer receives, compared with the struct logs of the same execution.

import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/primitives/hex.ts';
import { type RuleSetName, ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import { Dice } from '../../fuzz/engines/dice.ts';
import { RandomProgram } from '../../fuzz/engines/random-program.ts';
import { createRpcHarness } from '../rpc-harness.ts';

const ADDRESSES = [0xa1, 0xa2, 0xa3].map((end) => Uint8Array.of(...new Uint8Array(19).fill(0xcc), end));
const CONTRACT = toHex(Uint8Array.of(...new Uint8Array(19).fill(0xcc), 0xa1));
const PROGRAMS = 5;

/** Collects the fields of struct logs and the memory of each step. */
const STEPS = `{
  steps: [],
  step: function(log, db) {
    var stack = [];
    for (var distance = log.stack.length() - 1; distance >= 0; distance--)
      stack.push('0x' + log.stack.peek(distance).toString(16));
    var memory = toHex(log.memory.slice(0, log.memory.length())).slice(2);
    this.steps.push({
      pc: log.getPC(), op: log.op.toString(), gas: log.getGas(), gasCost: log.getCost(), depth: log.getDepth(),
      refund: log.getRefund(), stack: stack, memory: memory,
    });
  },
  fault: function() {},
  result: function(ctx) { return { gas: ctx.gasUsed, steps: this.steps }; }
}`;

interface StructLog {
  readonly pc: number;
  readonly op: string;
  readonly gas: number;
  readonly gasCost: number;
  readonly depth: number;
  readonly refund?: number;
  readonly stack: readonly string[];
  readonly memory: readonly string[];
}

describe.each([
  ['rootstock', 'wasm', 1],
  ['prague', 'wasm', 2],
  ['osaka', 'reference', 3],
] as const)('JavaScript tracer under %s on engine %s', (ruleSet: RuleSetName, engine, seed) => {
  it('receives the same steps as the struct logs of random programs', async () => {
    const { call } = await createRpcHarness({}, { ruleSet, engine });
    const dice = new Dice(seed);
    const program = new RandomProgram(dice, ADDRESSES, ruleSetNamed(ruleSet).opcodes);
    let steps = 0;
    for (let count = 0; count < PROGRAMS; count++) {
      const stateOverrides = Object.fromEntries(
        ADDRESSES.map((address) => [toHex(address), { code: toHex(program.code()), balance: '0xffffff' }]),
      );
      const data = toHex(dice.bytes(40));
      const trace = (options: object): Promise<unknown> =>
        call('debug_traceCall', [
          { to: CONTRACT, gas: 300_000, data, value: '0x2' },
          'latest',
          { ...options, stateOverrides },
        ]);
      const { gas, structLogs } = (await trace({ enableMemory: true })) as {
        gas: number;
        structLogs: readonly StructLog[];
      };
      const expected = structLogs.map(({ pc, op, gas, gasCost, depth, refund = 0, stack, memory }) => {
        return { pc, op, gas, gasCost, depth, refund, stack, memory: memory.join('') };
      });
      expect(await trace({ tracer: STEPS })).toEqual({ gas, steps: expected });
      steps += structLogs.length;
    }
    expect(steps).toBeGreaterThan(100);
  });
});
