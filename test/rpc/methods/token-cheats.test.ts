import { describe, expect, it } from 'vitest';
import { createRpcHarness } from '../rpc-harness.ts';
import { createToken } from '../token-scene.ts';
import { deploy, SENDER } from './contract.ts';

const HOLDER = `0x${'5a'.repeat(20)}` as const;
const SPENDER = `0x${'6b'.repeat(20)}` as const;

describe('anvil_dealERC20', () => {
  it('anvil_dealERC20 sets only the balance, which can be spent', async () => {
    const { call, token, encode, ask } = await createToken();
    await call('anvil_dealERC20', [HOLDER, token, '0x64']);
    expect(await ask('balanceOf', HOLDER)).toBe(100n);
    expect(await ask('balanceOf', SENDER)).toBe(1_000n);
    expect(await ask('totalSupply')).toBe(1_000n);
    await call('eth_sendUnsignedTransaction', [
      { from: SENDER, to: token, data: encode('transfer', HOLDER, 1n) },
    ]);
    expect(await ask('balanceOf', HOLDER)).toBe(101n);
    await call('hardhat_dealERC20', [HOLDER, token, '0x0']);
    expect(await ask('balanceOf', HOLDER)).toBe(0n);
  });

  it('anvil_setERC20Balance accepts the current balance', async () => {
    const { call, token, ask } = await createToken();
    await call('anvil_setERC20Balance', [SENDER, token, 1_000]);
    expect(await ask('balanceOf', SENDER)).toBe(1_000n);
    expect(await ask('totalSupply')).toBe(1_000n);
  });

  it('anvil_dealERC20 finds the slot behind a proxy', async () => {
    const { call, token, ask } = await createToken();
    const proxy = `0x${'7c'.repeat(20)}`;
    const address = token.slice(2);
    // Delegates the call data to the token, and returns its result.
    await call('anvil_setCode', [proxy, `0x3660006000376000600036600073${address}5af43d600060003e3d6000f3`]);
    await call('anvil_dealERC20', [HOLDER, proxy, '0x7']);
    const data = `0x70a08231${HOLDER.slice(2).padStart(64, '0')}`;
    expect(BigInt(String(await call('eth_call', [{ to: proxy, data }, 'latest'])))).toBe(7n);
    expect(await ask('balanceOf', HOLDER)).toBe(0n);
  });

  it('anvil_dealERC20 rejects an address that is not a token and changes nothing', async () => {
    const harness = await createRpcHarness();
    const { call, chain } = harness;
    const { address } = await deploy(harness, 'Counter');
    const { state } = await chain.view({ tag: 'latest' });
    for (const token of [address, HOLDER]) {
      await expect(call('anvil_dealERC20', [HOLDER, token, '0x1'])).rejects.toMatchObject({
        code: -32000,
        message: 'Unable to set ERC20 balance, no slot found',
      });
    }
    expect((await chain.view({ tag: 'latest' })).state).toBe(state);
  });
});

describe('anvil_setERC20Allowance', () => {
  it('anvil_setERC20Allowance sets the allowance of a spender', async () => {
    const { call, token, encode, ask } = await createToken();
    await call('anvil_setERC20Allowance', [SENDER, SPENDER, token, '0x32']);
    expect(await ask('allowance', SENDER, SPENDER)).toBe(50n);
    expect(await ask('allowance', SPENDER, SENDER)).toBe(0n);
    await call('anvil_setBalance', [SPENDER, '0x1']);
    const data = encode('transferFrom', SENDER, SPENDER, 50n);
    await call('eth_sendUnsignedTransaction', [{ from: SPENDER, to: token, data }]);
    expect(await ask('balanceOf', SPENDER)).toBe(50n);
  });
});
