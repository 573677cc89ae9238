import { createRequire } from 'node:module';
import hardhatNetworkHelpers from '@nomicfoundation/hardhat-network-helpers';
import hardhatNodeTestRunner from '@nomicfoundation/hardhat-node-test-runner';
import hardhatViem from '@nomicfoundation/hardhat-viem';
import { defineConfig } from 'hardhat/config';

const require = createRequire(import.meta.url);

const { PLUGIN, PLUGIN_OPTIONS = '{}' } = process.env;
const added = PLUGIN === undefined ? [] : [(await import(PLUGIN)).nodeCli(JSON.parse(PLUGIN_OPTIONS))];

const url = process.env.NODE_URL ?? 'http://127.0.0.1:8545';

export default defineConfig({
  plugins: [hardhatNetworkHelpers, hardhatNodeTestRunner, hardhatViem, ...added],
  // The compiler of the npm package, so that Hardhat downloads no compiler.
  solidity: { version: require('solc/package.json').version, path: require.resolve('solc/soljson.js') },
  networks: {
    node33: { type: 'http', url, chainId: 33 },
    localhost: { type: 'http', url },
  },
});
