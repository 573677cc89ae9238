import { describe, expect, it } from 'vitest';
import { UnexecutableError } from '../../../src/evm/engine.ts';
import { fromHex } from '../../../src/primitives/hex.ts';
import { COINBASE, CONTRACT, code, ETHER, RECIPIENT, type Scene, SENDER } from '../../reference/scene.ts';
import { ENGINES } from './engines.ts';
import {
  answerOf,
  BASE,
  calling,
  callOperands,
  costOf,
  push,
  RETURN_TOP,
  runs,
  setRootstockScene,
} from './rootstock-scene.ts';

const IDENTITY = Uint8Array.of(...new Uint8Array(19), 4);
const BN254_ADD = Uint8Array.of(...new Uint8Array(19), 6);
const BN254_PAIRING = Uint8Array.of(...new Uint8Array(19), 8);
const BLAKE2F = Uint8Array.of(...new Uint8Array(19), 9);
const BRIDGE = fromHex(`0x${'01000006'.padStart(40, '0')}`);
const REMASC = fromHex(`0x${'01000008'.padStart(40, '0')}`);
const HD_WALLET_UTILS = fromHex(`0x${'01000009'.padStart(40, '0')}`);
const BLOCK_HEADER = fromHex(`0x${'01000010'.padStart(40, '0')}`);
/** Not a point of the curve. */
const NO_POINT = new Uint8Array(128).fill(1);

