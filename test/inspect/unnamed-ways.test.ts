// Failures without a call by name: by function pointers, operators, modifiers of constructors, and out of gas
// in an inner call.

import { encodeFunctionData, type Hex } from 'viem';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createNode } from '../../src/index.ts';
import type { StackFrame } from '../../src/inspect/stack-trace.ts';
import { type Compiled, compileSolidity } from '../support/solidity.ts';

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.19;

type Fixed is uint256;
using { addFixed as + } for Fixed global;
function addFixed(Fixed a, Fixed b) pure returns (Fixed) {
    uint256 sum = Fixed.unwrap(a) + Fixed.unwrap(b);
    if (sum > 100) revert("too much"); // @addFixed
    return Fixed.wrap(sum);
}

contract Spinner {
    function spin() external pure {
        while (true) {} // @spin
    }
}

contract Ways {
    function(uint256) internal returns (uint256) pointer;
    Spinner spinner = new Spinner();

    constructor() {
        pointer = pointed;
    }

    function pointed(uint256 x) internal pure returns (uint256) {
        require(x > 2, "pointed"); // @pointed
        return x;
    }

    function byPointer() external {
        pointer(1); // @byPointer
    }

    function byOperator() external pure {
        Fixed.wrap(60) + Fixed.wrap(60); // @byOperator
    }

    function outOfGas() external view {
        spinner.spin(); // @outOfGas
    }
}

contract Guarded {
    modifier never() {
        require(block.number == 0, "never"); // @never
        _;
    }

    constructor() never {} // @Guarded
}

contract First {
    uint256 number = failing(1); // @First

    function failing(uint256 x) internal pure returns (uint256) {
        require(x == 0, "first value"); // @failing
        return x;
    }
}
`;
const LINES = SOURCE.split('\n');
const lineOf = (mark: string): number => LINES.findIndex((line) => line.endsWith(`// @${mark}`)) + 1;

/** The expected frames with their source lines. */
function framesOf(...frames: readonly (readonly [string, string])[]): string[] {
  return frames.map(([name, mark]) => `${name}:${lineOf(mark)}`);
}

const UNOPTIMIZED = {};
const OPTIMIZED = { optimizer: { enabled: true, runs: 200 } };

describe.each([
  ['without optimizer', UNOPTIMIZED, false],
  ['with optimizer', OPTIMIZED, false],
  // Inlined code has the position of whole functions.
  ['by the IR pipeline', { viaIR: true, ...OPTIMIZED }, true],
] as const)('failures without a call by name, compiled %s', (_, settings, isCoarse) => {
  let compiled: Compiled;
  beforeAll(() => {
    compiled = compileSolidity({ 'Ways.sol': SOURCE }, settings);
  });

  async function openNode() {
    const node = await createNode({ hardfork: 'cancun', compat: 'hardhat', artifacts: [] });
    onTestFinished(() => node.close());
    const call = <Result>(method: string, params: readonly unknown[]): Promise<Result> =>
      node.request({ method, params }) as Promise<Result>;
    await call('inspect_addArtifacts', [compiled.input, compiled.output]);
    const [from] = await call<Hex[]>('eth_accounts', []);
    const contract = (name: string) => {
      const found = compiled.output.contracts['Ways.sol']?.[name];
      if (found === undefined) throw new Error(`${name} was not compiled`);
      return found;
    };
    const send = (fields: object): Promise<Hex> =>
      call('eth_sendTransaction', [{ from, gas: '0x4c4b40', ...fields }]);
    const create = (name: string): Promise<Hex> => send({ data: `0x${contract(name).evm.bytecode.object}` });
    /** The message and the frames of a failure. */
    const failed = async (run: Promise<unknown>): Promise<{ message: string; frames: string[] }> => {
      const error = await run.then(
        () => null,
        (thrown: { message: string; data: { stackTrace: readonly StackFrame[] } }) => thrown,
      );
      if (error === null) throw new Error('it did not fail');
      const frames = error.data.stackTrace.map(
        ({ contract: name, function: called, line }) => `${name === null ? '' : `${name}.`}${called}:${line}`,
      );
      return { message: error.message, frames };
    };
    const ways = async (
      functionName: string,
      fields: object = {},
    ): Promise<{ message: string; frames: string[] }> => {
      const { contractAddress: to } = await call<{ contractAddress: Hex }>('eth_getTransactionReceipt', [
        await create('Ways'),
      ]);
      return failed(
        send({ to, data: encodeFunctionData({ abi: contract('Ways').abi, functionName }), ...fields }),
      );
    };
    return { create, failed, ways };
  }

  it('a function pointer has a frame of its function', async () => {
    const { ways } = await openNode();
    const { frames } = await ways('byPointer');
    if (isCoarse) expect(frames.at(-1)).toMatch(/^Ways\.byPointer:/);
    else expect(frames).toEqual(framesOf(['Ways.pointed', 'pointed'], ['Ways.byPointer', 'byPointer']));
  });

  it('an operator has a frame of its function', async () => {
    const { ways } = await openNode();
    const { frames } = await ways('byOperator');
    // Optimized code shares the end of functions that revert with a string, with the position of the whole
    // function.
    expect(frames[0]).toMatch(/^addFixed:/);
    expect(frames[1]).toMatch(/^Ways\.byOperator:/);
    expect(frames).toHaveLength(2);
    if (settings === UNOPTIMIZED)
      expect(frames).toEqual(framesOf(['addFixed', 'addFixed'], ['Ways.byOperator', 'byOperator']));
  });

  it('modifiers and variable initializers have a frame of the constructor', async () => {
    const { create, failed } = await openNode();
    const guarded = await failed(create('Guarded'));
    expect(guarded.frames).toEqual(framesOf(['Guarded.never', 'never'], ['Guarded.constructor', 'Guarded']));
    const first = await failed(create('First'));
    if (!isCoarse) expect(first.frames[0]).toBe(framesOf(['First.failing', 'failing'])[0]);
    expect(first.frames.at(-1)).toMatch(/^First\.constructor:/);
  });

  it('out of gas in an inner call is reported', async () => {
    const { ways } = await openNode();
    const { message, frames } = await ways('outOfGas', { gas: '0x186a0' });
    expect(message.split('\n').slice(0, 2)).toEqual([
      'Transaction reverted: contract call run out of gas and made the transaction revert',
      expect.stringMatching(/^ {4}Spinner\.spin \(Ways\.sol:\d+:\d+\)$/),
    ]);
    expect(frames).toEqual(framesOf(['Spinner.spin', 'spin'], ['Ways.outOfGas', 'outOfGas']));
  });
});
