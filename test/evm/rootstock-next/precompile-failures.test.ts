import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { createWasmEngine } from '../../../src/evm/interpreter/interpreter-engine.ts';
import type { CreateRootstockPrecompiles } from '../../../src/evm/precompiles/precompiled-contract.ts';
import { PrecompileError } from '../../../src/evm/precompiles/precompiled-contract.ts';
import { fromHex } from '../../../src/primitives/hex.ts';
import { precompileAddress } from '../../../src/protocol/hardforks/precompiles.ts';
import { type RuleSetName, ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import { createReferenceEngine } from '../../../src/reference/reference-engine.ts';
import { precompileFunctions } from '../../../src/rootstock/precompile-functions.ts';
import { Overlay } from '../../../src/state/overlay.ts';
import { WorldState } from '../../../src/state/world-state.ts';
import { environmentOf, messageOf, SENDER } from '../../reference/scene.ts';
import { SENDER as FUNDED } from '../../rpc/methods/contract.ts';
import { createRpcHarness, type RpcHarness } from '../../rpc/rpc-harness.ts';
import { wordBytes } from '../../support/words.ts';

/** The rule set without and with RSKIP-692. */
const BEFORE: RuleSetName = 'rootstock-next-rskip692';
const AFTER: RuleSetName = 'rootstock-next';

const BRIDGE = '0x0000000000000000000000000000000001000006';
const UNKNOWN_METHOD = '0xdeadbeef';
const CONTRACT = `0x${'c0'.repeat(20)}`;
const RECIPIENT = `0x${'d0'.repeat(20)}`;
const ETHER = 10n ** 18n;
const AUTHORITY = privateKeyToAccount(`0x${'51'.repeat(32)}`);

interface Outcome {
  readonly status: unknown;
  readonly gasUsed: number;
  /** The fee, at a gas price of 1. */
  readonly fee: number;
  readonly logs: unknown;
}

/** Sends a transaction with gas price 1, and returns its receipt and the fee. */
async function outcomeOf({ call }: RpcHarness, transaction: object): Promise<Outcome> {
  const balance = async () => BigInt((await call('eth_getBalance', [FUNDED, 'latest'])) as string);
  const before = await balance();
  const hash = await call('eth_sendTransaction', [{ from: FUNDED, gasPrice: '0x1', ...transaction }]);
  const receipt = (await call('eth_getTransactionReceipt', [hash])) as Record<string, unknown>;
  return {
    status: receipt.status,
    gasUsed: Number(receipt.gasUsed),
    fee: Number(before - (await balance())),
    logs: receipt.logs,
  };
}

async function nodeOf(ruleSet: RuleSetName, options = {}): Promise<RpcHarness> {
  return createRpcHarness({}, { ruleSet, ...options });
}

const hex = (value: number): string => `0x${value.toString(16)}`;

/** The authorization of an authority that already delegates, which earns a refund of 9,500 gas. */
async function authorizationFor({ call }: RpcHarness) {
  await call('anvil_setCode', [AUTHORITY.address, `0xef0100${'ab'.repeat(20)}`]);
  const { r, s, yParity } = await AUTHORITY.signAuthorization({
    chainId: 33,
    address: CONTRACT as `0x${string}`,
    nonce: 0,
  });
  return { chainId: '0x21', address: CONTRACT, nonce: '0x0', yParity: hex(yParity ?? 0), r, s };
}

/** A set-code transaction with two fees of 1. */
const FEES = { gasPrice: undefined, maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x1' };

describe('RSKIP-692, the test cases of the text over RPC', () => {
  it.each([
    [BEFORE, { status: '0x1', gasUsed: 44_064, fee: 200_000, logs: [] }],
    [AFTER, { status: '0x0', gasUsed: 200_000, fee: 200_000, logs: [] }],
  ])('case 1: an unknown method of the Bridge, under %s', async (ruleSet, expected) => {
    const node = await nodeOf(ruleSet);
    const sent = { to: BRIDGE, data: UNKNOWN_METHOD, gas: hex(200_000) };
    expect(await outcomeOf(node, sent)).toEqual(expected);
  });

  it.each([
    [BEFORE, 2, 65_064],
    [AFTER, 1, 200_000],
  ])('case 2: the gas of a failed call counts for the block, under %s', async (ruleSet, count, gasUsed) => {
    const { call } = await nodeOf(ruleSet, { gasLimit: 250_000n, automine: false });
    const failing = { from: FUNDED, to: BRIDGE, data: UNKNOWN_METHOD, gas: hex(200_000), gasPrice: '0x1' };
    await call('eth_sendTransaction', [failing]);
    await call('eth_sendTransaction', [
      { from: FUNDED, to: RECIPIENT, value: '0x1', gas: hex(100_000), gasPrice: '0x1' },
    ]);
    await call('evm_mine');
    const block = (await call('eth_getBlockByNumber', ['latest', false])) as Record<string, unknown>;
    expect(block.transactions).toHaveLength(count);
    expect(Number(block.gasUsed)).toBe(gasUsed);
  });

  it.each([BEFORE, AFTER])('case 3: a contract with an invalid opcode, under %s', async (ruleSet) => {
    const node = await nodeOf(ruleSet);
    await node.call('anvil_setCode', [CONTRACT, '0xfe']);
    const expected = { status: '0x0', gasUsed: 100_000, fee: 100_000, logs: [] };
    expect(await outcomeOf(node, { to: CONTRACT, gas: hex(100_000) })).toEqual(expected);
  });

  it('case 4: a contract that reverts has the same outcome under both rule sets', async () => {
    const outcomes = await Promise.all(
      [BEFORE, AFTER].map(async (ruleSet) => {
        const node = await nodeOf(ruleSet as RuleSetName);
        await node.call('anvil_setCode', [CONTRACT, '0x60006000fd']);
        return outcomeOf(node, { to: CONTRACT, gas: hex(200_000) });
      }),
    );
    expect(outcomes[0]).toMatchObject({ status: '0x0', gasUsed: 21_006, fee: 21_006 });
    expect(outcomes[1]).toEqual(outcomes[0]);
  });

  it.each([BEFORE, AFTER])('case 8: gas below the declared cost, under %s', async (ruleSet) => {
    const node = await nodeOf(ruleSet);
    const sent = { to: BRIDGE, data: UNKNOWN_METHOD, gas: hex(40_000) };
    const expected = { status: '0x0', gasUsed: 40_000, fee: 40_000, logs: [] };
    expect(await outcomeOf(node, sent)).toEqual(expected);
  });

  it('case 9: a failed call keeps the refund for an authorization', async () => {
    const node = await nodeOf(AFTER);
    const authorizationList = [await authorizationFor(node)];
    const sent = { ...FEES, to: BRIDGE, data: UNKNOWN_METHOD, gas: hex(100_000), authorizationList };
    const expected = { status: '0x0', gasUsed: 90_500, fee: 90_500, logs: [] };
    expect(await outcomeOf(node, sent)).toEqual(expected);
    const code = await node.call('eth_getCode', [AUTHORITY.address, 'latest']);
    expect(code).toBe(`0xef0100${'c0'.repeat(20)}`);
  });

  it('case 10: a call below the declared cost keeps the refund for an authorization', async () => {
    const node = await nodeOf(AFTER);
    const authorizationList = [await authorizationFor(node)];
    const sent = { ...FEES, to: BRIDGE, data: UNKNOWN_METHOD, gas: hex(60_000), authorizationList };
    const expected = { status: '0x0', gasUsed: 50_500, fee: 50_500, logs: [] };
    expect(await outcomeOf(node, sent)).toEqual(expected);
  });

  it.each(['eth_call', 'eth_estimateGas'])('case 11: %s returns an error', async (method) => {
    const { call } = await nodeOf(AFTER);
    const message = { from: FUNDED, to: BRIDGE, data: UNKNOWN_METHOD };
    await expect(call(method, [message, 'latest'])).rejects.toMatchObject({ code: expect.any(Number) });
  });
});

/** REMASC as a precompile that writes a slot, emits a log, or both, and then fails. */
function failingAfter(changes: {
  readonly writes: boolean;
  readonly logs: boolean;
}): CreateRootstockPrecompiles {
  return (...parameters) => ({
    ...precompileFunctions(...parameters),
    REMASC: {
      isReady: true,
      load: async () => {},
      gas: () => 1_000n,
      run(_input, context) {
        const { account } = context.call();
        if (changes.writes) account.setSlot(wordBytes(1), wordBytes(7));
        if (changes.logs) account.log([wordBytes(2)], Uint8Array.of(3));
        throw new PrecompileError('it always fails');
      },
    },
  });
}

describe.each([
  ['case 5: a failing precompile that writes a slot', { writes: true, logs: false }],
  ['case 6: a failing precompile that emits a log', { writes: false, logs: true }],
  ['case 7: a failing precompile that does both', { writes: true, logs: true }],
])('RSKIP-692, %s', (_title, changes) => {
  it.each([
    ['wasm', createWasmEngine],
    ['reference', createReferenceEngine],
  ] as const)('leaves no slot and no log on the %s engine', async (_name, createEngine) => {
    const ruleSet = ruleSetNamed(AFTER);
    const engine = await createEngine(ruleSet, {
      chainId: 33,
      codeSizeLimit: 24_576,
      createRootstockPrecompiles: failingAfter(changes),
    });
    const state = new Overlay(WorldState.empty());
    state.setAccount(SENDER, { nonce: 0n, balance: ETHER });
    const remasc = precompileAddress('REMASC');
    state.setAccount(remasc, { nonce: 0n, balance: 1n });

    const message = messageOf({ to: remasc, data: fromHex('0x00'), gasLimit: 100_000n, value: 5n });
    const result = await engine.transact(environmentOf(AFTER), state, message);

    expect(result).toMatchObject({ outcome: 'halt', gasUsed: 100_000n, gasPaid: 100_000n, logs: [] });
    expect(state.storageAt(remasc, wordBytes(1))).toHaveLength(0);
    expect(state.account(remasc)?.balance).toBe(1n);
    const { balance, nonce } = state.account(SENDER) ?? {};
    expect({ balance, nonce }).toEqual({ balance: ETHER - 100_000n * 2n, nonce: 1n });
  });
});

describe('RSKIP-692, further calls over RPC', () => {
  const failing = { to: BRIDGE, data: UNKNOWN_METHOD, gas: hex(200_000) };

  it.each([
    [BEFORE, '0x1'],
    [AFTER, '0x0'],
  ])(
    'under %s, a failing call with value has the status %s and transfers nothing',
    async (ruleSet, status) => {
      const node = await nodeOf(ruleSet, { predeploys: true });
      const before = await node.call('eth_getBalance', [BRIDGE, 'latest']);
      const outcome = await outcomeOf(node, { ...failing, value: '0x5' });
      expect(outcome).toMatchObject({ status, fee: 200_000, logs: [] });
      expect(await node.call('eth_getBalance', [BRIDGE, 'latest'])).toBe(before);
    },
  );

  it.each([BEFORE, AFTER])('under %s, a contract sees the failure and continues', async (ruleSet) => {
    const node = await nodeOf(ruleSet);
    // Stores the result of a call of the Bridge plus 1 in slot 0: 1 for a failure.
    const method = `63${UNKNOWN_METHOD.slice(2)}60e01b600052`;
    const call = `6000600060046000600073${BRIDGE.slice(2)}620186a0f1`;
    const code = `0x${method}${call}60010160005500`;
    await node.call('anvil_setCode', [CONTRACT, code]);
    expect(await outcomeOf(node, { to: CONTRACT, gas: hex(300_000) })).toMatchObject({ status: '0x1' });
    const stored = await node.call('eth_getStorageAt', [CONTRACT, '0x0', 'latest']);
    expect(BigInt(stored as string)).toBe(1n);
  });

  it('a trace shows the failed call and its gas', async () => {
    const node = await nodeOf(AFTER);
    const hash = await node.call('eth_sendTransaction', [{ from: FUNDED, gasPrice: '0x1', ...failing }]);
    const trace = await node.call('debug_traceTransaction', [hash, { tracer: 'callTracer' }]);
    expect(trace).toMatchObject({ to: BRIDGE, gasUsed: hex(200_000), error: expect.any(String) });
  });

  it('an estimate fails as the transaction would', async () => {
    const { call } = await nodeOf(AFTER);
    const estimate = call('eth_estimateGas', [{ from: FUNDED, to: BRIDGE, data: UNKNOWN_METHOD }]);
    await expect(estimate).rejects.toThrow('precompile failed');
  });
});
