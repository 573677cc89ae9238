import { beforeEach, describe, expect, it } from 'vitest';
import type { ExecutionResult, Message } from '../../../src/evm/engine.ts';
import { toHex } from '../../../src/primitives/hex.ts';
import {
  AUTHORITY,
  addressOf,
  authorize,
  CONTRACT,
  code,
  contractAddress,
  SENDER,
} from '../../reference/scene.ts';
import { wordBytes } from '../../support/words.ts';
import { type EnginePair, enginePair } from './engine-pair.ts';

/** State gas of a new slot and of a new account (EIP-8037). */
const SLOT = 97_920n;
const ACCOUNT = 183_600n;
/** Gas above this limit pays for new state only. */
const EXECUTION_LIMIT = 16_777_216n;
/** Gas of a transaction that calls an account (EIP-2780). */
const CALLING = 15_000n;
const COLD_ACCOUNT = 3_000n;
/** Gas of seven operands and the cold account. */
const COLD_CALL = 7n * 3n + COLD_ACCOUNT;
/** Gas of two operands, a cold slot and its write (EIP-8038). */
const STORE = 6n + 2_100n + 10_000n;
/** Gas for a write to a warm slot. SSTORE requires more gas than the stipend. */
const WARM_STORE = 6n + 2_301n;

const CHILD = addressOf(10);
const PROBE = addressOf(12);
const SECOND_PROBE = addressOf(13);
const NOBODY = addressOf(14);

const digits = (value: bigint | number, bytes: number): string =>
  BigInt(value)
    .toString(16)
    .padStart(2 * bytes, '0');
const store = (slot: number, value: number): string => `60${digits(value, 1)} 60${digits(slot, 1)} 55`;
const REVERT = '6000 6000 fd';
const REVERTING = 6n;

/** Code of a CALL that leaves its result on the stack. */
function call(to: Uint8Array, gas: bigint, value = 0): string {
  return `6000 6000 6000 6000 60${digits(value, 1)} 73${toHex(to).slice(2)} 63${digits(gas, 4)} f1`;
}

function delegateCall(to: Uint8Array, gas: bigint): string {
  return `6000 6000 6000 6000 73${toHex(to).slice(2)} 63${digits(gas, 4)} f4`;
}

/** Code that calls an account that creates a slot. The call needs the reservoir for it. */
const probe = (account = PROBE): string => call(account, STORE);
const PROBING = COLD_CALL + STORE;

