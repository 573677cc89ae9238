import { describe, expect, it } from 'vitest';
import { MuxTracer } from '../../../src/evm/tracers/mux-tracer.ts';
import { type OpcodeGas, OpcodeGasTracer } from '../../../src/evm/tracers/opcode-gas-tracer.ts';
import { StructLogger, type StructTrace } from '../../../src/evm/tracers/struct-logger.ts';
import { TraceBudget, type Tracer } from '../../../src/evm/tracers/tracer.ts';
import { type RuleSetName, ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import { runTask } from '../../../src/scheduling/task.ts';
import { Overlay } from '../../../src/state/overlay.ts';
import { CONTRACT, code, deploying, messageOf, setScene } from '../../reference/scene.ts';
import { createReferenceEngine, createWasmEngine } from '../../support/evm/engines.ts';
import { wordBytes } from '../../support/words.ts';
import { ALICE, calling, creating, reverting } from './trace-scene.ts';

const INTRINSIC = 21_000n;
const GAS_LIMIT = 200_000n;

/** The opcodes that a message to the contract ran, equal on both engines, and its gas before refunds. */
async function opcodesOf(set: (state: Overlay) => void, name: RuleSetName = 'prague') {
  const scene = await setScene(name);
  set(scene.state);
  const before = scene.state.toWorldState();
  const settings = { chainId: 33, codeSizeLimit: 24_576 };
  const runs: { opcodes: readonly OpcodeGas[]; struct: StructTrace; gas: bigint }[] = [];
  for (const create of [createWasmEngine, createReferenceEngine]) {
    const engine = await create(ruleSetNamed(name), settings);
    const after = new Overlay(before);
    const message = messageOf({ gasLimit: GAS_LIMIT });
    const budget = new TraceBudget();
    const options = { memory: false, stack: false, storage: false, returnData: false, limit: 0 };
    const tracers: [string, Tracer][] = [
      ['opcodes', new OpcodeGasTracer()],
      ['struct', new StructLogger(options, budget)],
    ];
    const tracer = new MuxTracer(new Map(tracers));
    const result = await engine.transact(scene.environment, after, message, tracer);
    const traces = (await runTask(tracer.result(result, after))) as (typeof runs)[number];
    runs.push({ ...traces, gas: result.gasBeforeRefund });
  }
  const [ours, theirs] = runs;
  if (ours === undefined) throw new Error('no engine ran');
  expect(ours.opcodes).toEqual(theirs?.opcodes);
  for (const { opcode, count } of ours.opcodes) {
    expect(ours.struct.structLogs.filter(({ op }) => op === opcode)).toHaveLength(count);
  }
  return ours;
}

const total = (opcodes: readonly OpcodeGas[]): number =>
  opcodes.reduce((sum, { gasUsed }) => sum + gasUsed, 0);

describe('OpcodeGasTracer', () => {
  it('counts opcodes and sorts them by gas in descending order', async () => {
    const { opcodes } = await opcodesOf((state) => state.setCode(CONTRACT, code('6001 6002 01 6003 55 00')));
    expect(opcodes).toEqual([
      { opcode: 'SSTORE', count: 1, gasUsed: 22_100 },
      { opcode: 'PUSH1', count: 3, gasUsed: 9 },
      { opcode: 'ADD', count: 1, gasUsed: 3 },
      { opcode: 'STOP', count: 1, gasUsed: 0 },
    ]);
  });

  it('counts all gas of the code exactly once', async () => {
    const { opcodes, gas } = await opcodesOf((state) => {
      // A call with a value and its stipend, a call that reverts, a precompile, and more code.
      const identity = new Uint8Array(20).fill(4, 19);
      const calls = [
        calling('CALL', ALICE, { value: '6001', gas: '5f' }),
        calling('CALL', CONTRACT, { gas: '61ffff' }),
        calling('STATICCALL', identity),
      ];
      state.setAccount(CONTRACT, { nonce: 1n, balance: 5n });
      // The contract reverts if it calls itself: CALLER, ADDRESS, EQ, and a jump after the calls.
      const body = `${calls.join(' 50 ')} 50 6001 6003 55 00`;
      const target = (6 + code(body).length).toString(16);
      state.setCode(CONTRACT, code(`33 30 14 60${target} 57 ${body} 5b ${reverting(wordBytes(1))}`));
      state.setCode(ALICE, code('6001 6002 01 50 00'));
    });
    expect(BigInt(total(opcodes))).toBe(gas - INTRINSIC);
    expect(opcodes.find(({ opcode }) => opcode === 'REVERT')).toMatchObject({ count: 1 });
    // 9000 for the value without the stipend, 2600 for the cold account, and 100 for the warm contract.
    const call = opcodes.find(({ opcode }) => opcode === 'CALL');
    expect(call).toMatchObject({ count: 2, gasUsed: 9_000 - 2_300 + 2_600 + 100 });
  });

  it('counts the gas that a halted frame loses', async () => {
    const { opcodes, gas } = await opcodesOf((state) => state.setCode(CONTRACT, code('6001 fe')));
    expect(gas).toBe(GAS_LIMIT);
    expect(BigInt(total(opcodes))).toBe(gas - INTRINSIC);
    expect(opcodes[0]).toEqual({ opcode: 'INVALID', count: 1, gasUsed: Number(GAS_LIMIT - INTRINSIC) - 3 });
  });

  it('counts the gas of creations without the gas of initcode and deposit', async () => {
    const { opcodes } = await opcodesOf((state) =>
      state.setCode(CONTRACT, code(`${creating(deploying(code('00')))} 00`)),
    );
    expect(opcodes.find(({ opcode }) => opcode === 'CREATE')).toEqual({
      opcode: 'CREATE',
      count: 1,
      gasUsed: 32_000 + 2,
    });
  });
});
