// Calls without a source position of their failure: the trace contains the called declaration, and each call
// of a recursion.

import { encodeDeployData, encodeFunctionData, parseAbi } from 'viem';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createNode } from '../../src/index.ts';
import { compileSolidity } from '../support/solidity.ts';

const BASE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

contract Base {
  uint256 internal seen;
  /* The getter stands in the base. */
  mapping(address => mapping(uint256 => uint256)) public held;

  fallback() external {
    seen++;
  }
}
`;
const CONTRACT = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
import './Base.sol';

contract Derived is Base {
  uint256[] public list;
  uint256 public start = 1;

  function countdown(uint256 from) public {
    if (from > 0) {
      countdown(from - 1);
    }
    revert('done');
  }
}
`;
const abi = parseAbi([
  'function list(uint256)',
  'function start()',
  'function held(address, uint256)',
  'function countdown(uint256 from)',
]);
const VALUE = '0x1';
const OWNER = '0x00000000000000000000000000000000000000aa';

async function traceOf(message: object, settings: object): Promise<string[]> {
  const node = await createNode({ artifacts: [] });
  onTestFinished(() => node.close());
  const { input, output } = compileSolidity({ 'Base.sol': BASE, 'Derived.sol': CONTRACT }, settings);
  await node.request({ method: 'inspect_addArtifacts', params: [input, output] });
  const [from] = (await node.request({ method: 'eth_accounts' })) as string[];
  const send = async (fields: object): Promise<string> => {
    const hash = await node.request({
      method: 'eth_sendTransaction',
      params: [{ from, gas: '0x2dc6c0', ...fields }],
    });
    return hash as string;
  };
  const { object } = output.contracts['Derived.sol']?.Derived?.evm.bytecode ?? { object: '' };
  const creation = await send({ data: encodeDeployData({ abi, bytecode: `0x${object}` }) });
  const receipt = await node.request({ method: 'eth_getTransactionReceipt', params: [creation] });
  const { contractAddress: to } = receipt as { readonly contractAddress: string };
  const hash = await send({ to, ...message });
  const { stackTrace } = (await node.request({ method: 'inspect_transaction', params: [hash] })) as {
    readonly stackTrace: readonly { function: string; source: string; line: number }[];
  };
  return stackTrace.map(({ function: name, source, line }) => `${name} ${source}:${line}`);
}

const PLAIN = { optimizer: { enabled: false } };
const OPTIMIZED = { optimizer: { enabled: true, runs: 200 } };

describe('stack trace of a call rejected before a function runs', () => {
  it.each([
    ['the getter of an array', { functionName: 'list', args: [0n] } as const, 'list Derived.sol:6'],
    ['the getter of a value', { functionName: 'start' } as const, 'start Derived.sol:7'],
    [
      'a getter of the base contract',
      { functionName: 'held', args: [OWNER, 1n] } as const,
      'held Base.sol:7',
    ],
  ])('contains the declaration of %s', async (_, call, expected) => {
    expect(await traceOf({ data: encodeFunctionData({ abi, ...call }), value: VALUE }, PLAIN)).toEqual([
      expected,
    ]);
  });

  it('contains the fallback function of the base contract', async () => {
    expect(await traceOf({ data: '0x12345678', value: VALUE }, PLAIN)).toEqual(['<fallback> Base.sol:9']);
  });
});

describe('stack trace of a recursion', () => {
  const data = encodeFunctionData({ abi, functionName: 'countdown', args: [2n] });
  const expected = ['countdown Derived.sol:13', 'countdown Derived.sol:11', 'countdown Derived.sol:11'];

  it('the trace has one line per call', async () => {
    expect(await traceOf({ data }, PLAIN)).toEqual(expected);
  });

  it('the trace has one line per call in optimized code', async () => {
    expect(await traceOf({ data }, OPTIMIZED)).toEqual(expected);
  });
});
