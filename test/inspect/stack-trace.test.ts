import { describe, expect, it } from 'vitest';
import { TraceBudget } from '../../src/evm/tracers/tracer.ts';
import { ExecutionRecorder } from '../../src/inspect/execution-recorder.ts';
import { failingPath } from '../../src/inspect/failing-path.ts';
import { failureOf } from '../../src/inspect/failure.ts';
import { guidesOf } from '../../src/inspect/source-index.ts';
import { stackTraceOf } from '../../src/inspect/stack-trace.ts';
import { frameText } from '../../src/inspect/tree-text.ts';
import { contractOf, NOTHING, recordingOf, START, subject, takeStep } from './made-up-execution.ts';

const SOURCE = `contract A {
  function f() public {
    uint256 x = 1;
    target.call("");
    bubble();
    require(x > 1, "small");
  }
  function g() public {
    require(x > 2);
  }
  function bubble() internal {
    revert();
  }
}`;
const SELECTOR_OF_F = Uint8Array.of(0x26, 0x12, 0x1f, 0xf0);
const REASON = Uint8Array.from(
  Buffer.from(
    `08c379a0${'20'.padStart(64, '0')}${'5'.padStart(64, '0')}${'736d616c6c'.padEnd(64, '0')}`,
    'hex',
  ),
);

/** Opcodes for a test, with their source position and jump type. */
interface MadeUpOpcode {
  readonly opcode: number;
  /** The source text at the position. A function is named by its first line. */
  readonly at: string;
  readonly jump?: 'i' | 'o';
}

function entryOf({ at, jump = undefined }: MadeUpOpcode): string {
  const start = SOURCE.indexOf(at);
  const isFunction = at.startsWith('function');
  const end =
    at === 'contract A' ? SOURCE.length : isFunction ? SOURCE.indexOf('\n  }', start) + 4 : start + at.length;
  return `${start}:${end - start}:0:${jump ?? '-'}`;
}

const JUMPDEST = 0x5b;
const JUMP = 0x56;
const JUMPI = 0x57;
const CALL = 0xf1;
const GT = 0x11;
const REVERT = 0xfd;
const ENTER_F: readonly MadeUpOpcode[] = [
  { opcode: JUMP, at: 'contract A', jump: 'i' },
  { opcode: JUMPDEST, at: 'function f' },
];

/** Runs the opcodes in order in one frame of `f`. Each CALL fails with the data. */
async function explain(opcodes: readonly MadeUpOpcode[], output: Uint8Array, isOptimized: boolean) {
  const contract = contractOf({
    bytes: Uint8Array.from(opcodes, ({ opcode }) => opcode),
    sourceMap: opcodes.map(entryOf).join(';'),
    source: SOURCE,
    isOptimized,
  });
  const contracts = [contract, null, null];
  const recorder = new ExecutionRecorder(
    subject(new TraceBudget()),
    await guidesOf(contracts, new WeakMap()),
  );
  recorder.frameStart({ ...START, input: SELECTOR_OF_F });
  for (const [pc, { opcode }] of opcodes.entries()) {
    takeStep(recorder, pc, opcode);
    if (opcode !== CALL) continue;
    recorder.frameStart({ ...START, isPrecompile: true });
    recorder.frameEnd({ ...NOTHING, outcome: 'revert', output });
  }
  recorder.frameEnd({ ...NOTHING, outcome: 'revert', output });
  const recorded = recordingOf(recorder);
  const path = failingPath(recorded.root, contracts);
  const { message } = failureOf(
    path,
    path.map(({ index }) => contracts[index] ?? null),
  );
  const trace = await stackTraceOf(recorded, contracts);
  return { message, own: trace.filter(({ source }) => source !== null).map(frameText) };
}

describe('lines of a stack frame', () => {
  it('the lines point to the failed call, not to the code that passes the failure on', async () => {
    const opcodes: MadeUpOpcode[] = [
      ...ENTER_F,
      { opcode: CALL, at: 'target.call("")' },
      { opcode: JUMP, at: 'bubble()', jump: 'i' },
      { opcode: JUMPDEST, at: 'function bubble' },
      { opcode: REVERT, at: 'revert()' },
    ];
    const { own } = await explain(opcodes, REASON, false);
    expect(own).toEqual(['A.f (A.sol:4:5)']);
  });

  it.each([
    ['the statement, when the code is shared with a function that it cannot run', 'require(x > 2)', '6:5'],
    ['the whole function, when the code is shared with a function that it may run', 'revert()', '2:3'],
  ])('the lines point to %s', async (_, tail, place) => {
    const opcodes: MadeUpOpcode[] = [
      ...ENTER_F,
      { opcode: GT, at: 'x > 1' },
      { opcode: JUMPI, at: 'require(x > 1, "small")' },
      { opcode: REVERT, at: tail },
    ];
    expect(await explain(opcodes, REASON, true)).toEqual({
      message: "reverted with reason string 'small'",
      own: [`A.f (A.sol:${place})`],
    });
  });

  it.each([
    ['another reason than its own', 'uint256 x = 1'],
    ['a call after which the function goes on', 'target.call("")'],
  ])('the lines point to the whole function if the last statement has %s', async (_, at) => {
    const opcodes: MadeUpOpcode[] = [
      ...ENTER_F,
      { opcode: GT, at },
      { opcode: JUMPI, at },
      { opcode: REVERT, at: 'contract A' },
    ];
    for (const output of [REASON, new Uint8Array()]) {
      const { own } = await explain(opcodes, at.includes('call') ? output : REASON, true);
      expect(own).toEqual(['A.f (A.sol:2:3)']);
    }
  });

  it('the lines follow returns from deeply nested functions', async () => {
    const deep: MadeUpOpcode[] = Array.from({ length: 1500 }, () => ENTER_F).flat();
    const back: MadeUpOpcode[] = Array.from({ length: 1499 }, () => ({
      opcode: JUMP,
      at: 'uint256 x = 1',
      jump: 'o',
    }));
    const { own } = await explain([...deep, ...back, { opcode: REVERT, at: 'uint256 x = 1' }], REASON, false);
    expect(own).toEqual(['A.f (A.sol:3:5)']);
  });
});
