import { createRequire } from 'node:module';
import { encodeFunctionData } from 'viem';
import { describe, expect, it } from 'vitest';
import { createRpcHarness } from '../rpc-harness.ts';

const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string };

const BASE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

abstract contract Base {
    uint256 public total;

    function add(uint256 value) internal {
        // Adds.

        total += value;
    }
}

interface Callee {
    function called() external;
}
`;
const MAIN = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

import "./Base.sol";

contract Main is Base {
    constructor() {
        add(1);
    }

    function run(uint256 value) external returns (uint256 result) {
        uint256 unused = 5;
        for (uint256 i = 0; i < value; i++) {
            add(i);
        }
        result = value * 2; /* doubled */
    }
}

contract Other is Base {
    function run() external { add(7); }
}
`;
const INTERFACE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
interface Only { function called() external; }
`;

const lineOf = (source: string, text: string): number =>
  source.split('\n').findIndex((line) => line.includes(text)) + 1;

interface Answer {
  readonly source: string | null;
  readonly omitted: number;
  readonly breakpoints: readonly {
    readonly line: number;
    readonly verified: boolean;
    readonly actualLine: number | null;
    readonly reason: string | null;
    readonly locations: readonly {
      readonly contract: string;
      readonly sourceName: string;
      readonly side: string;
      readonly pcs: readonly number[];
    }[];
  }[];
}

async function scene(settings: object = {}, codeOutputs = ['evm.bytecode', 'evm.deployedBytecode']) {
  const input = {
    language: 'Solidity',
    sources: {
      'contracts/Base.sol': { content: BASE },
      'contracts/Main.sol': { content: MAIN },
      'contracts/Only.sol': { content: INTERFACE },
    },
    settings: {
      ...settings,
      evmVersion: 'cancun',
      outputSelection: { '*': { '*': ['abi', 'metadata', ...codeOutputs], '': ['ast'] } },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input)));
  const { call } = await createRpcHarness({ compat: 'service' }, { ruleSet: 'prague' });
  await call('inspect_addArtifacts', [input, output]);
  const [from] = (await call('eth_accounts')) as string[];
  const send = (fields: object) => call('eth_sendTransaction', [{ from, gas: '0x4c4b40', ...fields }]);
  const { abi, evm } = output.contracts['contracts/Main.sol'].Main;
  const creation = await send({ data: `0x${evm.bytecode.object}` });
  const receipt = await call('eth_getTransactionReceipt', [creation]);
  const to = (receipt as { contractAddress: string }).contractAddress;
  const ask = async (source: string, lines: readonly number[], target?: unknown) =>
    (await call('inspect_breakpoints', [source, lines, ...(target === undefined ? [] : [target])])) as Answer;
  const one = async (source: string, line: number, target?: unknown) => {
    const [found] = (await ask(source, [line], target)).breakpoints;
    if (found === undefined) throw new Error('the response has no breakpoint');
    return found;
  };
  return { call, send, abi, ask, one, to, creation };
}

const namesOf = ({ locations }: Answer['breakpoints'][number]): string[] =>
  locations.map(({ contract, side }) => `${contract} ${side}`).sort();

describe('inspect_breakpoints', () => {
  it('returns a line in all contracts with its code', async () => {
    const { one } = await scene();
    const line = lineOf(BASE, 'total += value');
    const found = await one('contracts/Base.sol', line);
    expect(found).toMatchObject({ line, verified: true, actualLine: line, reason: null });
    expect(namesOf(found)).toEqual(['Main creation', 'Main deployed', 'Other deployed']);
    expect(found.locations[0]?.sourceName).toBe('contracts/Main.sol');
  });

  it('returns program counters that the execution of the line reaches', async () => {
    const { call, send, abi, one, to } = await scene();
    const hash = await send({ to, data: encodeFunctionData({ abi, functionName: 'run', args: [2n] }) });
    const { steps, statements } = (await call('inspect_steps', [hash, { count: 2000 }])) as {
      readonly steps: readonly { readonly pc: number }[];
      readonly statements: readonly (readonly [number, number, number, number])[];
    };
    for (const text of ['uint256 unused', 'for (', 'add(i)', 'result = value']) {
      const line = lineOf(MAIN, text);
      const { locations } = await one('contracts/Main.sol', line, to);
      expect(locations).toMatchObject([{ contract: 'Main', side: 'deployed' }]);
      const [first = -1] = statements.find(([, , , at]) => at === line) ?? [];
      expect(locations[0]?.pcs).toContain(steps[first]?.pc);
    }
  });

  it('moves a line without code to the next line with code in its function', async () => {
    const { one } = await scene();
    const line = lineOf(BASE, '// Adds.');
    const actualLine = lineOf(BASE, 'total += value');
    for (const wanted of [line, line + 1])
      expect(await one('contracts/Base.sol', wanted)).toMatchObject({
        line: wanted,
        verified: true,
        actualLine,
      });
    expect(await one('contracts/Base.sol', lineOf(BASE, 'uint256 public total'))).toMatchObject({
      verified: true,
      actualLine: lineOf(BASE, 'function add'),
    });
  });

  it('reports a line without code at the end of a function', async () => {
    const { one } = await scene();
    const line = lineOf(MAIN, 'result = value') + 1;
    expect(await one('contracts/Main.sol', line)).toEqual({
      line,
      verified: false,
      actualLine: null,
      reason: `line ${line} has no code`,
      locations: [],
    });
  });

  it('reports a line that was removed by the optimizer', async () => {
    const { one } = await scene({ viaIR: true, optimizer: { enabled: true } });
    const line = lineOf(MAIN, 'uint256 unused');
    const { verified, reason } = await one('contracts/Main.sol', line);
    expect({ verified, reason }).toEqual({
      verified: false,
      reason: `the optimizer removed the code of line ${line}`,
    });
    const comment = lineOf(BASE, '// Adds.');
    expect(await one('contracts/Base.sol', comment)).toMatchObject({ verified: true });
  });

  it('finds a file by its full path and by the end of its path', async () => {
    const { ask } = await scene();
    const line = lineOf(MAIN, 'add(i)');
    for (const source of ['/home/a/contracts/Main.sol', 'C:\\code\\contracts\\Main.sol', 'Main.sol'])
      expect(await ask(source, [line])).toMatchObject({
        source: 'contracts/Main.sol',
        breakpoints: [{ verified: true }],
      });
  });

  it('reports an unknown file, and a file without code', async () => {
    const { one } = await scene();
    expect((await one('Missing.sol', 1)).reason).toBe(
      'no build output contains the file Missing.sol; compile it, or pass its folder with --artifacts',
    );
    expect((await one('Only.sol', 3)).reason).toBe('no known contract has code of contracts/Only.sol');
    expect((await one('Main.sol', 99)).reason).toBe('the file has 23 lines');
  });

  it('reports a build output without source maps', async () => {
    const { one } = await scene({}, ['evm.bytecode.object', 'evm.deployedBytecode.object']);
    expect((await one('Main.sol', 12)).reason).toBe(
      'the build output of contracts/Main.sol has no source map',
    );
  });

  it('maps the contracts of an execution', async () => {
    const { one, creation, to } = await scene();
    const line = lineOf(BASE, 'total += value');
    expect(namesOf(await one('Base.sol', line, creation))).toEqual(['Main creation']);
    const call = { to, data: '0x' };
    expect(namesOf(await one('Base.sol', line, { call }))).toEqual(['Main deployed']);
    const { reason } = await one('Base.sol', line, `0x${'99'.repeat(20)}`);
    expect(reason).toBe(`the unknown contract at 0x${'99'.repeat(20)} has no code of the file Base.sol`);
  });

  it.each([
    [['', [1]], 'source'],
    [['Main.sol', [0]], 'lines[0]: expected a line number, from 1'],
    [['Main.sol', 1], 'lines: expected an array'],
    [['Main.sol', [1], 'latest'], 'target'],
  ])('rejects %j', async (params, message) => {
    const { call } = await createRpcHarness();
    await expect(call('inspect_breakpoints', params)).rejects.toThrow(message);
  });
});
