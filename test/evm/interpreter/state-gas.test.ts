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
  word,
} from '../../reference/scene.ts';
import { type EnginePair, enginePair } from './engine-pair.ts';

/** The gas of state of a new slot and of a new account (EIP-8037). */
const SLOT = 97_920n;
const ACCOUNT = 183_600n;
/** Gas beyond this is for new state alone. */
const EXECUTION_LIMIT = 16_777_216n;
/** A transaction that calls an account (EIP-2780). */
const CALLING = 15_000n;
const COLD_ACCOUNT = 3_000n;
/** Seven operands, and the account. */
const COLD_CALL = 7n * 3n + COLD_ACCOUNT;
/** Two operands, a slot that is cold, and its write (EIP-8038). */
const STORE = 6n + 2_100n + 10_000n;
/** Enough for a write to what is warm, which needs more than the stipend to begin. */
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

/** CALL with that gas and value, whose result is left on the stack. */
function call(to: Uint8Array, gas: bigint, value = 0): string {
  return `6000 6000 6000 6000 60${digits(value, 1)} 73${toHex(to).slice(2)} 63${digits(gas, 4)} f1`;
}

function delegateCall(to: Uint8Array, gas: bigint): string {
  return `6000 6000 6000 6000 73${toHex(to).slice(2)} 63${digits(gas, 4)} f4`;
}

/** Calls an account that makes a slot, and has gas for the execution of that alone: it needs the reservoir. */
const probe = (account = PROBE): string => call(account, STORE);
const PROBING = COLD_CALL + STORE;

