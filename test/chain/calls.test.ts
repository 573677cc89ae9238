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

/** Initcode that runs `code` as its own and returns a word. */
function returningWord(code: string): Uint8Array {
  return fromHex(`0x${code}60005260206000f3`);
}

describe('calls', () => {
  it('see the block they are asked at', async () => {
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

  it('see the pending block, with time that was moved', async () => {
    const { chain } = await createTestChain();
    const before = chain.head().header.timestamp;
    await chain.change(increaseTime(500));
    const result = await chain.calls.call(message({ to: null, data: returningWord('42') }), {
      tag: 'pending',
    });
    expect(bytesToBigInt(result.returnData)).toBe(BigInt(before + 500));
  });

  it('answer BLOCKHASH with the hashes of the blocks before', async () => {
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

  it('leave the chain as it was', async () => {
    const { chain } = await createTestChain();
    const { root } = (await chain.view({ tag: 'latest' })).state;
    await chain.calls.call(message({ sender, value: 10n }), { tag: 'latest' });
    expect((await chain.view({ tag: 'latest' })).state.root).toEqual(root);
  });

  it('refuse a block that does not exist', async () => {
    const { chain } = await createTestChain();
    await expect(async () => chain.calls.call(message(), { number: 1n })).rejects.toThrow(
      /Block 1 not found/,
    );
    await expect(async () => chain.calls.call(message(), { number: 2n ** 200n })).rejects.toThrow(
      /not found/,
    );
  });

  it('have at most the gas of --call-gas-limit, whatever they ask for', async () => {
    const { chain } = await createTestChain({ gasLimit: 100_000n, callGasLimit: 200_000n });
    const endless = message({ to: null, data: fromHex('0x5b600056'), gasLimit: 2n ** 64n - 1n });
    const result = await chain.calls.call(endless, { tag: 'latest' });
    expect(result).toMatchObject({ outcome: 'halt', haltReason: 'out of gas', gasUsed: 200_000n });
    await expect(chain.calls.estimateGas(endless, { tag: 'latest' })).rejects.toMatchObject({
      result: { haltReason: 'out of gas' },
    });
  });

  it('refuse less gas than the cost before execution', async () => {
    const { chain } = await createTestChain();
    await expect(async () =>
      chain.calls.call(message({ gasLimit: 20_000n }), { tag: 'latest' }),
    ).rejects.toThrow(/intrinsic gas/i);
  });
});

describe('gas estimates', () => {
  it('are the exact cost of a transfer', async () => {
    const { chain } = await createTestChain();
    expect(await chain.calls.estimateGas(message({ sender, value: 1n }), { tag: 'latest' })).toBe(21_000n);
  });

  it('suffice, and one gas less does not, for code that keeps gas back from its calls', async () => {
    const { chain } = await createTestChain({ ruleSet: 'shanghai' });
    // With call data it calls itself without, insists on success and does no more; without, it writes five slots.
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

  it('do not ask whether the sender can pay', async () => {
    const { chain } = await createTestChain();
    const poor = message({ sender: new Uint8Array(20).fill(9), value: 10n ** 30n });
    expect(await chain.calls.estimateGas(poor, { tag: 'latest' })).toBe(21_000n);
  });

  it('fail with the result of the execution when no gas is enough', async () => {
    const { chain } = await createTestChain();
    const reverting = message({ to: null, data: fromHex('0x60006000fd') });
    await expect(chain.calls.estimateGas(reverting, { tag: 'latest' })).rejects.toMatchObject({
      result: { outcome: 'revert' },
    });
  });
});
