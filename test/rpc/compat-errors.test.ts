import { describe, expect, it } from 'vitest';
import { listenersOf } from '../support/listeners.ts';
import { SENDER } from './methods/contract.ts';
import { createRpcHarness } from './rpc-harness.ts';

const UNKNOWN_HASH = `0x${'ee'.repeat(32)}`;

describe('transactions rejected by the pool', () => {
  const unaffordable = { from: SENDER, to: SENDER, value: '0xffffffffffffffffffffffffffffffff' };

  it.each([
    ['service', -32010],
    ['anvil', -32003],
    ['hardhat', -32000],
  ] as const)('an unaffordable transaction has the error code of compat mode %s', async (compat, code) => {
    const { call, chain } = await createRpcHarness({ compat });
    await expect(call('eth_sendTransaction', [unaffordable])).rejects.toMatchObject({
      code,
      message: expect.stringContaining('insufficient funds for gas * price + value'),
    });
    expect(chain.pool.size).toBe(0);
  });
});

describe('sends in compat mode hardhat', () => {
  // ethers and viem choose the class of an error by the words in brackets.
  it.each([
    [
      { value: '0xffffffffffffffffffffffffffffffff' },
      /^Sender doesn't have enough funds to send tx\. The max upfront cost is: 340282366920938463463374607431768211455 and the sender's balance is: \d+\. \(insufficient funds for gas \* price \+ value\)$/,
    ],
    [{ nonce: '0x0' }, /^Nonce too low\. Expected nonce to be 1 but got 0\.$/],
    [{ gas: '0x1' }, /^Transaction requires at least 21000 gas but got 1 \(intrinsic gas too low\)$/],
    [
      { gas: '0xffffffffff' },
      /^Transaction gas limit is 1099511627775 and exceeds block gas limit of \d+ \(raise it with --gas-limit\)$/,
    ],
    [
      { to: undefined, data: `0x${'00'.repeat(49_153)}`, gas: '0x900000' },
      /^Trying to send a deployment transaction whose init code length is 49153\. The max length allowed by EIP-3860 is 49152\. /,
    ],
    [{ from: `0x${'5a'.repeat(20)}` }, /^Unknown account 0x5a5A5a5a5A5a5a5a5a5A5a5A5A5a5a5A5A5A5A5A$/],
  ])('a pool error starts with the message of Hardhat: %#', async (fields, message) => {
    const { call } = await createRpcHarness({ compat: 'hardhat' });
    await call('eth_sendTransaction', [{ from: SENDER, to: SENDER }]);
    await expect(
      call('eth_sendTransaction', [{ from: SENDER, to: SENDER, ...fields }]),
    ).rejects.toMatchObject({ code: -32000, message: expect.stringMatching(message) });
  });

  it('the error of a gas limit above the cap starts with the message of Hardhat', async () => {
    const { call } = await createRpcHarness({ compat: 'hardhat' }, { ruleSet: 'osaka' });
    await expect(
      call('eth_sendTransaction', [{ from: SENDER, to: SENDER, gas: '0x1000001' }]),
    ).rejects.toMatchObject({
      code: -32000,
      message: expect.stringMatching(
        /^Transaction gas limit is 16777217 and exceeds transaction gas cap of 16777216 /,
      ),
    });
  });

  it('a mined, failed or rejected send removes its listeners', async () => {
    const { call, chain } = await createRpcHarness({ compat: 'hardhat' });
    const listeners = listenersOf(chain.events);
    await call('eth_sendTransaction', [{ from: SENDER, to: SENDER }]);
    // The creation of a contract whose code starts with an invalid opcode.
    const failing = call('eth_sendTransaction', [{ from: SENDER, data: '0xfe', gas: '0x15f90' }]);
    await expect(failing).rejects.toMatchObject({ code: 3 });
    await expect(call('eth_sendTransaction', [{ from: SENDER, to: SENDER, gas: '0x1' }])).rejects.toThrow();
    expect(chain.head().header.number).toBe(2);
    expect(listeners.size).toBe(0);
  });
});

describe('gas limits rejected by the pool', () => {
  it.each(['0x1', '0xffffffffff'])(
    'a rejected gas limit has code -32000 in compat modes anvil and hardhat: %s',
    async (gas) => {
      for (const [compat, code] of [
        ['service', -32010],
        ['anvil', -32000],
        ['hardhat', -32000],
      ] as const) {
        const { call } = await createRpcHarness({ compat });
        await expect(
          call('eth_sendTransaction', [{ from: SENDER, to: SENDER, gas }]),
          compat,
        ).rejects.toMatchObject({ code });
      }
    },
  );
});

describe('unknown blocks', () => {
  it.each([
    ['service', -32600, 'Block 9 not found'],
    ['anvil', -32602, 'BlockOutOfRangeError: block height is 0 but requested was 9'],
    ['hardhat', -32000, 'Received invalid block tag 9. Latest block number is 0'],
  ] as const)(
    'an unknown block has the code and the message of compat mode %s',
    async (compat, code, words) => {
      const { call } = await createRpcHarness({ compat });
      for (const [method, params] of [
        ['eth_getBalance', [SENDER, '0x9']],
        ['eth_getTransactionCount', [SENDER, '0x9']],
        ['eth_getStorageAt', [SENDER, '0x0', '0x9']],
        ['eth_call', [{ to: SENDER }, '0x9']],
        ['eth_getProof', [SENDER, [], '0x9']],
        ['eth_feeHistory', ['0x1', '0x9']],
      ] as const) {
        await expect(call(method, params), method).rejects.toMatchObject({
          code,
          message: expect.stringContaining(words),
        });
      }
      await expect(call('eth_getBalance', [SENDER, { blockHash: UNKNOWN_HASH }])).rejects.toMatchObject({
        code,
        message: expect.stringContaining(UNKNOWN_HASH),
      });
    },
  );
});

