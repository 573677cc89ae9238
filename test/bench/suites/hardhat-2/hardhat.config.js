require('@nomicfoundation/hardhat-chai-matchers');
require('@nomicfoundation/hardhat-ethers');
require('@nomicfoundation/hardhat-network-helpers');

const url = process.env.NODE_URL ?? 'http://127.0.0.1:8545';

module.exports = {
  solidity: '0.8.28',
  networks: { localhost: { url }, hardhat: { hardfork: 'cancun' } },
};
