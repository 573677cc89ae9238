import { encodeFunctionData, type Hex } from 'viem';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createNode } from '../../src/index.ts';
import type { StackFrame } from '../../src/inspect/stack-trace.ts';
import { compileSolidity } from '../support/solidity.ts';

const SOURCE = `pragma solidity ^0.8.20;
contract Owned {
  error Stranger(address who);
  address owner = msg.sender;
  modifier onlyOwner() {
    if (msg.sender != owner) revert Stranger(msg.sender);
    _;
  }
}
contract Deeds is Owned {
  error NoReceiver(address to);
  mapping(uint256 => address) ownerOf;
  function mint(address to, uint256 id) external onlyOwner {
    _safeMint(to, id);
  }
  function _safeMint(address to, uint256 id) internal virtual {
    _mint(to, id);
  }
  function _mint(address to, uint256 id) internal {
    if (to == address(0)) revert NoReceiver(to);
    ownerOf[id] = to;
  }
}
`;
const NOBODY = `0x${'00'.repeat(20)}`;

describe('stack trace of a failure after a modifier', () => {
  it.each([
    ['without optimizer', {}],
    ['by the IR pipeline without optimizer', { viaIR: true, optimizer: { enabled: false } }],
  ])('contains the functions after the modifier, compiled %s', async (_, settings) => {
    const { input, output } = compileSolidity({ 'Deeds.sol': SOURCE }, settings);
    const node = await createNode({ hardfork: 'cancun', compat: 'hardhat', artifacts: [] });
    onTestFinished(() => node.close());
    const ask = <Result>(method: string, ...params: unknown[]): Promise<Result> =>
      node.request({ method, params }) as Promise<Result>;
    await ask('inspect_addArtifacts', input, output);
    const { abi, evm } = output.contracts['Deeds.sol']?.Deeds ?? expect.fail('not compiled');
    const [owner, other] = await ask<Hex[]>('eth_accounts');
    const send = (message: object): Promise<Hex> =>
      ask('eth_sendTransaction', { gas: '0x4c4b40', ...message });
    const created = await send({ from: owner, data: `0x${evm.bytecode.object}` });
    const { contractAddress: to } = await ask<{ contractAddress: Hex }>('eth_getTransactionReceipt', created);
    const data = encodeFunctionData({ abi, functionName: 'mint', args: [NOBODY, 1n] });
    const framesFrom = async (from: Hex | undefined): Promise<string[]> => {
      const thrown = await send({ from, to, data }).then(
        () => expect.fail('it did not fail'),
        (error: { data: { stackTrace: readonly StackFrame[] } }) => error,
      );
      return thrown.data.stackTrace.map((frame) => `${frame.contract}.${frame.function}:${frame.line}`);
    };
    expect(await framesFrom(owner)).toEqual(['Deeds._mint:20', 'Deeds._safeMint:17', 'Deeds.mint:14']);
    expect(await framesFrom(other)).toEqual(['Deeds.onlyOwner:6', 'Deeds.mint:13']);
  });
});
