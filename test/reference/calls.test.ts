import { describe, expect, it } from 'vitest';
import { RULE_SET_NAMES } from '../../src/protocol/hardforks/registry.ts';
import { Overlay } from '../../src/state/overlay.ts';
import { wordBytes } from '../support/words.ts';
import {
  addressOf,
  CONTRACT,
  code,
  deploying,
  ETHER,
  environmentOf,
  messageOf,
  RECIPIENT,
  returning,
  SENDER,
  setScene,
} from './scene.ts';

const NOBODY = addressOf(99);

describe.each(RULE_SET_NAMES)('call under %s', (name) => {
  it('ignores the nonce', async () => {
    const { run } = await setScene(name);
    expect(await run(returning('602a'), { nonce: 77n })).toMatchObject({ returnData: wordBytes(42) });
  });

  it('derives the created address from the nonce of the sender', async () => {
    const { call, transact } = await setScene(name);
    await transact({ to: RECIPIENT });
    const creation = { to: null, data: deploying(returning('602a')) };
    const asked = await call({ ...creation, nonce: 50n });
    const done = await transact({ ...creation, nonce: 1n });
    expect(asked.createdAddress).toEqual(done.createdAddress);
    expect(asked.gasUsed).toBe(done.gasUsed);
  });

  it('covers missing funds of the sender', async () => {
    const { run } = await setScene(name);
    const result = await run(returning('34'), { sender: NOBODY, value: 5n * ETHER });
    expect(result).toMatchObject({ outcome: 'success', returnData: wordBytes(5n * ETHER) });
    // BALANCE of the own address
    expect(
      await run(returning('30 31'), {
        sender: NOBODY,
        value: 9n,
        maxFeePerGas: 0n,
        maxPriorityFeePerGas: 0n,
      }),
    ).toMatchObject({ outcome: 'success', returnData: wordBytes(9) });
  });

  it('has the same result as the transaction', async () => {
    const { state, call, transact } = await setScene(name);
    state.setCode(CONTRACT, code('6001 6000 55'));
    const asked = await call({});
    const done = await transact({});
    expect(asked).toEqual(done);
  });

  it('accepts a contract as sender', async () => {
    const { run } = await setScene(name);
    expect(await run(returning('33'), { sender: CONTRACT })).toMatchObject({
      outcome: 'success',
      returnData: wordBytes(BigInt(`0x${Buffer.from(CONTRACT).toString('hex')}`)),
    });
  });

  it('accepts more gas than the block gas limit', async () => {
    const { run } = await setScene(name);
    expect(await run(returning('602a'), { gasLimit: 10n ** 12n })).toMatchObject({ outcome: 'success' });
  });

  it('is rejected with less gas than its intrinsic gas', async () => {
    const { call } = await setScene(name);
    await expect(call({ gasLimit: 11_000n })).rejects.toThrow(/intrinsic gas too low/);
  });

  it('returns the data of a revert', async () => {
    const { run } = await setScene(name);
    expect(await run(code('602a 6000 52 6020 6000 fd'))).toMatchObject({
      outcome: 'revert',
      haltReason: null,
      returnData: wordBytes(42),
    });
  });
});

describe('call with a base fee', () => {
  it('a call runs with a base fee of zero if it offers no price', async () => {
    const { run } = await setScene('cancun');
    const free = { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n };
    expect(await run(returning('48'), free)).toMatchObject({
      returnData: wordBytes(0),
      effectiveGasPrice: 0n,
    });
    expect(await run(returning('48'))).toMatchObject({ returnData: wordBytes(7), effectiveGasPrice: 9n });
  });

  it('a call runs with its maximum fee as base fee if the maximum fee is lower', async () => {
    const { run } = await setScene('cancun');
    expect(await run(returning('48'), { maxFeePerGas: 6n })).toMatchObject({
      returnData: wordBytes(6),
      effectiveGasPrice: 6n,
    });
  });
});

describe('concurrent calls', () => {
  it('concurrent calls use their own states and blocks', async () => {
    const { engine, state } = await setScene('rootstock');
    state.setCode(CONTRACT, code('6000 54 43 01 6000 52 6001 6000 54 01 6000 55 60206000f3'));
    const base = state.toWorldState();
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const overlay = new Overlay(base);
        overlay.setStorage(CONTRACT, wordBytes(0), Uint8Array.of(index + 1));
        const environment = environmentOf('rootstock', { number: 1_000 * index });
        const { returnData } = await engine.call(environment, overlay, messageOf({}));
        return { returnData, stored: overlay.storageAt(CONTRACT, wordBytes(0)) };
      }),
    );
    expect(answers).toEqual(
      Array.from({ length: 20 }, (_, index) => ({
        returnData: wordBytes(1_001 * index + 1),
        stored: Uint8Array.of(index + 2),
      })),
    );
    expect(base.storageAt(CONTRACT, wordBytes(0))).toEqual(new Uint8Array(0));
    expect(base.account(SENDER)?.nonce).toBe(0n);
  });
});

describe('call on a block that shows its fees', () => {
  it.each([
    ['below the base fee', 0n],
    ['with the base fee', 10n],
  ] as const)('%s', async (_, maxFeePerGas) => {
    const { run } = await setScene('cancun', { environment: { baseFeePerGas: 10n, showsFees: true } });
    const asked = run(returning('48'), { maxFeePerGas, maxPriorityFeePerGas: 0n });
    if (maxFeePerGas === 0n) await expect(asked).rejects.toThrow('use --engine wasm');
    else expect(await asked).toMatchObject({ returnData: wordBytes(10) });
  });
});
