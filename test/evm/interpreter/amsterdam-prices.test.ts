import { beforeEach, describe, expect, it } from 'vitest';
import type { Message } from '../../../src/evm/engine.ts';
import { concatBytes } from '../../../src/primitives/bytes.ts';
import { toHex } from '../../../src/primitives/hex.ts';
import {
  AUTHORITY,
  addressOf,
  authorize,
  COINBASE,
  CONTRACT,
  code,
  ETHER,
  SENDER,
} from '../../reference/scene.ts';
import { wordBytes } from '../../support/words.ts';
import { type EnginePair, enginePair } from './engine-pair.ts';

/*
 * The prices of EIP-2780 and EIP-8038, in the test cases of go-ethereum (`core/eip2780_test.go`,
 * `core/vm/eip8038_test.go`). Both engines must report the same execution gas and state gas.
 */

const BASE = 12_000n;
const COLD = 3_000n;
const WARM = 100n;
const VALUE = 6_000n;
const CREATE_ACCESS = 12_000n;
const ACCOUNT_WRITE = 9_000n;
const AUTHORIZATION = 7_816n;
const COLD_SLOT = 2_100n;
const SLOT_WRITE = 10_000n;
/** State gas of a new account, a delegation and a slot. */
const ACCOUNT = 183_600n;
const DELEGATION = 35_190n;
const SLOT = 97_920n;
/** Gas of an address in an access list: its access, and 20 bytes of data at 64 gas. */
const LISTED = 2_900n + 20n * 64n;
const EXECUTION_LIMIT = 16_777_216n;

const FUNDED = addressOf(20);
const NOBODY = addressOf(21);
const TARGET = addressOf(22);
const NONCE_ONLY = addressOf(23);
const IDENTITY = wordBytes(4).subarray(12);
const PAIRING = wordBytes(8).subarray(12);

const delegationTo = (target: Uint8Array): Uint8Array => concatBytes(code('ef0100'), target);
const pushed = (address: Uint8Array): string => `73${toHex(address).slice(2)}`;

