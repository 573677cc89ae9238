import { encodeFunctionData, parseAbi } from 'viem';
import { describe, expect, it } from 'vitest';
import { BUNDLER } from '../../../src/bundler/bundler.ts';
import { senderCreatorOf } from '../../../src/bundler/entry-point.ts';
import { fromHex, toHex } from '../../../src/primitives/hex.ts';
import { createRpcHarness } from '../rpc-harness.ts';

const ENTRY_POINTS = {
  '0.9': '0x433709009B8330FDa32311DF1C2AFA402eD8D009',
  '0.8': '0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108',
  '0.7': '0x0000000071727De22E5E9d8BAf0edAc6f37da032',
} as const;
const ACCOUNT = `0x${'ac'.repeat(20)}`;
const OTHER = `0x${'0c'.repeat(20)}`;
/** Returns 32 zero bytes to every call, so every operation is accepted and its calls succeed. */
const TAKES_ALL = '0x60206000f3';
/** Returns 1 to every call, which marks the signature as invalid. */
const TAKES_NONE = '0x600160005260206000f3';
/** Accepts every operation. Reverts with 4 bytes if it is called with one byte. */
const FAILS = '0x60013614600c5760206000f35b63deadbeef6000526004601cfd';
const REVERTS = '0x60006000fd';
const deposits = parseAbi([
  'function depositTo(address account) payable',
  'function getNonce(address, uint192) view returns (uint256)',
]);

const quantity = (value: number | bigint): string => `0x${value.toString(16)}`;

async function bundled(
  ruleSet: 'prague' | 'osaka' | 'amsterdam' | 'cancun' | 'rootstock' = 'prague',
  code = TAKES_ALL,
  version: keyof typeof ENTRY_POINTS = '0.8',
) {
  const harness = await createRpcHarness({}, { ruleSet, predeploys: true });
  const entryPoint = ENTRY_POINTS[version];
  const [from] = (await harness.call('eth_accounts')) as string[];
  await harness.call('hardhat_setCode', [ACCOUNT, code]);
  const deposit = async (account: string): Promise<void> => {
    const data = encodeFunctionData({
      abi: deposits,
      functionName: 'depositTo',
      args: [account as `0x${string}`],
    });
    await harness.call('eth_sendTransaction', [{ from, to: entryPoint, data, value: quantity(10n ** 18n) }]);
  };
  await deposit(ACCOUNT);
  const operation = (fields: object = {}) => ({
    sender: ACCOUNT,
    nonce: '0x0',
    callData: '0x',
    callGasLimit: '0x7530',
    verificationGasLimit: '0x249f0',
    preVerificationGas: '0x13880',
    maxFeePerGas: quantity(10n ** 10n),
    maxPriorityFeePerGas: quantity(10n ** 9n),
    signature: '0x',
    ...fields,
  });
  const send = async (fields: object = {}): Promise<string> =>
    (await harness.call('eth_sendUserOperation', [operation(fields), entryPoint])) as string;
  const receipt = (hash: string) =>
    harness.call('eth_getUserOperationReceipt', [hash]) as Promise<Record<string, unknown> | null>;
  return { ...harness, entryPoint, deposit, operation, send, receipt };
}

