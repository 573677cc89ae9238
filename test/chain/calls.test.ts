import { describe, expect, it } from 'vitest';
import type { CallMessage } from '../../src/chain/execution/calls.ts';
import { increaseTime } from '../../src/chain/mining-controls.ts';
import { bytesToBigInt } from '../../src/primitives/bytes.ts';
import { fromHex } from '../../src/primitives/hex.ts';
import { NO_BLOBS } from '../../src/protocol/transaction.ts';
import { createTestChain, testAccount, transfer } from '../support/test-chain.ts';

const sender = testAccount(0).address;

function message(fields: Partial<CallMessage> = {}): CallMessage {
  return {
    sender: new Uint8Array(20),
    to: testAccount(1).address,
    value: 0n,
    data: new Uint8Array(0),
    gasLimit: null,
    maxFeePerGas: 0n,
    maxPriorityFeePerGas: 0n,
    accessList: [],
    authorizationList: [],
    ...NO_BLOBS,
    ...fields,
  };
}

/** Initcode that runs `code` and returns the word it leaves on the stack. */
function returningWord(code: string): Uint8Array {
  return fromHex(`0x${code}60005260206000f3`);
}

describe('calls', () => {
  it('runs a call at the requested block', async () => {
    const { chain } = await createTestChain();
    await chain.mine({ count: 3 });
    for (const number of [0n, 2n, 3n]) {
      const result = await chain.calls.call(message({ to: null, data: returningWord('43') }), { number });
      expect(result.outcome).toBe('success');
      expect(bytesToBigInt(result.returnData)).toBe(number);
    }
    const timestamp = await chain.calls.call(message({ to: null, data: returningWord('42') }), {
      tag: 'latest',
    });
    expect(bytesToBigInt(timestamp.returnData)).toBe(BigInt(chain.head().header.timestamp));
  });

  it('runs a call at the pending block with the increased time', async () => {
    const { chain } = await createTestChain();
    const before = chain.head().header.timestamp;
    await chain.change(increaseTime(500));
    const result = await chain.calls.call(message({ to: null, data: returningWord('42') }), {
      tag: 'pending',
    });
    expect(bytesToBigInt(result.returnData)).toBe(BigInt(before + 500));
  });

  it('returns hashes of earlier blocks for BLOCKHASH', async () => {
    const { chain } = await createTestChain();
    const blocks = await chain.mine({ count: 3 });
    const result = await chain.calls.call(message({ to: null, data: returningWord('600240') }), {
      tag: 'latest',
    });
    expect(result.returnData).toEqual(blocks[1]?.hash);
    const own = await chain.calls.call(message({ to: null, data: returningWord('600340') }), {
      tag: 'latest',
    });
    expect(bytesToBigInt(own.returnData)).toBe(0n);
  });

  it('leaves the state unchanged after a call', async () => {
    const { chain } = await createTestChain();
    const { root } = (await chain.view({ tag: 'latest' })).state;
    await chain.calls.call(message({ sender, value: 10n }), { tag: 'latest' });
    expect((await chain.view({ tag: 'latest' })).state.root).toEqual(root);
  });

  it('rejects a call at an unknown block', async () => {
    const { chain } = await createTestChain();
    await expect(async () => chain.calls.call(message(), { number: 1n })).rejects.toThrow(
      /Block 1 not found/,
    );
    await expect(async () => chain.calls.call(message(), { number: 2n ** 200n })).rejects.toThrow(
      /not found/,
    );
  });

  it('caps the gas of a call at --call-gas-limit', async () => {
    const { chain } = await createTestChain({ gasLimit: 100_000n, callGasLimit: 200_000n });
    const endless = message({ to: null, data: fromHex('0x5b600056'), gasLimit: 2n ** 64n - 1n });
    const result = await chain.calls.call(endless, { tag: 'latest' });
    expect(result).toMatchObject({ outcome: 'halt', haltReason: 'out of gas', gasUsed: 200_000n });
    await expect(chain.calls.estimateGas(endless, { tag: 'latest' })).rejects.toMatchObject({
      result: { haltReason: 'out of gas' },
    });
  });

  it('rejects a call with less gas than its intrinsic gas', async () => {
    const { chain } = await createTestChain();
    await expect(async () =>
      chain.calls.call(message({ gasLimit: 20_000n }), { tag: 'latest' }),
    ).rejects.toThrow(/intrinsic gas/i);
  });
});

describe('gas estimates', () => {
  it('estimates 21,000 gas for a transfer', async () => {
    const { chain } = await createTestChain();
    expect(await chain.calls.estimateGas(message({ sender, value: 1n }), { tag: 'latest' })).toBe(21_000n);
  });

  it('estimates the minimum gas for code that reserves gas for its calls', async () => {
    const { chain } = await createTestChain({ ruleSet: 'shanghai' });
    // With call data, it calls itself without data and requires success. Without, it writes five slots.
    const writes = '60015f5560016001556001600255600160035560016004550'.concat('0');
    const runtime = `36601d57${writes}5b5f5f5f5f5f305af1602a57fe5b00`;
    const size = (runtime.length / 2).toString(16).padStart(2, '0');
    const initcode = fromHex(`0x60${size}600c60003960${size}6000f3${runtime}`);
    const deployed = await chain.sendFrom(
      sender,
      transfer({ to: null, value: 0n, data: initcode, gasLimit: 1_000_000n, maxFeePerGas: 10n ** 10n }),
    );
    const address = (await chain.transaction(deployed))?.receipt.contractAddress ?? null;
    const call = message({ sender, to: address, data: new Uint8Array(32) });
    const estimate = await chain.calls.estimateGas(call, { tag: 'latest' });
    expect((await chain.calls.call({ ...call, gasLimit: estimate }, { tag: 'latest' })).outcome).toBe(
      'success',
    );
    expect(
      (await chain.calls.call({ ...call, gasLimit: estimate - 1n }, { tag: 'latest' })).outcome,
    ).not.toBe('success');
  });

  it('estimates gas for a sender without funds', async () => {
    const { chain } = await createTestChain();
    const poor = message({ sender: new Uint8Array(20).fill(9), value: 10n ** 30n });
    expect(await chain.calls.estimateGas(poor, { tag: 'latest' })).toBe(21_000n);
  });

  it('rejects an estimate with the result of the execution if the call reverts', async () => {
    const { chain } = await createTestChain();
    const reverting = message({ to: null, data: fromHex('0x60006000fd') });
    await expect(chain.calls.estimateGas(reverting, { tag: 'latest' })).rejects.toMatchObject({
      result: { outcome: 'revert' },
    });
  });
});
