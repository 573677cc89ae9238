require('@nomicfoundation/hardhat-chai-matchers');
require('@nomicfoundation/hardhat-ethers');
require('@nomicfoundation/hardhat-ignition-ethers');
require('@nomicfoundation/hardhat-network-helpers');
require('@openzeppelin/hardhat-upgrades');
const { TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD } = require('hardhat/builtin-tasks/task-names');
const { subtask } = require('hardhat/config');
const solc = require('solc/package.json');

// The compiler of the npm package, so that Hardhat downloads no compiler.
subtask(TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD).setAction(async () => ({
  compilerPath: require.resolve('solc/soljson.js'),
  isSolcJs: true,
  version: solc.version,
  longVersion: solc.version,
}));

const { PLUGIN, PLUGIN_OPTIONS = '{}' } = process.env;
if (PLUGIN !== undefined) require(PLUGIN).nodeCli(JSON.parse(PLUGIN_OPTIONS));

const url = process.env.NODE_URL ?? 'http://127.0.0.1:8545';

module.exports = {
  solidity: solc.version,
  networks: { node33: { url, chainId: 33 }, localhost: { url } },
};
