import { describe, expect, it } from 'vitest';
import { PrestateTracer, type PrestateTracerOptions } from '../../../src/evm/tracers/prestate-tracer.ts';
import type { TracerFactory } from '../../../src/evm/tracers/tracer.ts';
import { concatBytes } from '../../../src/primitives/bytes.ts';
import { toHex } from '../../../src/primitives/hex.ts';
import {
  AUTHORITY,
  authorize,
  COINBASE,
  CONTRACT,
  code,
  contractAddress,
  deploying,
  ETHER,
  SENDER,
} from '../../reference/scene.ts';
import { createWasmEngine } from '../../support/evm/engines.ts';
import { wordBytes } from '../../support/words.ts';
import { ALICE, BOB, calling, creating, digits, reverting, setTraceScene } from './trace-scene.ts';

function tracer(options: Partial<PrestateTracerOptions> = {}): TracerFactory {
  const all = { diffMode: false, disableCode: false, disableStorage: false, ...options };
  return (subject) => new PrestateTracer(subject, all);
}

const [sender, contract, alice, bob, coinbase] = [SENDER, CONTRACT, ALICE, BOB, COINBASE].map(toHex);
const slot = (number: number): string => toHex(wordBytes(number));
const ether = `0x${ETHER.toString(16)}`;

describe('PrestateTracer', () => {
  it('reports every touched account and slot with its state before the transaction', async () => {
    const scene = await setTraceScene();
    const runtime = code(`6001 54 6009 6002 55 73${digits(BOB)} 31 ${calling('CALL', ALICE)} 00`);
    scene.state.setCode(CONTRACT, runtime);
    scene.state.setStorage(CONTRACT, wordBytes(1), code('05'));
    scene.state.setStorage(CONTRACT, wordBytes(7), code('ff'));
    scene.state.setCode(ALICE, code('00'));
    scene.state.setAccount(ALICE, { nonce: 1n, balance: 3n });
    scene.state.setAccount(BOB, { nonce: 0n, balance: 16n });
    scene.state.setAccount(COINBASE, { nonce: 0n, balance: 1n });
    const { trace } = await scene.trace(tracer());
    expect(trace).toEqual({
      [String(sender)]: { balance: ether },
      [String(coinbase)]: { balance: '0x1' },
      [String(contract)]: {
        balance: '0x0',
        code: toHex(runtime),
        storage: { [slot(1)]: slot(5), [slot(2)]: slot(0) },
      },
      [String(bob)]: { balance: '0x10' },
      [String(alice)]: { balance: '0x3', code: '0x00', nonce: 1 },
    });
  });

  it('omits accounts that did not exist, for example a created contract', async () => {
    const scene = await setTraceScene();
    const { trace } = await scene.trace(tracer(), { to: null, data: deploying(code('00')) });
    expect(trace).toEqual({ [String(sender)]: { balance: ether } });
  });

  it('omits code and storage with disableCode and disableStorage', async () => {
    const scene = await setTraceScene();
    scene.state.setCode(CONTRACT, code('6001 54 00'));
    const { trace } = await scene.trace(tracer({ disableCode: true, disableStorage: true }));
    expect(trace).toHaveProperty([String(contract)], { balance: '0x0' });
    const changed = await scene.trace(tracer({ disableCode: true, disableStorage: true, diffMode: true }));
    expect(changed.trace).not.toHaveProperty(['pre', String(contract)]);
  });

  it.each([
    ['an invalid opcode', '6003 54 fe'],
    ['a missing item', '6003 54 50 50'],
    ['a jump to an invalid destination', '6003 54 6001 56'],
  ])('reports slots touched before %s ended the execution', async (_, ending) => {
    // The interpreter omits steps that the tracer does not need.
    const scene = await setTraceScene('rootstock', { createEngine: createWasmEngine });
    scene.state.setCode(CONTRACT, code(ending));
    scene.state.setStorage(CONTRACT, wordBytes(3), code('09'));
    const { trace } = await scene.trace(tracer(), { gasLimit: 100_000n });
    expect(trace).toMatchObject({ [String(contract)]: { storage: { [slot(3)]: slot(9) } } });
  });

  it('omits the slot of an opcode that failed', async () => {
    const scene = await setTraceScene();
    scene.state.setCode(CONTRACT, code('6001 6001 55'));
    const { trace } = await scene.trace(tracer(), { gasLimit: 30_000n });
    expect(trace).toEqual({
      [String(sender)]: { balance: ether },
      [String(contract)]: { balance: '0x0', code: '0x6001600155' },
    });
  });
});

