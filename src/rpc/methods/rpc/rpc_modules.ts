import { defineMethod } from '../../method.ts';

/** The namespaces that have methods here, each with its version. */
export const rpc_modules = defineMethod({
  name: 'rpc_modules',
  summary: 'The namespaces of the node',
  params: [],
  result: { description: 'The version of each namespace', schema: { type: 'object' } },
  example: {
    params: [],
    result: {
      anvil: '1.0',
      chain: '1.0',
      debug: '1.0',
      erigon: '1.0',
      eth: '1.0',
      evm: '1.0',
      ganache: '1.0',
      hardhat: '1.0',
      lane: '1.0',
      miner: '1.0',
      mnr: '1.0',
      net: '1.0',
      ots: '1.0',
      personal: '1.0',
      rpc: '1.0',
      rsk: '1.0',
      sco: '1.0',
      tenderly: '1.0',
      trace: '1.0',
      txpool: '1.0',
      wallet: '1.0',
      web3: '1.0',
    },
  },
  handler: ({ modules }) => modules,
});
