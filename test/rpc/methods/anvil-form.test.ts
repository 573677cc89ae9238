import { describe, expect, it } from 'vitest';
import { createRpcHarness } from '../rpc-harness.ts';
import { SENDER } from './contract.ts';

const HALTS = [
  ['an invalid opcode', '0xfe', 'InvalidFEOpcode'],
  ['a byte that is no opcode', '0x0c', 'OpcodeNotFound'],
  ['an invalid jump', '0x5f56', 'InvalidJump'],
  ['too few items on the stack', '0x01', 'StackUnderflow'],
  ['too little gas', '0x5b5f56', 'OutOfGas'],
] as const;

describe('halts in compat mode anvil', () => {
  it.each(HALTS)(
    "eth_call returns error -32003 with Anvil's message and no data for %s",
    async (_kind, data, name) => {
      const { call } = await createRpcHarness({ compat: 'anvil' });

      const halted = call('eth_call', [{ from: SENDER, data, gas: '0x30d40' }, 'latest']);

      await expect(halted).rejects.toMatchObject({
        code: -32003,
        message: `EVM error ${name}`,
        data: undefined,
      });
    },
  );

  it("eth_estimateGas returns error -32003 with Anvil's message", async () => {
    const { call } = await createRpcHarness({ compat: 'anvil' });

    await expect(call('eth_estimateGas', [{ from: SENDER, data: '0xfe' }])).rejects.toMatchObject({
      code: -32003,
      message: 'EVM error InvalidFEOpcode',
    });
  });
});

describe('out-of-gas estimates in compat mode anvil', () => {
  it('eth_estimateGas returns error -32003 with the available gas', async () => {
    const { call } = await createRpcHarness({ compat: 'anvil' });
    const endless = { from: SENDER, data: '0x5b5f56', gas: '0x30d40' };

    await expect(call('eth_estimateGas', [endless])).rejects.toMatchObject({
      code: -32003,
      message: 'Out of gas: gas required exceeds allowance: 200000',
      data: undefined,
    });
  });
});

describe('clientVersion of anvil_metadata', () => {
  it('clientVersion equals web3_clientVersion in compat mode anvil', async () => {
    const { call } = await createRpcHarness({ compat: 'anvil' });

    const { clientVersion } = (await call('anvil_metadata')) as { readonly clientVersion: string };

    expect(clientVersion).toMatch(/^anvil\/v\d+\.\d+\.\d+/);
    expect(clientVersion).toBe(await call('web3_clientVersion'));
  });

  it.each(['service', 'hardhat'] as const)('clientVersion is node-cli in compat mode %s', async (compat) => {
    const { call } = await createRpcHarness({ compat });

    expect(await call('anvil_metadata')).toMatchObject({ clientVersion: 'node-cli/v1.2.3' });
  });
});
