import { describe, expect, it } from 'vitest';
import type { ExecutionObserver, FrameEnd, FrameStart } from '../../src/evm/observer.ts';
import { opcodeName } from '../../src/evm/observer.ts';
import { RULE_SET_NAMES, type RuleSetName } from '../../src/protocol/hardforks/registry.ts';
import { Overlay } from '../../src/state/overlay.ts';
import { ALICE, BOB, calling, creating, digits, reverting } from '../evm/tracers/trace-scene.ts';
import { wordBytes } from '../support/words.ts';
import {
  addressOf,
  CONTRACT,
  code,
  contractAddress,
  deploying,
  messageOf,
  type Scene,
  SENDER,
  setScene,
} from './scene.ts';

interface Observed {
  readonly starts: FrameStart[];
  readonly ends: FrameEnd[];
  /** Opcode, gas before, cost. */
  readonly steps: (readonly [string, bigint, bigint])[];
  readonly faults: string[];
}

async function observe(
  { engine, environment, state }: Scene,
  fields: Parameters<typeof messageOf>[0] = {},
): Promise<Observed> {
  const observed: Observed = { starts: [], ends: [], steps: [], faults: [] };
  const observer: ExecutionObserver = {
    frameStart: (start) => void observed.starts.push({ ...start, input: start.input.slice() }),
    frameEnd: (end) => void observed.ends.push({ ...end, output: end.output.slice() }),
    step: ({ opcode, gas, gasCost }) => void observed.steps.push([opcodeName(opcode), gas, gasCost]),
    fault: (reason) => void observed.faults.push(reason),
  };
  await engine.transact(environment, new Overlay(state.toWorldState()), messageOf(fields), observer);
  return observed;
}

async function sceneWith(runtime: string, name: RuleSetName = 'rootstock'): Promise<Scene> {
  const scene = await setScene(name);
  scene.state.setCode(CONTRACT, code(runtime));
  return scene;
}

/** The costs of each step with the given opcode. */
function costsOf({ steps }: Observed, opcode: string): bigint[] {
  return steps.filter(([name]) => name === opcode).map(([, , cost]) => cost);
}

