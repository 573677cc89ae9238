import hardhatNetworkHelpers from '@nomicfoundation/hardhat-network-helpers';
import hardhatNodeTestRunner from '@nomicfoundation/hardhat-node-test-runner';
import hardhatViem from '@nomicfoundation/hardhat-viem';
import { defineConfig } from 'hardhat/config';

const { SUITE_PLUGIN: plugin } = process.env;
const added = plugin === undefined ? [] : [(await import(plugin)).nodeCli()];

const url = process.env.NODE_URL ?? 'http://127.0.0.1:8545';

export default defineConfig({
  plugins: [hardhatNetworkHelpers, hardhatNodeTestRunner, hardhatViem, ...added],
  solidity: '0.8.28',
  paths: { tests: '.' },
  networks: {
    localhost: { type: 'http', url },
    inProcess: { type: 'edr-simulated', hardfork: 'cancun', chainType: 'l1' },
  },
});
