import {
  type Abi,
  BaseError,
  ContractFunctionRevertedError,
  createWalletClient,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  http,
  publicActions,
} from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { createNode, type LocalNode } from '../../src/index.ts';
import { compileSolidity } from '../support/solidity.ts';

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;
contract Failing {
  error Refused(address who, int8 amount, string note, bytes data, uint256[] list, bool flag);
  uint256[] public list;
  function custom() external {
    uint256[] memory two = new uint256[](2);
    two[1] = 2;
    revert Refused(address(0xdead), -3, "it's", hex"1234", two, true);
  }
  function text() external { require(list.length > 0, "the reason"); }
  function silent() external { require(list.length > 0); }
  function panic() external view returns (uint256) { return list[5]; }
  function unknownPanic() external {
    assembly { mstore(0, shl(224, 0x4e487b71)) mstore(4, 0x99) revert(0, 36) }
  }
  function toAccountWithoutCode() external { Failing(address(0x5000)).text(); }
  function creation() external { new Picky(7); }
  function endless() external { while (true) list.push(1); }
  function endlessInside() external { this.endless{gas: 100000}(); }
  function invalid() external { assembly { invalid() } }
}
contract Picky {
  error TooLarge(uint256 given);
  constructor(uint256 given) { if (given > 1) revert TooLarge(given); }
}
contract OnlyReceive { receive() external payable {} }
contract PlainFallback { fallback() external {} }
`;

const PREFIX = 'VM Exception while processing transaction: ';

/** A failing message, and Hardhat's error message for it. */
interface Case {
  readonly name: string;
  readonly request: (scene: Scene) => object;
  readonly message: string;
}

interface Scene {
  readonly failing: Hex;
  readonly receiving: Hex;
  readonly falling: Hex;
  readonly abi: Abi;
  readonly picky: Hex;
}

function calling(functionName: string, message: string): Case {
  const request = ({ failing, abi }: Scene) => ({
    to: failing,
    data: encodeFunctionData({ abi, functionName }),
  });
  return { name: functionName, request, message };
}

const CASES: readonly Case[] = [
  calling(
    'custom',
    `${PREFIX}reverted with custom error 'Refused("0x000000000000000000000000000000000000dEaD", -3, "it's", "0x1234", [0, 2], true)'`,
  ),
  calling('text', `${PREFIX}reverted with reason string 'the reason'`),
  calling('silent', 'Transaction reverted without a reason string'),
  calling(
    'panic',
    `${PREFIX}reverted with panic code 0x32 (Array accessed at an out-of-bounds or negative index)`,
  ),
  calling('unknownPanic', `${PREFIX}reverted with unknown panic code 0x99`),
  calling('toAccountWithoutCode', 'Transaction reverted: function call to a non-contract account'),
  calling('creation', `${PREFIX}reverted with custom error 'TooLarge(7)'`),
  calling('invalid', `${PREFIX}invalid opcode`),
  calling('endless', 'Transaction ran out of gas'),
  calling(
    'endlessInside',
    'Transaction reverted: contract call run out of gas and made the transaction revert',
  ),
  {
    name: 'an unknown selector',
    request: ({ failing }) => ({ to: failing, data: '0x12345678' }),
    message: "Transaction reverted: function selector was not recognized and there's no fallback function",
  },
  {
    name: 'a call without data',
    request: ({ failing }) => ({ to: failing }),
    message:
      "Transaction reverted: function selector was not recognized and there's no fallback nor receive function",
  },
  {
    name: 'an unknown selector beside a receive function',
    request: ({ receiving }) => ({ to: receiving, data: '0x12345678' }),
    message: "Transaction reverted: function selector was not recognized and there's no fallback function",
  },
  {
    name: 'value with data to a non-payable fallback function',
    request: ({ falling }) => ({ to: falling, data: '0x12345678', value: '0x3' }),
    message: 'Transaction reverted: fallback function is not payable and was called with value 3',
  },
  {
    name: 'value without data to a non-payable fallback function',
    request: ({ falling }) => ({ to: falling, value: '0x3' }),
    message:
      "Transaction reverted: there's no receive function, fallback function is not payable and was called with value 3",
  },
  {
    name: 'value to a non-payable function',
    request: ({ failing, abi }) => ({
      to: failing,
      data: encodeFunctionData({ abi, functionName: 'text' }),
      value: '0x7',
    }),
    message: 'Transaction reverted: non-payable function was called with value 7',
  },
  {
    name: 'value to a non-payable constructor',
    request: ({ picky }) => ({ data: picky, value: '0x5' }),
    message: 'Transaction reverted: non-payable function was called with value 5',
  },
];

interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data: unknown;
}

/** The gas of calls and sends, low enough for an endless loop to end quickly. */
const GAS = '0x7a120';

