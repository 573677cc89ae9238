import { describe, expect, it } from 'vitest';
import { createRpcHarness } from '../rpc-harness.ts';

const GAS = '0x1e8480';
const ADDRESS = `0x${'c1'.repeat(20)}`;
/** Stores the count of leading zeros of 255 with CLZ, an opcode since Osaka (EIP-7939). */
const COUNTS_ZEROS = '0x60ff1e5f5500';
/** Calls MODEXP with three numbers of 32 bytes. Its minimum price is higher since Osaka (EIP-7883). */
const CALLS_MODEXP =
  '0x602060005260206020526020604052600360605260056080526007' +
  '60a05260206000' +
  '60c060006005' +
  '62fffffffa50600051600055' +
  '00';

interface Answer {
  readonly isSame: boolean;
  readonly runs: readonly {
    readonly hardfork: string;
    readonly outcome: string;
    readonly gasUsed: string;
    readonly gasUsedWithMore: string | null;
  }[];
  readonly frames: readonly {
    readonly path: readonly number[];
    readonly isSameCall: boolean;
    readonly ownGas: readonly (string | null)[];
  }[];
  readonly logs: readonly { readonly index: number; readonly logs: readonly string[] }[];
  readonly storage: readonly { readonly slot: string; readonly after: readonly (string | null)[] }[];
  readonly balances: readonly object[];
}

async function chainWith(code: string, ruleSet: 'prague' | 'osaka' | 'rootstock' = 'prague') {
  const harness = await createRpcHarness({}, { ruleSet, remasc: ruleSet === 'rootstock' });
  const [from = '', to = ''] = (await harness.call('eth_accounts')) as string[];
  await harness.call('hardhat_setCode', [ADDRESS, code]);
  const send = async (fields: object): Promise<string> =>
    (await harness.call('eth_sendTransaction', [{ from, gas: GAS, ...fields }])) as string;
  const compare = async (...params: readonly unknown[]): Promise<Answer> =>
    (await harness.call('inspect_compare', params)) as Answer;
  const mined = async (hash: string) =>
    (await harness.call('eth_getTransactionReceipt', [hash])) as { readonly gasUsed: string };
  return { ...harness, from, to, send, compare, mined };
}

