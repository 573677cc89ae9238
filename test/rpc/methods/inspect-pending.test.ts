// The inspection of a pending transaction equals its inspection after mining.

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

it('inspect_transaction runs a pending transaction after the earlier ones of the next block', async () => {
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

it('inspecting a transaction with a nonce gap is rejected until the gap is filled', async () => {
  const { call, add } = await scene();
  const nonce = (count: number): string => `0x${count.toString(16)}`;
  await add(4n);
  const queued = await add(5n, { nonce: nonce(4) });
  for (const method of ['inspect_transaction', 'inspect_steps'])
    await expect(call(method, [queued])).rejects.toMatchObject({
      code: -32000,
      message: `transaction ${queued} is pending, but the next block would not contain it: its nonce is 4, but the sender has no transaction with nonce 2`,
    });
  for (const missing of [2, 3]) await add(0n, { nonce: nonce(missing) });
  expect(await call('inspect_transaction', [queued])).toMatchObject({
    changes: { storage: [{ variable: 'count', before: '4', after: '9' }] },
  });
});

it('inspecting a pending transaction that does not fit in the next block is rejected', async () => {
  const { call, add } = await scene();
  const hashes = [await add(4n, { gas: '0x4c4b40' }), await add(5n, { gas: '0x4c4b40' })];
  await call('evm_setBlockGasLimit', ['0x4c4b40']);
  expect(await call('inspect_transaction', [hashes[0]])).toMatchObject({ failure: null });
  await expect(call('inspect_transaction', [hashes[1]])).rejects.toMatchObject({
    code: -32000,
    message: `transaction ${hashes[1]} is pending, but the next block would not contain it`,
  });
});

it('inspecting an unknown transaction is rejected', async () => {
  const { call } = await scene();
  const unknown = `0x${'12'.repeat(32)}`;
  for (const method of ['inspect_transaction', 'inspect_steps'])
    await expect(call(method, [unknown])).rejects.toMatchObject({
      code: -32000,
      message: `transaction ${unknown} not found`,
    });
});