describe('errors in compat mode hardhat', () => {
  let node: LocalNode;
  let scene: Scene;
  let from: Hex;
  let url: string;

  /** Resolves to the error of a request over HTTP, as Hardhat sends it. */
  async function rejected(method: string, ...params: readonly unknown[]): Promise<RpcError> {
    return rejectedFor('node', method, params);
  }

  /** Resolves to the error that a client with this User-Agent header receives. */
  async function rejectedFor(
    userAgent: string,
    method: string,
    params: readonly unknown[],
  ): Promise<RpcError> {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': userAgent },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { error } = (await answer.json()) as { readonly error?: RpcError };
    if (error === undefined) throw new Error(`${method} did not fail`);
    return error;
  }

  beforeAll(async () => {
    node = await createNode({ compat: 'hardhat' });
    ({ url } = await node.listen());
    const { input, output } = compileSolidity({ 'contracts/Failing.sol': SOURCE });
    await node.request({ method: 'hardhat_addCompilationResult', params: ['0.8.30', input, output] });
    const contracts = output.contracts['contracts/Failing.sol'] ?? {};
    const codeOf = (name: string): Hex => `0x${contracts[name]?.evm.bytecode.object}`;
    [from = '0x'] = (await node.request({ method: 'eth_accounts' })) as Hex[];
    const deploy = async (name: string): Promise<Hex> => {
      const params = [{ from, data: codeOf(name), gas: '0x2dc6c0' }];
      const hash = await node.request({ method: 'eth_sendTransaction', params });
      const receipt = await node.request({ method: 'eth_getTransactionReceipt', params: [hash] });
      return (receipt as { contractAddress: Hex }).contractAddress;
    };
    const abiOf = (name: string): Abi => contracts[name]?.abi ?? [];
    scene = {
      failing: await deploy('Failing'),
      receiving: await deploy('OnlyReceive'),
      falling: await deploy('PlainFallback'),
      abi: abiOf('Failing'),
      picky: encodeDeployData({ abi: abiOf('Picky'), bytecode: codeOf('Picky'), args: [1n] }),
    };
    return () => node.close();
  });

  describe.each(CASES)('error $name', ({ request, message }) => {
    it.each(['eth_call', 'eth_estimateGas', 'eth_sendTransaction'])(
      "%s starts with Hardhat's message and prints each frame once",
      async (method) => {
        const block = method === 'eth_call' ? ['latest'] : [];

        const error = await rejected(method, { from, gas: GAS, ...request(scene) }, ...block);

        const [first, ...frames] = error.message.split('\n');
        expect(first).toBe(message);
        expect(frames.length).toBeGreaterThan(0);
        expect(new Set(frames).size).toBe(frames.length);
        // The reporter of Hardhat 3 treats lines with `at` as frames of the error itself, and prints them
        // twice.
        for (const frame of frames)
          expect(frame).toMatch(/^ {4}(?!at )\S+ \(contracts\/Failing[.]sol:\d+:\d+\)$/);
        if (method === 'eth_sendTransaction') expect(error.data).toMatchObject({ message });
      },
    );
  });

  it.each(['eth_call', 'eth_estimateGas'])(
    "%s in the process starts with Hardhat's message and prints the frames",
    async (method) => {
      const params = [{ from, gas: GAS, ...calling('text', '').request(scene) }];

      await expect(node.request({ method, params })).rejects.toMatchObject({
        message: expect.stringMatching(
          /^VM Exception .* reason string 'the reason'\n {4}\S+ \(contracts\/Failing[.]sol:\d+:\d+\)$/,
        ),
      });
    },
  );

  describe.each([
    ['custom', { errorName: 'Refused' }],
    ['text', { errorName: 'Error', args: ['the reason'] }],
    ['panic', { errorName: 'Panic', args: [0x32n] }],
  ] as const)("classes of viem's errors for %s", (functionName, decoded) => {
    it.each(['readContract', 'estimateContractGas', 'writeContract'] as const)(
      '%s throws the same viem error class',
      async (action) => {
        const transport = http(url, { retryCount: 0 });
        const client = createWalletClient({ account: from, transport }).extend(publicActions);
        const run = client[action] as (request: never) => Promise<unknown>;
        const request = { address: scene.failing, abi: scene.abi, functionName, gas: BigInt(GAS) };

        const error = await run({ ...request, account: from, chain: null } as never).catch(
          (reason: unknown) => reason,
        );

        if (!(error instanceof BaseError)) throw error;
        expect(error.name).toBe('ContractFunctionExecutionError');
        const reverted = error.walk((each) => each instanceof ContractFunctionRevertedError);
        expect(reverted).toMatchObject({ name: 'ContractFunctionRevertedError', data: decoded });
      },
    );
  });

  it.each(['eth_call', 'eth_estimateGas', 'eth_sendTransaction'])(
    '%s prints frames in the format of the Hardhat version',
    async (method) => {
      const block = method === 'eth_call' ? ['latest'] : [];
      const params = [{ from, gas: GAS, ...calling('text', '').request(scene) }, ...block];
      const frame = String.raw`Failing\.text \(contracts/Failing\.sol:\d+:\d+\)`;

      const [of2, of3] = [
        await rejectedFor('hardhat 2.29.1', method, params),
        await rejectedFor('Hardhat 3.17.0', method, params),
      ];

      expect(of2.message).toMatch(new RegExp(`^VM Exception .*\\n {4}at ${frame}$`));
      expect(of3.message).toMatch(new RegExp(`^VM Exception .*\\n {4}${frame}$`));
    },
  );

  it('an undeclared error keeps its return data', async () => {
    // Reverts with the word 1.
    const error = await rejected('eth_call', { from, data: '0x600160005260206000fd' }, 'latest');

    const data = `0x${'1'.padStart(64, '0')}`;
    expect(error).toMatchObject({
      message: `${PREFIX}reverted with an unrecognized custom error (return data: ${data})`,
      data,
    });
  });
});
