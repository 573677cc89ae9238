import { describe, expect, it } from 'vitest';
import type { ExecutionObserver } from '../../src/evm/observer.ts';
import { enginePair } from '../evm/interpreter/engine-pair.ts';
import { createReferenceEngine, createWasmEngine } from '../support/evm/engines.ts';
import { wordBytes } from '../support/words.ts';
import {
  CONTRACT,
  code,
  contractAddress,
  deploying,
  ETHER,
  messageOf,
  RECIPIENT,
  returning,
  SENDER,
  setScene,
} from './scene.ts';

describe('halt reasons', () => {
  it.each([
    ['out of gas', '5b 6000 56'],
    ['stack underflow', '01'],
    ['stack overflow', '5b 6000 6000 56'],
    ['invalid jump destination', '6003 56'],
    ['invalid opcode 0xfe', 'fe'],
    ['invalid opcode 0x0c', '0c'],
    ['invalid opcode 0xef', '6003 56 5b ef'],
    ['out of gas', '6001 6000 6000 3e'],
  ])('has the halt reason: %s', async (haltReason, digits) => {
    const { state, transact } = await setScene('rootstock');
    state.setCode(CONTRACT, code(digits));
    const result = await transact({ gasLimit: 100_000n, value: 3n });
    expect(result).toMatchObject({
      outcome: 'halt',
      haltReason,
      gasUsed: 100_000n,
      gasBeforeRefund: 100_000n,
      returnData: new Uint8Array(0),
    });
    expect(state.account(SENDER)).toMatchObject({ nonce: 1n, balance: ETHER - 1_000_000n });
    expect(state.account(CONTRACT)?.balance).toBe(0n);
  });

  it('a write inside a static call does not halt the caller', async () => {
    const { state, run } = await setScene('rootstock');
    state.setCode(RECIPIENT, code('6001 6000 55'));
    const recipient = Buffer.from(RECIPIENT).toString('hex');
    const result = await run(code(`6000 80 80 80 73${recipient} 61ffff fa 6000 52 6020 6000 f3`));
    expect(result).toMatchObject({ outcome: 'success', returnData: wordBytes(0) });
  });
});

describe('halts of contract creations', () => {
  it('code above the size limit uses all gas and creates no account', async () => {
    const { state, transact } = await setScene('rootstock');
    const result = await transact({ to: null, data: code('616001 6000 f3'), gasLimit: 8_000_000n });
    expect(result).toMatchObject({
      outcome: 'halt',
      haltReason: 'contract code too large',
      gasUsed: 8_000_000n,
      createdAddress: contractAddress(SENDER, 0n),
    });
    expect(state.account(contractAddress(SENDER, 0n))).toBeUndefined();
  });

  it('too little gas for the code deposit is out of gas', async () => {
    const { transact } = await setScene('cancun');
    const result = await transact({ to: null, data: code('616000 6000 f3'), gasLimit: 1_000_000n });
    expect(result).toMatchObject({ outcome: 'halt', haltReason: 'out of gas' });
  });

  it('an address with code is taken', async () => {
    const { state, transact } = await setScene('cancun');
    state.setCode(contractAddress(SENDER, 0n), code('00'));
    const result = await transact({ to: null, data: deploying(code('00')) });
    expect(result).toMatchObject({ outcome: 'halt', haltReason: 'contract address is taken' });
  });

  it('an address with storage is taken (EIP-7610)', async () => {
    const { state, transact } = await setScene('cancun');
    state.setStorage(contractAddress(SENDER, 0n), wordBytes(1), code('01'));
    const result = await transact({ to: null, data: deploying(code('00')) });
    expect(result).toMatchObject({ outcome: 'halt', haltReason: 'contract address is taken' });
  });
});

describe('CREATE with initcode above the limit', () => {
  const RULE_SETS = ['rootstock', 'shanghai', 'osaka', 'amsterdam'] as const;

  it.each(RULE_SETS)('halts with `initcode too large` on both engines under %s', async (name) => {
    const { state, transact } = await enginePair(name);
    // CREATE and CREATE2 with 49,153 bytes. Under Amsterdam, the account costs more state gas than the limit.
    for (const [nonce, digits] of ['61c001 6000 6000 f0', '6000 61c001 6000 6000 f5'].entries()) {
      state.setCode(CONTRACT, code(digits));
      expect(await transact({ gasLimit: 100_000n, nonce: BigInt(nonce) })).toMatchObject({
        outcome: 'halt',
        haltReason: 'initcode too large',
        gasUsed: 100_000n,
      });
    }
  });
});

