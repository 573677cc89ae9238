import { beforeEach, describe, expect, it } from 'vitest';
import { createRpcHarness, type RpcHarness, testConnection } from '../rpc-harness.ts';
import { SENDER } from './contract.ts';

const STRANGER = `0x${'5a'.repeat(20)}`;
const MINIMUM = 60_000_000n;
const hex = (value: bigint): string => `0x${value.toString(16)}`;
/** The suggested price: a tenth above the minimum. */
const USUAL = hex((MINIMUM * 11n) / 10n);
const BASE_FEE = { baseFeePerGas: '0x0' };

it('eth_feeHistory of the pending block ends with the fee of the block after it', async () => {
  const { call } = await createRpcHarness({}, { ruleSet: 'london' });
  const history = async (block: string): Promise<bigint[]> => {
    const { baseFeePerGas } = (await call('eth_feeHistory', ['0x1', block, []])) as {
      readonly baseFeePerGas: readonly string[];
    };
    return baseFeePerGas.map(BigInt);
  };
  const [, next = 0n] = await history('latest');

  const [pending, following = 0n] = await history('pending');

  expect(pending).toBe(next);
  // An empty block lowers the fee by an eighth.
  expect(following).toBe(next - next / 8n);
});

describe('fees under rootstock-next', () => {
  let node: RpcHarness;

  beforeEach(async () => {
    node = await createRpcHarness(
      { compat: 'anvil' },
      { ruleSet: 'rootstock-next', minimumGasPrice: MINIMUM },
    );
  });

  const send = (fields: object = {}) =>
    node.call('eth_sendTransaction', [{ from: SENDER, to: STRANGER, gas: '0x5208', ...fields }]);

  it('all forms of a block show a base fee of 0', async () => {
    const connection = testConnection('websocket');
    await node.call('eth_subscribe', ['newHeads'], connection);
    await send();
    const { hash } = (await node.call('eth_getBlockByNumber', ['latest', false])) as { hash: string };
    const forms: readonly [string, ...unknown[]][] = [
      ['eth_getBlockByNumber', 'latest', true],
      ['eth_getBlockByNumber', 'earliest', false],
      ['eth_getBlockByNumber', 'pending', false],
      ['eth_getBlockByHash', hash, false],
      ['eth_getHeaderByNumber', '0x1'],
      ['eth_getHeaderByHash', hash],
      ['erigon_getHeaderByNumber', '0x1'],
    ];
    for (const [method, ...params] of forms)
      expect([method, params, await node.call(method, params)]).toMatchObject([method, params, BASE_FEE]);
    expect(connection.sent[0]?.params).toMatchObject({ result: { hash, ...BASE_FEE } });
    expect(await node.call('ots_getBlockDetails', [1])).toMatchObject({ block: BASE_FEE });
  });

  it('the base fee is no part of the hash of a block', async () => {
    const other = await createRpcHarness({}, { ruleSet: 'rootstock', minimumGasPrice: MINIMUM });
    const hashes = async ({ call }: RpcHarness) => {
      await call('evm_mine', [{ blocks: 2 }]);
      const blocks = ['0x0', '0x1', '0x2'].map((number) => call('eth_getBlockByNumber', [number, false]));
      return (await Promise.all(blocks)).map((block) => (block as { hash: string }).hash);
    };
    expect(await hashes(node)).toEqual(await hashes(other));
  });

  it('methods return fees that suffice for the minimum gas price', async () => {
    await send();
    expect(await node.call('eth_gasPrice')).toBe(USUAL);
    expect(await node.call('eth_maxPriorityFeePerGas')).toBe(USUAL);
    expect(await node.call('eth_feeHistory', ['0x2', 'latest', [10, 90]])).toMatchObject({
      baseFeePerGas: ['0x0', '0x0', '0x0'],
      reward: [
        [USUAL, USUAL],
        [USUAL, USUAL],
      ],
    });
  });

  it.each([
    [{}, { type: '0x2', maxFeePerGas: USUAL, maxPriorityFeePerGas: USUAL }],
    [{ type: '0x0' }, { type: '0x0', gasPrice: USUAL }],
    [{ type: '0x1' }, { type: '0x1', gasPrice: USUAL }],
    [{ accessList: [] }, { type: '0x2', maxFeePerGas: USUAL }],
    [
      { gasPrice: USUAL, accessList: [] },
      { type: '0x1', gasPrice: USUAL },
    ],
    [{ maxFeePerGas: USUAL }, { type: '0x2', maxPriorityFeePerGas: USUAL }],
    [{ maxPriorityFeePerGas: USUAL }, { type: '0x2', maxFeePerGas: USUAL }],
  ])('the node fills in and sends %j as %j', async (fields, expected) => {
    const filled = (await node.call('eth_fillTransaction', [{ from: SENDER, to: STRANGER, ...fields }])) as {
      readonly tx: object;
    };
    expect(filled.tx).toMatchObject(expected);
    const receipt = await node.call('eth_getTransactionReceipt', [await send(fields)]);
    expect(receipt).toMatchObject({ type: expected.type, effectiveGasPrice: USUAL });
  });

  it.each([
    [{ maxFeePerGas: '0xb2d05e00', maxPriorityFeePerGas: USUAL }, USUAL],
    [{ maxFeePerGas: USUAL, maxPriorityFeePerGas: USUAL }, USUAL],
    [{ gasPrice: '0xb2d05e00' }, '0xb2d05e00'],
  ])('the price of %j is %s', async (fees, effectiveGasPrice) => {
    const receipt = await node.call('eth_getTransactionReceipt', [await send(fees)]);
    expect(receipt).toMatchObject({ effectiveGasPrice });
  });

  it.each([
    [
      { type: '0x3' },
      'type: expected one of 0x0, 0x1, 0x2, 0x4, because hardfork rootstock-next has no blobs',
    ],
    [{ blobVersionedHashes: [`0x01${'00'.repeat(31)}`] }, 'hardfork rootstock-next has no blobs'],
    [{ maxFeePerGas: '0x1' }, 'transaction underpriced: got 1, minimum 60000000'],
    [{ maxPriorityFeePerGas: '0x1' }, 'transaction underpriced: got 1, minimum 60000000'],
  ])('rejects %j with the reason', async (fields, message) => {
    await expect(send(fields)).rejects.toThrow(message);
  });

  it('rejects a raw transaction of type 3 with the types of the rules', async () => {
    await expect(node.call('eth_sendRawTransaction', ['0x03c0'])).rejects.toThrow(
      'type 3 does not exist in hardfork rootstock-next; send one of type 0, 1, 2 or 4',
    );
  });
});

it('a transaction of type 3 without blobs is rejected under osaka with the missing field', async () => {
  const node = await createRpcHarness({}, { ruleSet: 'osaka' });
  const call = { from: SENDER, to: STRANGER, gas: '0x5208', type: '0x3' };
  await expect(node.call('eth_sendTransaction', [call])).rejects.toThrow(
    'blobVersionedHashes: expected at least one blob hash',
  );
});
