import { createRequire } from 'node:module';
import { expect, it, onTestFinished } from 'vitest';
import { createNode } from '../../src/index.ts';
import { parseLcov } from '../../src/reports/coverage/lcov.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** The compiler package, which has no types. */
const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string };

const SET = '0x60fe47b1';
const PRAGMA = 'pragma solidity ^0.8.20;\n';
const SOURCES = {
  'contracts/A.sol': `${PRAGMA}contract Same {\n  uint256 x;\n  function set(uint256 v) external {\n    x = v;\n  }\n}`,
  'contracts/B.sol': `${PRAGMA}contract Same {\n  uint256 y;\n  uint256 x;\n  function set(uint256 v) external {\n    y = v + 1;\n  }\n}`,
};

it('coverage counts a function only for its own contract if two contracts share a name', async () => {
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(Object.entries(SOURCES).map(([name, content]) => [name, { content }])),
    settings: {
      evmVersion: 'paris',
      optimizer: { enabled: true, runs: 200 },
      outputSelection: { '*': { '': ['ast'], '*': ['abi', 'metadata', 'evm'] } },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input)));
  const node = await createNode({ coverage: `${await temporaryDirectory()}/lcov.info` });
  onTestFinished(() => node.close());
  const ask = (method: string, ...params: unknown[]) => node.request({ method, params });
  await ask('inspect_addArtifacts', input, output);
  const [from] = (await ask('eth_accounts')) as string[];
  const data = `0x${output.contracts['contracts/B.sol'].Same.evm.bytecode.object}`;
  const hash = await ask('eth_sendTransaction', { from, data, gas: '0x100000' });
  const { contractAddress: to } = (await ask('eth_getTransactionReceipt', hash)) as {
    contractAddress: string;
  };
  await ask('eth_sendTransaction', { from, to, data: `${SET}${'07'.padStart(64, '0')}` });
  const files = parseLcov((await ask('inspect_coverage', 'lcov')) as string);
  const timesIn = (file: string) => files.find(({ name }) => name === file)?.functions[0]?.times;
  expect([timesIn('contracts/A.sol'), timesIn('contracts/B.sol')]).toEqual([0, 1]);
});
