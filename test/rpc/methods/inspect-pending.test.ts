// What a transaction of the pool would do is told before it is mined, as it is told afterwards.

import { encodeFunctionData, type Hex } from 'viem';
import { expect, it, onTestFinished } from 'vitest';
import { createNode } from '../../../src/index.ts';
import { compileSolidity } from '../../support/solidity.ts';

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

contract Counter {
    uint256 public count;
    error TooMuch(uint256 count);
    function add(uint256 more) external {
        if (count + more > 10) revert TooMuch(count + more);
        count += more;
    }
}
`;
const compiled = compileSolidity({ 'Counter.sol': SOURCE });

async function scene() {
  const node = await createNode();
  onTestFinished(() => node.close());
  const call = <Result>(method: string, params: readonly unknown[] = []): Promise<Result> =>
    node.request({ method, params }) as Promise<Result>;
  await call('inspect_addArtifacts', [compiled.input, compiled.output]);
  const { abi, evm } = compiled.output.contracts['Counter.sol']?.Counter ?? {};
  if (abi === undefined || evm === undefined) throw new Error('no Counter');
  const [from] = await call<Hex[]>('eth_accounts');
  const creation = await call('eth_sendTransaction', [
    { from, gas: '0x4c4b40', data: `0x${evm.bytecode.object}` },
  ]);
  const { contractAddress: to } = await call<{ contractAddress: Hex }>('eth_getTransactionReceipt', [
    creation,
  ]);
  await call('evm_setAutomine', [false]);
  const add = (more: bigint, fields: object = {}): Promise<Hex> => {
    const data = encodeFunctionData({ abi, functionName: 'add', args: [more] });
    return call('eth_sendTransaction', [{ from, to, gas: '0x186a0', data, ...fields }]);
  };
  return { call, add };
}

it('a transaction of the pool is inspected as it would run in the next block, after those before it', async () => {
  const { call, add } = await scene();
  const hashes = [await add(4n), await add(5n), await add(6n)];
  const told = (): Promise<unknown[]> =>
    Promise.all(hashes.map((hash) => call('inspect_transaction', [hash])));
  const before = await told();
  expect(before).toMatchObject([
    { failure: null, changes: { storage: [{ variable: 'count', before: '0', after: '4' }] } },
    { failure: null, changes: { storage: [{ variable: 'count', before: '4', after: '9' }] } },
    {
      failure: { message: "reverted with custom error 'TooMuch(count: 15)'" },
      stackTrace: [{ contract: 'Counter', function: 'add', line: 8 }],
    },
  ]);
  const steps = await call<{ count: number }>('inspect_steps', [hashes[1]]);
  await call('evm_mine');
  expect(await told()).toEqual(before);
  expect((await call<{ count: number }>('inspect_steps', [hashes[1]])).count).toBe(steps.count);
});

it('a transaction that the next block would not have is not found', async () => {
  const { call, add } = await scene();
  const queued = await add(1n, { nonce: '0x20' });
  await expect(call('inspect_transaction', [queued])).rejects.toMatchObject({
    message: expect.stringMatching(/not found/),
  });
});