describe.each(ENGINES)('transaction outcomes on Rootstock, on the $engine engine', (tested) => {
  const scene = (): Promise<Scene> => setRootstockScene(tested);

  describe('unexecutable transactions', () => {
    it.each([
      ['with initcode that is too large', { to: null, data: new Uint8Array(49_153), gasLimit: 10_000_000n }],
      ['with a gas limit above the block’s', { gasLimit: 30_000_001n }],
      ['with a nonce that is too high', { nonce: 1n }],
      ['with more value than the sender has', { value: ETHER }],
    ])('a transaction %s is not executed', async (_name, fields) => {
      const { state, transact } = await scene();
      await expect(transact(fields)).rejects.toBeInstanceOf(UnexecutableError);
      expect(state.account(SENDER)).toMatchObject({ nonce: 0n, balance: ETHER });
    });
  });

  it('the sender pays for the gas used after the refund', async () => {
    const prepared = await scene();
    const result = await runs(prepared, `6001 6001 55 6000 6001 55 6001 6002 55`, { value: 3n });
    expect(result.gasBeforeRefund - result.gasUsed).toBe(15_000n);
    expect(prepared.state.account(SENDER)?.balance).toBe(ETHER - 3n - 10n * result.gasUsed);
    expect(prepared.state.account(COINBASE)?.balance).toBe(10n * result.gasUsed);
  });

  it('a halted transaction costs the whole gas limit', async () => {
    const prepared = await scene();
    expect(await runs(prepared, 'fe', { gasLimit: 70_000n, value: 3n })).toMatchObject({
      outcome: 'halt',
      gasUsed: 70_000n,
    });
    expect(prepared.state.account(SENDER)).toMatchObject({ nonce: 1n, balance: ETHER - 700_000n });
    expect(prepared.state.account(CONTRACT)?.balance).toBe(100n);
  });

  it('a reverted transaction costs the gas used', async () => {
    const prepared = await scene();
    const result = await runs(prepared, '6000 6000 fd', { gasLimit: 70_000n, value: 3n });
    expect(result).toMatchObject({ outcome: 'revert', gasUsed: BASE + 6n });
    expect(prepared.state.account(CONTRACT)?.balance).toBe(100n);
  });

  it('a fee of zero creates the coinbase account', async () => {
    const { state, transact } = await scene();
    await transact({ to: RECIPIENT, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n });
    expect(state.account(COINBASE)).toMatchObject({ nonce: 0n, balance: 0n });
  });

  describe('a transaction to a precompile', () => {
    it('a transaction to a precompile transfers the value and returns the output', async () => {
      const { state, transact } = await scene();
      const data = Uint8Array.of(1, 2, 3);
      const result = await transact({ to: IDENTITY, data, value: 5n });
      expect(result).toMatchObject({ outcome: 'success', gasUsed: BASE + 48n + 18n, returnData: data });
      expect(state.account(IDENTITY)?.balance).toBe(5n);
    });

    it.each([
      ['BN254_ADD with no point', BN254_ADD, NO_POINT, 16n * 128n + 150n],
      ['BLAKE2F with short input', BLAKE2F, new Uint8Array(212), 4n * 212n],
      ['the Bridge with a selector that it lacks', BRIDGE, Uint8Array.of(1, 2, 3, 4), 16n * 4n + 23_000n],
      ['HDWalletUtils with no selector', HD_WALLET_UTILS, new Uint8Array(0), 0n],
      ['BlockHeader with a selector that it lacks', BLOCK_HEADER, Uint8Array.of(1, 2, 3, 4), 16n * 4n],
      ['REMASC with a selector that it lacks', REMASC, Uint8Array.of(1, 2, 3, 4), 16n * 4n],
    ])(
      'a precompile that rejects its input (%s) has status 1, but costs the whole gas limit',
      async (_, to, data, gas) => {
        const { state, transact } = await scene();
        const gasLimit = 100_000n;
        const result = await transact({ to, data, value: 5n, gasLimit });
        expect(result).toMatchObject({
          outcome: 'success',
          haltReason: null,
          gasUsed: BASE + gas,
          gasPaid: gasLimit,
          returnData: new Uint8Array(0),
          logs: [],
        });
        expect(state.account(to)?.balance ?? 0n).toBe(0n);
        expect(state.account(SENDER)).toMatchObject({ nonce: 1n, balance: ETHER - 10n * gasLimit });
        expect(state.account(COINBASE)?.balance).toBe(10n * gasLimit);
      },
    );

    it('a transaction to a precompile pays for the gas of its receipt', async () => {
      const { state, transact } = await scene();
      const result = await transact({ to: IDENTITY, value: 5n, gasLimit: 100_000n });
      expect(result).toMatchObject({ gasUsed: BASE + 15n, gasPaid: BASE + 15n });
      expect(state.account(SENDER)?.balance).toBe(ETHER - 5n - 10n * result.gasUsed);
    });

    it('a transaction with less gas than the price of the precompile has status 0', async () => {
      const { state, transact } = await scene();
      const gasLimit = BASE + 16n * 128n + 149n;
      const result = await transact({ to: BN254_ADD, data: NO_POINT, value: 5n, gasLimit });
      expect(result).toMatchObject({ outcome: 'halt', haltReason: 'out of gas', gasUsed: gasLimit });
      expect(state.account(BN254_ADD)?.balance ?? 0n).toBe(0n);
    });
  });

  describe('a call of a precompile from code', () => {
    it("a call with less gas than the precompile's price pushes 0 and uses all call gas", async () => {
      const operands = callOperands('CALL', BN254_ADD, { gas: 149 });
      expect(await costOf(await scene(), operands, 'f1')).toBe(700n + 149n);
      expect(await answerOf(await scene(), calling('CALL', BN254_ADD, { gas: 149 }))).toBe(0n);
    });

    it.each([
      ['a point that is not on the curve', BN254_ADD, 128, 150n],
      ['a pairing of half a pair', BN254_PAIRING, 96, 45_000n],
      ['a pairing of points that are not on the curve', BN254_PAIRING, 192, 79_000n],
      ['a compression of the wrong length', BLAKE2F, 212, 0n],
      ['a compression with a wrong flag', BLAKE2F, 213, 0x01010101n],
    ])('a call with %s pushes 0 and returns its value', async (_name, to, inputSize, price) => {
      const prepared = await scene();
      // Fills the memory with ones. The last byte is 2, the flag of the compression.
      const ones = push(new Uint8Array(32).fill(1));
      const filled = [0, 32, 64, 96, 128, 160, 192].map((offset) => `${ones} ${push(offset)} 52`).join(' ');
      const full = `${filled} 6002 ${push(212)} 53`;
      const gas = 20_000_000;
      const call = calling('CALL', to, { gas, value: 1, inputSize });
      prepared.state.setAccount(CONTRACT, { nonce: 1n, balance: 100n });
      const operands = `${full} ${callOperands('CALL', to, { gas, value: 1, inputSize })}`;
      const fields = { gasLimit: 29_000_000n, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n };
      const before = await prepared.run(code(operands), fields);
      const after = await prepared.run(code(`${operands} f1`), fields);
      expect(after.gasUsed - before.gasUsed).toBe(9_700n + price);
      expect(await answerOf(prepared, `${full} ${call}`, fields)).toBe(0n);
      expect(prepared.state.account(to)?.balance ?? 0n).toBe(0n);
    });

    it('a call of a precompile copies the requested output; its return data has all of it', async () => {
      const prepared = await scene();
      const filled = `${push(new Uint8Array(32).fill(7))} 6000 52`;
      const call = calling('CALL', IDENTITY, { inputSize: 32, outputSize: 0 });
      expect(await answerOf(prepared, `${filled} ${call} 50 3d`)).toBe(32n);
      const cut = `6020 6040 6020 6000 6000 ${push(IDENTITY)} 6103e8 f1`;
      const partly = cut.replace('6020 6040', '6002 6040');
      expect(await answerOf(prepared, `${filled} ${partly} 50 6040 51`)).toBe(0x0707n << 240n);
    });
  });

  it('a transaction returns the return data of the code', async () => {
    expect(await answerOf(await scene(), '602a')).toBe(42n);
    expect((await runs(await scene(), `602a ${RETURN_TOP}`)).returnData.length).toBe(32);
  });
});
