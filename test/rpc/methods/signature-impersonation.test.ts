import { keccak256, stringToHex } from 'viem';
import { sign } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { RULE_SET_NAMES } from '../../../src/rules/rule-set.ts';
import { createRpcHarness, type RpcHarness } from '../rpc-harness.ts';

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

/** What ECRECOVER answers for a hash and a signature, in bare digits; `v` as a number. */
function recover({ call }: RpcHarness, hash: string, v: number, r = R, s = S): Promise<unknown> {
  const data = `0x${hash}${v.toString(16).padStart(64, '0')}${r}${s}`;
  return call('eth_call', [{ to: ECRECOVER, data }, 'latest']);
}

describe('an impersonated signature', () => {
  it.each(RULE_SET_NAMES)(
    'is taken for that of the address, whatever was signed, under %s',
    async (ruleSet) => {
      const harness = await createRpcHarness({}, { ruleSet });
      expect(await recover(harness, HASH, 27)).not.toBe(word(STRANGER));
      expect(await harness.call('anvil_impersonateSignature', [SIGNATURE, STRANGER])).toBeNull();
      expect(await recover(harness, HASH, 27)).toBe(word(STRANGER));
      expect(await recover(harness, '00'.repeat(32), 27)).toBe(word(STRANGER));
    },
  );

  it('is that signature alone: another r, s or v is not concerned', async () => {
    const harness = await createRpcHarness();
    const before = [await recover(harness, HASH, 28), await recover(harness, HASH, 27, S, R)];
    await harness.call('anvil_impersonateSignature', [SIGNATURE, STRANGER]);
    expect([await recover(harness, HASH, 28), await recover(harness, HASH, 27, S, R)]).toEqual(before);
  });

  it('leaves true signatures to the curve', async () => {
    const harness = await createRpcHarness();
    await harness.call('anvil_impersonateSignature', [SIGNATURE, STRANGER]);
    const { r, s, v } = await sign({ hash: `0x${HASH}`, privateKey: keccak256(stringToHex('signer')) });
    const signer = await recover(harness, HASH, Number(v), r.slice(2), s.slice(2));
    expect(signer).toMatch(/^0x0{24}(?!5a5a)[0-9a-f]{40}$/);
  });

  it('need not be one that the curve could have made', async () => {
    const harness = await createRpcHarness();
    const zeros = '00'.repeat(32);
    expect(await recover(harness, HASH, 0, zeros, zeros)).toBe('0x');
    await harness.call('anvil_impersonateSignature', [`0x${zeros}${zeros}00`, OTHER]);
    expect(await recover(harness, HASH, 0, zeros, zeros)).toBe(word(OTHER));
    expect(await harness.call('eth_call', [{ to: ECRECOVER, data: '0x' }, 'latest'])).toBe(word(OTHER));
  });

  it('goes over to the address that it was given to last', async () => {
    const harness = await createRpcHarness();
    await harness.call('anvil_impersonateSignature', [SIGNATURE, STRANGER]);
    await harness.call('anvil_impersonateSignature', [SIGNATURE, OTHER]);
    expect(await recover(harness, HASH, 27)).toBe(word(OTHER));
  });

  it('costs as much gas as any other', async () => {
    const harness = await createRpcHarness();
    const data = `0x${HASH}${'00'.repeat(31)}1b${R}${S}`;
    const estimate = () => harness.call('eth_estimateGas', [{ to: ECRECOVER, data }]);
    const before = await estimate();
    await harness.call('anvil_impersonateSignature', [SIGNATURE, STRANGER]);
    expect(await estimate()).toBe(before);
  });

  it('is gone with the snapshot that was taken before it, and with a reset', async () => {
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

  it.each([
    ['signature', ['0x11', STRANGER]],
    ['signature', [`0x${R}${S}`, STRANGER]],
    ['signature', [undefined, STRANGER]],
    ['address', [SIGNATURE, '0x12']],
  ])('is refused where its %s is none: %j', async (name, params) => {
    const { call } = await createRpcHarness();
    await expect(call('anvil_impersonateSignature', params)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(`'${name}'`),
    });
  });
});
