require('@nomicfoundation/hardhat-chai-matchers');
require('@nomicfoundation/hardhat-ethers');
require('@nomicfoundation/hardhat-network-helpers');

if (process.env.SUITE_PLUGIN !== undefined) require(process.env.SUITE_PLUGIN).nodeCli();

const url = process.env.NODE_URL ?? 'http://127.0.0.1:8545';

module.exports = {
  solidity: '0.8.28',
  networks: { localhost: { url }, hardhat: { hardfork: 'cancun' } },
};
