import { toHex, toQuantity } from '../../../primitives/hex.ts';
import { workTarget } from '../../../protocol/merged-mining/proof-of-work.ts';
import { address, hash32, QUANTITY_JSON_SCHEMA, word32 } from '../../codecs/hex-values.ts';
import { hashrate, workNonce } from '../../codecs/work.ts';
import { defineMethod, type Method, param } from '../../method.ts';

export const ETH_MINING: readonly Method[] = [
  defineMethod({
    name: 'eth_coinbase',
    summary: 'The fee recipient (coinbase) of mined blocks',
    priority: 'high',
    result: { description: 'The address', schema: address.jsonSchema },
    handler: ({ node: { chain } }) => toHex(chain.settings.coinbase),
  }),
  defineMethod({
    name: 'eth_mining',
    summary: 'Whether automine or interval mining is on',
    priority: 'high',
    result: { description: 'true if automine or interval mining is on', schema: { type: 'boolean' } },
    handler: ({ node: { chain } }) => chain.miner.isMining,
  }),
  /**
   * Returns the sum of the hash rates that miners reported with eth_submitHashrate in the last ten seconds.
   * The node's own search for a proof of work is not included.
   */
  defineMethod({
    name: 'eth_hashrate',
    summary: 'The hash rate of the miners of this node',
    priority: 'high',
    result: { description: 'Hashes per second', schema: QUANTITY_JSON_SCHEMA },
    handler: ({ node: { chain } }) => toQuantity(chain.hashrates.total()),
  }),
  /**
   * Returns the difficulties of the last hour's blocks divided by the seconds of an hour, rounded down. It is
   * 0 unless blocks come every second.
   */
  defineMethod({
    name: 'eth_netHashrate',
    summary: 'The hash rate of all miners of the network',
    result: { description: 'Hashes per second, as a JSON number', schema: { type: 'integer', minimum: 0 } },
    handler: ({ node: { chain } }) => Number(chain.networkHashrate()),
  }),
  /** eth_hashrate includes the rate for ten seconds. */
  defineMethod({
    name: 'eth_submitHashrate',
    summary: 'Reports the hash rate of a miner',
    params: [param('hashrate', hashrate), param('clientId', word32)],
    result: { description: 'true if the report was accepted', schema: { type: 'boolean' } },
    handler: ({ node: { chain } }, rate, clientId) => {
      chain.hashrates.report(clientId, rate);
      return true;
    },
  }),
  /**
   * Returns the work for the pending block, in a parent-chain block of the node. The result is the hash that
   * it commits to, the Merkle root of its header as the seed hash, and the target. The target is 2^256 /
   * max(difficulty, 3). The header has the version 0x20000000, 32 zero bytes, the root, the time, the bits
   * 0x207fffff and the nonce. Rejects with -33000 under Ethereum rules, because Ethereum blocks have no
   * parent chain.
   */
  defineMethod({
    name: 'eth_getWork',
    summary: 'The mining work for the next block',
    result: {
      description:
        'The hash for merged mining, the Merkle root of the parent-chain block, and the target, 32 bytes each',
      schema: { type: 'array', items: hash32.jsonSchema, minItems: 3, maxItems: 3 },
    },
    handler: async ({ node: { chain } }) => {
      const { hashForMergedMining, merkleRoot, difficulty } = await chain.work.offer();
      return [hashForMergedMining, merkleRoot, workTarget(difficulty)].map(toHex);
    },
  }),
  /**
   * Submits a solution of eth_getWork. Its nonce is the time and the nonce of the parent-chain header (4
   * bytes each, big-endian). The other parameters are the hash for merged mining, and the Merkle root as mix
   * digest. Returns false if it does not solve the work, or if the work is not one of the last twenty.
   */
  defineMethod({
    name: 'eth_submitWork',
    summary: 'Submits a nonce that solves the work of `eth_getWork`',
    params: [param('nonce', workNonce), param('headerHash', hash32), param('mixDigest', word32)],
    fork: { kind: 'own', because: 'the work is for a block of this chain' },
    result: { description: 'true if the solution is valid', schema: { type: 'boolean' } },
    handler: ({ node: { chain }, call }, nonce, hash, merkleRoot) =>
      chain.work.solve(hash, merkleRoot, nonce, call),
  }),
];
