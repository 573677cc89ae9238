import { type Hex, hashMessage, keccak256, recoverAddress } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/primitives/hex.ts';
import { BOB, testAccount } from '../../support/test-chain.ts';
import { createRpcHarness } from '../rpc-harness.ts';
import { deploy, receiptOf, SENDER } from './contract.ts';

const STRANGER = `0x${'99'.repeat(20)}`;

describe('eth_call', () => {
  it('eth_call returns the output of the code for the state of the given block', async () => {
    const harness = await createRpcHarness();
    const counter = await deploy(harness, 'Counter');
    const count = async (block: string) =>
      counter.decode(
        'count',
        await harness.call('eth_call', [{ to: counter.address, data: counter.data('count') }, block]),
      );
    await harness.call('eth_sendTransaction', [
      { from: SENDER, to: counter.address, data: counter.data('increase', 5n) },
    ]);
    expect(await count('latest')).toBe(5n);
    expect(await count('0x1')).toBe(0n);
  });

  it('eth_call runs the data as creation code without a recipient', async () => {
    const { call } = await createRpcHarness();
    // PUSH1 42, PUSH1 0, MSTORE, PUSH1 32, PUSH1 0, RETURN
    expect(await call('eth_call', [{ data: '0x602a60005260206000f3' }, 'latest'])).toBe(
      `0x${'2a'.padStart(64, '0')}`,
    );
  });

  it.each([
    ['service', -32015, 'VM Exception while processing transaction: revert not today'],
    ['anvil', 3, 'execution reverted: not today'],
    ['hardhat', 3, "VM Exception while processing transaction: reverted with reason string 'not today'"],
  ] as const)(
    'eth_call and eth_estimateGas report a revert in compat mode %s',
    async (compat, code, message) => {
      const harness = await createRpcHarness({ compat });
      const failures = await deploy(harness, 'Failures');
      const asked = { to: failures.address, data: failures.data('reason') };
      const error = { code, message, data: expect.stringMatching(/^0x08c379a0/) };
      await expect(harness.call('eth_call', [asked, 'latest'])).rejects.toMatchObject(error);
      await expect(harness.call('eth_estimateGas', [asked])).rejects.toMatchObject(error);
    },
  );

  it('eth_call reports a halt without data, and returns 0x on a hosted node', async () => {
    const harness = await createRpcHarness();
    const failures = await deploy(harness, 'Failures');
    const asked = [{ to: failures.address, data: failures.data('invalidOpcode') }, 'latest'];
    await expect(harness.call('eth_call', asked)).rejects.toMatchObject({
      code: -32015,
      message: expect.stringMatching(/^VM Exception while processing transaction: .*invalid opcode/),
      data: undefined,
    });
    const hosted = await createRpcHarness({ hosted: true });
    // INVALID
    expect(await hosted.call('eth_call', [{ data: '0xfe' }, 'latest'])).toBe('0x');
  });

  it("a halt has empty error data in compat mode hardhat, as Hardhat's matchers expect", async () => {
    const harness = await createRpcHarness({ compat: 'hardhat' });
    const failures = await deploy(harness, 'Failures');
    const asked = { from: SENDER, to: failures.address, data: failures.data('invalidOpcode') };
    await expect(harness.call('eth_call', [asked])).rejects.toMatchObject({ code: 3, data: '0x' });
    await expect(harness.call('eth_sendTransaction', [asked])).rejects.toMatchObject({
      code: 3,
      data: { data: '0x', txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
    });
  });

  it('eth_call uses the latest block by default in compat modes anvil and hardhat', async () => {
    for (const compat of ['anvil', 'hardhat'] as const) {
      const { call } = await createRpcHarness({ compat });
      expect(await call('eth_call', [{ to: SENDER }])).toBe('0x');
      expect(await call('eth_getCode', [SENDER])).toBe('0x');
      expect(await call('eth_getStorageAt', [SENDER, '0x0'])).toBe(`0x${'0'.repeat(64)}`);
      expect(await call('eth_getProof', [SENDER, []])).toMatchObject({ address: SENDER });
    }
  });
});

describe("eth_call with Rootstock's limits", () => {
  // GAS, PUSH0, MSTORE, PUSH1 32, PUSH0, RETURN
  const GAS_LEFT = { [STRANGER]: { code: '0x5a5f5260205ff3' } };

  it.each([
    ['all that there is', undefined, 10_000_000],
    ['more than there is', '0xffffffff', 10_000_000],
    ['less', '0x7a1200', 8_000_000],
  ])(
    'eth_call gets at least 10,000,000 gas regardless of the block limit, with requested gas: %s',
    async (_, gas, expected) => {
      const limits = { networkLimits: true, gasLimit: 6_800_000n, gasLimitTarget: 6_800_000n };
      const { call } = await createRpcHarness({}, limits);
      const left = await call('eth_call', [{ to: STRANGER, gas }, 'latest', GAS_LEFT]);
      expect(Number(left)).toBe(expected - 21_000 - 2);
    },
  );
});

describe('eth_estimateGas', () => {
  it.each(['rootstock', 'osaka', 'amsterdam'] as const)(
    'eth_estimateGas suffices for inner calls whose failure the code ignores, under %s rules',
    async (ruleSet) => {
      const { call } = await createRpcHarness({}, { ruleSet });
      const [outer, inner] = [`0x${'a1'.repeat(20)}`, `0x${'b2'.repeat(20)}`];
      // SSTORE(0, 1)
      await call('hardhat_setCode', [inner, '0x600160005500']);
      // POP(CALL(GAS, inner, 0, 0, 0, 0, 0))
      await call('hardhat_setCode', [outer, `0x6000600060006000600073${inner.slice(2)}5af15000`]);
      const gas = await call('eth_estimateGas', [{ from: SENDER, to: outer }]);
      await call('eth_sendTransaction', [{ from: SENDER, to: outer, gas }]);
      expect(BigInt((await call('eth_getStorageAt', [inner, '0x0', 'latest'])) as string)).toBe(1n);
      const less = `0x${(BigInt(gas as string) - 1n).toString(16)}`;
      await call('hardhat_setStorageAt', [inner, '0x0', `0x${'0'.repeat(64)}`]);
      await call('eth_sendTransaction', [{ from: SENDER, to: outer, gas: less }]).catch(() => null);
      expect(BigInt((await call('eth_getStorageAt', [inner, '0x0', 'latest'])) as string)).toBe(0n);
    },
  );

  it('eth_estimateGas returns enough gas for code whose gas usage depends on its gas limit', async () => {
    const harness = await createRpcHarness({}, { ruleSet: 'osaka' });
    const burner = `0x${'c3'.repeat(20)}`;
    // Hashes GAS / 256 bytes, so more gas means more work.
    await harness.call('hardhat_setCode', [burner, '0x5a60081c60002000']);
    const gas = await harness.call('eth_estimateGas', [{ from: SENDER, to: burner }]);
    expect(BigInt(gas as string)).toBeLessThan(1_000_000n);
    const hash = await harness.call('eth_sendTransaction', [{ from: SENDER, to: burner, gas }]);
    expect(await receiptOf(harness, hash)).toMatchObject({ status: '0x1' });
  });

  // PUSH1 1, PUSH0, SSTORE
  const WRITING = { [STRANGER]: { code: '0x60015f55' } };

  it('eth_estimateGas ignores the gas of the request under Rootstock rules', async () => {
    const { call } = await createRpcHarness();
    const needed = await call('eth_estimateGas', [{ to: STRANGER }, 'latest', WRITING]);
    for (const gas of ['0x1', '0x5208', '0xffffffff']) {
      expect(await call('eth_estimateGas', [{ to: STRANGER, gas }, 'latest', WRITING])).toBe(needed);
    }
  });

  it.each(['anvil', 'hardhat'] as const)(
    'eth_estimateGas is limited by the gas of the request in compat mode %s',
    async (compat) => {
      const { call } = await createRpcHarness({ compat });
      const params = [{ to: STRANGER, gas: '0x5300' }, 'latest', WRITING];
      await expect(call('eth_estimateGas', params)).rejects.toThrow(/out of gas/i);
    },
  );

  it('eth_estimateGas ignores the balance of the sender', async () => {
    const { call } = await createRpcHarness();
    const asked = { from: STRANGER, to: BOB, value: '0x1' };
    expect(await call('eth_estimateGas', [asked])).toBe('0x5208');
  });

  it('eth_estimateGas always returns an estimate on a hosted node', async () => {
    const { call } = await createRpcHarness({ hosted: true });
    // PUSH1 0, PUSH1 0, REVERT
    expect(await call('eth_estimateGas', [{ data: '0x60006000fd' }])).toMatch(/^0x[1-9a-f]/);
    expect(await call('eth_estimateGas', [{ data: '0xfe' }])).toMatch(/^0x[1-9a-f]/);
    expect(await call('eth_estimateGas', [{ to: BOB, gas: '0x1' }])).toMatch(/^0x[1-9a-f]?/);
  });
});

describe('eth_sendTransaction', () => {
  it('eth_sendTransaction returns after mining, with a default of 90000 gas', async () => {
    const harness = await createRpcHarness();
    const transaction = { from: SENDER, to: STRANGER, value: '0x64', data: '0x00' };
    const hash = await harness.call('eth_sendTransaction', [transaction]);
    expect(await receiptOf(harness, hash)).toMatchObject({ status: '0x1', gasUsed: '0x520c' });
    expect(await harness.call('eth_getTransactionByHash', [hash])).toMatchObject({
      gas: '0x15f90',
      value: '0x64',
    });
    expect(await harness.call('eth_getBalance', [STRANGER])).toBe('0x64');
  });

  it('eth_sendTransaction raises the default gas to the estimate of a creation', async () => {
    const harness = await createRpcHarness();
    await deploy(harness, 'Failures');
    const block = await harness.call('eth_getBlockByNumber', ['latest', true]);
    const [{ gas }] = (block as { readonly transactions: readonly [{ readonly gas: string }] }).transactions;
    expect(Number(gas)).toBeGreaterThan(90_000);
  });

  it('eth_sendTransaction mines a failing transaction without using all its gas', async () => {
    const harness = await createRpcHarness();
    const failures = await deploy(harness, 'Failures');
    const send = {
      from: SENDER,
      to: failures.address,
      data: failures.data('countThenFail'),
      gasPrice: '0x1',
    };
    const hash = await harness.call('eth_sendTransaction', [send]);
    const receipt = await receiptOf(harness, hash);
    expect(receipt.status).toBe('0x0');
    expect(Number(receipt.gasUsed)).toBeLessThan(100_000);
  });

  it('eth_sendTransaction and eth_sendRawTransaction report a failure in compat mode hardhat', async () => {
    const harness = await createRpcHarness({ compat: 'hardhat' });
    const failures = await deploy(harness, 'Failures');
    const error = {
      code: 3,
      data: {
        message: expect.stringContaining("reverted with reason string 'not today'"),
        data: expect.stringMatching(/^0x08c379a0/),
      },
    };
    const data = failures.data('reason');
    await expect(
      harness.call('eth_sendTransaction', [{ from: SENDER, to: failures.address, data }]),
    ).rejects.toMatchObject(error);
    const signer = privateKeyToAccount(toHex(testAccount(1).privateKey));
    const to = failures.address as Hex;
    const raw = await signer.signTransaction({
      type: 'legacy',
      chainId: 33,
      nonce: 0,
      gas: 100_000n,
      gasPrice: 0n,
      to,
      data,
    });
    await expect(harness.call('eth_sendRawTransaction', [raw])).rejects.toMatchObject({
      ...error,
      data: { ...error.data, txHash: keccak256(raw) },
    });
    expect(await harness.call('eth_blockNumber')).toBe('0x3');
    expect(await harness.call('eth_getTransactionReceipt', [keccak256(raw)])).toMatchObject({
      status: '0x0',
    });
  });

  it('concurrent transactions get different nonces', async () => {
    const harness = await createRpcHarness();
    const send = () => harness.call('eth_sendTransaction', [{ from: SENDER, to: BOB }]);
    const hashes = await Promise.all([send(), send(), send()]);
    expect(new Set(hashes).size).toBe(3);
    expect(await harness.call('eth_getTransactionCount', [SENDER])).toBe('0x3');
  });

  it('eth_sendTransaction sends typed transactions under hardforks that support them', async () => {
    const harness = await createRpcHarness({}, { ruleSet: 'cancun' });
    const hash = await harness.call('eth_sendTransaction', [{ from: SENDER, to: BOB }]);
    expect(await receiptOf(harness, hash)).toMatchObject({ status: '0x1', type: '0x2' });
    const legacy = await harness.call('eth_sendTransaction', [
      { from: SENDER, to: BOB, gasPrice: '0x77359400' },
    ]);
    expect(await receiptOf(harness, legacy)).toMatchObject({ status: '0x1', type: '0x0' });
    const listed = { from: SENDER, to: BOB, gasPrice: '0x77359400', accessList: [{ address: BOB }] };
    const hashOfListed = await harness.call('eth_sendTransaction', [listed]);
    expect(await receiptOf(harness, hashOfListed)).toMatchObject({ status: '0x1', type: '0x1' });
  });

  it.each([
    [{ from: STRANGER, to: BOB }, -32602, /account/],
    [{ from: SENDER, to: BOB, chainId: '0x1' }, -32602, /chainId/],
    [{ from: SENDER, to: BOB, nonce: '0x0', gas: '0x1' }, -32010, /intrinsic gas too low/],
    [{ to: BOB }, -32602, /params: transaction\.from:/],
  ])('eth_sendTransaction rejects %j and changes no state', async (transaction, code, message) => {
    const { call } = await createRpcHarness();
    await expect(call('eth_sendTransaction', [transaction])).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
    expect(await call('eth_blockNumber')).toBe('0x0');
    expect(await call('eth_pendingTransactions')).toEqual([]);
  });
});

describe('eth_sendRawTransaction', () => {
  it('eth_sendRawTransaction rejects bytes that are not a transaction', async () => {
    const { call } = await createRpcHarness();
    for (const raw of ['0x', `0x${'ff'.repeat(40)}`]) {
      await expect(call('eth_sendRawTransaction', [raw])).rejects.toMatchObject({
        code: expect.toSatisfy((code: unknown) => code === -32602 || code === -32000),
      });
    }
  });

  it('eth_sendRawTransaction rejects typed transactions with the error of Rootstock', async () => {
    const { call } = await createRpcHarness();
    for (const raw of ['0x00', '0x02c0'])
      await expect(call('eth_sendRawTransaction', [raw])).rejects.toMatchObject({ code: -32010 });
  });
});

describe('eth_sign', () => {
  it('eth_sign signs the prefixed message', async () => {
    const { call } = await createRpcHarness();
    const signature = (await call('eth_sign', [SENDER, '0xdeadbeef'])) as Hex;
    const recovered = await recoverAddress({ hash: hashMessage({ raw: '0xdeadbeef' }), signature });
    expect(recovered.toLowerCase()).toBe(SENDER);
    expect(signature.slice(-2)).toMatch(/1[bc]/);
  });

  it('eth_sign rejects an account without a key', async () => {
    const { call } = await createRpcHarness();
    await expect(call('eth_sign', [STRANGER, '0x'])).rejects.toMatchObject({ code: -32602 });
  });
});

describe('a hosted node', () => {
  it('a hosted node lists no accounts and rejects methods that require a key', async () => {
    const { call } = await createRpcHarness({ hosted: true });
    expect(await call('eth_accounts')).toEqual([]);
    expect(await call('personal_listAccounts')).toEqual([]);
    const refusal = { code: -32601, message: expect.stringContaining('has no keys') };
    await expect(call('eth_sendTransaction', [{ from: SENDER, to: BOB }])).rejects.toMatchObject(refusal);
    await expect(call('eth_sign', [SENDER, '0x'])).rejects.toMatchObject(refusal);
  });
});
