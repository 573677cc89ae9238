import { describe, expect, it } from 'vitest';
import { toHex } from '../../src/primitives/hex.ts';
import { ABI, BRIDGE } from '../rootstock/bridge/bridge-scene.ts';
import { createRpcHarness, type RpcHarness } from '../rpc/rpc-harness.ts';

const BRIDGE_ADDRESS = toHex(BRIDGE);
const RECEIVE_HEADERS = ABI.encodeFunctionData('receiveHeaders', [[]]);
const GAS = '0x30d40';
const NOT_A_MEMBER =
  'Bridge.receiveHeaders failed: the caller is not a member of the federation; charged 200,000 gas';
/** A point that is not on alt_bn128. */
const NO_POINT = `0x${'00'.repeat(31)}01${'00'.repeat(31)}01`;
const CALLER = '0x00000000000000000000000000000000000000f1';
/** Calls precompile 6 with its call data, and reverts with the result if the call fails. */
const CALLER_CODE = '0x366000600037600060003660006000600661c350f1601957600080fd5b00';

interface InspectedCall {
  readonly outcome: string;
  readonly failure: { readonly message: string } | null;
  readonly to: { readonly name: string | null };
  readonly call: { readonly name: string } | null;
  readonly isGuess: boolean;
  readonly items: readonly InspectedCall[];
}

interface Inspection {
  readonly call: InspectedCall;
  readonly failure: { readonly message: string } | null;
}

async function send(
  rpc: RpcHarness,
  to: string,
  data: string,
  fields: Record<string, string> = {},
): Promise<string> {
  const [from] = (await rpc.call('eth_accounts')) as string[];
  return (await rpc.call('eth_sendTransaction', [{ from, to, data, gas: GAS, ...fields }])) as string;
}

async function inspect(rpc: RpcHarness, hash: string): Promise<Inspection> {
  return (await rpc.call('inspect_transaction', [hash])) as Inspection;
}