describe('ExecutionObserver', () => {
  it('receives every opcode with the gas before it and its cost', async () => {
    // PUSH1 1, PUSH1 0, SSTORE, PUSH1 0, SLOAD, PUSH1 0x40, MSTORE, STOP
    const scene = await sceneWith('6001 6000 55 6000 54 6040 52 00');
    const { steps } = await observe(scene, { gasLimit: 100_000n });
    expect(steps).toEqual([
      ['PUSH1', 79_000n, 3n],
      ['PUSH1', 78_997n, 3n],
      ['SSTORE', 78_994n, 20_000n],
      ['PUSH1', 58_994n, 3n],
      ['SLOAD', 58_991n, 200n],
      ['PUSH1', 58_791n, 3n],
      // 3 for the opcode, 3 for each of the three words of grown memory.
      ['MSTORE', 58_788n, 12n],
      ['STOP', 58_776n, 0n],
    ]);
  });

  it('receives the cost of a call with the forwarded gas but without the stipend', async () => {
    const scene = await sceneWith(`${calling('CALL', ALICE, { gas: '61 03e8' })} 00`, 'shanghai');
    expect(costsOf(await observe(scene), 'CALL')).toEqual([3_600n]);
    const sending = calling('CALL', ALICE, { gas: '61 03e8', value: '6001' });
    scene.state.setCode(CONTRACT, code(`${sending} 00`));
    scene.state.setAccount(CONTRACT, { nonce: 1n, balance: 5n });
    const observed = await observe(scene);
    // 100 for the warm account, 9000 for the value, 25000 for the new account.
    expect(costsOf(observed, 'CALL')).toEqual([37_600n]);
    expect(observed.starts[1]).toMatchObject({ kind: 'CALL', gas: 3_300n, value: 1n });
  });

  it('receives the stipend as forwarded gas if the caller pays for it', async () => {
    const scene = await sceneWith(`${calling('CALL', ALICE, { gas: '61 03e8', value: '6001' })} 00`);
    scene.state.setAccount(CONTRACT, { nonce: 1n, balance: 5n });
    const observed = await observe(scene);
    expect(costsOf(observed, 'CALL')).toEqual([38_000n]);
    expect(observed.starts[1]).toMatchObject({ kind: 'CALL', gas: 3_300n, value: 1n });
  });

  it('receives the cost of a creation without the forwarded gas', async () => {
    const scene = await sceneWith(`${creating(code('00'))} 00`);
    const observed = await observe(scene, { gasLimit: 200_000n });
    // 32000, and 2 for one word of initcode.
    expect(costsOf(observed, 'CREATE')).toEqual([32_002n]);
    scene.state.setCode(CONTRACT, code(`${creating(code('00'), { salt: '6007' })} 00`));
    // 6 more to hash the word.
    expect(costsOf(await observe(scene), 'CREATE2')).toEqual([32_008n]);
  });

  it('receives sender, recipient, value and result of each frame', async () => {
    const scene = await sceneWith(
      `${calling('STATICCALL', ALICE)} ${calling('DELEGATECALL', ALICE)} ${calling('CALLCODE', ALICE)} ` +
        `${calling('CALL', addressOf(4) /* no code */)} 00`,
    );
    scene.state.setCode(ALICE, code('6001 5f 52 60205f f3'));
    scene.state.setAccount(CONTRACT, { nonce: 1n, balance: 0n });
    const { starts, ends } = await observe(scene, { value: 3n, data: code('beef') });
    const inner = { depth: 1, from: CONTRACT, isPrecompile: false };
    expect(starts).toMatchObject([
      { kind: 'CALL', depth: 0, from: SENDER, to: CONTRACT, value: 3n, input: code('beef') },
      { ...inner, kind: 'STATICCALL', to: ALICE, value: null },
      { ...inner, kind: 'DELEGATECALL', to: ALICE, value: 3n },
      { ...inner, kind: 'CALLCODE', to: ALICE, value: 0n },
      { ...inner, kind: 'CALL', to: addressOf(4), value: 0n },
    ]);
    // PUSH1, PUSH0, MSTORE, PUSH1, PUSH0, RETURN: 3 + 2 + 6 + 3 + 2.
    const returned = { outcome: 'success', haltReason: null, output: wordBytes(1), gasUsed: 16n };
    expect(ends.slice(0, 3)).toEqual([returned, returned, returned]);
    expect(ends[3]).toEqual({ ...returned, output: new Uint8Array(0), gasUsed: 0n });
    expect(ends).toHaveLength(5);
  });

  it('receives a CALL inside a static call as CALL', async () => {
    const scene = await sceneWith(`${calling('STATICCALL', ALICE)} 00`);
    scene.state.setCode(ALICE, code(`${calling('CALL', BOB)} 00`));
    const { starts } = await observe(scene);
    expect(starts.map(({ kind, depth }) => [kind, depth])).toEqual([
      ['CALL', 0],
      ['STATICCALL', 1],
      ['CALL', 2],
    ]);
  });

  it('receives calls of precompiles as such', async () => {
    const identity = addressOf(0).fill(0);
    identity[19] = 4;
    const { starts, ends } = await observe(await sceneWith(`${calling('STATICCALL', identity)} 00`));
    expect(starts.map(({ isPrecompile }) => isPrecompile)).toEqual([false, true]);
    expect(ends[0]).toMatchObject({ outcome: 'success', gasUsed: 15n });
  });

  it('receives the address and the code of a created contract', async () => {
    const scene = await setScene('rootstock');
    const initcode = deploying(code('6001'));
    const { starts, ends } = await observe(scene, { to: null, data: initcode });
    expect(starts).toMatchObject([
      { kind: 'CREATE', from: SENDER, to: contractAddress(SENDER, 0n), input: initcode },
    ]);
    expect(ends).toMatchObject([{ outcome: 'success', output: code('6001') }]);
  });

  it('receives the addresses of CREATE and CREATE2', async () => {
    const scene = await sceneWith(`${creating(code('00'))} ${creating(code('00'), { salt: '6007' })} 50 00`);
    scene.state.setAccount(CONTRACT, { nonce: 9n, balance: 0n });
    const { engine, environment, state } = scene;
    const after = new Overlay(state.toWorldState());
    const created: Uint8Array[] = [];
    const observer: ExecutionObserver = {
      frameStart: ({ kind, to }) => void (kind.startsWith('CREATE') && created.push(to)),
    };
    await engine.transact(environment, after, messageOf({}), observer);
    expect(created[0]).toEqual(contractAddress(CONTRACT, 9n));
    expect(created.map((address) => after.account(address)?.nonce)).toEqual([1n, 1n]);
  });

  it('receives a self-destruct with its beneficiary and balance', async () => {
    const scene = await sceneWith(`73${digits(ALICE)} ff`);
    scene.state.setAccount(CONTRACT, { nonce: 1n, balance: 12n });
    const { starts, ends } = await observe(scene);
    expect(starts[1]).toMatchObject({
      kind: 'SELFDESTRUCT',
      depth: 1,
      from: CONTRACT,
      to: ALICE,
      value: 12n,
    });
    expect(ends[0]).toMatchObject({ outcome: 'success', gasUsed: 0n });
  });

  it('receives calls that fail before their first step, with the reason', async () => {
    const scene = await sceneWith(
      `${calling('CALL', ALICE, { value: '6009' })} ${creating(code('00'), { value: '6009' })} 00`,
    );
    scene.state.setAccount(CONTRACT, { nonce: 6n, balance: 8n });
    const { starts, ends } = await observe(scene);
    const refused = {
      outcome: 'halt',
      haltReason: 'insufficient balance for transfer',
      output: new Uint8Array(0),
      gasUsed: 0n,
    };
    expect(ends.slice(0, 2)).toEqual([refused, refused]);
    expect(starts.slice(1)).toMatchObject([
      { kind: 'CALL', to: ALICE, value: 9n },
      { kind: 'CREATE', to: contractAddress(CONTRACT, 6n), value: 9n, input: code('00') },
    ]);
  });

  it('receives a call beyond the maximum depth', async () => {
    const scene = await setScene('rootstock', { environment: { gasLimit: 10n ** 12n } });
    scene.state.setAccount(SENDER, { nonce: 0n, balance: 10n ** 30n });
    scene.state.setCode(CONTRACT, code(`${calling('CALL', CONTRACT)} 00`));
    const { starts, ends } = await observe(scene, { gasLimit: 10n ** 11n });
    expect(starts.at(-1)?.depth).toBe(401);
    expect(ends[0]).toMatchObject({ outcome: 'halt', haltReason: 'max call depth exceeded' });
    expect(starts.length).toBe(ends.length);
  });

  it.each([
    ['fe', ['INVALID'], 'invalid opcode 0xfe'],
    ['0c', ['opcode 0xc not defined'], 'invalid opcode 0x0c'],
    ['01', ['ADD'], 'stack underflow'],
    ['6001 6000 55', ['PUSH1', 'PUSH1', 'SSTORE'], 'out of gas'],
    ['52', ['MSTORE'], 'stack underflow'],
    ['6005 56', ['PUSH1', 'JUMP'], 'invalid jump destination'],
  ] as const)('receives the fault of code %s after the failing step', async (runtime, names, reason) => {
    const { steps, faults, ends } = await observe(await sceneWith(runtime), { gasLimit: 30_000n });
    expect(steps.map(([name]) => name)).toEqual(names);
    expect(faults).toEqual([reason]);
    expect(ends).toMatchObject([{ outcome: 'halt', haltReason: reason, output: new Uint8Array(0) }]);
  });

  it.each(['3b', '3c'])('receives the price of a code read without operands: %s', async (runtime) => {
    const { steps } = await observe(await sceneWith(runtime, 'amsterdam'), { gasLimit: 100_000n });
    expect(steps.map(([, , cost]) => cost)).toEqual([100n]);
  });

  it('receives a revert with its data and without a fault', async () => {
    const { faults, ends } = await observe(await sceneWith(reverting(code('c0ffee'))));
    expect(faults).toEqual([]);
    expect(ends).toMatchObject([{ outcome: 'revert', haltReason: null, output: code('c0ffee') }]);
  });

  it('reads memory and storage as they are before the opcode', async () => {
    const scene = await sceneWith('602a 6020 52 6007 6001 55 6001 54 00');
    const memories: number[] = [];
    const slots: Uint8Array[] = [];
    await scene.engine.transact(scene.environment, scene.state, messageOf({}), {
      step: (step) => {
        memories.push(step.memory().length);
        if (step.opcode === 0x55 || step.opcode === 0x54) slots.push(step.storageAt(wordBytes(1)));
      },
    });
    expect(memories).toEqual([0, 0, 0, 64, 64, 64, 64, 64, 64]);
    expect(slots).toEqual([new Uint8Array(0), code('07')]);
  });

  it('ends the execution without a state change if it throws', async () => {
    const scene = await sceneWith('6001 6000 55 00');
    const failing: ExecutionObserver = {
      step: ({ opcode }) => {
        if (opcode === 0x00) throw new RangeError('seen enough');
      },
    };
    await expect(
      scene.engine.transact(scene.environment, scene.state, messageOf({}), failing),
    ).rejects.toThrow('seen enough');
    expect(scene.state.storageAt(CONTRACT, wordBytes(0))).toHaveLength(0);
    expect((await observe(scene)).steps).toHaveLength(4);
  });
});

