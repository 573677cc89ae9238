import { BaseError, decodeErrorResult, type Hex, RpcRequestError } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEV_ACCOUNTS } from '../support/dev-accounts.ts';
import { type RunningNode, startNode } from '../support/node-process.ts';
import { connectViem, deployWithViem, type ViemClients } from '../support/viem.ts';

const [{ address: holder }] = DEV_ACCOUNTS;

describe('viem on a node in service mode', () => {
  let node: RunningNode;
  let clients: ViemClients;

  beforeAll(async () => {
    node = await startNode();
    clients = connectViem(node.url, holder);
  });

  afterAll(() => node.stop());

  it.each([
    ['reason', [], { errorName: 'Error', args: ['not today'] }],
    [
      'customError',
      [99n],
      { errorName: 'NotEnough', args: ['0x0000000000000000000000000000000000000000', 99n, 7n] },
    ],
    ['assertion', [], { errorName: 'Panic', args: [1n] }],
  ])('finds the data of %s in the error with code -32015', async (functionName, args, expected) => {
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
  });
});