describe('inspect_compare', () => {
  it('reports a transaction as the same under hardforks without relevant changes', async () => {
    const { send, to, compare, mined } = await chainWith('0x');
    const hash = await send({ to, value: '0x5' });
    const answer = await compare(hash, ['cancun', 'prague', 'osaka']);
    expect(answer).toMatchObject({ isSame: true, frames: [], logs: [], storage: [], balances: [] });
    const { gasUsed } = await mined(hash);
    expect(answer.runs).toMatchObject(
      ['cancun', 'prague', 'osaka'].map((hardfork) => ({
        hardfork,
        outcome: 'success',
        reason: null,
        gasUsed,
      })),
    );
  });

  it('reports the required gas if a transaction fails only because of its gas limit', async () => {
    // Stores 1 to slot 0. Amsterdam has a separate price for new state.
    const { send, compare } = await chainWith('0x60015f5500');
    const little = await compare(await send({ to: ADDRESS, gas: '0xc350' }), ['prague', 'amsterdam']);
    expect(little.runs).toMatchObject([
      { outcome: 'success', gasUsedWithMore: null },
      { outcome: 'halt', reason: expect.stringContaining('out of gas'), gasUsed: '0xc350' },
    ]);
    const { send: sendAgain, compare: compareAgain } = await chainWith('0x60015f5500');
    const ample = await compareAgain(await sendAgain({ to: ADDRESS }), ['prague', 'amsterdam']);
    expect(ample.runs).toMatchObject([
      { gasUsedWithMore: null },
      { outcome: 'success', gasUsedWithMore: null },
    ]);
    expect(little.runs[1]?.gasUsedWithMore).toBe(ample.runs[1]?.gasUsed);
  });

  it('reports no required gas if more gas does not help, or if all hardforks fail', async () => {
    const { send, compare } = await chainWith(COUNTS_ZEROS);
    const helpless = await compare(await send({ to: ADDRESS }), ['prague', 'osaka']);
    expect(helpless.runs).toMatchObject([{ outcome: 'halt', gasUsedWithMore: null }, { outcome: 'success' }]);
    const { send: sendAgain, compare: compareAgain } = await chainWith('0x60015f5500');
    const failed = await compareAgain(await sendAgain({ to: ADDRESS, gas: '0x61a8' }), [
      'prague',
      'amsterdam',
    ]);
    expect(failed.runs).toMatchObject([{ gasUsedWithMore: null }, { gasUsedWithMore: null }]);
  });

  it('reports the outcome, frame and slot changed by an opcode of one hardfork', async () => {
    const { send, compare, mined } = await chainWith(COUNTS_ZEROS);
    const hash = await send({ to: ADDRESS });
    const { isSame, runs, frames, storage } = await compare(hash, ['prague', 'osaka']);
    expect(isSame).toBe(false);
    expect(runs).toMatchObject([
      { outcome: 'halt', reason: 'invalid opcode 0x1e', gasUsed: (await mined(hash)).gasUsed },
      { outcome: 'success', reason: null },
    ]);
    expect(frames).toMatchObject([{ path: [], isSameCall: true, outcomes: ['halt', 'success'] }]);
    expect(storage).toMatchObject([
      { account: { address: ADDRESS }, slot: '0x0', after: [null, `0x${'f8'.padStart(64, '0')}`] },
    ]);
  });

  it('reports only the frame whose own gas differs', async () => {
    const { send, compare } = await chainWith(CALLS_MODEXP);
    const hash = await send({ to: ADDRESS });
    const { frames, runs } = await compare(hash, ['prague', 'osaka']);
    const own = frames.map(({ path, ownGas }) => ({ path, ownGas: ownGas.map(Number) }));
    const [before = 0, after = 0] = runs.map(({ gasUsed }) => Number(gasUsed));
    const inner = own.find(({ path }) => path.length === 1)?.ownGas ?? [];
    expect(inner).toEqual([200, 500]);
    expect(after - before).toBe(300);
    const outer = own.find(({ path }) => path.length === 0)?.ownGas ?? [];
    expect(new Set(outer).size).toBe(1);
  });

  it('reports the reason if a hardfork rejects a transaction', async () => {
    const { send, to, compare } = await chainWith('0x');
    const hash = await send({ to, gas: '0x1312d00' });
    const { runs, frames, isSame } = await compare(hash, ['prague', 'osaka']);
    expect({ isSame, frames }).toEqual({ isSame: false, frames: [] });
    expect(runs).toMatchObject([
      { outcome: 'success' },
      { outcome: 'refused', reason: expect.stringContaining('EIP-7825'), gasUsed: null, inspection: null },
    ]);
  });

  it('runs a transaction on the state before it within its block', async () => {
    const { call, send, compare, mined } = await chainWith('0x5f545f5460010180805f555f5260205fa000');
    await call('evm_setAutomine', [false]);
    const hashes = [await send({ to: ADDRESS }), await send({ to: ADDRESS }), await send({ to: ADDRESS })];
    await call('evm_mine');
    for (const hash of hashes) {
      const { runs, isSame } = await compare(hash, ['prague', 'osaka']);
      const { gasUsed } = await mined(hash);
      expect({ isSame, gas: runs.map((run) => run.gasUsed) }).toEqual({
        isSame: true,
        gas: [gasUsed, gasUsed],
      });
    }
  });

  it('runs a Rootstock transaction under Ethereum rules, and rejects the REMASC transaction', async () => {
    const { call, send, compare, mined } = await chainWith(COUNTS_ZEROS, 'rootstock');
    const hash = await send({ to: ADDRESS });
    const { runs } = await compare(hash, ['rootstock', 'osaka']);
    expect(runs).toMatchObject([
      { hardfork: 'rootstock', outcome: 'halt', gasUsed: (await mined(hash)).gasUsed },
      { hardfork: 'osaka', outcome: 'success' },
    ]);
    const { transactions } = (await call('eth_getBlockByNumber', ['latest', false])) as {
      transactions: string[];
    };
    const closing = transactions.at(-1);
    expect(closing).not.toBe(hash);
    await expect(compare(closing, ['rootstock', 'osaka'])).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(
        'a transaction that the EVM executes, got the REMASC transaction of a block',
      ),
    });
  });

  it('compares a call and changes no state', async () => {
    const { call, from, compare } = await chainWith(COUNTS_ZEROS);
    const { runs, storage } = await compare({ from, to: ADDRESS }, ['shanghai', 'latest', 'rootstock']);
    expect(runs.map(({ outcome }) => outcome)).toEqual(['halt', 'success', 'halt']);
    expect(storage).toHaveLength(1);
    expect(await call('eth_getStorageAt', [ADDRESS, '0x0', 'latest'])).toBe(`0x${'0'.repeat(64)}`);
  });

  it.each([
    [['prague'], /params: hardforks: expected 2 to 8 different hardforks/],
    [['prague', 'prague'], /params: hardforks: expected 2 to 8 different hardforks/],
    [['latest', 'bpo2'], /params: hardforks: expected 2 to 8 different hardforks/],
    [['prague', 'byzantium'], /params: hardforks\[1\]: expected a hardfork: rootstock, .* got "byzantium"/],
    ['prague', /params: hardforks:/],
  ])('rejects the hardforks %j', async (hardforks, message) => {
    const { from, compare } = await chainWith('0x');
    await expect(compare({ from, to: ADDRESS }, hardforks)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(message),
    });
  });

  it('rejects an invalid hash or call, and an unknown hash', async () => {
    const { compare } = await chainWith('0x');
    const both = ['prague', 'osaka'];
    await expect(compare('0x12', both)).rejects.toMatchObject({ code: -32602 });
    await expect(compare(7, both)).rejects.toMatchObject({ code: -32602 });
    await expect(compare(`0x${'11'.repeat(32)}`, both)).rejects.toThrow('not found');
  });
});
