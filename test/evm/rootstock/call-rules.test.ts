import { describe, expect, it } from 'vitest';
import { bigIntToBytes } from '../../../src/primitives/bytes.ts';
import { keccak256 } from '../../../src/primitives/keccak.ts';
import {
  COINBASE,
  CONTRACT,
  code,
  environmentOf,
  RECIPIENT,
  type Scene,
  SENDER,
  word,
} from '../../reference/scene.ts';
import { ENGINES } from './engines.ts';
import {
  answerOf,
  BASE,
  type CallKind,
  calling,
  callOperands,
  costOf,
  digits,
  NOBODY,
  push,
  putRecipient,
  RETURN_TOP,
  runs,
  setRootstockScene,
} from './rootstock-scene.ts';

const CALL_KINDS: readonly CallKind[] = ['CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL'];
const ALL_ONES = 2n ** 256n - 1n;
const EMPTY_HASH = BigInt(`0x${digits(keccak256(new Uint8Array(0)))}`);
/** Code that returns the gas it has left: 2 less than it was given. */
const TELLS_GAS = `5a ${RETURN_TOP}`;
/** Digits that put the word returned by a call, which is at the beginning of the memory, on the stack. */
const ANSWER = '50 6000 51';

describe.each(ENGINES)('the call rules of the network, on the $engine engine', (tested) => {
  const scene = (): Promise<Scene> => setRootstockScene(tested);
  const withRecipient = async (runtime: string): Promise<Scene> => {
    const prepared = await scene();
    putRecipient(prepared, runtime);
    return prepared;
  };

  describe('gas', () => {
    it.each(CALL_KINDS)('is passed on by %s without keeping a 64th', async (kind) => {
      const prepared = await withRecipient(TELLS_GAS);
      const call = calling(kind, RECIPIENT, { gas: ALL_ONES, outputSize: 32 });
      const operands = kind === 'CALL' || kind === 'CALLCODE' ? 7n : 6n;
      // 3 for each operand, 700 for the call, 3 for a word of memory, 2 for GAS.
      const given = 100_000n - BASE - 3n * operands - 703n - 2n;
      expect(await answerOf(prepared, `${call} ${ANSWER}`, { gasLimit: 100_000n })).toBe(given);
    });

    it.each(CALL_KINDS)('asked for by %s beyond what is left is cut to it, not refused', async (kind) => {
      const prepared = await withRecipient('fe');
      const result = await runs(prepared, calling(kind, RECIPIENT, { gas: ALL_ONES }), {
        gasLimit: 100_000n,
      });
      expect(result).toMatchObject({ outcome: 'success', gasUsed: 100_000n });
    });

    it.each(CALL_KINDS)('is passed on by %s as asked for', async (kind) => {
      const prepared = await withRecipient(TELLS_GAS);
      const gas = await answerOf(
        prepared,
        `${calling(kind, RECIPIENT, { gas: 5_000, outputSize: 32 })} ${ANSWER}`,
      );
      expect(gas).toBe(4_998n);
    });
  });

  describe('the stipend', () => {
    it.each(['CALL', 'CALLCODE'] as const)('of 2300 is added to what %s asks for', async (kind) => {
      const prepared = await withRecipient(TELLS_GAS);
      const asked = calling(kind, RECIPIENT, { gas: 5_000, value: 1, outputSize: 32 });
      expect(await answerOf(prepared, `${asked} ${ANSWER}`)).toBe(7_298n);
    });

    it('is paid by the caller', async () => {
      const prepared = await withRecipient('fe');
      const operands = callOperands('CALL', RECIPIENT, { gas: 5_000, value: 1 });
      expect(await costOf(prepared, operands, 'f1')).toBe(9_700n + 7_300n);
    });

    it('comes back when it is not used', async () => {
      const prepared = await withRecipient('00');
      const operands = callOperands('CALL', RECIPIENT, { gas: 0, value: 1 });
      expect(await costOf(prepared, operands, 'f1')).toBe(9_700n);
    });

    it('must be there after the price of the call, or the frame runs out of gas', async () => {
      const prepared = await withRecipient('00');
      const call = calling('CALL', RECIPIENT, { gas: 0, value: 1 });
      const needed = BASE + 7n * 3n + 9_700n + 2_300n;
      expect(await runs(prepared, call, { gasLimit: needed })).toMatchObject({
        outcome: 'success',
        gasUsed: needed - 2_300n,
      });
      expect(await runs(prepared, call, { gasLimit: needed - 1n })).toMatchObject({
        outcome: 'halt',
        haltReason: 'out of gas',
      });
    });
  });

  describe('the depth', () => {
    /** Calls itself as deep as it may, and counts the frames in storage. */
    const counting = `6000 54 6001 01 6000 55 ${calling('CALL', CONTRACT, { gas: ALL_ONES })}`;

    it('of calls is 400 below the message', async () => {
      const prepared = await scene();
      await runs(prepared, counting, { gasLimit: 20_000_000n });
      expect(prepared.state.storageAt(CONTRACT, word(0))).toEqual(Uint8Array.of(1, 145));
    });

    it('that is too large makes a call push 0 and gives its gas back', async () => {
      const prepared = await scene();
      const call = `5a ${calling('CALL', CONTRACT, { gas: ALL_ONES })}`;
      const target = code(call).length + 10;
      // The frame whose call fails stores what that call cost.
      await runs(prepared, `${call} ${push(target)} 57 5a 90 03 6000 55 00 5b`, { gasLimit: 20_000_000n });
      // 3 for each of seven operands, 700 for the call; 3, 10 and 2 for PUSH1, JUMPI and GAS.
      expect(prepared.state.storageAt(CONTRACT, word(0))).toEqual(bigIntToBytes(736n));
    });
  });

  it('without the balance for the value a call pushes 0 and gives its gas back', async () => {
    const prepared = await withRecipient('fe');
    const operands = callOperands('CALL', RECIPIENT, { gas: 5_000, value: 1_000 });
    expect(await costOf(prepared, operands, 'f1')).toBe(9_700n);
    expect(await answerOf(prepared, calling('CALL', RECIPIENT, { value: 1_000 }))).toBe(0n);
  });

  it.each(['CALL', 'STATICCALL'] as const)(
    'a %s without value creates an account where there is none',
    async (kind) => {
      const prepared = await scene();
      await runs(prepared, calling(kind, NOBODY));
      expect(prepared.state.account(NOBODY)).toMatchObject({ nonce: 0n, balance: 0n });
      expect(prepared.state.toWorldState().account(NOBODY)).toBeDefined();
    },
  );

  it.each(['CALLCODE', 'DELEGATECALL'] as const)('a %s creates none', async (kind) => {
    const prepared = await scene();
    await runs(prepared, calling(kind, NOBODY));
    expect(prepared.state.account(NOBODY)).toBeUndefined();
  });

  it('a transfer of nothing creates an account where there is none', async () => {
    const { state, transact } = await scene();
    await transact({ to: NOBODY });
    expect(state.account(NOBODY)).toMatchObject({ nonce: 0n, balance: 0n });
  });

  describe('STATICCALL', () => {
    it.each([
      ['SSTORE', '6001 6001 55'],
      ['TSTORE', '6001 6001 5d'],
      ['LOG0', '6000 6000 a0'],
      ['CREATE', '6000 6000 6000 f0'],
      ['CREATE2', '6000 6000 6000 6000 f5'],
      ['SELFDESTRUCT', `${push(SENDER)} ff`],
      ['CALL with a value', calling('CALL', SENDER, { value: 1 })],
    ])('forbids %s', async (_name, runtime) => {
      const prepared = await withRecipient(runtime);
      prepared.state.setAccount(RECIPIENT, { nonce: 1n, balance: 10n });
      const call = calling('STATICCALL', RECIPIENT, { gas: 100_000 });
      expect(await answerOf(prepared, call)).toBe(0n);
      expect(await costOf(prepared, callOperands('STATICCALL', RECIPIENT, { gas: 100_000 }), 'fa')).toBe(
        100_700n,
      );
    });

    it.each([
      ['SLOAD', '6001 54'],
      ['TLOAD', '6001 5c'],
      ['CALL without value', calling('CALL', SENDER)],
    ])('allows %s', async (_name, runtime) => {
      const prepared = await withRecipient(runtime);
      expect(await answerOf(prepared, calling('STATICCALL', RECIPIENT))).toBe(1n);
    });
  });

  it('code that begins with 0xfc has no header: it halts', async () => {
    const prepared = await scene();
    expect(await runs(prepared, 'fc 00')).toMatchObject({
      outcome: 'halt',
      haltReason: 'invalid opcode 0xfc',
    });
  });

  describe('EXTCODESIZE and EXTCODEHASH', () => {
    it.each([1, 2, 3, 4, 5, 6, 7, 8, 9])(
      'of precompile %i are 2^256 - 1 and the hash of nothing',
      async (number) => {
        expect(await answerOf(await scene(), `${push(number)} 3b`)).toBe(ALL_ONES);
        expect(await answerOf(await scene(), `${push(number)} 3f`)).toBe(EMPTY_HASH);
      },
    );

    it('of an account without code are 0 and the hash of nothing', async () => {
      expect(await answerOf(await scene(), `${push(SENDER)} 3b`)).toBe(0n);
      expect(await answerOf(await scene(), `${push(SENDER)} 3f`)).toBe(EMPTY_HASH);
    });

    it('of an empty account are 0 and the hash of nothing: it exists', async () => {
      const prepared = await scene();
      prepared.state.setAccount(NOBODY, { nonce: 0n, balance: 0n });
      expect(await answerOf(prepared, `${push(NOBODY)} 3f`)).toBe(EMPTY_HASH);
    });

    it('of no account are 0', async () => {
      expect(await answerOf(await scene(), `${push(NOBODY)} 3b`)).toBe(0n);
      expect(await answerOf(await scene(), `${push(NOBODY)} 3f`)).toBe(0n);
    });

    it('of a contract are those of its code', async () => {
      const prepared = await withRecipient('6001 6002');
      expect(await answerOf(prepared, `${push(RECIPIENT)} 3b`)).toBe(4n);
      const hash = BigInt(`0x${digits(keccak256(code('6001 6002')))}`);
      expect(await answerOf(prepared, `${push(RECIPIENT)} 3f`)).toBe(hash);
    });
  });

  describe('the block is told of by', () => {
    it.each([
      ['DIFFICULTY', '44', 17n],
      ['BASEFEE, which is the minimum gas price', '48', 5n],
      ['COINBASE', '41', BigInt(`0x${digits(COINBASE)}`)],
      ['CHAINID', '46', 33n],
      ['GASLIMIT, which is the block’s', '45', 30_000_000n],
    ])('%s', async (_name, opcode, value) => {
      expect(await answerOf(await scene(), opcode)).toBe(value);
    });

    it('BLOCKHASH, for the last 256 blocks', async () => {
      const { number, blockHash } = environmentOf('rootstock');
      const hashOf = async (asked: number) => answerOf(await scene(), `${push(asked)} 40`);
      expect(await hashOf(number - 1)).toBe(BigInt(`0x${digits(blockHash(number - 1))}`));
      expect(await hashOf(number - 256)).toBe(BigInt(`0x${digits(blockHash(number - 256))}`));
      expect(await hashOf(number - 257)).toBe(0n);
      expect(await hashOf(number)).toBe(0n);
    });
  });
});
