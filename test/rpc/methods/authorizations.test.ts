import { zeroAddress } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { createRpcHarness, type RpcHarness } from '../rpc-harness.ts';
import { deploy, receiptOf, SENDER } from './contract.ts';

/** An account whose key the node does not have. */
const OWNER = privateKeyToAccount(`0x${'51'.repeat(32)}`);
const CODE = '0x602a60005260206000f3';
const CONTRACT = `0x${'c0'.repeat(20)}` as const;
const FORTY_TWO = `0x${'2a'.padStart(64, '0')}`;

async function authorization() {
  const { r, s, yParity } = await OWNER.signAuthorization({ chainId: 33, address: CONTRACT, nonce: 0 });
  return { chainId: '0x21', address: CONTRACT, nonce: '0x0', yParity: `0x${yParity}`, r, s };
}

async function createPragueHarness(): Promise<RpcHarness> {
  const harness = await createRpcHarness({}, { ruleSet: 'prague' });
  await harness.call('anvil_setCode', [CONTRACT, CODE]);
  return harness;
}

describe('authorizations (EIP-7702)', () => {
  it('eth_sendTransaction sends authorizations as type 4, which delegates the account', async () => {
    const harness = await createPragueHarness();
    const { call } = harness;
    const transaction = { from: SENDER, to: zeroAddress, authorizationList: [await authorization()] };
    const hash = await call('eth_sendTransaction', [transaction]);
    expect(await receiptOf(harness, hash)).toMatchObject({ status: '0x1', type: '0x4' });
    expect(await call('eth_getCode', [OWNER.address, 'latest'])).toBe(`0xef0100${'c0'.repeat(20)}`);
    expect(await call('eth_getTransactionByHash', [hash])).toMatchObject({
      authorizationList: [await authorization()],
    });
  });

  it('eth_call, eth_estimateGas and eth_fillTransaction apply authorizations', async () => {
    const { call } = await createPragueHarness();
    const authorizationList = [await authorization()];
    const message = { from: SENDER, to: OWNER.address, authorizationList };
    expect(await call('eth_call', [message, 'latest'])).toBe(FORTY_TWO);
    const plain = Number(await call('eth_estimateGas', [{ from: SENDER, to: OWNER.address }]));
    expect(Number(await call('eth_estimateGas', [message]))).toBeGreaterThan(plain + 12_500);
    expect(await call('eth_fillTransaction', [message])).toMatchObject({
      tx: { type: '0x4', authorizationList },
    });
  });

  it('authorizations accept v instead of yParity', async () => {
    const { call } = await createPragueHarness();
    const { yParity, ...rest } = await authorization();
    const message = { to: OWNER.address, authorizationList: [{ ...rest, v: 27 + Number(yParity) }] };
    expect(await call('eth_call', [message, 'latest'])).toBe(FORTY_TWO);
  });

  it('authorizations are rejected under rules without EIP-7702', async () => {
    const harness = await createRpcHarness();
    const { address } = await deploy(harness, 'Counter');
    const message = { from: SENDER, to: address, authorizationList: [await authorization()] };
    for (const method of ['eth_sendTransaction', 'eth_call', 'eth_estimateGas']) {
      const given = method === 'eth_sendTransaction' ? [message] : [message, 'latest'];
      await expect(harness.call(method, given)).rejects.toMatchObject({
        code: -32602,
        message: expect.stringMatching(/\.authorizationList: .*hardfork rootstock has no authorizations/),
      });
    }
  });

  it.each([
    ['authorizationList', { to: zeroAddress, type: '0x4' }],
    ['authorizationList', { to: zeroAddress, type: '0x4', authorizationList: [] }],
    ['to', { authorizationList: ['valid'] }],
    ['type', { to: zeroAddress, type: '0x2', authorizationList: ['valid'] }],
    ['authorizationList[0].yParity', { to: zeroAddress, authorizationList: [{ yParity: '0x2' }] }],
    ['authorizationList[0].address', { to: zeroAddress, authorizationList: [{ address: null }] }],
    ['authorizationList[0].r', { to: zeroAddress, authorizationList: [{ r: null }] }],
  ])('authorizations are rejected with the path: %s in %j', async (place, fields) => {
    const { call } = await createPragueHarness();
    const valid = await authorization();
    const { authorizationList: changes, ...rest } = { authorizationList: undefined, ...fields };
    const authorizationList = changes?.map((change) =>
      typeof change === 'string' ? valid : { ...valid, ...change },
    );
    const transaction = { from: SENDER, ...rest, ...(authorizationList && { authorizationList }) };
    await expect(call('eth_sendTransaction', [transaction])).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(`params: transaction.${place}:`),
    });
    expect(await call('eth_blockNumber')).toBe('0x0');
  });
});

describe('an account that authorizes in its own transaction', () => {
  /** Signed by the account, with its nonce after its own transaction starts. */
  async function selfSigned(harness: RpcHarness, nonce: number, at = nonce + 1): Promise<`0x${string}`> {
    const signed = await OWNER.signAuthorization({ chainId: 33, address: CONTRACT, nonce: at });
    await harness.call('anvil_setBalance', [OWNER.address, '0xde0b6b3a7640000']);
    return OWNER.signTransaction({
      type: 'eip7702',
      chainId: 33,
      nonce,
      to: zeroAddress,
      gas: 100_000n,
      maxFeePerGas: 10n ** 10n,
      authorizationList: [signed],
    });
  }

  const plain = (nonce: number) =>
    OWNER.signTransaction({
      type: 'eip1559',
      chainId: 33,
      nonce,
      to: zeroAddress,
      gas: 100_000n,
      maxFeePerGas: 10n ** 10n,
    });

  it('a pending self-authorization uses two nonces, and later transactions can follow it', async () => {
    const harness = await createRpcHarness({}, { ruleSet: 'prague', automine: false });
    const { call } = harness;
    const pending = async () => call('eth_getTransactionCount', [OWNER.address, 'pending']);
    const hashes = [await call('eth_sendRawTransaction', [await selfSigned(harness, 0)])];
    expect(await pending()).toBe('0x2');
    hashes.push(await call('eth_sendRawTransaction', [await plain(2)]));
    expect(await pending()).toBe('0x3');
    hashes.push(await call('eth_sendRawTransaction', [await selfSigned(harness, 3)]));
    await call('anvil_impersonateAccount', [OWNER.address]);
    hashes.push(await call('eth_sendTransaction', [{ from: OWNER.address, to: zeroAddress }]));
    expect(await pending()).toBe('0x6');
    await call('evm_mine');
    for (const hash of hashes) expect(await receiptOf(harness, hash)).toMatchObject({ blockNumber: '0x1' });
    expect(await call('txpool_status')).toEqual({ pending: 0, queued: 0 });
  });

  it('a pending self-authorization for another nonce uses one nonce', async () => {
    const harness = await createRpcHarness({}, { ruleSet: 'prague', automine: false });
    await harness.call('eth_sendRawTransaction', [await selfSigned(harness, 0, 0)]);
    expect(await harness.call('eth_getTransactionCount', [OWNER.address, 'pending'])).toBe('0x1');
  });
});