describe('the gas of state', () => {
  let pair: EnginePair;
  beforeEach(async () => {
    pair = await enginePair('amsterdam');
    for (const account of [PROBE, SECOND_PROBE]) pair.state.setCode(account, code(store(0, 1)));
  });

  /** Runs a transaction with that gas for new state besides all that there can be for execution. */
  async function run(
    runtime: string,
    reservoir: bigint,
    fields: Partial<Message> = {},
  ): Promise<ExecutionResult> {
    pair.state.setCode(CONTRACT, code(runtime));
    return pair.transact({ gasLimit: EXECUTION_LIMIT + reservoir, ...fields });
  }

  /** True for an account whose first slot was made. */
  const isMade = (account: Uint8Array): boolean => pair.state.storageAt(account, word(0)).length > 0;

  it.each([
    ['that reverts', store(1, 1) + REVERT, STORE + REVERTING],
    ['that halts', `${store(1, 1)} fe`, STORE],
  ])('comes back to the reservoir from a call %s', async (_how, child, gas) => {
    pair.state.setCode(CHILD, code(child));
    const result = await run(`${call(CHILD, gas)} 50 ${probe()} 00`, SLOT);
    expect(isMade(PROBE)).toBe(true);
    expect(result).toMatchObject({
      outcome: 'success',
      stateGas: SLOT,
      gasUsed: CALLING + COLD_CALL + gas + 2n + PROBING + SLOT,
    });
  });

  it('comes back to the gas of a call that reverts as far as that gave it, the rest to the reservoir', async () => {
    const gas = 2n * STORE + REVERTING;
    pair.state.setCode(CHILD, code(store(1, 1) + store(2, 1) + REVERT));
    const result = await run(`${call(CHILD, gas + SLOT)} 50 ${probe()} 00`, SLOT);
    expect(isMade(PROBE)).toBe(true);
    expect(result).toMatchObject({
      stateGas: SLOT,
      executionGas: CALLING + COLD_CALL + gas + 2n + PROBING,
    });
  });

  it('of a call that halts comes back to the reservoir, but what its gas gave is gone with that', async () => {
    const gas = 2n * STORE + SLOT;
    pair.state.setCode(CHILD, code(`${store(1, 1)} ${store(2, 1)} fe`));
    const result = await run(`${call(CHILD, gas)} 50 ${probe()} 50 ${probe(SECOND_PROBE)} 00`, SLOT);
    expect([isMade(PROBE), isMade(SECOND_PROBE)]).toEqual([true, false]);
    expect(result).toMatchObject({
      stateGas: SLOT,
      executionGas: CALLING + COLD_CALL + gas + 2n + PROBING + 2n + PROBING,
    });
  });

  it('is handed down whole, whatever the gas of the calls', async () => {
    pair.state.setCode(CHILD, code(`${probe()} 00`));
    const gas = COLD_CALL + STORE + STORE / 32n;
    await run(`${call(CHILD, gas)} 00`, SLOT);
    expect(isMade(PROBE)).toBe(true);
  });

  it.each([
    ['a call', `${call(NOBODY, 0n, 200)} 50`],
    ['a creation', '6000 6000 60c8 f0 50'],
  ])('is not taken by %s that its sender cannot pay for', async (_what, refused) => {
    const result = await run(`${refused} ${probe()} 00`, ACCOUNT);
    expect(isMade(PROBE)).toBe(true);
    expect(result).toMatchObject({ outcome: 'success', stateGas: SLOT });
  });

  it('is taken for the account that a value makes, exactly', async () => {
    pair.state.setAccount(CONTRACT, { nonce: 1n, balance: 1n });
    const result = await run(`${call(NOBODY, 0n, 1)} 00`, ACCOUNT);
    expect(pair.state.account(NOBODY)?.balance).toBe(1n);
    // The price of the value is 9,000 and the stipend, which comes back.
    expect(result).toMatchObject({ stateGas: ACCOUNT, executionGas: CALLING + COLD_CALL + 9_000n });
  });

  it.each(['f0', 'f5'])(
    'is not taken by the creation %s in a static call, which halts that',
    async (opcode) => {
      pair.state.setCode(CHILD, code(`6000 6000 6000 6000 ${opcode} 00`));
      const inStaticCall = `6000 6000 6000 6000 73${toHex(CHILD).slice(2)} 63${digits(ACCOUNT, 4)} fa`;
      const result = await run(`${inStaticCall} 50 ${probe()} 00`, SLOT);
      expect(isMade(PROBE)).toBe(true);
      expect(result).toMatchObject({ outcome: 'success', stateGas: SLOT });
    },
  );

  it.each([
    // Who clears a slot, and whether the probe has the gas of it then: the frame itself gets back what its gas gave.
    ['another frame', 0n, true],
    ['another frame', SLOT, true],
    ['the same frame', 0n, false],
    ['the same frame', SLOT, true],
  ])(
    'of a slot that %s clears again comes back where it came from, with a reservoir of %s',
    async (who, reservoir, isThere) => {
      pair.state.setCode(CHILD, code(store(1, 0)));
      const clearing = who === 'the same frame' ? store(1, 0) : `${delegateCall(CHILD, WARM_STORE)} 50`;
      const result = await run(`${store(1, 1)} ${clearing} ${probe()} 00`, reservoir);
      expect(isMade(PROBE)).toBe(isThere);
      expect(result).toMatchObject({ outcome: 'success', stateGas: isThere ? SLOT : 0n });
    },
  );

  it.each([
    ['reverts', REVERT, STORE + REVERTING + COLD_CALL + STORE],
    ['halts', 'fe', EXECUTION_LIMIT - CALLING],
  ])(
    'comes back from a transaction that %s, with what its calls took of its gas',
    async (_how, ending, gas) => {
      pair.state.setCode(CHILD, code(store(0, 1)));
      const result = await run(`${store(1, 1)} ${call(CHILD, STORE + SLOT)} ${ending}`, SLOT);
      expect(result).toMatchObject({ stateGas: 0n, gasUsed: CALLING + gas });
    },
  );

  it.each([
    ['reverts', '6000 6000 fd', 'revert', 0n],
    // Nothing is freed that was there: the account never is, but its gas is not given back.
    ['ends itself', '30 ff', 'success', ACCOUNT],
  ])('of the contract of a transaction whose initcode %s', async (_how, initcode, outcome, stateGas) => {
    const result = await run('00', ACCOUNT, { to: null, data: code(initcode) });
    expect(result).toMatchObject({ outcome, stateGas });
    expect(pair.state.account(contractAddress(SENDER, 0n))).toBeUndefined();
  });

  it('is not taken for the contract of a transaction whose address has wei', async () => {
    const created = contractAddress(SENDER, 0n);
    pair.state.setAccount(created, { nonce: 0n, balance: 1n });
    const result = await run('00', 0n, { to: null, data: code('00'), value: 2n });
    expect(result).toMatchObject({ outcome: 'success', stateGas: 0n });
    expect(pair.state.account(created)).toMatchObject({ nonce: 1n, balance: 3n });
  });

  it.each(['itself', 'an account that this makes'])(
    'is taken once for a contract that ends at once in favour of %s, and is called with wei then',
    async (heir) => {
      pair.state.setAccount(CONTRACT, { nonce: 1n, balance: 3n });
      const initcode = heir === 'itself' ? '30ff' : '6099ff';
      const length = initcode.length / 2;
      const creating = `7f${initcode.padEnd(64, '0')} 6000 52 60${digits(length, 1)} 6000 6001 f0`;
      // CALL with a value of 1 to the address on the stack, which DUP6 takes.
      const calling = '6000 6000 6000 6000 6001 85 5a f1 00';
      const own = heir === 'itself' ? 0n : ACCOUNT;
      const result = await run(`${creating} ${calling}`, ACCOUNT + own);
      expect(result).toMatchObject({ outcome: 'success', stateGas: ACCOUNT + own });
      expect(pair.state.account(CONTRACT)?.balance).toBe(1n);
      const created = pair.state.account(contractAddress(CONTRACT, 1n));
      expect(created).toMatchObject({ nonce: 0n, balance: heir === 'itself' ? 2n : 1n });
    },
  );

  /** An authorization, the write of its account, and what it leaves in the state: the account and its delegation. */
  const AUTHORIZING = 7_816n + 9_000n;
  const AUTHORIZED = ACCOUNT + 35_190n;
  const authorizationList = [authorize(PROBE, 0n)];

  it.each([
    ['reverts', 0n, REVERT, CALLING + AUTHORIZING + REVERTING],
    ['reverts', AUTHORIZED, REVERT, CALLING + AUTHORIZING + REVERTING],
    // What is left of the reservoir comes back.
    ['halts', AUTHORIZED + SLOT, 'fe', EXECUTION_LIMIT],
  ])(
    'of authorizations stays with them where the code %s, with a reservoir of %s',
    async (_how, reservoir, runtime, gas) => {
      const result = await run(runtime, reservoir, { authorizationList });
      expect(result).toMatchObject({ stateGas: AUTHORIZED, gasUsed: gas + AUTHORIZED });
      expect(pair.state.account(AUTHORITY)?.code.bytes).toHaveLength(23);
    },
  );

  it('of authorizations comes back with them where the account that the value makes cannot be paid for', async () => {
    const gasLimit = CALLING + 6_000n + AUTHORIZING + AUTHORIZED + ACCOUNT;
    const fields = { to: NOBODY, value: 1n, authorizationList };
    const short = await run('00', 0n, { ...fields, gasLimit: gasLimit - 1n });
    expect(short).toMatchObject({ haltReason: 'out of gas', stateGas: 0n, gasUsed: gasLimit - 1n });
    expect(pair.state.account(AUTHORITY)).toBeUndefined();
    const enough = await run('00', 0n, { ...fields, gasLimit, nonce: 1n });
    expect(enough).toMatchObject({ outcome: 'success', stateGas: AUTHORIZED + ACCOUNT, gasUsed: gasLimit });
  });
});