describe('user operations', () => {
  it('eth_supportedEntryPoints returns the EntryPoints deployed on the chain', async () => {
    const { call } = await createRpcHarness({}, { predeploys: true });
    expect(await call('eth_supportedEntryPoints')).toEqual(Object.values(ENTRY_POINTS));
    const without = await createRpcHarness({}, { predeploys: false });
    expect(await without.call('eth_supportedEntryPoints')).toEqual([]);
  });

  it.each([
    ['0.7', 'prague'],
    ['0.8', 'prague'],
    ['0.9', 'prague'],
    ['0.9', 'osaka'],
    ['0.8', 'cancun'],
    ['0.7', 'rootstock'],
    ['0.8', 'rootstock'],
    ['0.9', 'rootstock'],
  ] as const)(
    'user operations are sent to EntryPoint %s under %s, mined and found by hash',
    async (version, ruleSet) => {
      const { call, send, receipt, operation, entryPoint } = await bundled(ruleSet, TAKES_ALL, version);
      const hash = await send();
      const found = await receipt(hash);
      expect(found).toMatchObject({
        userOpHash: hash,
        entryPoint: entryPoint.toLowerCase(),
        sender: ACCOUNT,
        nonce: '0x0',
        paymaster: `0x${'0'.repeat(40)}`,
        success: true,
        logs: [],
        receipt: { status: '0x1', from: toHex(BUNDLER), to: entryPoint.toLowerCase() },
      });
      const { transactionHash, blockHash, blockNumber } = (found?.receipt ?? {}) as Record<string, string>;
      expect(await call('eth_getUserOperationByHash', [hash])).toEqual({
        userOperation: operation(),
        entryPoint: entryPoint.toLowerCase(),
        transactionHash,
        blockHash,
        blockNumber,
      });
      const nonce = encodeFunctionData({
        abi: deposits,
        functionName: 'getNonce',
        args: [ACCOUNT as `0x${string}`, 0n],
      });
      expect(BigInt((await call('eth_call', [{ to: entryPoint, data: nonce }, 'latest'])) as string)).toBe(
        1n,
      );
    },
  );

  it('a user operation whose call fails is mined with the revert reason', async () => {
    const { send, receipt, call, operation, entryPoint } = await bundled('prague', FAILS);
    const found = await receipt(await send({ callData: '0x01' }));
    expect(found).toMatchObject({ success: false, reason: '0xdeadbeef', receipt: { status: '0x1' } });
    const asked = operation({ callData: '0x01', nonce: '0x1' });
    await expect(call('eth_estimateUserOperationGas', [asked, entryPoint])).rejects.toMatchObject({
      code: -32521,
      data: '0xdeadbeef',
    });
  });

  it('user operations rejected by the EntryPoint return ERC-7769 errors and change nothing', async () => {
    const wrong = await bundled('prague', TAKES_NONE);
    await expect(wrong.send()).rejects.toMatchObject({ code: -32507, message: 'AA24 signature error' });
    const refusing = await bundled('prague', REVERTS);
    await expect(refusing.send()).rejects.toMatchObject({
      code: -32500,
      message: expect.stringMatching(/^AA23/),
    });
    const fine = await bundled();
    const before = await fine.call('eth_blockNumber');
    await expect(fine.send({ nonce: '0x5' })).rejects.toMatchObject({
      code: -32500,
      message: expect.stringMatching(/^AA25/),
    });
    await expect(fine.send({ sender: OTHER })).rejects.toMatchObject({
      code: -32500,
      message: expect.stringMatching(/^AA20/),
    });
    await expect(fine.send({ maxFeePerGas: quantity(10n ** 18n) })).rejects.toMatchObject({
      code: -32500,
      message: expect.stringMatching(/^AA21/),
    });
    expect(await fine.call('eth_blockNumber')).toBe(before);
  });

  it.each(Object.keys(ENTRY_POINTS) as (keyof typeof ENTRY_POINTS)[])(
    'expired, aggregated and unpaid operations have separate error codes with EntryPoint %s',
    async (version) => {
      const answering = (word: string): string => `0x7f${word}5f5260205ff3`;
      // Valid until second 1 of 1970.
      const until = `${'0'.repeat(23)}1${'0'.repeat(40)}`;
      const late = await bundled('prague', answering(until), version);
      await expect(late.send()).rejects.toMatchObject({ code: -32503, message: 'AA22 expired or not due' });
      const aggregated = await bundled('prague', answering(OTHER.slice(2).padStart(64, '0')), version);
      await expect(aggregated.send()).rejects.toMatchObject({
        code: -32506,
        message: expect.stringMatching(/^AA24 signature error: .* aggregator 0x0c/),
        data: { aggregator: OTHER },
      });
      const fine = await bundled('prague', TAKES_ALL, version);
      const paymaster = {
        paymaster: OTHER,
        paymasterVerificationGasLimit: '0x186a0',
        paymasterPostOpGasLimit: '0x0',
        paymasterData: '0x',
      };
      await fine.call('hardhat_setCode', [OTHER, '0x604060005260606000f3']);
      await expect(fine.send(paymaster)).rejects.toMatchObject({
        code: -32508,
        message: 'AA31 paymaster deposit too low',
        data: { paymaster: OTHER },
      });
      // An empty context and 1: the signature of the paymaster is invalid.
      await fine.call('hardhat_setCode', [OTHER, '0x60406000526001602052606060'.concat('00f3')]);
      await fine.deposit(OTHER);
      await expect(fine.send(paymaster)).rejects.toMatchObject({
        code: -32507,
        message: 'AA34 signature error',
        data: { paymaster: OTHER },
      });
    },
  );

  it('a paymaster pays for a user operation, and an error of the paymaster is reported', async () => {
    // Returns the offset of an empty context, and 0: the operation is valid without a time limit.
    const { call, send, receipt, deposit, operation, entryPoint } = await bundled();
    await call('hardhat_setCode', [OTHER, '0x604060005260606000f3']);
    await deposit(OTHER);
    const paid = {
      paymaster: OTHER,
      paymasterVerificationGasLimit: '0x186a0',
      paymasterPostOpGasLimit: '0x0',
      paymasterData: '0x1234',
    };
    const hash = await send(paid);
    expect(await receipt(hash)).toMatchObject({ success: true, paymaster: OTHER });
    expect(await call('eth_getUserOperationByHash', [hash])).toMatchObject({ userOperation: paid });
    const estimate = await call('eth_estimateUserOperationGas', [
      operation({ ...paid, nonce: '0x1' }),
      entryPoint,
    ]);
    expect(estimate).toMatchObject({
      paymasterVerificationGasLimit: expect.stringMatching(/^0x/),
      paymasterPostOpGasLimit: '0x0',
    });
    await call('hardhat_setCode', [OTHER, REVERTS]);
    await expect(send({ ...paid, nonce: '0x1' })).rejects.toMatchObject({
      code: -32501,
      message: expect.stringMatching(/^AA33/),
      data: { paymaster: OTHER },
    });
  });

  it('the estimate suffices and exceeds the used gas by at most 10%', async () => {
    const { call, receipt, send, operation, entryPoint } = await bundled();
    const limits = (await call('eth_estimateUserOperationGas', [operation(), entryPoint])) as Record<
      string,
      string
    >;
    const found = await receipt(await send(limits));
    expect(found?.success).toBe(true);
    const { gasUsed } = (found?.receipt ?? {}) as { gasUsed: string };
    expect(Number(found?.actualGasUsed) / Number(gasUsed)).toBeGreaterThan(0.95);
    expect(Number(found?.actualGasUsed) / Number(gasUsed)).toBeLessThan(1.25);
  });

  it('preVerificationGas without an authorization excludes the cost of one', async () => {
    const { call, operation, entryPoint } = await bundled();
    const { preVerificationGas } = (await call('eth_estimateUserOperationGas', [
      operation(),
      entryPoint,
    ])) as {
      preVerificationGas: string;
    };
    // A bundle of this size without authorizations costs 21,000, its data, and the overhead not counted by
    // the EntryPoint.
    expect(Number(preVerificationGas)).toBeLessThan(21_000 + 25_000);
  });

  it('the estimate suffices for a signature whose data cost more than its execution', async () => {
    for (const ruleSet of ['prague', 'amsterdam'] as const) {
      // Hashes the call data ten times. The call data is about as long as the signature.
      const hashing = '365f5f37365f2050'.concat('365f2050'.repeat(9));
      const { call, operation, entryPoint, send, receipt } = await bundled(
        ruleSet,
        `0x${hashing}5f5f5260206000f3`,
      );
      const long = { signature: `0x${'ab'.repeat(6_000)}` };
      const estimate = (await call('eth_estimateUserOperationGas', [operation(long), entryPoint])) as object;
      const hash = await send({ ...long, ...estimate });
      expect(await receipt(hash)).toMatchObject({ success: true });
      const { verificationGasLimit } = estimate as { readonly verificationGasLimit: string };
      expect(Number(verificationGasLimit)).toBeGreaterThan(90_000 + 10_000);
    }
  });

  it('eth_estimateUserOperationGas fails if the account or its paymaster returns no data', async () => {
    const mute = await bundled('prague', '0x00');
    const asked = (fields: object = {}) =>
      mute.call('eth_estimateUserOperationGas', [mute.operation(fields), mute.entryPoint]);
    await expect(asked()).rejects.toMatchObject({ code: -32500, message: 'AA23 reverted' });
    await mute.call('hardhat_setCode', [ACCOUNT, TAKES_ALL]);
    await mute.call('hardhat_setCode', [OTHER, TAKES_ALL]);
    const paymaster = {
      paymaster: OTHER,
      paymasterVerificationGasLimit: '0x186a0',
      paymasterPostOpGasLimit: '0x0',
    };
    await expect(asked({ ...paymaster, paymasterData: '0x' })).rejects.toMatchObject({
      code: -32501,
      message: 'AA33 reverted',
    });
  });

  it.each(['callData', 'signature'])(
    'a user operation with %s above 1 MiB is rejected before encoding',
    async (field) => {
      const { call, operation, entryPoint, send, receipt } = await bundled();
      const large = operation({ [field]: `0x${'ab'.repeat(2 ** 20 + 1)}` });
      for (const method of ['eth_sendUserOperation', 'eth_estimateUserOperationGas']) {
        await expect(call(method, [large, entryPoint])).rejects.toMatchObject({
          code: -32602,
          message:
            'invalid params: userOperation: expected at most 1048576 bytes of data and signatures in total, got 1048577',
        });
      }
      // The nonce is still free.
      expect(await receipt(await send())).toMatchObject({ nonce: '0x0', success: true });
    },
  );

  it('pending user operations are found by hash until they are mined', async () => {
    const { call, send, receipt, entryPoint } = await bundled();
    await call('evm_setAutomine', [false]);
    const hash = await send();
    expect(await receipt(hash)).toBeNull();
    expect(await call('eth_getUserOperationByHash', [hash])).toMatchObject({
      userOperation: { sender: ACCOUNT, nonce: '0x0' },
      entryPoint: entryPoint.toLowerCase(),
      blockNumber: null,
      blockHash: null,
    });
    await call('evm_mine');
    expect(await receipt(hash)).toMatchObject({ success: true });
  });

  it('evm_revert removes the user operations of removed blocks', async () => {
    const { call, send, receipt } = await bundled();
    const snapshot = await call('evm_snapshot');
    const hash = await send();
    expect(await receipt(hash)).not.toBeNull();
    await call('evm_revert', [snapshot]);
    expect(await receipt(hash)).toBeNull();
    expect(await call('eth_getUserOperationByHash', [hash])).toBeNull();
    expect(await receipt(await send())).toMatchObject({ userOpHash: hash, success: true });
  });

  it.each([
    [{ sender: undefined }, /params: userOperation\.sender: expected the sender/],
    [{ callGasLimit: undefined }, /params: userOperation\.callGasLimit: .*eth_estimateUserOperationGas/],
    [
      { callGasLimit: quantity(2n ** 128n) },
      /params: userOperation\.callGasLimit: expected a quantity below 2\^128/,
    ],
    [{ factory: '0x12' }, /params: userOperation\.factory: expected the address of a factory, or 0x7702/],
    [
      { factoryData: '0x12' },
      /params: userOperation\.factory: expected a factory, because factoryData is set/,
    ],
    [{ signature: '0x1' }, /params: userOperation\.signature:/],
  ])('a user operation with fields %j is rejected with the path', async (fields, message) => {
    const { send } = await bundled();
    await expect(send(fields)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(message),
    });
  });

  it('user operations are rejected for an address without an EntryPoint and on a hosted node', async () => {
    const { call, operation } = await bundled();
    await expect(call('eth_sendUserOperation', [operation(), OTHER])).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('invalid params: entryPoint: expected one of 0x4337'),
    });
    const hosted = await createRpcHarness({ hosted: true }, { predeploys: true });
    await expect(
      hosted.call('eth_sendUserOperation', [operation(), ENTRY_POINTS['0.8']]),
    ).rejects.toMatchObject({
      code: -32601,
    });
  });

  it('user operations with a delegation are rejected under a hardfork without EIP-7702', async () => {
    const { call, operation, entryPoint } = await bundled('cancun');
    const eip7702Auth = { chainId: '0x21', address: OTHER, nonce: '0x0', yParity: '0x0', r: '0x1', s: '0x1' };
    for (const method of ['eth_sendUserOperation', 'eth_estimateUserOperationGas']) {
      await expect(call(method, [operation({ eip7702Auth }), entryPoint])).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining(
          'userOperation.eip7702Auth: expected no value, because hardfork cancun has no authorizations',
        ),
      });
    }
  });

  it('unknown user operations are null', async () => {
    const { call } = await bundled();
    const unknown = `0x${'11'.repeat(32)}`;
    expect(await call('eth_getUserOperationReceipt', [unknown])).toBeNull();
    expect(await call('eth_getUserOperationByHash', [unknown])).toBeNull();
  });
});

describe('sender creator of an EntryPoint', () => {
  it.each([
    [ENTRY_POINTS['0.7'], '0xefc2c1444ebcc4db75e7613d20c6a62ff67a167c'],
    [ENTRY_POINTS['0.8'], '0x449ed7c3e6fee6a97311d4b55475df59c44add33'],
    [ENTRY_POINTS['0.9'], '0x0a630a99df908a81115a3022927be82f9299987e'],
  ])('the sender creator of %s is %s', (entryPoint, expected) => {
    expect(toHex(senderCreatorOf(fromHex(entryPoint)))).toBe(expected);
  });
});
