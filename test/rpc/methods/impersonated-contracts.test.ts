import { zeroAddress } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { RULE_SET_NAMES, type RuleSetName, ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import { createRpcHarness, type RpcHarness } from '../rpc-harness.ts';
import { receiptOf, SENDER } from './contract.ts';

/** An account with a known key and code, like an address collision. */
const OWNER = privateKeyToAccount(`0x${'51'.repeat(32)}`);
const CODE = '0x602a60005260206000f3';
const ETHEREUM = RULE_SET_NAMES.filter((name) => ruleSetNamed(name).encoding === 'ethereum');

async function withCode(ruleSet: RuleSetName, code = CODE): Promise<RpcHarness> {
  const harness = await createRpcHarness({}, { ruleSet });
  await harness.call('anvil_setBalance', [OWNER.address, '0xde0b6b3a7640000']);
  await harness.call('anvil_setCode', [OWNER.address, code]);
  return harness;
}

function signed(): Promise<`0x${string}`> {
  const gasPrice = 10n ** 10n;
  return OWNER.signTransaction({
    type: 'legacy',
    chainId: 33,
    nonce: 0,
    to: zeroAddress,
    gas: 21_000n,
    gasPrice,
  });
}

describe('transactions signed by an account with code (EIP-3607)', () => {
  it.each(ETHEREUM)('the transactions are rejected under %s and change no state', async (ruleSet) => {
    const { call } = await withCode(ruleSet);
    await expect(call('eth_sendRawTransaction', [await signed()])).rejects.toMatchObject({
      code: -32010,
      message: expect.stringMatching(
        /^the sender 0x[0-9a-f]{40} has code \(sender not an eoa\); impersonate the sender/,
      ),
    });
    expect(await call('txpool_status')).toEqual({ pending: 0, queued: 0 });
  });

  it('the transactions are accepted while the account is impersonated', async () => {
    const harness = await withCode('prague');
    await harness.call('anvil_impersonateAccount', [OWNER.address]);
    const hash = await harness.call('eth_sendRawTransaction', [await signed()]);
    expect(await receiptOf(harness, hash)).toMatchObject({ status: '0x1' });
  });

  it('the transactions are accepted under Rootstock rules, which lack EIP-3607', async () => {
    const harness = await withCode('rootstock');
    const hash = await harness.call('eth_sendRawTransaction', [await signed()]);
    expect(await receiptOf(harness, hash)).toMatchObject({ status: '0x1' });
  });

  it('the transactions are accepted if the code is a delegation (EIP-7702)', async () => {
    const harness = await withCode('prague', `0xef0100${'c0'.repeat(20)}`);
    const hash = await harness.call('eth_sendRawTransaction', [await signed()]);
    expect(await receiptOf(harness, hash)).toMatchObject({ status: '0x1' });
  });
});

describe('impersonated contracts', () => {
  it('an impersonated contract sends transactions under Ethereum rules', async () => {
    const harness = await withCode('prague');
    const { call } = harness;
    const transaction = { from: OWNER.address, to: SENDER, value: '0x1' };
    await call('anvil_impersonateAccount', [OWNER.address]);
    expect(await receiptOf(harness, await call('eth_sendTransaction', [transaction]))).toMatchObject({
      status: '0x1',
    });
  });
});
