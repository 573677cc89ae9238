import { crc32 } from '../../../primitives/crc32.ts';
import { toHex, toQuantity } from '../../../primitives/hex.ts';
import { precompilesOf } from '../../../protocol/hardforks/precompiles.ts';
import type { RuleSet } from '../../../protocol/hardforks/rule-set.ts';
import { defineMethod } from '../../method.ts';

/** How many blobs a block may have, and how their price would move; `null` under rules that know of none. */
function blobScheduleOf({ blobBaseFeeUpdateFraction }: RuleSet): Readonly<Record<string, number>> | null {
  if (blobBaseFeeUpdateFraction === null) return null;
  return { baseFeeUpdateFraction: blobBaseFeeUpdateFraction, max: 0, target: 0 };
}

/**
 * The rules of the chain, which are those of its first block for ever (EIP-7910). No block of this chain carries blobs,
 * and there are no system contracts.
 */
export const eth_config = defineMethod({
  name: 'eth_config',
  summary: 'The rules that hold on the chain',
  params: [],
  result: {
    description: 'The current rules, and those before and after, which are null',
    schema: {
      type: 'object',
      properties: { current: { type: 'object' }, next: { type: 'null' }, last: { type: 'null' } },
      required: ['current', 'next', 'last'],
    },
  },
  example: {
    params: [],
    result: {
      current: {
        activationTime: 0,
        blobSchedule: null,
        chainId: '0x21',
        forkId: '0xa9b467ef',
        precompiles: {
          BLAKE2F: '0x0000000000000000000000000000000000000009',
          BLOCK_HEADER: '0x0000000000000000000000000000000001000010',
          BN254_ADD: '0x0000000000000000000000000000000000000006',
          BN254_MUL: '0x0000000000000000000000000000000000000007',
          BN254_PAIRING: '0x0000000000000000000000000000000000000008',
          BRIDGE: '0x0000000000000000000000000000000001000006',
          ECREC: '0x0000000000000000000000000000000000000001',
          ENVIRONMENT: '0x0000000000000000000000000000000001000011',
          HD_WALLET_UTILS: '0x0000000000000000000000000000000001000009',
          ID: '0x0000000000000000000000000000000000000004',
          MODEXP: '0x0000000000000000000000000000000000000005',
          REMASC: '0x0000000000000000000000000000000001000008',
          RIPEMD160: '0x0000000000000000000000000000000000000003',
          SECP256K1_ADD: '0x0000000000000000000000000000000001000016',
          SECP256K1_MUL: '0x0000000000000000000000000000000001000017',
          SHA256: '0x0000000000000000000000000000000000000002',
        },
        systemContracts: {},
      },
      next: null,
      last: null,
    },
  },
  handler: async ({ chain }) => {
    const genesis = await chain.block({ tag: 'earliest' });
    const precompiles = precompilesOf(chain.ruleSet).map(({ name, address }) => [name, toHex(address)]);
    return {
      current: {
        activationTime: 0,
        blobSchedule: blobScheduleOf(chain.ruleSet),
        chainId: toQuantity(chain.settings.chainId),
        forkId: genesis === undefined ? null : toHex(crc32(genesis.hash)),
        precompiles: Object.fromEntries(precompiles.sort()),
        systemContracts: {},
      },
      next: null,
      last: null,
    };
  },
});
