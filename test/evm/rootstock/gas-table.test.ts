import { describe, expect, it } from 'vitest';
import { CONTRACT, code, RECIPIENT, type Scene, SENDER } from '../../reference/scene.ts';
import { wordBytes } from '../../support/words.ts';
import { ENGINES } from './engines.ts';
import {
  BASE,
  type CallKind,
  callOpcode,
  callOperands,
  costOf,
  creationOperands,
  depositing,
  NOBODY,
  push,
  runs,
  setRootstockScene,
} from './rootstock-scene.ts';

const CALL_KINDS: readonly CallKind[] = ['CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL'];
const IDENTITY = Uint8Array.of(4);

describe.each(ENGINES)("Rootstock's gas table on the $engine engine", (tested) => {
  const scene = (): Promise<Scene> => setRootstockScene(tested);

  describe('transactions', () => {
    it('a transaction costs 21000, a creation transaction 53000', async () => {
      const { transact } = await scene();
      expect(await transact({ to: RECIPIENT })).toMatchObject({ gasUsed: 21_000n });
      expect(await transact({ to: null, nonce: 1n })).toMatchObject({ gasUsed: 53_000n });
    });

    it('a zero byte of calldata costs 4, another byte 16', async () => {
      const { transact } = await scene();
      const result = await transact({ to: RECIPIENT, data: Uint8Array.of(0, 0, 1) });
      expect(result).toMatchObject({ gasUsed: BASE + 24n });
    });

    it('a word of initcode costs 2', async () => {
      const { transact } = await scene();
      const result = await transact({ to: null, data: new Uint8Array(33) });
      expect(result).toMatchObject({ gasUsed: 53_000n + 4n * 33n + 4n });
    });
  });

  describe('opcodes', () => {
    it.each([
      ['SLOAD', '6001', '54', 200n],
      ['second SLOAD', '6001 54 6001', '54', 200n],
      ['TLOAD', '6001', '5c', 100n],
      ['TSTORE', '6001 6001', '5d', 100n],
      ['BALANCE', push(NOBODY), '31', 400n],
      ['second BALANCE', `${push(NOBODY)} 31 ${push(NOBODY)}`, '31', 400n],
      ['EXTCODESIZE', push(NOBODY), '3b', 700n],
      ['EXTCODECOPY', `6000 6000 6000 ${push(NOBODY)}`, '3c', 700n],
      ['EXTCODECOPY of one word', `6020 6000 6000 ${push(NOBODY)}`, '3c', 706n],
      ['EXTCODEHASH', push(NOBODY), '3f', 400n],
      ['SELFBALANCE', '', '47', 5n],
      ['BLOCKHASH', '6001', '40', 20n],
      ['EXP to 0', '6000 6002', '0a', 10n],
      ['EXP to one byte', '60ff 6002', '0a', 60n],
      ['EXP to two bytes', '610100 6002', '0a', 110n],
      ['KECCAK256 of nothing', '6000 6000', '20', 30n],
      ['KECCAK256 of two words', '6001 603f 53 6021 6000', '20', 42n],
      ['LOG0', '6000 6000', 'a0', 375n],
      ['LOG2', '6001 6002 6000 6000', 'a2', 1_125n],
      ['LOG1 of five bytes', '6000 6000 52 6001 6005 6000', 'a1', 790n],
      ['CALLDATACOPY of two words', '6000 603f 53 6021 6000 6000', '37', 9n],
      ['CODECOPY of two words', '6000 603f 53 6021 6000 6000', '39', 9n],
      ['MCOPY of two words', '6000 603f 53 6021 6000 6000', '5e', 9n],
      ['RETURNDATACOPY of nothing', '6000 6000 6000', '3e', 3n],
      ['JUMPDEST', '', '5b', 1n],
      ['PUSH0', '', '5f', 2n],
      ['BASEFEE', '', '48', 2n],
      ['CHAINID', '', '46', 2n],
    ])('the price of %s is right', async (_name, prepared, opcodes, price) => {
      expect(await costOf(await scene(), prepared, opcodes)).toBe(price);
    });
  });

  describe('SSTORE', () => {
    const stored = async (value: number): Promise<Scene> => {
      const prepared = await scene();
      if (value > 0) prepared.state.setStorage(CONTRACT, wordBytes(1), Uint8Array.of(value));
      return prepared;
    };

    it.each([
      ['from zero to a value costs 20000', 0, '6001 6001', 20_000n],
      ['from a value to zero costs 5000', 7, '6000 6001', 5_000n],
      ['from a value to another value costs 5000', 7, '6008 6001', 5_000n],
      ['of an equal value costs 5000', 7, '6007 6001', 5_000n],
      ['of zero over zero costs 5000', 0, '6000 6001', 5_000n],
    ])('SSTORE %s', async (_name, value, operands, price) => {
      expect(await costOf(await stored(value), operands, '55')).toBe(price);
    });

    it('SSTORE refunds 15000 for each value that becomes zero, without net metering', async () => {
      const once = await runs(await stored(7), '6000 6001 55 6001 6002 55');
      expect(once.gasBeforeRefund - once.gasUsed).toBe(15_000n);
      // Clears the slot twice. The write to another slot keeps half of the gas above the refund.
      const twice = await runs(await stored(7), '6000 6001 55 6007 6001 55 6000 6001 55 6001 6002 55');
      expect(twice.gasBeforeRefund).toBe(BASE + 24n + 5_000n + 20_000n + 5_000n + 20_000n);
      expect(twice.gasBeforeRefund - twice.gasUsed).toBe(30_000n);
    });

    it('SSTORE needs only its own cost in gas (no sentry)', async () => {
      const result = await runs(await stored(7), '6008 6001 55', { gasLimit: BASE + 5_006n });
      expect(result).toMatchObject({ outcome: 'success', gasUsed: BASE + 5_006n });
    });
  });

  describe('calls', () => {
    it.each(CALL_KINDS)('%s costs 700 on the first and on the second call', async (kind) => {
      const operands = callOperands(kind, SENDER);
      expect(await costOf(await scene(), operands, callOpcode(kind))).toBe(700n);
      const again = `${operands} ${callOpcode(kind)} ${operands}`;
      expect(await costOf(await scene(), again, callOpcode(kind))).toBe(700n);
    });

    it.each(['CALL', 'CALLCODE'] as const)('%s with a value costs 9000 more', async (kind) => {
      const operands = callOperands(kind, SENDER, { value: 1 });
      expect(await costOf(await scene(), operands, callOpcode(kind))).toBe(9_700n);
    });

    it.each([0, 1])('CALL with value %i to a missing account costs 25000 more', async (value) => {
      const operands = callOperands('CALL', NOBODY, { value });
      expect(await costOf(await scene(), operands, 'f1')).toBe(25_700n + 9_000n * BigInt(value));
    });

    it('CALL to an empty account has no extra cost', async () => {
      const prepared = await scene();
      prepared.state.setAccount(NOBODY, { nonce: 0n, balance: 0n });
      expect(await costOf(prepared, callOperands('CALL', NOBODY, { value: 1 }), 'f1')).toBe(9_700n);
    });

    it.each(['CALLCODE', 'DELEGATECALL', 'STATICCALL'] as const)(
      '%s to a missing account has no extra cost',
      async (kind) => {
        expect(await costOf(await scene(), callOperands(kind, NOBODY), callOpcode(kind))).toBe(700n);
      },
    );

    it('CALL of a precompile has no extra cost, because precompiles always exist', async () => {
      const operands = callOperands('CALL', IDENTITY);
      expect(await costOf(await scene(), operands, 'f1')).toBe(700n + 15n);
    });
  });

  describe('creations', () => {
    it('CREATE costs 32000, and 2 for each word of initcode', async () => {
      expect(await costOf(await scene(), '6000 6000 6000', 'f0')).toBe(32_000n);
      expect(await costOf(await scene(), creationOperands(code('00')), 'f0')).toBe(32_002n);
    });

    it('CREATE2 costs 6 more for each word of initcode', async () => {
      expect(await costOf(await scene(), '6000 6000 6000 6000', 'f5')).toBe(32_000n);
      expect(await costOf(await scene(), creationOperands(code('00'), { salt: 1 }), 'f5')).toBe(32_008n);
    });

    it('deployed code costs 200 for each byte', async () => {
      const cost = async (size: number) => costOf(await scene(), creationOperands(depositing(size)), 'f0');
      expect((await cost(32)) - (await cost(31))).toBe(200n);
    });
  });

  describe('SELFDESTRUCT', () => {
    it('SELFDESTRUCT costs 5000', async () => {
      expect(await costOf(await scene(), push(SENDER), 'ff')).toBe(5_000n);
    });

    it('SELFDESTRUCT to a missing beneficiary costs 25000 more, even without a balance', async () => {
      expect(await costOf(await scene(), push(NOBODY), 'ff')).toBe(30_000n);
      const { state, run } = await scene();
      state.setAccount(CONTRACT, { nonce: 1n, balance: 0n });
      expect(await run(code(`${push(NOBODY)} ff`))).toMatchObject({ gasBeforeRefund: BASE + 30_003n });
    });

    it('SELFDESTRUCT refunds 24000', async () => {
      const { gasBeforeRefund, gasUsed } = await runs(
        await scene(),
        `6001 6001 55 6001 6002 55 ${push(SENDER)} ff`,
      );
      expect(gasBeforeRefund - gasUsed).toBe(24_000n);
    });
  });

  describe('memory', () => {
    it.each([1, 22, 724, 10_000])('memory of %i words costs 3w + w²/512', async (words) => {
      const grown = await costOf(await scene(), push(32 * (words - 1)), '51');
      const total = 3n * BigInt(words) + BigInt(words) ** 2n / 512n;
      expect(grown).toBe(3n + total);
    });

    it('memory above 2^30 bytes runs out of gas, independent of the gas limit', async () => {
      const { run } = await scene();
      const result = await run(code(`${push(2n ** 30n - 31n)} 51`), {
        gasLimit: 10n ** 14n,
        maxFeePerGas: 0n,
      });
      expect(result).toMatchObject({ outcome: 'halt', haltReason: 'out of gas', gasUsed: 10n ** 14n });
    });

    it.each(CALL_KINDS)('%s runs out of gas for memory above 2^30 bytes', async (kind) => {
      const { run } = await scene();
      const runtime = code(callOperands(kind, SENDER, { outputSize: 2 ** 30 + 1 }) + callOpcode(kind));
      const result = await run(runtime, { gasLimit: 10n ** 14n, maxFeePerGas: 0n });
      expect(result).toMatchObject({ outcome: 'halt', haltReason: 'out of gas' });
    });

    it('a creation runs out of gas for memory above 2^30 bytes', async () => {
      const { run } = await scene();
      const result = await run(code(`6001 ${push(2 ** 30)} 6000 f0`), {
        gasLimit: 10n ** 14n,
        maxFeePerGas: 0n,
      });
      expect(result).toMatchObject({ outcome: 'halt', haltReason: 'out of gas' });
    });
  });

  it('refunds are limited to half of the gas used', async () => {
    const { gasBeforeRefund, gasUsed } = await runs(await scene(), `${push(SENDER)} ff`);
    expect(gasBeforeRefund).toBe(BASE + 5_003n);
    expect(gasUsed).toBe(gasBeforeRefund - gasBeforeRefund / 2n);
  });
});
