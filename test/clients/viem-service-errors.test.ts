import {
  BaseError,
  ContractFunctionRevertedError,
  createPublicClient,
  custom,
  decodeErrorResult,
  type Hex,
  http,
  RpcRequestError,
} from 'viem';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createNode } from '../../src/index.ts';
import { localNetwork33, withRevertData } from '../../src/viem.ts';
import { readArtifact } from '../support/artifacts.ts';
import { DEV_ACCOUNTS } from '../support/dev-accounts.ts';
import { type RunningNode, startNode } from '../support/node-process.ts';
import { connectViem, deployWithViem, type ViemClients } from '../support/viem.ts';

const [{ address: holder }] = DEV_ACCOUNTS;

describe('viem on a node with compat service', () => {
  let node: RunningNode;
  let clients: ViemClients;

  beforeAll(async () => {
    node = await startNode();
    clients = connectViem(node.url, holder);
  });

  afterAll(() => node.stop());

  const FAILURES = [
    ['reason', [], { errorName: 'Error', args: ['not today'] }],
    [
      'customError',
      [99n],
      { errorName: 'NotEnough', args: ['0x0000000000000000000000000000000000000000', 99n, 7n] },
    ],
    ['assertion', [], { errorName: 'Panic', args: [1n] }],
  ] as const;

  it.each(FAILURES)(
    'receives the revert data of %s with code -32015',
    async (functionName, args, expected) => {
      const failures = await deployWithViem(clients, 'cancun', 'Failures');
      const error = await clients.reader.readContract({ ...failures, functionName, args }).then(
        () => new BaseError('it did not fail'),
        (reason: BaseError) => reason,
      );
      const answer = error.walk((each) => each instanceof RpcRequestError);
      if (!(answer instanceof RpcRequestError)) throw error;
      expect(answer.code).toBe(-32015);
      expect(answer.details).toMatch(/^VM Exception while processing transaction: /);
      expect(decodeErrorResult({ abi: failures.abi, data: answer.data as Hex })).toMatchObject(expected);
    },
  );

  it.each(FAILURES)('decodes %s with the transport withRevertData', async (functionName, args, expected) => {
    const failures = await deployWithViem(clients, 'cancun', 'Failures');
    const reader = createPublicClient({ chain: localNetwork33, transport: withRevertData(http(node.url)) });
    const reading = reader.readContract({ ...failures, functionName, args: [...args] });
    const error = await reading.then(
      () => new BaseError('it did not fail'),
      (reason: BaseError) => reason,
    );
    const reverted = error.walk((each) => each instanceof ContractFunctionRevertedError);
    if (!(reverted instanceof ContractFunctionRevertedError)) throw error;
    expect(reverted.data).toMatchObject(expected);
  });

  it.each(FAILURES)(
    'decodes %s of an in-process node with a single request',
    async (functionName, args, expected) => {
      const local = await createNode();
      onTestFinished(() => local.close());
      const { abi, bytecode: data } = readArtifact('cancun', 'Failures');
      const [from] = (await local.request({ method: 'eth_accounts' })) as string[];
      const create = { method: 'eth_sendTransaction', params: [{ from, data, gas: '0x2dc6c0' }] };
      const hash = await local.request(create);
      const receipt = await local.request({ method: 'eth_getTransactionReceipt', params: [hash] });
      const asked: string[] = [];
      const request = (call: { method: string; params?: unknown[] }): Promise<unknown> => {
        asked.push(call.method);
        return local.request(call);
      };
      const reader = createPublicClient({
        chain: localNetwork33,
        transport: withRevertData(custom({ request })),
      });
      const { contractAddress: address } = receipt as { contractAddress: Hex };
      const error = await reader.readContract({ abi, address, functionName, args: [...args] }).then(
        () => new BaseError('it did not fail'),
        (reason: BaseError) => reason,
      );
      const reverted = error.walk((each) => each instanceof ContractFunctionRevertedError);
      if (!(reverted instanceof ContractFunctionRevertedError)) throw error;
      expect(reverted.data).toMatchObject(expected);
      expect(asked).toEqual(['eth_call']);
    },
  );

  it('receives other errors and results unchanged with withRevertData', async () => {
    const { request } = createPublicClient({
      chain: localNetwork33,
      transport: withRevertData(http(node.url)),
    });
    expect(await request({ method: 'eth_chainId' })).toBe('0x21');
    await expect(request({ method: 'eth_getCode', params: [holder, '0xffff'] })).rejects.toMatchObject({
      code: expect.not.toSatisfy((code: unknown) => code === 3),
    });
  });
});
