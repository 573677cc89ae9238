import { p256 } from '@noble/curves/nist.js';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/primitives/hex.ts';
import { createRpcHarness, type RpcHarness } from '../rpc-harness.ts';
import { SENDER } from './contract.ts';

const CAP = 2 ** 24;
const RECIPIENT = `0x${'b0'.repeat(20)}`;
/** Returns the remaining gas at its start. */
const GAS_LEFT = `0x${'c0'.repeat(20)}`;
const BLOCK_GAS = 60_000_000n;

async function createScene(ruleSet: 'prague' | 'osaka' = 'osaka'): Promise<RpcHarness> {
  const harness = await createRpcHarness({}, { ruleSet, gasLimit: BLOCK_GAS });
  await harness.call('anvil_setCode', [GAS_LEFT, '0x5a5f5260205ff3']);
  return harness;
}

const quantity = (number: number): string => `0x${number.toString(16)}`;

describe('hardfork in anvil_nodeInfo', () => {
  it.each([
    ['osaka', 'Osaka'],
    ['bpo1', 'Bpo1'],
    ['bpo2', 'Bpo2'],
  ] as const)('anvil_nodeInfo returns the name of Anvil for %s: %s', async (ruleSet, hardFork) => {
    const { call } = await createRpcHarness({}, { ruleSet });
    expect(await call('anvil_nodeInfo')).toMatchObject({ hardFork });
  });
});

describe('transactions under osaka', () => {
  it('a transaction is limited to 2^24 gas (EIP-7825)', async () => {
    const { call } = await createScene();
    const send = (gas: number) =>
      call('eth_sendTransaction', [{ from: SENDER, to: RECIPIENT, gas: quantity(gas) }]);
    await expect(send(CAP)).resolves.toMatch(/^0x/);
    await expect(send(CAP + 1)).rejects.toMatchObject({
      message: expect.stringContaining('transaction gas limit too high, EIP-7825'),
    });
    const { call: callUnderPrague } = await createScene('prague');
    const more = { from: SENDER, to: RECIPIENT, gas: quantity(CAP + 1) };
    await expect(callUnderPrague('eth_sendTransaction', [more])).resolves.toMatch(/^0x/);
  });

  it('the default gas of a transaction is limited to 2^24', async () => {
    const { call } = await createScene();
    // A failing transaction is sent with the maximum gas.
    await call('anvil_setCode', [RECIPIENT, '0xfe']);
    const hash = await call('eth_sendTransaction', [{ from: SENDER, to: RECIPIENT }]);
    expect(await call('eth_getTransactionByHash', [hash])).toMatchObject({ gas: quantity(CAP) });
  });

  it('eth_estimateGas is limited to 2^24 gas', async () => {
    const { call } = await createScene();
    // Reverts with less than 20 million gas.
    await call('anvil_setCode', [RECIPIENT, '0x6301312d005a11600d575f5ffd5b00']);
    const estimate = call('eth_estimateGas', [{ from: SENDER, to: RECIPIENT, gas: quantity(30_000_000) }]);
    await expect(estimate).rejects.toMatchObject({ message: expect.stringContaining('revert') });
  });
});