describe('gas prices of amsterdam', () => {
  let pair: EnginePair;
  beforeEach(async () => {
    pair = await enginePair('amsterdam');
    pair.state.setAccount(FUNDED, { nonce: 0n, balance: 1n });
    pair.state.setAccount(NONCE_ONLY, { nonce: 1n, balance: 0n });
    pair.state.setCode(CONTRACT, code('00'));
  });

  describe('transaction gas (EIP-2780)', () => {
    it.each<[what: string, fields: Partial<Message>, execution: bigint, state: bigint]>([
      ['wei to the sender', { to: SENDER, value: 1n }, BASE, 0n],
      ['no value to the sender', { to: SENDER }, BASE, 0n],
      ['no value to an account', { to: FUNDED }, BASE + COLD, 0n],
      ['no value to a contract', { to: CONTRACT }, BASE + COLD, 0n],
      ['no value to a new address', { to: NOBODY }, BASE + COLD, 0n],
      ['wei to an account', { to: FUNDED, value: 1n }, BASE + COLD + VALUE, 0n],
      ['wei to a contract', { to: CONTRACT, value: 1n }, BASE + COLD + VALUE, 0n],
      ['wei to an account with only a nonce', { to: NONCE_ONLY, value: 1n }, BASE + COLD + VALUE, 0n],
      ['wei to a new address', { to: NOBODY, value: 1n }, BASE + COLD + VALUE, ACCOUNT],
      ['a creation', { to: null }, BASE + CREATE_ACCESS, ACCOUNT],
      ['a creation with wei', { to: null, value: 1n }, BASE + CREATE_ACCESS, ACCOUNT],
      ['no value to a precompile', { to: IDENTITY }, BASE + COLD + 15n, 0n],
      ['wei to a precompile', { to: IDENTITY, value: 1n }, BASE + COLD + VALUE + 15n, ACCOUNT],
      ['no value to the coinbase', { to: COINBASE }, BASE + COLD, 0n],
      [
        'no value to an account in the access list',
        { to: FUNDED, accessList: [{ address: FUNDED, storageKeys: [] }] },
        BASE + COLD + LISTED,
        0n,
      ],
    ])('charges the gas of EIP-2780 for %s', async (_what, fields, executionGas, stateGas) => {
      expect(await pair.transact(fields)).toMatchObject({ outcome: 'success', executionGas, stateGas });
    });

    it.each<[whose: string, target: Uint8Array, fields: Partial<Message>, execution: bigint]>([
      ['is cold', TARGET, {}, BASE + COLD + COLD],
      ['is cold, with wei', TARGET, { value: 1n }, BASE + COLD + COLD + VALUE],
      [
        'is in the access list',
        TARGET,
        { accessList: [{ address: TARGET, storageKeys: [] }] },
        BASE + COLD + LISTED + WARM,
      ],
      ['is a precompile', IDENTITY, {}, BASE + COLD + WARM],
      ['is the coinbase', COINBASE, {}, BASE + COLD + WARM],
      ['is the sender', SENDER, {}, BASE + COLD + WARM],
    ])('charges a call whose delegation target %s', async (_whose, target, fields, executionGas) => {
      pair.state.setCode(FUNDED, delegationTo(target));
      const result = await pair.transact({ to: FUNDED, ...fields });
      expect(result).toMatchObject({ outcome: 'success', executionGas, stateGas: 0n });
    });

    it('charges one cold account for wei to a sender that delegates', async () => {
      pair.state.setCode(SENDER, delegationTo(TARGET));
      const result = await pair.transact({ to: SENDER, value: 1n });
      expect(result).toMatchObject({ outcome: 'success', executionGas: BASE + COLD, stateGas: 0n });
    });

    const paid = AUTHORIZATION + ACCOUNT_WRITE;
    it.each<[whose: string, balance: bigint, fields: Partial<Message>, execution: bigint, state: bigint]>([
      ['of a new account', 0n, { to: FUNDED }, BASE + COLD + paid, ACCOUNT + DELEGATION],
      ['of an account', 1n, { to: FUNDED }, BASE + COLD + paid, DELEGATION],
      ['of the recipient', 1n, { to: AUTHORITY }, BASE + COLD + paid + COLD, DELEGATION],
      [
        'of the recipient of wei',
        1n,
        { to: AUTHORITY, value: 1n },
        BASE + COLD + VALUE + AUTHORIZATION + COLD,
        DELEGATION,
      ],
      [
        'of the new recipient of wei',
        0n,
        { to: AUTHORITY, value: 1n },
        BASE + COLD + VALUE + AUTHORIZATION + COLD,
        ACCOUNT + DELEGATION,
      ],
      [
        'of an account, twice',
        0n,
        { to: FUNDED, authorizationList: [authorize(TARGET, 0n), authorize(TARGET, 1n)] },
        BASE + COLD + AUTHORIZATION + paid,
        ACCOUNT + DELEGATION,
      ],
      [
        'after an invalid one',
        0n,
        { to: FUNDED, authorizationList: [authorize(TARGET, 5n), authorize(TARGET, 0n)] },
        BASE + COLD + AUTHORIZATION + paid,
        ACCOUNT + DELEGATION,
      ],
      [
        'that is invalid',
        0n,
        { to: FUNDED, authorizationList: [authorize(TARGET, 0n, 999n)] },
        BASE + COLD + AUTHORIZATION,
        0n,
      ],
      [
        'of an account in the access list',
        1n,
        { to: FUNDED, accessList: [{ address: AUTHORITY, storageKeys: [] }] },
        BASE + COLD + LISTED + paid,
        DELEGATION,
      ],
    ])('charges an authorization %s', async (_whose, balance, fields, executionGas, stateGas) => {
      if (balance > 0n) pair.state.setAccount(AUTHORITY, { nonce: 0n, balance });
      const result = await pair.transact({ authorizationList: [authorize(TARGET, 0n)], ...fields });
      expect(result).toMatchObject({ outcome: 'success', executionGas, stateGas });
    });

    it.each([
      ['that calls another account', FUNDED, BASE + COLD + AUTHORIZATION],
      ['that calls itself', AUTHORITY, BASE + AUTHORIZATION + COLD],
    ])('charges an authorization of a sender %s', async (_whom, to, executionGas) => {
      pair.state.setAccount(AUTHORITY, { nonce: 0n, balance: ETHER });
      const authorizationList = [authorize(TARGET, 1n)];
      const result = await pair.transact({ sender: AUTHORITY, to, authorizationList });
      expect(result).toMatchObject({ outcome: 'success', executionGas, stateGas: DELEGATION });
    });

    it('charges the warm price for a delegation target that an authorization warmed', async () => {
      pair.state.setCode(FUNDED, delegationTo(AUTHORITY));
      const authorizationList = [authorize(new Uint8Array(20), 0n)];
      const result = await pair.transact({ to: FUNDED, authorizationList });
      const executionGas = BASE + COLD + paid + WARM;
      expect(result).toMatchObject({ outcome: 'success', executionGas, stateGas: ACCOUNT });
    });

    it('applies the calldata floor to the execution gas only', async () => {
      const data = new Uint8Array(1_000);
      const result = await pair.transact({ to: NOBODY, value: 1n, data });
      const intrinsic = BASE + COLD + VALUE + 4n * 1_000n;
      expect(result).toMatchObject({
        executionGas: BASE + COLD + VALUE + 64n * 1_000n,
        stateGas: ACCOUNT,
        gasUsed: intrinsic + ACCOUNT,
      });
    });

    it('charges no state gas if a precompile rejects its input', async () => {
      const gasLimit = EXECUTION_LIMIT + ACCOUNT + 50_000n;
      const result = await pair.transact({ to: PAIRING, value: 1n, data: code('00'), gasLimit });
      expect(result).toMatchObject({ outcome: 'halt', executionGas: EXECUTION_LIMIT, stateGas: 0n });
      expect(pair.state.account(PAIRING)).toBeUndefined();
    });

    it.each([
      ['a creation', { to: null, gasLimit: BASE + CREATE_ACCESS }],
      ['a new account', { to: NOBODY, value: 1n, gasLimit: 21_000n }],
    ])('halts a valid transaction that cannot pay the state gas of %s', async (_what, fields) => {
      const result = await pair.transact(fields);
      expect(result).toMatchObject({ haltReason: 'out of gas', gasUsed: fields.gasLimit, stateGas: 0n });
      expect(pair.state.account(SENDER)?.nonce).toBe(1n);
    });
  });

  describe('opcode gas (EIP-8038)', () => {
    const stores = (values: readonly number[]): string =>
      values.map((value) => `600${value} 6000 55`).join(' ');

    it.each<[before: number, values: number[], writes: bigint, state: bigint, refund: bigint]>([
      [1, [1], 0n, 0n, 0n],
      [0, [1], 1n, SLOT, 0n],
      [1, [2], 1n, 0n, 0n],
      [1, [0], 1n, 0n, 11_616n],
      [0, [0, 1], 1n, SLOT, 0n],
      [1, [1, 2], 1n, 0n, 0n],
      [1, [1, 0], 1n, 0n, 11_616n],
      [1, [2, 3], 1n, 0n, 0n],
      [0, [1, 0], 1n, 0n, SLOT_WRITE],
      [1, [2, 1], 1n, 0n, SLOT_WRITE],
      [1, [0, 1], 1n, 0n, SLOT_WRITE],
      [1, [0, 2], 1n, 0n, 0n],
      [0, [1, 0, 1], 2n, SLOT, SLOT_WRITE],
      [1, [0, 1, 0], 2n, 0n, 11_616n + SLOT_WRITE],
    ])('charges SSTORE for a slot of %s set to %s', async (before, values, writes, stateGas, refund) => {
      if (before > 0) pair.state.setStorage(CONTRACT, wordBytes(0), Uint8Array.of(before));
      pair.state.setCode(CONTRACT, code(stores(values)));
      const result = await pair.transact({ gasLimit: EXECUTION_LIMIT + SLOT });
      const count = BigInt(values.length);
      const executionGas = BASE + COLD + 6n * count + COLD_SLOT + (count - 1n) * WARM + writes * SLOT_WRITE;
      expect(result).toMatchObject({ outcome: 'success', executionGas, stateGas });
      const total = executionGas + stateGas;
      const highest = total / 5n;
      expect(result.gasUsed).toBe(total - (refund < highest ? refund : highest));
    });

    const plain = '6000 6000 6000 6000';
    it.each<[what: string, runtime: string, execution: bigint, state: bigint]>([
      ['SLOAD', '6000 54', 3n + COLD_SLOT, 0n],
      ['SLOAD twice', '6000 54 6000 54', 6n + COLD_SLOT + WARM, 0n],
      ['BALANCE', `${pushed(NOBODY)} 31`, 3n + COLD, 0n],
      ['EXTCODEHASH', `${pushed(NOBODY)} 3f`, 3n + COLD, 0n],
      ['EXTCODESIZE', `${pushed(NOBODY)} 3b`, 3n + COLD + WARM, 0n],
      ['EXTCODESIZE twice', `${pushed(NOBODY)} 3b ${pushed(NOBODY)} 3b`, 6n + COLD + 3n * WARM, 0n],
      ['EXTCODECOPY', `6000 6000 6000 ${pushed(NOBODY)} 3c`, 12n + COLD + WARM, 0n],
      ['CALL', `${plain} 6000 ${pushed(NOBODY)} 5a f1`, 20n + COLD, 0n],
      [
        'CALL with wei to a new address',
        `${plain} 6001 ${pushed(NOBODY)} 5a f1`,
        20n + COLD + ACCOUNT_WRITE,
        ACCOUNT,
      ],
      ['CALLCODE with wei', `${plain} 6001 ${pushed(NOBODY)} 5a f2`, 20n + COLD + ACCOUNT_WRITE, 0n],
      ['DELEGATECALL', `${plain} ${pushed(NOBODY)} 5a f4`, 17n + COLD, 0n],
      ['STATICCALL', `${plain} ${pushed(NOBODY)} 5a fa`, 17n + COLD, 0n],
      ['CALL of a delegating account', `${plain} 6000 ${pushed(TARGET)} 5a f1`, 20n + COLD + COLD, 0n],
      ['CALL that loses its stipend', `${plain} 6001 ${pushed(FUNDED)} 6000 f1`, 21n + COLD + 11_300n, 0n],
      ['CREATE', '6000 6000 6000 f0', 9n + CREATE_ACCESS, ACCOUNT],
      ['CREATE2', '6000 6000 6000 6000 f5', 12n + CREATE_ACCESS, ACCOUNT],
      ['SELFDESTRUCT to a new address', `${pushed(NOBODY)} ff`, 3n + 5_000n + COLD + ACCOUNT_WRITE, ACCOUNT],
      ['SELFDESTRUCT to an account', `${pushed(FUNDED)} ff`, 3n + 5_000n + COLD, 0n],
    ])('charges %s', async (_what, runtime, gas, stateGas) => {
      pair.state.setAccount(CONTRACT, { nonce: 1n, balance: 1n });
      pair.state.setCode(CONTRACT, code(runtime));
      pair.state.setCode(TARGET, delegationTo(NONCE_ONLY));
      pair.state.setCode(FUNDED, code('fe'));
      const result = await pair.transact({ gasLimit: EXECUTION_LIMIT + ACCOUNT });
      expect(result).toMatchObject({ outcome: 'success', executionGas: BASE + COLD + gas, stateGas });
    });

    it('halts an SSTORE that has only the stipend left', async () => {
      pair.state.setCode(CONTRACT, code(stores([1])));
      const short = await pair.transact({ gasLimit: BASE + COLD + 6n + 2_300n });
      expect(short).toMatchObject({ outcome: 'halt', haltReason: 'out of gas' });
    });
  });
});
