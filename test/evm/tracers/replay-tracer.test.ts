import { describe, expect, it } from 'vitest';
import type { Engine, Message } from '../../../src/evm/engine.ts';
import { TraceTooLargeError } from '../../../src/evm/errors.ts';
import { noImpersonatedSigner } from '../../../src/evm/signers.ts';
import { type Replay, type ReplayPart, replayTracer } from '../../../src/evm/tracers/parity-tracers.ts';
import { TraceBudget } from '../../../src/evm/tracers/tracer.ts';
import { bigIntToBytes, bytesToBigInt, concatBytes } from '../../../src/primitives/bytes.ts';
import { toHex } from '../../../src/primitives/hex.ts';
import { keccak256 } from '../../../src/primitives/keccak.ts';
import { encodeRlp } from '../../../src/primitives/rlp.ts';
import { curve } from '../../../src/primitives/secp256k1/curve.ts';
import { type RuleSetName, ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import type { Authorization } from '../../../src/protocol/transaction.ts';
import { runTask } from '../../../src/scheduling/task.ts';
import { Overlay } from '../../../src/state/overlay.ts';
import { Dice } from '../../fuzz/engines/dice.ts';
import { playScene } from '../../fuzz/engines/play-scene.ts';
import { randomScene } from '../../fuzz/engines/random-scene.ts';
import {
  COINBASE,
  CONTRACT,
  code,
  contractAddress,
  deploying,
  messageOf,
  type Scene,
  SENDER,
  setScene,
} from '../../reference/scene.ts';
import { createReferenceEngine, createWasmEngine } from '../../support/evm/engines.ts';
import { wordBytes } from '../../support/words.ts';
import { ALICE, BOB, calling, creating, digits, reverting } from './trace-scene.ts';

const ALL: readonly ReplayPart[] = ['trace', 'vmTrace', 'stateDiff'];
const [sender, contract, alice, bob, coinbase] = [SENDER, CONTRACT, ALICE, BOB, COINBASE].map(toHex);
const slot = (number: number): string => toHex(wordBytes(number));
const SETTINGS = { chainId: 33, codeSizeLimit: 24_576 } as const;

async function replayOn(
  engine: Engine,
  { state, environment }: Pick<Scene, 'state' | 'environment'>,
  fields: Partial<Message>,
  parts = ALL,
  budget = new TraceBudget(),
): Promise<Replay> {
  const message = messageOf(fields);
  const before = state.toWorldState();
  const after = new Overlay(before);
  const tracer = replayTracer(parts)({
    message,
    environment,
    before,
    position: null,
    budget,
    impersonatedSigner: noImpersonatedSigner,
  });
  const result = await engine.transact(environment, after, message, tracer);
  return runTask(tracer.result(result, after));
}

/** An authorization by a new account to run the code of `to`, signed for the chain of the tests. */
function signedDelegation(to: Uint8Array): { authority: Uint8Array; authorization: Authorization } {
  const key = wordBytes(0xabcdef);
  const signed = encodeRlp([bigIntToBytes(33n), to, bigIntToBytes(0n)]);
  const { compact, recovery } = curve.sign(keccak256(concatBytes(Uint8Array.of(5), signed)), key);
  const [r, s] = [compact.subarray(0, 32), compact.subarray(32)].map(bytesToBigInt);
  return {
    authority: keccak256(curve.publicKey(key)).subarray(12),
    authorization: {
      chainId: 33n,
      address: to,
      nonce: 0n,
      yParity: BigInt(recovery),
      r: r ?? 0n,
      s: s ?? 0n,
    },
  };
}

/** The replay of the message on the state of `set`. Checks that both engines return the same replay. */
async function replayOf(
  set: (state: Overlay) => void,
  fields: Partial<Message> = {},
  name: RuleSetName = 'rootstock',
  parts = ALL,
): Promise<Replay> {
  const scene = await setScene(name);
  set(scene.state);
  const [ours, theirs] = await Promise.all([
    replayOn(createWasmEngine(ruleSetNamed(name), SETTINGS), scene, fields, parts),
    replayOn(await createReferenceEngine(ruleSetNamed(name), SETTINGS), scene, fields, parts),
  ]);
  expect(ours).toEqual(theirs);
  return ours;
}

const running = (runtime: string, fields?: Partial<Message>) =>
  replayOf((state) => state.setCode(CONTRACT, code(runtime)), fields);

describe('replay parts and output', () => {
  it('returns the requested parts and the output of the execution', async () => {
    const set = (state: Overlay) => state.setCode(CONTRACT, code('6007 5f 52 6020 5f f3'));
    const bare = { output: toHex(wordBytes(7)), stateDiff: null, trace: [], vmTrace: null };
    expect(await replayOf(set, {}, 'rootstock', [])).toEqual(bare);
    expect(await replayOf(set, {}, 'rootstock', ['vmTrace'])).toEqual({
      ...bare,
      vmTrace: expect.objectContaining({ code: '0x60075f5260205ff3' }),
    });
    const framed = await replayOf(set, {}, 'rootstock', ['trace', 'trace']);
    expect(framed.trace).toEqual([
      {
        action: {
          callType: 'call',
          from: sender,
          gas: expect.any(String),
          input: '0x',
          to: contract,
          value: '0x0',
        },
        result: { gasUsed: '0x10', output: toHex(wordBytes(7)) },
        subtraces: 0,
        traceAddress: [],
        type: 'call',
      },
    ]);
  });

  it('returns the revert data as output', async () => {
    const { output, trace } = await running(reverting(wordBytes(5)));
    expect(output).toBe(toHex(wordBytes(5)));
    expect(trace).toMatchObject([{ error: 'Reverted', result: null }]);
  });
});

describe('vmTrace of a replay', () => {
  const stepsOf = async (runtime: string, fields?: Partial<Message>) =>
    (await running(runtime, fields)).vmTrace?.ops;

  it('reports the pushed items and the remaining gas of each step', async () => {
    const gasLimit = 100_000n;
    const ops = await stepsOf('6001 6002 90 80 01 00', { gasLimit });
    const gas = 100_000 - 21_000;
    const step = (pc: number, op: string, cost: number, spent: number, push: readonly string[]) => {
      return { pc, op, cost, ex: { mem: null, push, store: null, used: gas - spent }, sub: null };
    };
    expect(ops).toEqual([
      step(0, 'PUSH1', 3, 3, ['0x1']),
      step(2, 'PUSH1', 3, 6, ['0x2']),
      step(4, 'SWAP1', 3, 9, ['0x2', '0x1']),
      step(5, 'DUP1', 3, 12, ['0x1', '0x1']),
      step(6, 'ADD', 3, 15, ['0x2']),
      step(7, 'STOP', 0, 15, []),
    ]);
  });

  it('reports the writes of each step to memory and storage', async () => {
    const ops = await stepsOf('6005 6003 53  6009 6001 55  6003 5f 6001 37  5f 51 00');
    expect(ops?.filter(({ ex }) => ex?.mem !== null || ex?.store !== null)).toMatchObject([
      { op: 'MSTORE8', ex: { mem: { data: '0x05', off: 3 }, store: null } },
      { op: 'SSTORE', ex: { mem: null, store: { key: '0x1', val: '0x9' } } },
      { op: 'CALLDATACOPY', ex: { mem: { data: '0x000000', off: 1 }, push: [] } },
      { op: 'MLOAD', ex: { mem: { data: toHex(new Uint8Array(32)), off: 0 }, push: ['0x0'] } },
    ]);
  });

  it('ends with a step without effect if the step violates a rule', async () => {
    const ops = await stepsOf('6001 fe');
    expect(ops).toMatchObject([
      { op: 'PUSH1', ex: { push: ['0x1'] } },
      { pc: 2, ex: null },
    ]);
  });

  it('is empty for an account without code', async () => {
    const { vmTrace } = await replayOf(() => undefined, { to: ALICE, value: 1n });
    expect(vmTrace).toEqual({ code: '0x', ops: [] });
  });

  it('contains the steps and the code of a call, and the memory that the call wrote', async () => {
    const inner = code('6007 5f 52 6020 5f f3');
    const { vmTrace } = await replayOf((state) => {
      state.setCode(CONTRACT, code(`6020 5f 5f 5f 5f 73${digits(ALICE)} 5a f1 00`));
      state.setCode(ALICE, inner);
    });
    const call = vmTrace?.ops.find(({ op }) => op === 'CALL');
    expect(call).toMatchObject({
      ex: { mem: { data: toHex(wordBytes(7)), off: 0 }, push: ['0x1'] },
      sub: { code: toHex(inner), ops: [{ op: 'PUSH1' }, {}, { op: 'MSTORE' }, {}, {}, { op: 'RETURN' }] },
    });
    const [first] = call?.sub?.ops ?? [];
    expect(call?.cost).toBeGreaterThan(first?.ex?.used ?? Number.POSITIVE_INFINITY);
  });

  it('contains no steps for a call of a precompile or for SELFDESTRUCT', async () => {
    const identity = new Uint8Array(20).fill(4, 19);
    const ops = await stepsOf(`${calling('CALL', identity)} 73${digits(BOB)} ff`);
    expect(ops?.map(({ sub }) => sub)).toEqual(Array(ops?.length).fill(null));
    expect(ops?.at(-1)).toMatchObject({ op: 'SELFDESTRUCT', ex: { push: [] } });
  });

  it('contains the steps of creations, with the gas they pass on, and of the created contract', async () => {
    const runtime = code('6001 50 00');
    const initcode = deploying(runtime);
    const { vmTrace } = await replayOf((state) => {
      state.setAccount(CONTRACT, { nonce: 1n, balance: 0n });
      const created = contractAddress(CONTRACT, 1n);
      state.setCode(CONTRACT, code(`${creating(initcode)} ${calling('CALL', created)} 00`));
    });
    const create = vmTrace?.ops.find(({ op }) => op === 'CREATE');
    const call = vmTrace?.ops.find(({ op }) => op === 'CALL');
    expect(create?.sub?.code).toBe(toHex(initcode));
    expect(create?.cost).toBeGreaterThan(create?.sub?.ops[0]?.ex?.used ?? Number.POSITIVE_INFINITY);
    expect(call?.sub).toMatchObject({ code: toHex(runtime), ops: [{ op: 'PUSH1' }, {}, {}] });
  });

  it('omits the code of a reverted creation', async () => {
    // Alice creates a contract and reverts. Then the contract calls the address of the reverted creation.
    const created = contractAddress(ALICE, 1n);
    const { vmTrace } = await replayOf((state) => {
      state.setAccount(ALICE, { nonce: 1n, balance: 0n });
      state.setCode(ALICE, code(`${creating(deploying(code('00')))} 5f 5f fd`));
      state.setCode(CONTRACT, code(`${calling('CALL', ALICE)} ${calling('CALL', created)} 00`));
    });
    const [, call] = vmTrace?.ops.filter(({ op }) => op === 'CALL') ?? [];
    expect(call?.sub).toEqual({ code: '0x', ops: [] });
  });

  it('reports the code of the delegate of an account (EIP-7702)', async () => {
    const { vmTrace } = await replayOf(
      (state) => {
        state.setCode(CONTRACT, concatBytes(code('ef0100'), ALICE));
        state.setCode(ALICE, code('6001 00'));
      },
      {},
      'prague',
    );
    expect(vmTrace?.code).toBe('0x600100');
  });

  it('reports the code of a delegation that the transaction itself sets', async () => {
    const { authority, authorization } = signedDelegation(ALICE);
    const { vmTrace, stateDiff } = await replayOf(
      (state) => state.setCode(ALICE, code('6001 00')),
      { to: authority, authorizationList: [authorization] },
      'prague',
    );
    expect(vmTrace).toMatchObject({ code: '0x600100', ops: [{ op: 'PUSH1' }, { op: 'STOP' }] });
    expect(stateDiff?.[toHex(authority)]?.code).toEqual({ '+': `0xef0100${digits(ALICE)}` });
  });

  it('throws TraceTooLargeError above the trace budget', async () => {
    const scene = await setScene('rootstock');
    scene.state.setCode(CONTRACT, code('5b 5f 56'));
    const engine = createWasmEngine(ruleSetNamed('rootstock'), SETTINGS);
    await expect(replayOn(engine, scene, {}, ['vmTrace'], new TraceBudget(10_000))).rejects.toThrow(
      TraceTooLargeError,
    );
  });
});

describe('stateDiff of a replay', () => {
  it('counts about its length against the trace budget, also for long code', async () => {
    const scene = await setScene('rootstock');
    const engine = createWasmEngine(ruleSetNamed('rootstock'), SETTINGS);
    // Returns the 20,000 bytes after these instructions.
    const initcode = code(`614e20 80 600a 3d 39 3d f3 ${'5b'.repeat(20_000)}`);
    const creation = { to: null, data: initcode, gasLimit: 10_000_000n };
    const replay = (limit?: number): Promise<Replay> =>
      replayOn(engine, scene, creation, ['stateDiff'], new TraceBudget(limit));
    const { length } = JSON.stringify((await replay()).stateDiff);
    expect(length).toBeGreaterThan(40_000);
    await expect(replay(0.9 * length)).rejects.toThrow(TraceTooLargeError);
    await expect(replay(1.1 * length)).resolves.toBeDefined();
  });

  it('contains changed balances, nonces, code and slots, and no unchanged values', async () => {
    const { stateDiff } = await replayOf(
      (state) => {
        // Writes slots 2 and 3, clears slot 1, reads slot 5, and writes the same value to slot 6.
        const writes = '5f 6001 55  6009 6002 55  6004 6003 55  6005 54 50  6006 6006 55';
        state.setCode(CONTRACT, code(`${writes} ${calling('CALL', ALICE)} 00`));
        state.setAccount(CONTRACT, { nonce: 1n, balance: 0n });
        for (const number of [1, 3, 5, 6]) state.setStorage(CONTRACT, wordBytes(number), code(`0${number}`));
        state.setCode(ALICE, code('00'));
        state.setAccount(COINBASE, { nonce: 0n, balance: 1n });
      },
      { value: 2n },
    );
    const change = (from: string, to: string) => ({ '*': { from, to } });
    expect(Object.keys(stateDiff ?? {}).sort()).toEqual([sender, contract, coinbase].sort());
    expect(stateDiff?.[String(contract)]).toEqual({
      balance: change('0x0', '0x2'),
      code: '=',
      nonce: '=',
      storage: {
        [slot(1)]: change(slot(1), slot(0)),
        [slot(2)]: change(slot(0), slot(9)),
        [slot(3)]: change(slot(3), slot(4)),
      },
    });
    expect(stateDiff?.[String(sender)]).toMatchObject({ nonce: change('0x0', '0x1'), storage: {} });
    expect(stateDiff).not.toHaveProperty([String(alice)]);
  });

  it('reports new accounts with their new values, and removed accounts with their old values', async () => {
    const initcode = code('6007 6001 55  6001 5f f3');
    const created = toHex(contractAddress(SENDER, 0n));
    const message = { to: null, value: 3n, data: initcode };
    const deployed = await replayOf(() => undefined, message, 'prague');
    expect(deployed.stateDiff?.[created]).toEqual({
      balance: { '+': '0x3' },
      code: { '+': '0x00' },
      nonce: { '+': '0x1' },
      storage: { [slot(1)]: { '+': slot(7) } },
    });
    const ended = await replayOf((state) => {
      state.setCode(CONTRACT, code(`73${digits(BOB)} ff`));
      state.setAccount(CONTRACT, { nonce: 1n, balance: 5n });
    });
    expect(ended.stateDiff).toMatchObject({
      [String(contract)]: {
        balance: { '-': '0x5' },
        code: { '-': `0x73${digits(BOB)}ff` },
        nonce: { '-': '0x1' },
        storage: {},
      },
      [String(bob)]: { balance: { '+': '0x5' }, code: { '+': '0x' }, nonce: { '+': '0x0' }, storage: {} },
    });
  });

  it('contains only fee and nonce changes of a failed message', async () => {
    const { stateDiff } = await running('6001 6001 55 5f 5f fd');
    expect(Object.keys(stateDiff ?? {}).sort()).toEqual([sender, coinbase].sort());
  });
});

describe('replays of random scenes', () => {
  it.each(Array.from({ length: 40 }, (_, seed) => [seed + 1] as const))(
    'both engines make the same replay of random contracts and messages (seed %i)',
    async (seed) => {
      const scene = randomScene(new Dice(seed));
      const made: Replay[][] = [];
      for (const create of [createWasmEngine, createReferenceEngine]) {
        const engine = await create(ruleSetNamed(scene.ruleSet), SETTINGS);
        const replays: Replay[] = [];
        await playScene(scene, async ({ purpose, environment, state, message }) => {
          const before = state.toWorldState();
          const tracer = replayTracer(ALL)({
            message,
            environment,
            before,
            position: null,
            budget: new TraceBudget(),
            impersonatedSigner: noImpersonatedSigner,
          });
          const result = await engine[purpose](environment, state, message, tracer);
          replays.push(await runTask(tracer.result(result, state)));
        });
        made.push(replays);
      }
      expect(made[0]).toEqual(made[1]);
    },
  );
});
