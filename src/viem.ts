import { PREDEPLOYS } from './node/predeploys.ts';

const { multicall3, create2Deployer, createX, permit2, entryPoint } = PREDEPLOYS;

/**
 * The chain of a node that was started with its defaults, as viem and wagmi define chains. For another address spread
 * it and give `rpcUrls`, for another chain id give `id`; with `--no-predeploys` there are no `contracts`.
 */
export const localNetwork33 = {
  id: 33,
  name: 'Local Network 33',
  nativeCurrency: { name: 'Rootstock Bitcoin', symbol: 'RBTC', decimals: 18 },
  rpcUrls: {
    default: { http: ['http://127.0.0.1:8545'], webSocket: ['ws://127.0.0.1:8545'] },
  },
  contracts: {
    multicall3: { address: multicall3.address, blockCreated: 0 },
    create2Deployer: { address: create2Deployer.address, blockCreated: 0 },
    createX: { address: createX.address, blockCreated: 0 },
    permit2: { address: permit2.address, blockCreated: 0 },
    entryPoint: { address: entryPoint.address, blockCreated: 0 },
  },
  testnet: true,
} as const;
