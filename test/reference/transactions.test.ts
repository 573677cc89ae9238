import { describe, expect, it } from 'vitest';
import { UnexecutableError } from '../../src/evm/engine.ts';
import { bigIntToFixedBytes, padLeft } from '../../src/primitives/bytes.ts';
import { fromHex } from '../../src/primitives/hex.ts';
import { keccak256 } from '../../src/primitives/keccak.ts';
import { effectiveGasPrice } from '../../src/protocol/fees.ts';
import { RULE_SET_NAMES, ruleSetNamed } from '../../src/protocol/hardforks/registry.ts';
import type { Log } from '../../src/protocol/receipt.ts';
import { NO_BLOBS } from '../../src/protocol/transaction.ts';
import { wordBytes } from '../support/words.ts';
import {
  addressOf,
  COINBASE,
  CONTRACT,
  code,
  contractAddress,
  deploying,
  ETHER,
  RECIPIENT,
  returning,
  SENDER,
  setScene,
} from './scene.ts';

/** Code that emits LOG1 with the word 42 and the topic 7. */
const EMITTING = '602a 6000 52 6007 6020 6000 a1';

function transferLog(from: Uint8Array, to: Uint8Array, value: bigint): Log {
  const event = keccak256(new TextEncoder().encode('Transfer(address,address,uint256)'));
  const topics = [event, padLeft(from, 32), padLeft(to, 32)];
  return { address: fromHex(`0x${'f'.repeat(39)}e`), topics, data: bigIntToFixedBytes(value, 32) };
}

describe.each(RULE_SET_NAMES)('transfer under %s', (name) => {
  it('moves the value, pays the miner and increments the nonce', async () => {
    const { state, transact, environment } = await setScene(name);
    // Since Amsterdam, a new account has its own price (EIP-8037).
    const stateGas = name === 'amsterdam' ? 183_600n : 0n;
    const gas = 21_000n + stateGas;
    const result = await transact({ to: RECIPIENT, value: 1_000n, gasLimit: gas + 9_000n });
    const price = effectiveGasPrice(
      { maxFeePerGas: 10n, maxPriorityFeePerGas: 2n },
      environment.baseFeePerGas,
    );
    const tip = price - (environment.baseFeePerGas ?? 0n);
    expect(result).toEqual({
      outcome: 'success',
      haltReason: null,
      gasUsed: gas,
      gasPaid: gas,
      gasBeforeRefund: gas,
      stateGas,
      executionGas: 21_000n,
      effectiveGasPrice: price,
      returnData: new Uint8Array(0),
      logs: name === 'amsterdam' ? [transferLog(SENDER, RECIPIENT, 1_000n)] : [],
      createdAddress: null,
    });
    expect(state.account(SENDER)).toMatchObject({ nonce: 1n, balance: ETHER - 1_000n - gas * price });
    expect(state.account(RECIPIENT)).toMatchObject({ nonce: 0n, balance: 1_000n });
    expect(state.account(COINBASE)).toMatchObject({ balance: gas * tip });
  });
});

describe.each(RULE_SET_NAMES.filter((name) => ruleSetNamed(name).encoding === 'ethereum'))(
  'transfer of zero wei under %s',
  (name) => {
    it('creates no empty account (EIP-161)', async () => {
      const { state, transact } = await setScene(name);
      await transact({ to: RECIPIENT });
      expect(state.account(RECIPIENT)).toBeUndefined();
    });
  },
);

describe.each(RULE_SET_NAMES)('contract creation under %s', (name) => {
  it('stores the returned code at the address of sender and nonce', async () => {
    const { state, transact } = await setScene(name);
    state.setAccount(SENDER, { nonce: 3n, balance: ETHER });
    const runtime = returning('602a');
    const created = contractAddress(SENDER, 3n);
    const result = await transact({ to: null, nonce: 3n, value: 5n, data: deploying(runtime) });
    expect(result).toMatchObject({
      outcome: 'success',
      createdAddress: created,
      returnData: runtime,
    });
    expect(state.account(created)).toMatchObject({ balance: 5n, code: { bytes: runtime } });
    expect(await transact({ to: created, nonce: 4n })).toMatchObject({ returnData: wordBytes(42) });
  });

  it('returns the address even if it reverts', async () => {
    const { state, transact } = await setScene(name);
    const created = contractAddress(SENDER, 0n);
    const result = await transact({ to: null, data: code('60016000526020 6000 fd') });
    expect(result).toMatchObject({ outcome: 'revert', createdAddress: created, returnData: wordBytes(1) });
    expect(state.account(created)).toBeUndefined();
    expect(state.account(SENDER)?.nonce).toBe(1n);
  });
});