describe('parameters with an invalid value', () => {
  const unknownSender = `0x${'51'.repeat(20)}`;

  it.each([
    ['eth_feeHistory', ['0x1', 'latest', [1, 2, -1]], 'rewardPercentiles[2]'],
    ['eth_feeHistory', ['0x1', 'latest', [100.1]], 'rewardPercentiles[0]'],
    ['eth_feeHistory', ['0x1', 'latest', [50, 10]], 'rewardPercentiles'],
    ['evm_setBlockGasLimit', ['0x0'], 'gasLimit'],
    ['hardhat_setStorageAt', [SENDER, '0x0', `0x${'ff'.repeat(33)}`], 'value'],
    ['hardhat_setStorageAt', [SENDER, `0x1${'00'.repeat(32)}`, '0x1'], 'slot'],
    ['eth_sendTransaction', [{ from: unknownSender, to: SENDER }], unknownSender],
    ['hardhat_setNextBlockBaseFeePerGas', ['0x1'], 'base fee'],
    ['evm_setNextBlockTimestamp', [1], ''],
  ] as const)(
    'an invalid value has code -32000 in compat mode hardhat, and -32602 otherwise: %s %j',
    async (method, params, words) => {
      for (const compat of ['service', 'anvil', 'hardhat'] as const) {
        const { call } = await createRpcHarness({ compat });
        await expect(call(method, params), compat).rejects.toMatchObject({
          code: compat === 'hardhat' ? -32000 : -32602,
          message: expect.stringContaining(words),
        });
      }
    },
  );

  it.each([
    [
      'eth_sendTransaction',
      { gasPrice: '0x1', maxFeePerGas: '0x1' },
      'only one of gasPrice and maxFeePerGas',
    ],
    [
      'eth_call',
      { gasPrice: '0x1', maxPriorityFeePerGas: '0x1' },
      'only one of gasPrice and maxPriorityFeePerGas',
    ],
    ['eth_estimateGas', { gasPrice: '0x0', maxFeePerGas: '0x0' }, 'only one of gasPrice and maxFeePerGas'],
    ['eth_call', { maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x2' }, ''],
    ['eth_sendTransaction', { maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x2' }, ''],
  ] as const)(
    'conflicting fees have code -32000 in compat mode hardhat, and -32602 otherwise: %s %j',
    async (method, fees, words) => {
      const { call } = await createRpcHarness({ compat: 'hardhat' }, { ruleSet: 'london' });
      await expect(call(method, [{ from: SENDER, to: SENDER, ...fees }])).rejects.toMatchObject({
        code: -32000,
        message: expect.stringContaining(words),
      });
    },
  );

  it.each(['service', 'anvil'] as const)(
    'conflicting fees have code -32602 in compat mode %s',
    async (compat) => {
      const { call } = await createRpcHarness({ compat }, { ruleSet: 'london' });
      const fees = { gasPrice: '0x1', maxFeePerGas: '0x1' };
      await expect(
        call('eth_sendTransaction', [{ from: SENDER, to: SENDER, ...fees }]),
      ).rejects.toMatchObject({
        code: -32602,
      });
    },
  );

  it.each([
    ['eth_feeHistory', ['0x1', 'latest', ['much']]],
    ['evm_setBlockGasLimit', ['much']],
    ['hardhat_setStorageAt', [SENDER, '0x0', 'much']],
    ['eth_getBalance', ['0x12', 'latest']],
  ] as const)('a malformed parameter has code -32602 in every compat mode: %s %j', async (method, params) => {
    for (const compat of ['service', 'anvil', 'hardhat'] as const) {
      const { call } = await createRpcHarness({ compat });
      await expect(call(method, params), compat).rejects.toMatchObject({ code: -32602 });
    }
  });

  it('a timestamp that is too low has the message of Hardhat', async () => {
    const { call, chain } = await createRpcHarness({ compat: 'hardhat' });
    const { timestamp } = chain.head().header;
    await expect(call('evm_setNextBlockTimestamp', [timestamp - 1])).rejects.toMatchObject({
      message: `Timestamp ${timestamp - 1} is lower than the previous block's timestamp ${timestamp}`,
    });
  });
});

describe('error names', () => {
  const failing = [
    ['eth_getBalance', [SENDER, 'lates'], 'InvalidParams'],
    ['eth_getBalance', [SENDER, '0x9'], 'BlockNotFound'],
    ['eth_getFilterChanges', ['0x1'], 'FilterNotFound'],
    ['eth_unknown', [], 'MethodNotFound'],
  ] as const;

  it.each(failing)('error data has the name in compat mode hardhat: %s %j', async (method, params, name) => {
    const { call } = await createRpcHarness({ compat: 'hardhat' });
    await expect(call(method, params)).rejects.toMatchObject({ data: { name } });
  });

  it.each(['service', 'anvil'] as const)('error data has no name in compat mode %s', async (compat) => {
    const { call } = await createRpcHarness({ compat });
    for (const [method, params] of failing)
      await expect(call(method, params)).rejects.toMatchObject({ data: undefined });
  });

  it('the name does not replace return data', async () => {
    const { call } = await createRpcHarness({ compat: 'hardhat' });
    // Creation code that starts with an invalid opcode, and creation code that reverts.
    for (const data of ['0xfe', '0x60006000fd'])
      await expect(call('eth_call', [{ from: SENDER, data }])).rejects.toMatchObject({ data: '0x' });
  });
});
