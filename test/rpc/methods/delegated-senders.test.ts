import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { createRpcHarness, type RpcHarness } from '../rpc-harness.ts';
import { SENDER } from './contract.ts';

const STRANGER = `0x${'5a'.repeat(20)}`;
const CONTRACT = `0x${'c0'.repeat(20)}` as const;
const DELEGATION = `0xef0100${'c0'.repeat(20)}`;
const SECOND = 'delegated account already has a transaction in the pool';
const NO_FEES = { maxFeePerGas: undefined, maxPriorityFeePerGas: undefined };
const GAP = 'gapped-nonce transaction from delegated account';

/** A node without automine, whose sender is delegated. */
async function withDelegatedSender(): Promise<RpcHarness> {
  const harness = await createRpcHarness({}, { ruleSet: 'rootstock-next' });
  await harness.call('evm_setAutomine', [false]);
  await harness.call('anvil_setCode', [SENDER, DELEGATION]);
  return harness;
}

async function send({ call }: RpcHarness, fields: object = {}): Promise<string> {
  const fees = { maxFeePerGas: '0x5', maxPriorityFeePerGas: '0x5' };
  return (await call('eth_sendTransaction', [
    { from: SENDER, to: STRANGER, gas: '0x5208', ...fees, ...fields },
  ])) as string;
}

describe('the pool with a delegated account (RSKIP-545)', () => {
  it('accepts one transaction, and the next one after a block', async () => {
    const harness = await withDelegatedSender();
    await send(harness);
    await expect(send(harness)).rejects.toThrow(SECOND);
    await harness.call('evm_mine');
    await send(harness);
    expect(await harness.call('txpool_status')).toEqual({ pending: 1, queued: 0 });
  });

  it('rejects a replacement, at any price', async () => {
    const harness = await withDelegatedSender();
    const first = await send(harness);
    const fees = { nonce: '0x0', maxFeePerGas: '0x64', maxPriorityFeePerGas: '0x64' };
    await expect(send(harness, fees)).rejects.toThrow(SECOND);
    await expect(send(harness, { nonce: '0x0', gasPrice: '0x64', ...NO_FEES })).rejects.toThrow(SECOND);
    expect(await harness.call('eth_getTransactionByHash', [first])).toMatchObject({ blockHash: null });
  });

  it('rejects a transaction behind a gap of nonces', async () => {
    const harness = await withDelegatedSender();
    await expect(send(harness, { nonce: '0x1' })).rejects.toThrow(GAP);
  });

  it('accepts one transaction again after the first one is dropped', async () => {
    const harness = await withDelegatedSender();
    const first = await send(harness);
    await harness.call('anvil_dropTransaction', [first]);
    await expect(send(harness)).resolves.toMatch(/^0x/);
  });

  it('limits an account without a delegation only after the delegation is mined', async () => {
    const harness = await createRpcHarness({}, { ruleSet: 'rootstock-next' });
    await harness.call('evm_setAutomine', [false]);
    await send(harness);
    await send(harness);
    await harness.call('anvil_setCode', [SENDER, DELEGATION]);
    expect(await harness.call('txpool_status')).toEqual({ pending: 2, queued: 0 });
    await expect(send(harness)).rejects.toThrow(SECOND);
    await harness.call('anvil_setCode', [SENDER, '0x']);
    await expect(send(harness)).resolves.toMatch(/^0x/);
  });

  it('a revert restores the pool, and the limit', async () => {
    const harness = await withDelegatedSender();
    const empty = await harness.call('evm_snapshot');
    await send(harness);
    const filled = await harness.call('evm_snapshot');
    await harness.call('evm_mine');
    await harness.call('evm_revert', [filled]);
    await expect(send(harness)).rejects.toThrow(SECOND);
    await harness.call('evm_revert', [empty]);
    await expect(send(harness)).resolves.toMatch(/^0x/);
  });

  it('a reorganization returns only the first transaction of a delegated account', async () => {
    const harness = await withDelegatedSender();
    const hashes = [];
    for (let count = 0; count < 2; count++) {
      hashes.push(await send(harness));
      await harness.call('evm_mine');
    }
    await harness.call('anvil_reorg', [{ depth: 2, keepTransactions: true }]);
    expect(await harness.call('txpool_status')).toEqual({ pending: 1, queued: 0 });
    const waiting = (await harness.call('eth_getTransactionByHash', [hashes[0]])) as { blockHash: unknown };
    expect(waiting.blockHash).toBeNull();
    expect(await harness.call('eth_getTransactionByHash', [hashes[1]])).toBeNull();
  });

  it.each(['rootstock-next-rskip545', 'prague'] as const)('has no limit under %s', async (ruleSet) => {
    const harness = await createRpcHarness({}, { ruleSet });
    await harness.call('evm_setAutomine', [false]);
    await harness.call('anvil_setCode', [SENDER, DELEGATION]);
    const fees = { maxFeePerGas: '0x77359400' };
    await send(harness, fees);
    await send(harness, fees);
    expect(await harness.call('txpool_status')).toEqual({ pending: 2, queued: 0 });
  });
});

describe('authorizations (RSKIP-545)', () => {
  const AUTHORITY = privateKeyToAccount(`0x${'51'.repeat(32)}`);

  it.each([
    ['the id of the chain', { chainId: 33 }, DELEGATION],
    ['no chain id', { chainId: 0 }, DELEGATION],
    ["Rootstock's mainnet", { chainId: 30 }, '0x'],
    ['Ethereum', { chainId: 1 }, '0x'],
    ['another nonce', { nonce: 1 }, '0x'],
    ['the highest nonce', { nonce: 2 ** 53 - 1 }, '0x'],
  ])('a transaction with an authorization for %s costs 46,000 gas', async (_name, fields, code) => {
    const { call, ...rest } = await createRpcHarness({}, { ruleSet: 'rootstock-next' });
    const signed = await AUTHORITY.signAuthorization({ chainId: 33, nonce: 0, ...fields, address: CONTRACT });
    const { chainId, nonce, r, s, yParity } = signed;
    const hex = (value = 0): string => `0x${value.toString(16)}`;
    const authorization = { chainId: hex(chainId), nonce: hex(nonce), address: CONTRACT, r, s };
    const authorizationList = [{ ...authorization, yParity: hex(yParity) }];
    const hash = await send({ call, ...rest }, { gas: '0x186a0', authorizationList });
    expect(await call('eth_getTransactionReceipt', [hash])).toMatchObject({
      type: '0x4',
      status: '0x1',
      gasUsed: hex(46_000),
      effectiveGasPrice: '0x5',
    });
    expect(await call('eth_getCode', [AUTHORITY.address, 'latest'])).toBe(code);
  });
});