describe('state gas (EIP-8037)', () => {
  let pair: EnginePair;
  beforeEach(async () => {
    pair = await enginePair('amsterdam');
    for (const account of [PROBE, SECOND_PROBE]) pair.state.setCode(account, code(store(0, 1)));
  });

  /** Runs a transaction with the maximum execution gas and `reservoir` gas for new state. */
  async function run(
    runtime: string,
    reservoir: bigint,
    fields: Partial<Message> = {},
  ): Promise<ExecutionResult> {
    pair.state.setCode(CONTRACT, code(runtime));
    return pair.transact({ gasLimit: EXECUTION_LIMIT + reservoir, ...fields });
  }

  /** True if slot 0 of the account is set. */
  const isMade = (account: Uint8Array): boolean => pair.state.storageAt(account, wordBytes(0)).length > 0;

  it.each([
    ['that reverts', store(1, 1) + REVERT, STORE + REVERTING],
    ['that halts', `${store(1, 1)} fe`, STORE],
  ])('state gas returns to the reservoir from a call %s', async (_how, child, gas) => {
    pair.state.setCode(CHILD, code(child));
    const result = await run(`${call(CHILD, gas)} 50 ${probe()} 00`, SLOT);
    expect(isMade(PROBE)).toBe(true);
    expect(result).toMatchObject({
      outcome: 'success',
      stateGas: SLOT,
      gasUsed: CALLING + COLD_CALL + gas + 2n + PROBING + SLOT,
    });
  });

  it('state gas returns to both the call gas and the reservoir if a call reverts', async () => {
    const gas = 2n * STORE + REVERTING;
    pair.state.setCode(CHILD, code(store(1, 1) + store(2, 1) + REVERT));
    const result = await run(`${call(CHILD, gas + SLOT)} 50 ${probe()} 00`, SLOT);
    expect(isMade(PROBE)).toBe(true);
    expect(result).toMatchObject({
      stateGas: SLOT,
      executionGas: CALLING + COLD_CALL + gas + 2n + PROBING,
    });
  });

  it('state gas returns to the reservoir if a call halts, except the part paid by call gas', async () => {
    const gas = 2n * STORE + SLOT;
    pair.state.setCode(CHILD, code(`${store(1, 1)} ${store(2, 1)} fe`));
    const result = await run(`${call(CHILD, gas)} 50 ${probe()} 50 ${probe(SECOND_PROBE)} 00`, SLOT);
    expect([isMade(PROBE), isMade(SECOND_PROBE)]).toEqual([true, false]);
    expect(result).toMatchObject({
      stateGas: SLOT,
      executionGas: CALLING + COLD_CALL + gas + 2n + PROBING + 2n + PROBING,
    });
  });

  it('state gas is passed to nested calls in full, independent of their gas', async () => {
    pair.state.setCode(CHILD, code(`${probe()} 00`));
    const gas = COLD_CALL + STORE + STORE / 32n;
    await run(`${call(CHILD, gas)} 00`, SLOT);
    expect(isMade(PROBE)).toBe(true);
  });

  it.each([
    ['a call', `${call(NOBODY, 0n, 200)} 50`],
    ['a creation', '6000 6000 60c8 f0 50'],
  ])('state gas is not charged for %s without the balance for its value', async (_what, refused) => {
    const result = await run(`${refused} ${probe()} 00`, ACCOUNT);
    expect(isMade(PROBE)).toBe(true);
    expect(result).toMatchObject({ outcome: 'success', stateGas: SLOT });
  });

  it('state gas is charged for a new account that receives value', async () => {
    pair.state.setAccount(CONTRACT, { nonce: 1n, balance: 1n });
    const result = await run(`${call(NOBODY, 0n, 1)} 00`, ACCOUNT);
    expect(pair.state.account(NOBODY)?.balance).toBe(1n);
    // The value costs 9,000 gas and the stipend. The stipend is refunded.
    expect(result).toMatchObject({ stateGas: ACCOUNT, executionGas: CALLING + COLD_CALL + 9_000n });
  });

  it.each(['f0', 'f5'])(
    'state gas is not charged for the creation opcode %s in a static call',
    async (opcode) => {
      pair.state.setCode(CHILD, code(`6000 6000 6000 6000 ${opcode} 00`));
      const inStaticCall = `6000 6000 6000 6000 73${toHex(CHILD).slice(2)} 63${digits(ACCOUNT, 4)} fa`;
      const result = await run(`${inStaticCall} 50 ${probe()} 00`, SLOT);
      expect(isMade(PROBE)).toBe(true);
      expect(result).toMatchObject({ outcome: 'success', stateGas: SLOT });
    },
  );

  it.each([
    // The frame that clears the slot, the reservoir, and whether the probe can use the refunded gas.
    // The frame gets back the gas that it paid, also if a call clears the slot.
    ['another frame', 0n, false],
    ['another frame', SLOT, true],
    ['the same frame', 0n, false],
    ['the same frame', SLOT, true],
  ])(
    'state gas returns to its source if %s clears the slot, with a reservoir of %s',
    async (who, reservoir, isThere) => {
      pair.state.setCode(CHILD, code(store(1, 0)));
      const clearing = who === 'the same frame' ? store(1, 0) : `${delegateCall(CHILD, WARM_STORE)} 50`;
      const result = await run(`${store(1, 1)} ${clearing} ${probe()} 00`, reservoir);
      expect(isMade(PROBE)).toBe(isThere);
      expect(result).toMatchObject({ outcome: 'success', stateGas: isThere ? SLOT : 0n });
    },
  );

  /** Code that stores the remaining gas in slot 3, without state gas: the slot already has a value. */
  const report = '5a 6003 55';

  it.each([
    // A success repays the gas that the caller paid for the first slot. The call pays for one slot, and its first
    // refund repays it.
    ['succeeds', '00', 1n],
    ['reverts', REVERT, 0n],
    ['halts', 'fe', 0n],
  ])(
    'state gas of two slots that a call clears repays the caller if the call %s',
    async (_how, ending, repaid) => {
      const gas = 2n * WARM_STORE + STORE + SLOT;
      pair.state.setCode(CHILD, code(`${store(4, 1)} ${store(1, 0)} ${store(2, 0)} ${ending}`));
      pair.state.setStorage(CONTRACT, wordBytes(3), code('01'));
      const calling = `${delegateCall(CHILD, gas)} 50`;
      await run(`${store(1, 1)} ${store(2, 1)} ${calling} ${report} 00`, 0n);
      const left = BigInt(toHex(pair.state.storageAt(CONTRACT, wordBytes(3))));
      // The cleared slots are warm, and their writes cost the price of a warm access.
      const called = 6n * 3n + COLD_ACCOUNT + 2n;
      const spent =
        { '00': STORE + 2n * 106n, [REVERT]: STORE + 2n * 106n + REVERTING, fe: gas }[ending] ?? 0n;
      const before = EXECUTION_LIMIT - CALLING - 2n * (STORE + SLOT) - called - spent - 2n;
      expect(left).toBe(before + repaid * SLOT);
    },
  );

  it.each([
    ['reverts', REVERT, STORE + REVERTING + COLD_CALL + STORE],
    ['halts', 'fe', EXECUTION_LIMIT - CALLING],
  ])('state gas is refunded in full if the transaction %s', async (_how, ending, gas) => {
    pair.state.setCode(CHILD, code(store(0, 1)));
    const result = await run(`${store(1, 1)} ${call(CHILD, STORE + SLOT)} ${ending}`, SLOT);
    expect(result).toMatchObject({ stateGas: 0n, gasUsed: CALLING + gas });
  });

  it.each([
    ['is refunded if initcode reverts', '6000 6000 fd', 'revert', 0n],
    // The account never exists, but its gas is not refunded.
    ['is charged if initcode self-destructs', '30 ff', 'success', ACCOUNT],
  ])('state gas of a creation transaction %s', async (_how, initcode, outcome, stateGas) => {
    const result = await run('00', ACCOUNT, { to: null, data: code(initcode) });
    expect(result).toMatchObject({ outcome, stateGas });
    expect(pair.state.account(contractAddress(SENDER, 0n))).toBeUndefined();
  });

  it('state gas is not charged for a created contract whose address already has wei', async () => {
    const created = contractAddress(SENDER, 0n);
    pair.state.setAccount(created, { nonce: 0n, balance: 1n });
    const result = await run('00', 0n, { to: null, data: code('00'), value: 2n });
    expect(result).toMatchObject({ outcome: 'success', stateGas: 0n });
    expect(pair.state.account(created)).toMatchObject({ nonce: 1n, balance: 3n });
  });

  it.each(['itself', 'a new account'])(
    'state gas is charged once for a contract that self-destructs to %s and then receives wei',
    async (heir) => {
      pair.state.setAccount(CONTRACT, { nonce: 1n, balance: 3n });
      const initcode = heir === 'itself' ? '30ff' : '6099ff';
      const length = initcode.length / 2;
      const creating = `7f${initcode.padEnd(64, '0')} 6000 52 60${digits(length, 1)} 6000 6001 f0`;
      // CALL with value 1 to the address on the stack (DUP6).
      const calling = '6000 6000 6000 6000 6001 85 5a f1 00';
      const own = heir === 'itself' ? 0n : ACCOUNT;
      const result = await run(`${creating} ${calling}`, ACCOUNT + own);
      expect(result).toMatchObject({ outcome: 'success', stateGas: ACCOUNT + own });
      expect(pair.state.account(CONTRACT)?.balance).toBe(1n);
      const created = pair.state.account(contractAddress(CONTRACT, 1n));
      expect(created).toMatchObject({ nonce: 0n, balance: heir === 'itself' ? 2n : 1n });
    },
  );

  /** Execution gas of an authorization and of the write of its account. */
  const AUTHORIZING = 7_816n + 9_000n;
  /** State gas of the authorized account and its delegation. */
  const AUTHORIZED = ACCOUNT + 35_190n;
  const authorizationList = [authorize(PROBE, 0n)];

  it.each([
    ['reverts', 0n, REVERT, CALLING + AUTHORIZING + REVERTING],
    ['reverts', AUTHORIZED, REVERT, CALLING + AUTHORIZING + REVERTING],
    // The rest of the reservoir is refunded.
    ['halts', AUTHORIZED + SLOT, 'fe', EXECUTION_LIMIT],
  ])(
    'state gas of authorizations is kept if the code %s, with a reservoir of %s',
    async (_how, reservoir, runtime, gas) => {
      const result = await run(runtime, reservoir, { authorizationList });
      expect(result).toMatchObject({ stateGas: AUTHORIZED, gasUsed: gas + AUTHORIZED });
      expect(pair.state.account(AUTHORITY)?.code.bytes).toHaveLength(23);
    },
  );

  it('state gas of authorizations is refunded if the gas does not pay for a new recipient', async () => {
    const gasLimit = CALLING + 6_000n + AUTHORIZING + AUTHORIZED + ACCOUNT;
    const fields = { to: NOBODY, value: 1n, authorizationList };
    const short = await run('00', 0n, { ...fields, gasLimit: gasLimit - 1n });
    expect(short).toMatchObject({ haltReason: 'out of gas', stateGas: 0n, gasUsed: gasLimit - 1n });
    expect(pair.state.account(AUTHORITY)).toBeUndefined();
    const enough = await run('00', 0n, { ...fields, gasLimit, nonce: 1n });
    expect(enough).toMatchObject({ outcome: 'success', stateGas: AUTHORIZED + ACCOUNT, gasUsed: gasLimit });
  });
});