describe.each(['wasm', 'reference'] as const)('failed precompiles on engine %s', (engine) => {
  it('a failed precompile has a reason and a price, although the receipt status is success', async () => {
    const rpc = await createRpcHarness({}, { engine, predeploys: true });

    const hash = await send(rpc, BRIDGE_ADDRESS, RECEIVE_HEADERS);

    expect(await rpc.call('eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' });
    const { call, failure } = await inspect(rpc, hash);
    expect(failure?.message).toBe(NOT_A_MEMBER);
    expect(call).toMatchObject({
      outcome: 'halt',
      to: { name: 'Bridge' },
      call: { name: 'receiveHeaders' },
      isGuess: false,
      failure: { message: NOT_A_MEMBER },
    });
  });

  it('inspect_call returns the failure of a precompile', async () => {
    const rpc = await createRpcHarness({}, { engine, predeploys: true });

    const inspection = (await rpc.call('inspect_call', [
      { to: BRIDGE_ADDRESS, data: RECEIVE_HEADERS, gas: GAS },
    ])) as Inspection;

    expect(inspection.failure?.message).toBe(NOT_A_MEMBER);
  });

  it('traces with decode contain the failure of a precompile', async () => {
    const rpc = await createRpcHarness({}, { engine, predeploys: true });
    const hash = await send(rpc, BRIDGE_ADDRESS, RECEIVE_HEADERS);

    const options = { tracer: 'callTracer', decode: true };
    const trace = (await rpc.call('debug_traceTransaction', [hash, options])) as {
      readonly decoded: { readonly failure: { readonly message: string } | null; readonly contract: string };
    };

    expect(trace.decoded.contract).toBe('Bridge');
    expect(trace.decoded.failure?.message).toBe(NOT_A_MEMBER);
  });

  it('inspect_transactions and inspect_failures list a failed precompile', async () => {
    const rpc = await createRpcHarness({}, { engine, predeploys: true });
    const hash = await send(rpc, BRIDGE_ADDRESS, RECEIVE_HEADERS);
    await send(rpc, BRIDGE_ADDRESS, ABI.encodeFunctionData('getBtcBlockchainBestChainHeight', []));

    const failed = (await rpc.call('inspect_transactions', [{ failed: true }])) as {
      readonly transactions: readonly { readonly hash: string; readonly subject: string }[];
    };
    const succeeded = (await rpc.call('inspect_transactions', [{ failed: false }])) as typeof failed;
    const failures = (await rpc.call('inspect_failures', [])) as {
      readonly failures: readonly { readonly transactionHash: string; readonly reason?: string }[];
    };

    expect(failed.transactions).toMatchObject([
      { hash, failed: true, purpose: 'call', subject: 'Bridge.receiveHeaders([])' },
    ]);
    expect(succeeded.transactions).toMatchObject([
      { failed: false, subject: 'Bridge.getBtcBlockchainBestChainHeight()' },
    ]);
    expect(JSON.stringify(failures)).toContain(NOT_A_MEMBER);
  });

  it.each([
    [
      'the Bridge without such a method',
      BRIDGE_ADDRESS,
      '0x01020304',
      'Bridge failed: it has no method with this selector',
    ],
    [
      'the Bridge with a method for calls only',
      BRIDGE_ADDRESS,
      ABI.encodeFunctionData('getFederationAddress', []),
      'Bridge.getFederationAddress failed: the method is available only in eth_call, not in a transaction',
    ],
    [
      'REMASC',
      '0x0000000000000000000000000000000001000008',
      '0x',
      'Remasc failed: only the last transaction of a block can call it',
    ],
    [
      'HDWalletUtils',
      '0x0000000000000000000000000000000001000009',
      `0xce5c52a1${'00'.repeat(31)}01`,
      'HDWalletUtils',
    ],
    [
      'BlockHeader',
      '0x0000000000000000000000000000000001000010',
      `0x6e44adf0${'ff'.repeat(32)}`,
      'BlockHeader',
    ],
    ['bn254Add', '0x0000000000000000000000000000000000000006', NO_POINT, 'call to precompile 6 failed: '],
    ['secp256k1Add', '0x0000000000000000000000000000000001000016', NO_POINT, 'secp256k1Add failed: '],
  ])('a failed precompile call has a reason: %s', async (_name, to, data, message) => {
    const rpc = await createRpcHarness({}, { engine, predeploys: true });

    const { failure, call } = await inspect(rpc, await send(rpc, to, data));

    expect(failure?.message).toContain(message);
    expect(failure?.message).toMatch(/failed: .*; charged 200,000 gas$/);
    expect(call.outcome).toBe('halt');
  });

  it('a failed plain transfer to the Bridge has a reason', async () => {
    const rpc = await createRpcHarness({}, { engine, predeploys: true });
    const sender = '0x00000000000000000000000000000000000000ee';
    await rpc.call('hardhat_setBalance', [sender, '0xde0b6b3a7640000']);
    await rpc.call('hardhat_impersonateAccount', [sender]);

    const hash = await send(rpc, BRIDGE_ADDRESS, '0x', { from: sender, value: '0x2386f26fc10000' });

    expect((await inspect(rpc, hash)).failure?.message).toBe(
      'Bridge.releaseBtc failed: the transaction has no signature, so no key can receive the coins on the parent chain; charged 200,000 gas',
    );
  });

  it('a failed precompile called by a contract is charged only its price', async () => {
    const rpc = await createRpcHarness({}, { engine });
    await rpc.call('hardhat_setCode', [CALLER, CALLER_CODE]);

    const inspection = (await rpc.call('inspect_call', [{ to: CALLER, data: NO_POINT }])) as Inspection;

    expect(inspection.call.items[0]?.failure?.message).toMatch(
      /^call to precompile 6 failed: .*; charged 150 gas$/,
    );
    expect(inspection.failure?.message).toMatch(/^call to precompile 6 failed: .*; charged 150 gas$/);
  });

  it('a failed precompile uses all gas under Ethereum rules', async () => {
    const rpc = await createRpcHarness({}, { engine, ruleSet: 'prague' } as never);

    const inspection = (await rpc.call('inspect_call', [
      { to: '0x0000000000000000000000000000000000000006', data: NO_POINT, gas: GAS },
    ])) as Inspection;

    expect(inspection.failure?.message).toMatch(/^call to precompile 6 failed: .*; charged 200,000 gas$/);
  });

  it('insufficient gas is reported as out of gas', async () => {
    const rpc = await createRpcHarness({}, { engine, predeploys: true });

    const inspection = (await rpc.call('inspect_call', [
      { to: BRIDGE_ADDRESS, data: RECEIVE_HEADERS, gas: '0x6000' },
    ])) as Inspection;

    expect(inspection.failure?.message).toBe('Bridge.receiveHeaders failed: out of gas; charged 24,576 gas');
  });
});