describe.each(RULE_SET_NAMES)('observed execution under %s', (name) => {
  it.each([
    ['storage', '6001 6000 55 6000 6000 55 6000 54 00'],
    ['calls', `${calling('CALL', ALICE, { value: '6001' })} ${calling('STATICCALL', ALICE)} 00`],
    ['creations', `${creating(code('00'))} ${creating(code('fe'))} 00`],
    ['a revert', reverting(code('01'))],
    ['an invalid opcode', 'fe'],
    ['a self-destruct', `73${digits(BOB)} ff`],
    ['logs', '6001 6002 6000 6000 a2 00'],
  ])('has the same result as without an observer: %s', async (_what, runtime) => {
    const scene = await setScene(name);
    scene.state.setAccount(CONTRACT, { nonce: 1n, balance: 10n });
    scene.state.setCode(CONTRACT, code(runtime.replaceAll('5f', '6000')));
    scene.state.setCode(ALICE, code('6001 6001 55'));
    const { engine, environment } = scene;
    const world = scene.state.toWorldState();
    const [plain, watched] = [new Overlay(world), new Overlay(world)];
    const expected = await engine.transact(environment, plain, messageOf({}));
    const observer: ExecutionObserver = { step: () => undefined, log: () => undefined };
    const actual = await engine.transact(environment, watched, messageOf({}), observer);
    expect(actual).toEqual(expected);
    expect(watched.toWorldState().root).toEqual(plain.toWorldState().root);
  });
});
