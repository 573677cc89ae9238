import { describe, expect, it } from 'vitest';
import { UnexecutableError } from '../../src/evm/engine.ts';
import { bigIntToFixedBytes, padLeft } from '../../src/primitives/bytes.ts';
import { fromHex } from '../../src/primitives/hex.ts';
import { keccak256 } from '../../src/primitives/keccak.ts';
import { RULE_SET_NAMES } from '../../src/protocol/hardforks/registry.ts';
import type { Log } from '../../src/protocol/receipt.ts';
import { NO_BLOBS } from '../../src/protocol/transaction.ts';
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
  word,
} from './scene.ts';

/** Topic and data of an event, left by code that emits it: LOG1 of the word 42 with the topic 7. */
const EMITTING = '602a 6000 52 6007 6020 6000 a1';

/** The log of a transfer as EIP-7708 has it. */
function transferLog(from: Uint8Array, to: Uint8Array, value: bigint): Log {
  const event = keccak256(new TextEncoder().encode('Transfer(address,address,uint256)'));
  const topics = [event, padLeft(from, 32), padLeft(to, 32)];
  return { address: fromHex(`0x${'f'.repeat(39)}e`), topics, data: bigIntToFixedBytes(value, 32) };
}

describe.each(RULE_SET_NAMES)('a transfer under %s', (name) => {
  it('moves the value, pays the miner and raises the nonce', async () => {
    const { state, transact, environment } = await setScene(name);
    // An account that begins to exist has a price of its own since Amsterdam (EIP-8037).
    const stateGas = name === 'amsterdam' ? 183_600n : 0n;
    const gas = 21_000n + stateGas;
    const result = await transact({ to: RECIPIENT, value: 1_000n, gasLimit: gas + 9_000n });
    const price = environment.baseFeePerGas === null ? 10n : 9n;
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

describe.each(RULE_SET_NAMES.filter((name) => name !== 'rootstock'))(
  'a transfer of nothing under %s',
  (name) => {
    it('leaves no empty account behind (EIP-161)', async () => {
      const { state, transact } = await setScene(name);
      await transact({ to: RECIPIENT });
      expect(state.account(RECIPIENT)).toBeUndefined();
    });
  },
);

describe.each(RULE_SET_NAMES)('a creation under %s', (name) => {
  it('puts the returned code at the address of sender and nonce', async () => {
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
    expect(await transact({ to: created, nonce: 4n })).toMatchObject({ returnData: word(42) });
  });

  it('names the address also when it fails', async () => {
    const { state, transact } = await setScene(name);
    const created = contractAddress(SENDER, 0n);
    const result = await transact({ to: null, data: code('60016000526020 6000 fd') });
    expect(result).toMatchObject({ outcome: 'revert', createdAddress: created, returnData: word(1) });
    expect(state.account(created)).toBeUndefined();
    expect(state.account(SENDER)?.nonce).toBe(1n);
  });
});

describe.each(RULE_SET_NAMES)('an execution under %s', (name) => {
  it('hands over logs in their order, and none of what reverted', async () => {
    const { state, transact } = await setScene(name);
    state.setCode(CONTRACT, code(`${EMITTING} 6009 6007 6000 6000 a2`));
    const { logs } = await transact({});
    expect(logs).toEqual([
      { address: CONTRACT, topics: [word(7)], data: word(42) },
      { address: CONTRACT, topics: [word(7), word(9)], data: new Uint8Array(0) },
    ]);
    state.setCode(CONTRACT, code(`${EMITTING} 6000 6000 fd`));
    expect(await transact({ nonce: 1n })).toMatchObject({ outcome: 'revert', logs: [] });
  });

  it('takes back what it changed when it reverts, but not the fee', async () => {
    const { state, transact } = await setScene(name);
    state.setCode(CONTRACT, code('6001 6000 55 602a 6000 52 6020 6000 fd'));
    const result = await transact({ value: 7n });
    expect(result).toMatchObject({ outcome: 'revert', haltReason: null, returnData: word(42) });
    expect(result.gasUsed).toBeLessThan(1_000_000n);
    expect(state.storageAt(CONTRACT, word(0))).toEqual(new Uint8Array(0));
    expect(state.account(SENDER)).toEqual(
      expect.objectContaining({ nonce: 1n, balance: ETHER - result.gasUsed * result.effectiveGasPrice }),
    );
  });

  it('gives back at most half of the gas, and a fifth since London', async () => {
    const { state, transact, environment } = await setScene(name);
    const divisor = environment.baseFeePerGas === null ? 2n : 5n;
    const slots = 4;
    const clearing = Array.from(
      { length: slots },
      (_, slot) => `6000 60${slot.toString(16).padStart(2, '0')} 55`,
    );
    state.setCode(CONTRACT, code(clearing.join('')));
    for (let slot = 0; slot < slots; slot++) state.setStorage(CONTRACT, word(slot), code('01'));
    const { gasUsed, gasBeforeRefund } = await transact({});
    expect(gasUsed).toBe(gasBeforeRefund - gasBeforeRefund / divisor);
  });

  it('forgets original values with the transaction', async () => {
    const hasColdAccess = name !== 'rootstock' && name !== 'istanbul';
    const { state, transact } = await setScene(name);
    state.setCode(CONTRACT, code('6001 6000 54 01 6000 55'));
    const first = await transact({});
    const second = await transact({ nonce: 1n });
    const third = await transact({ nonce: 2n });
    expect(state.storageAt(CONTRACT, word(0))).toEqual(code('03'));
    // A slot that holds a value costs 5000, and 2900 besides its cold access since Berlin (EIP-2929); since Amsterdam as much as any other
    // write, but for the state of a new slot (EIP-8037).
    const more = hasColdAccess ? 17_100n : 15_000n;
    expect(first.gasUsed - second.gasUsed).toBe(name === 'amsterdam' ? 97_920n : more);
    expect(third.gasUsed).toBe(second.gasUsed);
  });

  it('runs for an impersonated contract', async () => {
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
  it('is forgotten with the transaction', async () => {
    const { state, transact } = await setScene(name);
    state.setCode(CONTRACT, returning('6000 5c 6001 6000 5d'));
    for (const nonce of [0n, 1n]) expect(await transact({ nonce })).toMatchObject({ returnData: word(0) });
  });
});

describe('a message that cannot be run', () => {
  it.each([
    [
      'too little gas to begin',
      { gasLimit: 20_999n },
      'intrinsic gas too low: gas limit 20999, needed 21000',
    ],
    ['more gas than the block has', { gasLimit: 30_000_001n }, /above the block gas limit 30000000/],
    ['a nonce that was used', { nonce: 0n, sender: addressOf(7) }, /nonce too low: next nonce 5/],
    ['a nonce to come', { nonce: 1n }, /nonce too high: next nonce 0/],
    [
      'too little money',
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
  ])('is refused for %s and changes nothing', async (_fault, fields, complaint) => {
    const { state, transact } = await setScene('rootstock');
    state.setAccount(addressOf(7), { nonce: 5n, balance: ETHER });
    const { root } = state.toWorldState();
    await expect(transact(fields)).rejects.toThrow(complaint);
    await expect(transact(fields)).rejects.toThrow(UnexecutableError);
    expect(state.toWorldState().root).toEqual(root);
  });

  it.each([
    [
      'an offer below the base fee',
      { maxFeePerGas: 6n },
      /max fee per gas less than block base fee: 6 offered/,
    ],
    ['a tip above the offer', { maxPriorityFeePerGas: 11n }, /max priority fee per gas higher than max fee/],
  ])('is refused for %s under London', async (_fault, fields, complaint) => {
    const { transact } = await setScene('london');
    await expect(transact(fields)).rejects.toThrow(complaint);
  });

  it('does not disturb the ones after it', async () => {
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

describe('an error inside an execution', () => {
  it('leaves the state as it was and the engine fit for use', async () => {
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
    expect(await transact({})).toMatchObject({ outcome: 'success', returnData: word(0) });
  });
});

describe('the parts of typed transactions', () => {
  it.each(['berlin', 'london', 'cancun'] as const)(
    'charges and warms access lists under %s',
    async (name) => {
      const { state, transact } = await setScene(name);
      state.setCode(CONTRACT, code('6000 54'));
      const cold = await transact({});
      const accessList = [{ address: CONTRACT, storageKeys: [word(0)] }];
      const warm = await transact({ nonce: 1n, accessList });
      expect(cold.gasUsed).toBe(21_000n + 2_103n);
      expect(warm.gasUsed).toBe(21_000n + 2_400n + 1_900n + 103n);
    },
  );

  it('pays no more than the base fee and the tip', async () => {
    const { state, transact } = await setScene('london');
    const result = await transact({ to: RECIPIENT, maxFeePerGas: 1_000n, maxPriorityFeePerGas: 3n });
    expect(result.effectiveGasPrice).toBe(10n);
    expect(state.account(SENDER)?.balance).toBe(ETHER - 210_000n);
    expect(state.account(COINBASE)?.balance).toBe(63_000n);
  });

  it('pays a gas price whole, the base fee and all above it to the miner', async () => {
    const { state, transact } = await setScene('london');
    const result = await transact({ to: RECIPIENT, maxFeePerGas: 50n, maxPriorityFeePerGas: 50n });
    expect(result.effectiveGasPrice).toBe(50n);
    expect(state.account(COINBASE)?.balance).toBe(43n * 21_000n);
  });

  it.each([
    ['cancun', 22_600n, 22_600n],
    ['prague', 25_000n, 25_000n],
  ] as const)('charges 100 bytes of data under %s by its rule (EIP-7623)', async (name, gasUsed, least) => {
    const { transact } = await setScene(name);
    const data = new Uint8Array(100).fill(1);
    await expect(transact({ to: RECIPIENT, data, gasLimit: least - 1n })).rejects.toThrow(
      /intrinsic gas too low/,
    );
    expect(await transact({ to: RECIPIENT, data })).toMatchObject({ gasUsed, gasBeforeRefund: gasUsed });
  });
});
