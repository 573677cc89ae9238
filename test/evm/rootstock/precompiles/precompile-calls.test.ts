import { describe, expect, it } from 'vitest';
import { bigIntToFixedBytes } from '../../../../src/primitives/bytes.ts';
import { keccak256 } from '../../../../src/primitives/keccak.ts';
import { rootstockPrecompiles } from '../../../../src/protocol/hardforks/precompiles.ts';
import { ruleSetNamed } from '../../../../src/protocol/hardforks/registry.ts';
import { intrinsicGas } from '../../../../src/protocol/intrinsic-gas.ts';
import { CONTRACT, code, RECIPIENT, type Scene } from '../../../reference/scene.ts';
import { ENGINES } from '../engines.ts';
import {
  answerOf,
  calling,
  callOperands,
  costOf,
  digits,
  push,
  runs,
  setRootstockScene,
} from '../rootstock-scene.ts';
import { callFromContract, nativeAddress, nativeData, priceOfNative } from './precompile-scene.ts';

const NAMES = ['HD_WALLET_UTILS', 'BLOCK_HEADER', 'ENVIRONMENT', 'SECP256K1_ADD', 'SECP256K1_MUL'] as const;
const EMPTY_HASH = BigInt(`0x${digits(keccak256(new Uint8Array(0)))}`);
/** Code that writes a word of ones to memory. The word is not a coordinate of a point. */
const ONES = '6000 19 6000 52';

it("Rootstock's precompiles have the same addresses as on Rootstock", () => {
  const addresses = new Map(rootstockPrecompiles().map(({ name, address }) => [name, digits(address)]));
  expect(addresses.get('HD_WALLET_UTILS')).toBe('01000009'.padStart(40, '0'));
  expect(addresses.get('BLOCK_HEADER')).toBe('01000010'.padStart(40, '0'));
  expect(addresses.get('ENVIRONMENT')).toBe('01000011'.padStart(40, '0'));
  expect(addresses.get('SECP256K1_ADD')).toBe('01000016'.padStart(40, '0'));
  expect(addresses.get('SECP256K1_MUL')).toBe('01000017'.padStart(40, '0'));
});

describe.each(ENGINES)("calls of Rootstock's precompiles on the $engine engine", (tested) => {
  const scene = (): Promise<Scene> => setRootstockScene(tested);

  it.each(NAMES)('%s has the code size 2^256 - 1 and the hash of empty code', async (name) => {
    const prepared = await scene();
    expect(await answerOf(prepared, `${push(nativeAddress(name))} 3b`)).toBe(2n ** 256n - 1n);
    expect(await answerOf(prepared, `${push(nativeAddress(name))} 3f`)).toBe(EMPTY_HASH);
  });

  it.each([
    ['HD_WALLET_UTILS', 0n],
    ['BLOCK_HEADER', 0n],
    ['ENVIRONMENT', 0n],
    ['SECP256K1_ADD', 150n],
    ['SECP256K1_MUL', 3_000n],
  ] as const)('a call of %s pays for no new account', async (name, price) => {
    expect(await costOf(await scene(), callOperands('CALL', nativeAddress(name)), 'f1')).toBe(700n + price);
  });

  it('a call with less gas than the price fails and uses all its gas', async () => {
    const prepared = await scene();
    const call = { gas: 2_999, inputSize: 96 };
    const to = nativeAddress('SECP256K1_MUL');
    expect(await costOf(prepared, callOperands('CALL', to, call), 'f1')).toBe(700n + 9n + 2_999n);
    expect(await answerOf(prepared, calling('CALL', to, call))).toBe(0n);
  });

  it('a failed call costs only the price and returns no data', async () => {
    const prepared = await scene();
    const to = nativeAddress('SECP256K1_ADD');
    const operands = `${ONES} ${callOperands('STATICCALL', to, { gas: 50_000, inputSize: 32, outputSize: 32 })}`;
    expect(await costOf(prepared, operands, 'fa')).toBe(700n + 150n);
    expect(await answerOf(prepared, `${operands} fa`)).toBe(0n);
    expect(await answerOf(prepared, `${operands} fa 50 3d`)).toBe(0n);
  });

  it('a call of an unknown function, or with incomplete arguments, fails and is free', async () => {
    const prepared = await scene();
    const unknown = Uint8Array.of(1, 2, 3, 4);
    const cut = nativeData('toBase58Check', [new Uint8Array(20), 1]).subarray(0, 50);
    for (const data of [new Uint8Array(0), Uint8Array.of(1), unknown, cut]) {
      const { isSuccess } = await callFromContract(prepared, 'HD_WALLET_UTILS', data);
      expect(isSuccess).toBe(false);
      expect(await priceOfNative(prepared, 'HD_WALLET_UTILS', data)).toBe(0n);
    }
  });

  it('a failed call returns its value', async () => {
    const prepared = await scene();
    const to = nativeAddress('BLOCK_HEADER');
    await runs(prepared, calling('CALL', to, { value: 7 }));
    expect(prepared.state.account(CONTRACT)?.balance).toBe(100n);
    expect(prepared.state.account(to)?.balance ?? 0n).toBe(0n);
  });

  it('a call that succeeds keeps its value', async () => {
    const prepared = await scene();
    const to = nativeAddress('SECP256K1_ADD');
    await runs(prepared, calling('CALL', to, { value: 7 }));
    expect(prepared.state.account(CONTRACT)?.balance).toBe(93n);
    expect(prepared.state.account(to)?.balance).toBe(7n);
  });

  it('a transaction that a precompile rejects succeeds without its value', async () => {
    const prepared = await scene();
    const to = nativeAddress('ENVIRONMENT');
    const { outcome, returnData } = await prepared.transact({ to, value: 5n });
    expect({ outcome, size: returnData.length }).toEqual({ outcome: 'success', size: 0 });
    expect(prepared.state.account(to)?.balance ?? 0n).toBe(0n);
  });

  it('a transaction with less gas than the price halts', async () => {
    const prepared = await scene();
    const { outcome, haltReason, gasUsed } = await prepared.transact({
      to: nativeAddress('SECP256K1_MUL'),
      gasLimit: 23_999n,
    });
    expect({ outcome, haltReason, gasUsed }).toEqual({
      outcome: 'halt',
      haltReason: 'out of gas',
      gasUsed: 23_999n,
    });
  });

  it('code at the address of a precompile replaces the precompile', async () => {
    const prepared = await scene();
    prepared.state.setCode(nativeAddress('SECP256K1_ADD'), code('60016000526020 6000f3'));
    const { output } = await callFromContract(prepared, 'SECP256K1_ADD', new Uint8Array(0));
    expect(output).toEqual(bigIntToFixedBytes(1n, 32));
    expect(prepared.state.account(RECIPIENT)).toBeUndefined();
  });

  it.each([
    [6, new Uint8Array(0), 150n],
    [7, new Uint8Array(0), 6_000n],
    [8, new Uint8Array(0), 45_000n],
    [8, new Uint8Array(2 * 192), 113_000n],
    [9, Uint8Array.of(0, 0, 1, 2, ...new Uint8Array(209)), 258n],
    [9, new Uint8Array(212), 0n],
  ])('precompile %i has its Rootstock price', async (number, data, price) => {
    const prepared = await scene();
    const to = bigIntToFixedBytes(BigInt(number), 20);
    const { gasUsed } = await prepared.transact({ to, data });
    const parts = { sender: new Uint8Array(20), to, value: 0n, data, accessList: [], authorizationList: [] };
    expect(gasUsed - intrinsicGas(ruleSetNamed('rootstock'), parts)).toBe(price);
  });
});