describe('creation that reverts with data starting with 0xef', () => {
  const RULE_SETS = ['rootstock', 'berlin', 'london', 'shanghai', 'osaka', 'amsterdam'] as const;
  const initcode = code('60ef 6000 53 6002 6000 fd');
  const revertData = code('ef00');

  it.each(RULE_SETS)('a creating transaction reverts with the data under %s', async (name) => {
    const { transact } = await setScene(name);
    const result = await transact({ to: null, data: initcode });
    expect(result).toMatchObject({ outcome: 'revert', haltReason: null, returnData: revertData });
    expect(result.gasUsed).toBeLessThan(60_000n);
  });

  it.each([
    ['london', 2n],
    ['osaka', 2n],
    // Rootstock returns no data for creations that revert.
    ['rootstock', 0n],
  ] as const)('a reverted CREATE returns its remaining gas under %s', async (name, returnDataSize) => {
    const { run } = await setScene(name);
    const digits = Buffer.from(initcode).toString('hex');
    const creating = `69${digits} 6000 52 600a 6016 6000 f0`;
    const sized = await run(returning(`${creating} 50 3d`));
    expect(sized).toMatchObject({ outcome: 'success', returnData: wordBytes(returnDataSize) });
    expect(sized.gasUsed).toBeLessThan(60_000n);
    expect(await run(returning(creating))).toMatchObject({ returnData: wordBytes(0) });
  });
});

describe('code size limit', () => {
  const largest = code('617000 6000 f3');

  it('null removes the limits of code and initcode', async () => {
    const { transact } = await setScene('cancun', { codeSizeLimit: null });
    expect(await transact({ to: null, data: largest, gasLimit: 10_000_000n })).toMatchObject({
      outcome: 'success',
    });
    const initcode = new Uint8Array(60_000);
    expect(await transact({ to: null, data: initcode, nonce: 1n })).toMatchObject({ outcome: 'success' });
  });

  it('the set limit applies to code, and twice the limit to initcode', async () => {
    const { transact } = await setScene('cancun', { codeSizeLimit: 100 });
    const creation = { to: null, data: code('6064 6000 f3') };
    expect(await transact(creation)).toMatchObject({ outcome: 'success' });
    expect(await transact({ ...creation, nonce: 1n, data: code('6065 6000 f3') })).toMatchObject({
      haltReason: 'contract code too large',
    });
    await expect(transact({ ...creation, nonce: 2n, data: new Uint8Array(201) })).rejects.toThrow(
      'initcode of 201 bytes exceeds the limit of 200 bytes',
    );
    expect(await transact({ ...creation, nonce: 2n, data: new Uint8Array(200) })).toMatchObject({
      outcome: 'success',
    });
  });

  it('initcode has no limit before Shanghai', async () => {
    const { transact } = await setScene('london');
    expect(await transact({ to: null, data: new Uint8Array(60_000) })).toMatchObject({ outcome: 'success' });
  });
});

describe('an account with the nonce 2^64 - 1', () => {
  const HIGHEST = 2n ** 64n - 1n;
  const CREATE_THEN_GAS = '6000 6000 6000 f0 6000 52 6020 6000 f3';

  it.each(['wasm', 'reference'] as const)('creates no contract in a frame of engine %s', async (name) => {
    const createEngine = name === 'wasm' ? createWasmEngine : createReferenceEngine;
    const { engine, state, environment } = await setScene('cancun', { createEngine });
    state.setCode(CONTRACT, code(CREATE_THEN_GAS));
    state.setAccount(CONTRACT, { nonce: HIGHEST, balance: 0n });
    const ends: unknown[] = [];
    const observer: ExecutionObserver = {
      frameStart: () => {},
      frameEnd: (end) => void ends.push(end.haltReason),
    };

    const result = await engine.transact(environment, state, messageOf({}), observer);

    expect(result).toMatchObject({ outcome: 'success', returnData: wordBytes(0) });
    expect(ends).toEqual(['nonce uint64 overflow', null]);
    expect(state.account(CONTRACT)?.nonce).toBe(HIGHEST);
  });

  it('creates no contract and keeps its nonce and the rest of its gas', async () => {
    const { call, state } = await setScene('cancun', { createEngine: createWasmEngine });
    state.setAccount(SENDER, { nonce: HIGHEST, balance: ETHER });
    const result = await call({ to: null, data: deploying(returning('602a')) });
    expect(result).toMatchObject({ outcome: 'halt', haltReason: 'nonce uint64 overflow', logs: [] });
    expect(result.gasUsed).toBeLessThan(60_000n);
  });

  it('is rejected as sender by the reference engine', async () => {
    const { call, state } = await setScene('cancun');
    state.setAccount(SENDER, { nonce: HIGHEST, balance: ETHER });
    await expect(call({})).rejects.toThrow('use --engine wasm');
  });
});