describe('PrestateTracer with diffMode', () => {
  it('reports the changes before and after the transaction', async () => {
    const scene = await setTraceScene();
    const runtime = code('6000 6001 55  6009 6002 55  6004 6003 55  6005 54 00');
    scene.state.setCode(CONTRACT, runtime);
    scene.state.setAccount(CONTRACT, { nonce: 1n, balance: 0n });
    scene.state.setStorage(CONTRACT, wordBytes(1), code('05'));
    scene.state.setStorage(CONTRACT, wordBytes(3), code('03'));
    scene.state.setStorage(CONTRACT, wordBytes(5), code('08'));
    const { trace, result } = await scene.trace(tracer({ diffMode: true }), { value: 2n });
    const fee = result.gasUsed * result.effectiveGasPrice;
    expect(trace).toEqual({
      pre: {
        [String(sender)]: { balance: ether },
        [String(contract)]: {
          balance: '0x0',
          code: toHex(runtime),
          nonce: 1,
          storage: { [slot(1)]: slot(5), [slot(3)]: slot(3) },
        },
      },
      post: {
        [String(sender)]: { balance: `0x${(ETHER - fee - 2n).toString(16)}`, nonce: 1 },
        [String(coinbase)]: { balance: `0x${fee.toString(16)}` },
        [String(contract)]: { balance: '0x2', storage: { [slot(2)]: slot(9), [slot(3)]: slot(4) } },
      },
    });
  });

  it('reports a cleared slot without a new value', async () => {
    const scene = await setTraceScene();
    scene.state.setCode(CONTRACT, code('6000 6001 55 00'));
    scene.state.setStorage(CONTRACT, wordBytes(1), code('05'));
    const { trace } = await scene.trace(tracer({ diffMode: true }));
    expect(trace).toHaveProperty(['post', String(contract)], {});
    expect(trace).toHaveProperty(['pre', String(contract), 'storage'], { [slot(1)]: slot(5) });
  });

  it('reports a created contract with its code and storage only in post', async () => {
    const scene = await setTraceScene();
    scene.state.setCode(CONTRACT, code(`${creating(code('6001 5f 55 60fe 5f 53 6001 5f f3'))} 00`));
    scene.state.setAccount(CONTRACT, { nonce: 3n, balance: 0n });
    const { trace } = await scene.trace(tracer({ diffMode: true }));
    const created = toHex(contractAddress(CONTRACT, 3n));
    expect(trace).toHaveProperty(['post', created], {
      code: '0xfe',
      nonce: 1,
      storage: { [slot(0)]: slot(1) },
    });
    expect(trace).not.toHaveProperty(['pre', created]);
    expect(trace).toHaveProperty(['post', String(contract)], { nonce: 4 });
  });

  it('reports a self-destructed contract only in pre', async () => {
    const scene = await setTraceScene();
    scene.state.setCode(CONTRACT, code(`73${digits(BOB)} ff`));
    scene.state.setAccount(CONTRACT, { nonce: 1n, balance: 255n });
    const { trace } = await scene.trace(tracer({ diffMode: true }));
    expect(trace).toHaveProperty(['pre', String(contract), 'balance'], '0xff');
    expect(trace).not.toHaveProperty(['post', String(contract)]);
    expect(trace).toHaveProperty(['post', String(bob)], { balance: '0xff' });
    expect(trace).not.toHaveProperty(['pre', String(bob)]);
  });

  it('reports only the fee and the nonce of a failed transaction', async () => {
    const scene = await setTraceScene();
    scene.state.setCode(CONTRACT, code(`6001 6001 55 ${reverting(code('01'))}`));
    const { trace, result } = await scene.trace(tracer({ diffMode: true }), { value: 1n });
    const fee = result.gasUsed * result.effectiveGasPrice;
    expect(trace).toEqual({
      pre: { [String(sender)]: { balance: ether } },
      post: {
        [String(sender)]: { balance: `0x${(ETHER - fee).toString(16)}`, nonce: 1 },
        [String(coinbase)]: { balance: `0x${fee.toString(16)}` },
      },
    });
  });

  it('reports an account that got code from an authorization (EIP-7702)', async () => {
    const authorization = authorize(ALICE, 0n);
    const unsigned = { ...authorization, r: 0n, s: 0n };
    const scene = await setTraceScene('prague');
    const { trace } = await scene.trace(tracer({ diffMode: true }), {
      to: BOB,
      authorizationList: [authorization, unsigned],
    });
    expect(trace).toHaveProperty(['post', toHex(AUTHORITY)], { code: `0xef0100${digits(ALICE)}`, nonce: 1 });
    expect(trace).not.toHaveProperty(['pre', toHex(AUTHORITY)]);
  });

  it.each([
    ['the message', AUTHORITY, code('00')],
    ['its code', CONTRACT, code(`${calling('CALL', AUTHORITY)} 00`)],
  ])('reports the delegate of an account that %s runs after an authorization', async (_what, to, runtime) => {
    const scene = await setTraceScene('prague');
    scene.state.setCode(CONTRACT, runtime);
    scene.state.setCode(ALICE, code('6001 00'));
    scene.state.setCode(BOB, code('6002 00'));
    scene.state.setAccount(AUTHORITY, { nonce: 7n, balance: 0n });
    scene.state.setCode(AUTHORITY, concatBytes(code('ef0100'), BOB));
    const { trace } = await scene.trace(tracer(), { to, authorizationList: [authorize(ALICE, 7n)] });
    expect(trace).toHaveProperty([toHex(ALICE), 'code'], '0x600100');
  });
});