describe('calls under osaka', () => {
  it('eth_call uses the gas of the block, without the transaction limit', async () => {
    const { call } = await createScene();
    const gasOf = async (fields: object) =>
      BigInt((await call('eth_call', [{ to: GAS_LEFT, ...fields }, 'latest'])) as string);
    expect(await gasOf({})).toBe(BLOCK_GAS - 21_002n);
    expect(await gasOf({ gas: quantity(20_000_000) })).toBe(20_000_000n - 21_002n);
    expect(await gasOf({ gas: quantity(100_000_000) })).toBe(100_000_000n - 21_002n);
  });

  it.each([false, true])(
    'a simulated call uses the gas of its block (validation: %j)',
    async (validation) => {
      const { call } = await createScene();
      const blockStateCalls = [
        {
          blockOverrides: { baseFeePerGas: '0x0' },
          stateOverrides: { [SENDER]: { nonce: '0x0' } },
          calls: [{ from: SENDER, to: GAS_LEFT }],
        },
      ];
      const [block] = (await call('eth_simulateV1', [{ blockStateCalls, validation }, 'latest'])) as {
        calls: { returnData: string }[];
      }[];
      expect(BigInt(block?.calls[0]?.returnData ?? 0)).toBe(BLOCK_GAS - 21_002n);
    },
  );

  it('CLZ counts leading zeros (EIP-7939)', async () => {
    const { call } = await createScene();
    // PUSH1 0, CALLDATALOAD, CLZ, returned as a word
    await call('anvil_setCode', [RECIPIENT, '0x5f351e5f5260205ff3']);
    const zerosOf = async (word: bigint) => {
      const input = toHex(Buffer.from(word.toString(16).padStart(64, '0'), 'hex'));
      return Number(await call('eth_call', [{ to: RECIPIENT, input }, 'latest']));
    };
    for (const bit of [0n, 1n, 7n, 63n, 64n, 65n, 127n, 128n, 191n, 192n, 255n]) {
      expect(await zerosOf(1n << bit)).toBe(255 - Number(bit));
      expect(await zerosOf((1n << (bit + 1n)) - 1n)).toBe(255 - Number(bit));
    }
    expect(await zerosOf(0n)).toBe(256);
  });

  it('the P256VERIFY precompile verifies a passkey signature (EIP-7951)', async () => {
    const { call } = await createScene();
    const secret = new Uint8Array(32).fill(7);
    const hash = new Uint8Array(32).fill(9);
    const signature = p256.sign(hash, secret, { prehash: false, lowS: false });
    const key = p256.getPublicKey(secret, false).subarray(1);
    const to = '0x0000000000000000000000000000000000000100';
    const verify = (input: Uint8Array) => call('eth_call', [{ to, input: toHex(input) }, 'latest']);
    const right = Buffer.concat([hash, signature, key]);
    expect(await verify(right)).toBe(`0x${'0'.repeat(63)}1`);
    const wrong = Buffer.from(right);
    wrong[0] = 8;
    expect(await verify(wrong)).toBe('0x');
    expect(await verify(right.subarray(1))).toBe('0x');
    const { call: callUnderPrague } = await createScene('prague');
    expect(await callUnderPrague('eth_call', [{ to, input: toHex(right) }, 'latest'])).toBe('0x');
  });

  it('MODEXP fails for numbers above 1,024 bytes (EIP-7823)', async () => {
    const length = (bytes: number) => bytes.toString(16).padStart(64, '0');
    const to = '0x0000000000000000000000000000000000000005';
    const inputOf = (bytes: number) =>
      `0x${length(bytes)}${length(1)}${length(bytes)}${'01'.repeat(2 * bytes + 1)}`;
    const { call } = await createScene();
    expect(await call('eth_call', [{ to, input: inputOf(1_024) }, 'latest'])).toMatch(/^0x/);
    await expect(call('eth_call', [{ to, input: inputOf(1_025) }, 'latest'])).rejects.toMatchObject({
      code: expect.any(Number),
    });
    const { call: callUnderPrague } = await createScene('prague');
    expect(await callUnderPrague('eth_call', [{ to, input: inputOf(1_025) }, 'latest'])).toMatch(/^0x/);
  });
});

describe('blocks under osaka', () => {
  it('a block is limited to 8 MiB (EIP-7934)', async () => {
    const { call } = await createRpcHarness({}, { ruleSet: 'osaka', gasLimit: 10_000_000_000n });
    await call('evm_setAutomine', [false]);
    const input = `0x${'00'.repeat(120_000)}`;
    const count = 72;
    for (let sent = 0; sent < count; sent++) {
      await call('eth_sendTransaction', [{ from: SENDER, to: RECIPIENT, input, gas: quantity(2_000_000) }]);
    }
    await call('evm_mine', []);
    const first = (await call('eth_getBlockByNumber', ['latest', false])) as {
      size: string;
      transactions: string[];
    };
    expect(Number(first.size)).toBeLessThanOrEqual(8_388_608);
    expect(first.transactions).toHaveLength(69);
    await call('evm_mine', []);
    const second = (await call('eth_getBlockByNumber', ['latest', false])) as { transactions: string[] };
    expect(second.transactions).toHaveLength(count - 69);
  });
});
