import { getContractAddress, type Hex, keccak256 } from 'viem';
import { describe, expect, it } from 'vitest';
import { BATCH_ACCOUNT_ADDRESS, batchAccountCode } from '../../../src/chain/genesis/batch-account.ts';
import { toHex } from '../../../src/primitives/hex.ts';
import { createForkScene } from '../../fork/fork-scene.ts';
import { ScriptedUpstream } from '../../fork/scripted-upstream.ts';
import { readArtifact } from '../../support/artifacts.ts';
import { BOB } from '../../support/test-chain.ts';
import { createExampleChain } from '../example-chain.ts';
import { createRpcHarness, type RpcHarness } from '../rpc-harness.ts';
import { SENDER } from './contract.ts';

const STRANGER = `0x${'77'.repeat(20)}`;
const CALL = { to: BOB, value: '0x1' };
const request = (fields: object = {}) => ({
  version: '2.0.0',
  chainId: '0x21',
  from: SENDER,
  atomicRequired: false,
  calls: [CALL, CALL],
  ...fields,
});

describe('batch account contract', () => {
  it('the batch account has the code of its source and the address of the deterministic deployer', () => {
    const { bytecode, deployedBytecode } = readArtifact('cancun', 'BatchAccount') as {
      readonly bytecode: Hex;
      readonly deployedBytecode: Hex;
    };
    expect(keccak256(batchAccountCode())).toBe(keccak256(deployedBytecode));
    const address = getContractAddress({
      opcode: 'CREATE2',
      from: '0x4e59b44847b379578588920cA78FbF26c0B4956C',
      salt: `0x${'00'.repeat(32)}`,
      bytecode,
    });
    expect(toHex(BATCH_ACCOUNT_ADDRESS)).toBe(address.toLowerCase());
  });
});

describe('wallet_sendCalls', () => {
  it.each([
    [{ capabilities: { paymasterService: { url: 'https://example.org' } } }, 5700, /paymasterService/],
    [{ calls: [{ ...CALL, capabilities: { gas: {} } }] }, 5700, /gas/],
    [{ chainId: '0x1' }, 5710, /chain id 1/],
    [{ calls: Array(1_001).fill(CALL) }, 5740, /1001 calls/],
    [{ atomicRequired: true }, 5760, /EIP-7702/],
    [{ calls: [] }, -32602, /params: request\.calls:/],
    [{ calls: null }, -32602, /params: request\.calls:/],
    [{ calls: [{ to: '0x12' }] }, -32602, /params: request\.calls\[0\]\.to:/],
    [{ id: '' }, -32602, /params: request\.id:/],
    [{ from: STRANGER }, -32602, /Could not find account/],
  ])('wallet_sendCalls rejects %j and sends nothing', async (fields, code, message) => {
    const { call } = await createRpcHarness();
    await expect(call('wallet_sendCalls', [request(fields)])).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
    expect(await call('eth_blockNumber')).toBe('0x0');
  });

  it('wallet_sendCalls accepts optional capabilities and the id of a rejected batch', async () => {
    const { call } = await createRpcHarness();
    const capabilities = { paymasterService: { optional: true } };
    const { from, chainId, ...rest } = request({ capabilities, id: 'mine' });
    await expect(call('wallet_sendCalls', [{ ...rest, from: STRANGER }])).rejects.toThrow();
    expect(await call('wallet_sendCalls', [rest])).toEqual({ id: 'mine' });
    expect(await call('wallet_getCallsStatus', ['mine'])).toMatchObject({ status: 200, chainId: '0x21' });
    expect([from, chainId]).toEqual([SENDER, '0x21']);
  });

  it('wallet_sendCalls does not delegate an account with other code or without a key', async () => {
    const { call } = await createRpcHarness({}, { ruleSet: 'prague' });
    const statusOf = async (account: string): Promise<unknown> => {
      const answer = (await call('wallet_getCapabilities', [account])) as Record<string, { atomic: object }>;
      return answer['0x21']?.atomic;
    };
    expect(await statusOf(SENDER)).toEqual({ status: 'ready' });
    await call('anvil_setCode', [SENDER, `0xef0100${'11'.repeat(20)}`]);
    await call('anvil_impersonateAccount', [STRANGER]);
    expect([await statusOf(SENDER), await statusOf(STRANGER)]).toEqual([
      { status: 'unsupported' },
      { status: 'unsupported' },
    ]);
    await call('anvil_setBalance', [STRANGER, '0xde0b6b3a7640000']);
    await call('wallet_sendCalls', [request({ from: STRANGER, id: 'theirs' })]);
    expect(await call('wallet_getCallsStatus', ['theirs'])).toMatchObject({ status: 200, atomic: false });
    expect(await call('eth_getTransactionCount', [STRANGER, 'latest'])).toBe('0x2');
  });

  it('wallet_sendCalls sends each call once on a fork', async () => {
    const node = await createExampleChain();
    const fork = await createForkScene(new ScriptedUpstream((method, params) => node.call(method, params)));
    const calls = [1, 2, 3].map((index) => ({ to: `0x${String(index).repeat(40)}`, value: '0x1' }));
    await fork.call('wallet_sendCalls', [request({ id: 'forked', calls })]);
    const status = (await fork.call('wallet_getCallsStatus', ['forked'])) as { receipts: unknown[] };
    expect(status).toMatchObject({ status: 200 });
    expect(status.receipts).toHaveLength(3);
    for (const { to } of calls) expect(await fork.call('eth_getBalance', [to, 'latest'])).toBe('0x1');
  });

  it('wallet_sendCalls is unavailable on a hosted node, which has no capabilities', async () => {
    const { call } = await createRpcHarness({ hosted: true });
    await expect(call('wallet_sendCalls', [request()])).rejects.toMatchObject({ code: -32601 });
    expect(await call('wallet_getCapabilities', [SENDER])).toEqual({});
  });
});