describe.each(RULE_SET_NAMES)('execution under %s', (name) => {
  it('returns logs in order, and no logs after a revert', async () => {
    const { state, transact } = await setScene(name);
    state.setCode(CONTRACT, code(`${EMITTING} 6009 6007 6000 6000 a2`));
    const { logs } = await transact({});
    expect(logs).toEqual([
      { address: CONTRACT, topics: [wordBytes(7)], data: wordBytes(42) },
      { address: CONTRACT, topics: [wordBytes(7), wordBytes(9)], data: new Uint8Array(0) },
    ]);
    state.setCode(CONTRACT, code(`${EMITTING} 6000 6000 fd`));
    expect(await transact({ nonce: 1n })).toMatchObject({ outcome: 'revert', logs: [] });
  });

  it('reverts its changes except the fee', async () => {
    const { state, transact } = await setScene(name);
    state.setCode(CONTRACT, code('6001 6000 55 602a 6000 52 6020 6000 fd'));
    const result = await transact({ value: 7n });
    expect(result).toMatchObject({ outcome: 'revert', haltReason: null, returnData: wordBytes(42) });
    expect(result.gasUsed).toBeLessThan(1_000_000n);
    expect(state.storageAt(CONTRACT, wordBytes(0))).toEqual(new Uint8Array(0));
    expect(state.account(SENDER)).toEqual(
      expect.objectContaining({ nonce: 1n, balance: ETHER - result.gasUsed * result.effectiveGasPrice }),
    );
  });

  it('refunds at most half of the gas, and a fifth from London', async () => {
    const { state, transact, environment } = await setScene(name);
    const hasBaseFee = (environment.baseFeePerGas ?? 0n) > 0n;
    const divisor = hasBaseFee ? 5n : 2n;
    const slots = 4;
    const clearing = Array.from(
      { length: slots },
      (_, slot) => `6000 60${slot.toString(16).padStart(2, '0')} 55`,
    );
    state.setCode(CONTRACT, code(clearing.join('')));
    for (let slot = 0; slot < slots; slot++) state.setStorage(CONTRACT, wordBytes(slot), code('01'));
    const { gasUsed, gasBeforeRefund } = await transact({});
    expect(gasUsed).toBe(gasBeforeRefund - gasBeforeRefund / divisor);
  });

  it('resets original slot values after a transaction', async () => {
    const hasColdAccess = ruleSetNamed(name).gas.access !== null;
    const { state, transact } = await setScene(name);
    state.setCode(CONTRACT, code('6001 6000 54 01 6000 55'));
    const first = await transact({});
    const second = await transact({ nonce: 1n });
    const third = await transact({ nonce: 2n });
    expect(state.storageAt(CONTRACT, wordBytes(0))).toEqual(code('03'));
    // A nonzero slot costs 5000, and since Berlin 2900 plus its cold access (EIP-2929).
    // Since Amsterdam, only the state gas of a new slot differs (EIP-8037).
    const more = hasColdAccess ? 17_100n : 15_000n;
    expect(first.gasUsed - second.gasUsed).toBe(name === 'amsterdam' ? 97_920n : more);
    expect(third.gasUsed).toBe(second.gasUsed);
  });

  it('runs with an impersonated contract as sender', async () => {
    const { state, transact } = await setScene(name);
    const contract = addressOf(9);
    state.setCode(contract, returning('602a'));
    state.setAccount(contract, { nonce: 1n, balance: ETHER });
    expect(await transact({ sender: contract, nonce: 1n, to: RECIPIENT, value: 1n })).toMatchObject({
      outcome: 'success',
    });
    expect(state.account(contract)).toMatchObject({ nonce: 2n, code: { bytes: returning('602a') } });
  });
});

describe.each(['rootstock', 'cancun', 'prague'] as const)('transient storage under %s', (name) => {
  it('transient storage is cleared after a transaction', async () => {
    const { state, transact } = await setScene(name);
    state.setCode(CONTRACT, returning('6000 5c 6001 6000 5d'));
    for (const nonce of [0n, 1n])
      expect(await transact({ nonce })).toMatchObject({ returnData: wordBytes(0) });
  });
});

