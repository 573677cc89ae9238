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
} from '../../reference/scene.ts';
import { wordBytes } from '../../support/words.ts';
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
/** Code that returns its remaining gas: 2 less than the call gas. */
const TELLS_GAS = `5a ${RETURN_TOP}`;
/** Code that pushes the word that a call wrote to the start of the memory. */
const ANSWER = '50 6000 51';

describe.each(ENGINES)("Rootstock's call rules on the $engine engine", (tested) => {
  const scene = (): Promise<Scene> => setRootstockScene(tested);
  const withRecipient = async (runtime: string): Promise<Scene> => {
    const prepared = await scene();
    putRecipient(prepared, runtime);
    return prepared;
  };

  describe('call gas', () => {
    it.each(CALL_KINDS)('%s passes on all gas without the 64th', async (kind) => {
      const prepared = await withRecipient(TELLS_GAS);
      const call = calling(kind, RECIPIENT, { gas: ALL_ONES, outputSize: 32 });
      const operands = kind === 'CALL' || kind === 'CALLCODE' ? 7n : 6n;
      // 3 for each operand, 700 for the call, 3 for a word of memory, 2 for GAS.
      const given = 100_000n - BASE - 3n * operands - 703n - 2n;
      expect(await answerOf(prepared, `${call} ${ANSWER}`, { gasLimit: 100_000n })).toBe(given);
    });

    it.each(CALL_KINDS)('%s reduces a gas limit to the remaining gas', async (kind) => {
      const prepared = await withRecipient('fe');
      const result = await runs(prepared, calling(kind, RECIPIENT, { gas: ALL_ONES }), {
        gasLimit: 100_000n,
      });
      expect(result).toMatchObject({ outcome: 'success', gasUsed: 100_000n });
    });

    it.each(CALL_KINDS)('%s passes on the requested gas', async (kind) => {
      const prepared = await withRecipient(TELLS_GAS);
      const gas = await answerOf(
        prepared,
        `${calling(kind, RECIPIENT, { gas: 5_000, outputSize: 32 })} ${ANSWER}`,
      );
      expect(gas).toBe(4_998n);
    });
  });

  describe('call stipend', () => {
    it.each(['CALL', 'CALLCODE'] as const)('a stipend of 2300 is added to the gas of %s', async (kind) => {
      const prepared = await withRecipient(TELLS_GAS);
      const asked = calling(kind, RECIPIENT, { gas: 5_000, value: 1, outputSize: 32 });
      expect(await answerOf(prepared, `${asked} ${ANSWER}`)).toBe(7_298n);
    });

    it('the caller pays for the stipend', async () => {
      const prepared = await withRecipient('fe');
      const operands = callOperands('CALL', RECIPIENT, { gas: 5_000, value: 1 });
      expect(await costOf(prepared, operands, 'f1')).toBe(9_700n + 7_300n);
    });

    it('an unused stipend is refunded', async () => {
      const prepared = await withRecipient('00');
      const operands = callOperands('CALL', RECIPIENT, { gas: 0, value: 1 });
      expect(await costOf(prepared, operands, 'f1')).toBe(9_700n);
    });

    it('a call runs out of gas if it cannot pay for the stipend', async () => {
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

  describe('call depth', () => {
    /** Code that calls itself up to the depth limit and counts the frames in storage. */
    const counting = `6000 54 6001 01 6000 55 ${calling('CALL', CONTRACT, { gas: ALL_ONES })}`;

    it('calls can be nested 400 levels below the message', async () => {
      const prepared = await scene();
      await runs(prepared, counting, { gasLimit: 20_000_000n });
      expect(prepared.state.storageAt(CONTRACT, wordBytes(0))).toEqual(Uint8Array.of(1, 145));
    });

    it('a call beyond the depth limit pushes 0 and refunds its gas', async () => {
      const prepared = await scene();
      const call = `5a ${calling('CALL', CONTRACT, { gas: ALL_ONES })}`;
      const target = code(call).length + 10;
      // The frame with the failed call stores the cost of the call.
      await runs(prepared, `${call} ${push(target)} 57 5a 90 03 6000 55 00 5b`, { gasLimit: 20_000_000n });
      // 3 for each of seven operands, 700 for the call; 3, 10 and 2 for PUSH1, JUMPI and GAS.
      expect(prepared.state.storageAt(CONTRACT, wordBytes(0))).toEqual(bigIntToBytes(736n));
    });
  });

  it('a call without the balance for its value pushes 0 and refunds its gas', async () => {
    const prepared = await withRecipient('fe');
    const operands = callOperands('CALL', RECIPIENT, { gas: 5_000, value: 1_000 });
    expect(await costOf(prepared, operands, 'f1')).toBe(9_700n);
    expect(await answerOf(prepared, calling('CALL', RECIPIENT, { value: 1_000 }))).toBe(0n);
  });

  it.each(['CALL', 'STATICCALL'] as const)('a %s without value creates a missing account', async (kind) => {
    const prepared = await scene();
    await runs(prepared, calling(kind, NOBODY));
    expect(prepared.state.account(NOBODY)).toMatchObject({ nonce: 0n, balance: 0n });
    expect(prepared.state.toWorldState().account(NOBODY)).toBeDefined();
  });

  it.each(['CALLCODE', 'DELEGATECALL'] as const)('a %s creates no account', async (kind) => {
    const prepared = await scene();
    await runs(prepared, calling(kind, NOBODY));
    expect(prepared.state.account(NOBODY)).toBeUndefined();
  });

  it('a transfer of 0 wei creates a missing account', async () => {
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
    ])('STATICCALL forbids %s', async (_name, runtime) => {
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
    ])('STATICCALL allows %s', async (_name, runtime) => {
      const prepared = await withRecipient(runtime);
      expect(await answerOf(prepared, calling('STATICCALL', RECIPIENT))).toBe(1n);
    });
  });

  it('code that begins with 0xfc has no header and halts', async () => {
    const prepared = await scene();
    expect(await runs(prepared, 'fc 00')).toMatchObject({
      outcome: 'halt',
      haltReason: 'invalid opcode 0xfc',
    });
  });

  describe('EXTCODESIZE and EXTCODEHASH', () => {
    it.each([1, 2, 3, 4, 5, 6, 7, 8, 9])(
      'precompile %i has the code size 2^256 - 1 and the hash of empty code',
      async (number) => {
        expect(await answerOf(await scene(), `${push(number)} 3b`)).toBe(ALL_ONES);
        expect(await answerOf(await scene(), `${push(number)} 3f`)).toBe(EMPTY_HASH);
      },
    );

    it('an account without code has the code size 0 and the hash of empty code', async () => {
      expect(await answerOf(await scene(), `${push(SENDER)} 3b`)).toBe(0n);
      expect(await answerOf(await scene(), `${push(SENDER)} 3f`)).toBe(EMPTY_HASH);
    });

    it('an empty account has the hash of empty code', async () => {
      const prepared = await scene();
      prepared.state.setAccount(NOBODY, { nonce: 0n, balance: 0n });
      expect(await answerOf(prepared, `${push(NOBODY)} 3f`)).toBe(EMPTY_HASH);
    });

    it('a missing account has the code size 0 and the hash 0', async () => {
      expect(await answerOf(await scene(), `${push(NOBODY)} 3b`)).toBe(0n);
      expect(await answerOf(await scene(), `${push(NOBODY)} 3f`)).toBe(0n);
    });

    it('a contract has the size and the hash of its code', async () => {
      const prepared = await withRecipient('6001 6002');
      expect(await answerOf(prepared, `${push(RECIPIENT)} 3b`)).toBe(4n);
      const hash = BigInt(`0x${digits(keccak256(code('6001 6002')))}`);
      expect(await answerOf(prepared, `${push(RECIPIENT)} 3f`)).toBe(hash);
    });
  });

  describe('block opcodes', () => {
    it.each([
      ['DIFFICULTY', '44', 17n],
      ['BASEFEE (minimum gas price)', '48', 5n],
      ['COINBASE', '41', BigInt(`0x${digits(COINBASE)}`)],
      ['CHAINID', '46', 33n],
      ['GASLIMIT (block gas limit)', '45', 30_000_000n],
    ])('%s returns the value of the block', async (_name, opcode, value) => {
      expect(await answerOf(await scene(), opcode)).toBe(value);
    });

    it('BLOCKHASH returns the hashes of the last 256 blocks', async () => {
      const { number, blockHash } = environmentOf('rootstock');
      const hashOf = async (asked: number) => answerOf(await scene(), `${push(asked)} 40`);
      expect(await hashOf(number - 1)).toBe(BigInt(`0x${digits(blockHash(number - 1))}`));
      expect(await hashOf(number - 256)).toBe(BigInt(`0x${digits(blockHash(number - 256))}`));
      expect(await hashOf(number - 257)).toBe(0n);
      expect(await hashOf(number)).toBe(0n);
    });
  });
});