describe('wallet_getCallsStatus', () => {
  it('wallet_getCallsStatus returns 400 for a batch whose blocks are removed by a revert', async () => {
    const { call } = await createRpcHarness();
    const snapshot = await call('evm_snapshot');
    await call('wallet_sendCalls', [request({ id: 'reverted' })]);
    await call('evm_revert', [snapshot]);
    expect(await call('wallet_getCallsStatus', ['reverted'])).toMatchObject({ status: 400, receipts: [] });
  });

  it('wallet_getCallsStatus rejects the batch of another chain', async () => {
    const [first, second] = [await createRpcHarness(), await createRpcHarness()];
    await first.call('wallet_sendCalls', [request({ id: 'mine' })]);
    await expect(second.call('wallet_getCallsStatus', ['mine'])).rejects.toMatchObject({ code: 5730 });
  });
});

describe('wallet_showCallsStatus', () => {
  /** A service that records its log notices. */
  async function watched(): Promise<RpcHarness & { readonly notices: string[] }> {
    const harness = await createRpcHarness();
    const notices: string[] = [];
    harness.chain.events.on('notice', (text) => notices.push(text));
    return { ...harness, notices };
  }

  it('wallet_showCallsStatus logs the status of a batch and returns null', async () => {
    const { call, notices } = await watched();
    await call('wallet_sendCalls', [request({ id: 'mine' })]);
    const { receipts } = (await call('wallet_getCallsStatus', ['mine'])) as {
      receipts: { transactionHash: string }[];
    };
    const hashes = receipts.map(({ transactionHash }) => transactionHash).join(', ');
    expect(await call('wallet_showCallsStatus', ['mine'])).toBeNull();
    expect(notices).toEqual([`Batch "mine": all calls succeeded (status 200), in 2 transactions: ${hashes}`]);
  });

  it.each([
    [
      [CALL, { to: STRANGER, value: `0x${'f'.repeat(32)}` }],
      /^Batch "mine": .* in 1 transaction: 0x[0-9a-f]{64}; a call was not sent: /,
    ],
    [
      Array(11).fill(CALL),
      /^Batch "mine": .* in 11 transactions: (0x[0-9a-f]{64}, ){9}0x[0-9a-f]{64} and 1 more$/,
    ],
  ])(
    'wallet_showCallsStatus logs calls that were not sent, and at most ten transactions',
    async (calls, text) => {
      const { call, notices } = await watched();
      await call('wallet_sendCalls', [request({ id: 'mine', calls })]);
      await call('wallet_showCallsStatus', ['mine']);
      expect(notices).toEqual([expect.stringMatching(text)]);
    },
  );

  it('wallet_showCallsStatus truncates long ids, and logs nothing while logging is disabled', async () => {
    const { call, notices } = await watched();
    const id = 'x'.repeat(500);
    await call('wallet_sendCalls', [request({ id })]);
    await call('wallet_showCallsStatus', [id]);
    expect(notices).toEqual([expect.stringMatching(/^Batch "x{80}…": all calls succeeded/)]);
    await call('hardhat_setLoggingEnabled', [false]);
    await call('wallet_showCallsStatus', [id]);
    expect(notices).toHaveLength(1);
  });

  it('wallet_showCallsStatus rejects an unknown batch', async () => {
    const { call, notices } = await watched();
    await expect(call('wallet_showCallsStatus', ['theirs'])).rejects.toMatchObject({ code: 5730 });
    expect(notices).toEqual([]);
  });
});