describe('unexecutable message', () => {
  it.each([
    [
      'gas below the intrinsic gas',
      { gasLimit: 20_999n },
      'intrinsic gas too low: gas limit 20999, needed 21000',
    ],
    ['more gas than the block has', { gasLimit: 30_000_001n }, /above the block gas limit 30000000/],
    ['a used nonce', { nonce: 0n, sender: addressOf(7) }, /nonce too low: next nonce 5/],
    ['a future nonce', { nonce: 1n }, /nonce too high: next nonce 0/],
    [
      'insufficient funds',
      { value: ETHER },
      /insufficient funds for gas \* price \+ value: have 1000000000000000000/,
    ],
    ['a value out of range', { value: -1n }, UnexecutableError],
    ['too much initcode', { to: null, data: new Uint8Array(49_153) }, /initcode of 49153 bytes/],
    ['an access list', { accessList: [{ address: CONTRACT, storageKeys: [] }] }, /access lists do not exist/],
    [
      'authorizations',
      { authorizationList: [{ chainId: 0n, address: CONTRACT, nonce: 0n, yParity: 0n, r: 1n, s: 1n }] },
      /authorization lists do not exist in hardfork rootstock/,
    ],
  ])('an unexecutable message is rejected for %s without a change', async (_fault, fields, complaint) => {
    const { state, transact } = await setScene('rootstock');
    state.setAccount(addressOf(7), { nonce: 5n, balance: ETHER });
    const { root } = state.toWorldState();
    await expect(transact(fields)).rejects.toThrow(complaint);
    await expect(transact(fields)).rejects.toThrow(UnexecutableError);
    expect(state.toWorldState().root).toEqual(root);
  });

  it.each([
    [
      'a maximum fee below the base fee',
      { maxFeePerGas: 6n },
      /max fee per gas less than block base fee: 6 offered/,
    ],
    [
      'a priority fee above the maximum fee',
      { maxPriorityFeePerGas: 11n },
      /max priority fee per gas higher than max fee/,
    ],
  ])('an unexecutable message is rejected for %s under London', async (_fault, fields, complaint) => {
    const { transact } = await setScene('london');
    await expect(transact(fields)).rejects.toThrow(complaint);
  });

  it('an unexecutable message does not affect later messages', async () => {
    const { transact } = await setScene('cancun');
    const outcomes = await Promise.allSettled([
      transact({ nonce: 5n }),
      transact({ to: RECIPIENT }),
      transact({ nonce: 5n }),
      transact({ to: RECIPIENT, nonce: 1n }),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled']);
  });
});

describe('error during an execution', () => {
  it('leaves the state unchanged and the engine usable', async () => {
    const { engine, state, environment, transact } = await setScene('cancun');
    state.setCode(CONTRACT, code('6001 6000 55 6001 6001 5d 6001 43 03 40'));
    const { root } = state.toWorldState();
    const broken = {
      ...environment,
      blockHash(): Uint8Array {
        throw new RangeError('no such block');
      },
    };
    const message = {
      sender: SENDER,
      to: CONTRACT,
      value: 0n,
      data: new Uint8Array(0),
      gasLimit: 100_000n,
      nonce: 0n,
      maxFeePerGas: 10n,
      maxPriorityFeePerGas: 2n,
      accessList: [],
      authorizationList: [],
      ...NO_BLOBS,
    };
    await expect(engine.transact(broken, state, message)).rejects.toThrow('no such block');
    expect(state.toWorldState().root).toEqual(root);
    state.setCode(CONTRACT, returning('6001 5c'));
    expect(await transact({})).toMatchObject({ outcome: 'success', returnData: wordBytes(0) });
  });
});

describe('fields of typed transactions', () => {
  it.each(['berlin', 'london', 'cancun'] as const)(
    'an access list is charged and warms its slots under %s',
    async (name) => {
      const { state, transact } = await setScene(name);
      state.setCode(CONTRACT, code('6000 54'));
      const cold = await transact({});
      const accessList = [{ address: CONTRACT, storageKeys: [wordBytes(0)] }];
      const warm = await transact({ nonce: 1n, accessList });
      expect(cold.gasUsed).toBe(21_000n + 2_103n);
      expect(warm.gasUsed).toBe(21_000n + 2_400n + 1_900n + 103n);
    },
  );

  it('a dynamic fee transaction pays the base fee and the priority fee', async () => {
    const { state, transact } = await setScene('london');
    const result = await transact({ to: RECIPIENT, maxFeePerGas: 1_000n, maxPriorityFeePerGas: 3n });
    expect(result.effectiveGasPrice).toBe(10n);
    expect(state.account(SENDER)?.balance).toBe(ETHER - 210_000n);
    expect(state.account(COINBASE)?.balance).toBe(63_000n);
  });

  it('a legacy transaction pays its full gas price, with all above the base fee to the miner', async () => {
    const { state, transact } = await setScene('london');
    const result = await transact({ to: RECIPIENT, maxFeePerGas: 50n, maxPriorityFeePerGas: 50n });
    expect(result.effectiveGasPrice).toBe(50n);
    expect(state.account(COINBASE)?.balance).toBe(43n * 21_000n);
  });

  it.each([
    ['cancun', 22_600n, 22_600n],
    ['prague', 25_000n, 25_000n],
  ] as const)('100 bytes of data cost the price of %s (EIP-7623)', async (name, gasUsed, least) => {
    const { transact } = await setScene(name);
    const data = new Uint8Array(100).fill(1);
    await expect(transact({ to: RECIPIENT, data, gasLimit: least - 1n })).rejects.toThrow(
      /intrinsic gas too low/,
    );
    expect(await transact({ to: RECIPIENT, data })).toMatchObject({ gasUsed, gasBeforeRefund: gasUsed });
  });
});
