import { keccak256, stringToHex } from 'viem';
import { sign } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import type { ChainOptions } from '../../../src/chain/settings/chain-options.ts';
import { RULE_SET_NAMES } from '../../../src/protocol/hardforks/registry.ts';
import { createRpcHarness, type RpcHarness } from '../rpc-harness.ts';
import { SENDER } from './contract.ts';

const ECRECOVER = `0x${'00'.repeat(19)}01`;
const STRANGER = `0x${'5a'.repeat(20)}`;
const OTHER = `0x${'6b'.repeat(20)}`;
const R = '11'.repeat(32);
const S = '22'.repeat(32);
const SIGNATURE = `0x${R}${S}1b`;
const HASH = 'ab'.repeat(32);

function word(address: string): string {
  return `0x${'00'.repeat(12)}${address.slice(2)}`;
}

/** The result of ECRECOVER for a hash and a signature in bare digits. */
function recover({ call }: RpcHarness, hash: string, v: number, r = R, s = S): Promise<unknown> {
  const data = `0x${hash}${v.toString(16).padStart(64, '0')}${r}${s}`;
  return call('eth_call', [{ to: ECRECOVER, data }, 'latest']);
}

describe('impersonated signatures', () => {
  it.each(RULE_SET_NAMES)('ECRECOVER returns the address for any hash under %s', async (ruleSet) => {
    const harness = await createRpcHarness({}, { ruleSet });
    expect(await recover(harness, HASH, 27)).not.toBe(word(STRANGER));
    expect(await harness.call('anvil_impersonateSignature', [SIGNATURE, STRANGER])).toBeNull();
    expect(await recover(harness, HASH, 27)).toBe(word(STRANGER));
    expect(await recover(harness, '00'.repeat(32), 27)).toBe(word(STRANGER));
  });

  it('another r, s or v is not affected', async () => {
    const harness = await createRpcHarness();
    const before = [await recover(harness, HASH, 28), await recover(harness, HASH, 27, S, R)];
    await harness.call('anvil_impersonateSignature', [SIGNATURE, STRANGER]);
    expect([await recover(harness, HASH, 28), await recover(harness, HASH, 27, S, R)]).toEqual(before);
  });

  it('valid signatures of other keys are not affected', async () => {
    const harness = await createRpcHarness();
    await harness.call('anvil_impersonateSignature', [SIGNATURE, STRANGER]);
    const { r, s, v } = await sign({ hash: `0x${HASH}`, privateKey: keccak256(stringToHex('signer')) });
    const signer = await recover(harness, HASH, Number(v), r.slice(2), s.slice(2));
    expect(signer).toMatch(/^0x0{24}(?!5a5a)[0-9a-f]{40}$/);
  });

  it('an invalid signature can be impersonated', async () => {
    const harness = await createRpcHarness();
    const zeros = '00'.repeat(32);
    expect(await recover(harness, HASH, 0, zeros, zeros)).toBe('0x');
    await harness.call('anvil_impersonateSignature', [`0x${zeros}${zeros}00`, OTHER]);
    expect(await recover(harness, HASH, 0, zeros, zeros)).toBe(word(OTHER));
    expect(await harness.call('eth_call', [{ to: ECRECOVER, data: '0x' }, 'latest'])).toBe(word(OTHER));
  });

  it('the latest address of a signature takes precedence', async () => {
    const harness = await createRpcHarness();
    await harness.call('anvil_impersonateSignature', [SIGNATURE, STRANGER]);
    await harness.call('anvil_impersonateSignature', [SIGNATURE, OTHER]);
    expect(await recover(harness, HASH, 27)).toBe(word(OTHER));
  });

  it('an impersonated signature costs the same gas', async () => {
    const harness = await createRpcHarness();
    const data = `0x${HASH}${'00'.repeat(31)}1b${R}${S}`;
    const estimate = () => harness.call('eth_estimateGas', [{ to: ECRECOVER, data }]);
    const before = await estimate();
    await harness.call('anvil_impersonateSignature', [SIGNATURE, STRANGER]);
    expect(await estimate()).toBe(before);
  });

  it('evm_revert and anvil_reset undo an impersonated signature', async () => {
    const harness = await createRpcHarness();
    const before = await recover(harness, HASH, 27);
    const snapshot = await harness.call('evm_snapshot');
    await harness.call('anvil_impersonateSignature', [SIGNATURE, STRANGER]);
    const later = await harness.call('evm_snapshot');
    await harness.call('evm_revert', [later]);
    expect(await recover(harness, HASH, 27)).toBe(word(STRANGER));
    await harness.call('evm_revert', [snapshot]);
    expect(await recover(harness, HASH, 27)).toBe(before);
    await harness.call('anvil_impersonateSignature', [SIGNATURE, STRANGER]);
    await harness.call('evm_reset');
    expect(await recover(harness, HASH, 27)).toBe(before);
  });

  it('anvil_impersonateSignature accepts both parameters in one array, as in Anvil', async () => {
    const harness = await createRpcHarness();
    expect(await harness.call('anvil_impersonateSignature', [[SIGNATURE, STRANGER]])).toBeNull();
    expect(await recover(harness, HASH, 27)).toBe(word(STRANGER));
  });

  it.each([
    ['that no key has made', { r: '0x0', s: '0x0', yParity: '0x0' }, `0x${'00'.repeat(64)}1b`],
    [
      'with a high s',
      { r: `0x${R}`, s: `0x${'ee'.repeat(32)}`, yParity: '0x1' },
      `0x${R}${'ee'.repeat(32)}1c`,
    ],
    ['of another account', { r: `0x${R}`, s: `0x${S}`, yParity: '0x0' }, SIGNATURE],
  ])('a signature %s impersonates the signer of an authorization', async (_name, values, signature) => {
    const { call } = await createRpcHarness({}, { ruleSet: 'prague' });
    const delegate = `0x${'c0'.repeat(20)}`;
    await call('anvil_setCode', [delegate, '0x602a60005260206000f3']);
    const authorization = { chainId: '0x21', address: delegate, nonce: '0x0', ...values };
    const message = { from: SENDER, to: STRANGER, gas: '0x186a0', authorizationList: [authorization] };
    expect(await call('eth_call', [message, 'latest'])).toBe('0x');
    await call('anvil_impersonateSignature', [[signature, STRANGER]]);
    expect(await call('eth_call', [message, 'latest'])).toBe(`0x${'2a'.padStart(64, '0')}`);
    const hash = await call('eth_sendTransaction', [message]);
    expect(await call('eth_getCode', [STRANGER, 'latest'])).toBe(`0xef0100${'c0'.repeat(20)}`);
    expect(await call('eth_getTransactionCount', [STRANGER, 'latest'])).toBe('0x1');
    const options = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } };
    expect(await call('debug_traceTransaction', [hash, options])).toMatchObject({
      post: { [STRANGER]: { nonce: 1, code: `0xef0100${'c0'.repeat(20)}` } },
    });
  });

  it('impersonated authorizations skip shadow execution and reject the reference engine', async () => {
    const authorization = { chainId: '0x21', address: OTHER, nonce: '0x0', r: `0x${R}`, s: `0x${S}` };
    const message = { to: OTHER, authorizationList: [{ ...authorization, yParity: '0x0' }] };
    const ask = async (options: Partial<ChainOptions>) => {
      const { call } = await createRpcHarness({}, { ruleSet: 'prague', ...options });
      await call('anvil_impersonateSignature', [SIGNATURE, STRANGER]);
      return call('eth_call', [message, 'latest']);
    };
    expect(await ask({ shadow: true })).toBe('0x');
    await expect(ask({ engine: 'reference' })).rejects.toMatchObject({
      message: expect.stringContaining('use --engine wasm'),
    });
  });

  it.each([
    ['address', [SIGNATURE]],
    ['address', [[SIGNATURE, STRANGER], OTHER]],
    ['signature', [[SIGNATURE]]],
    ['signature[1]', [[SIGNATURE, '0x12']]],
    ['signature', ['0x11', STRANGER]],
    ['signature', [`0x${R}${S}`, STRANGER]],
    ['signature', [undefined, STRANGER]],
    ['address', [SIGNATURE, '0x12']],
  ])('rejects an invalid %s: %j', async (name, params) => {
    const { call } = await createRpcHarness();
    await expect(call('anvil_impersonateSignature', params)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(`params: ${name}:`),
    });
  });
});
