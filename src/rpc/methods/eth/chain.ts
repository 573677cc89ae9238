import { crc32 as checksumOf } from 'node:zlib';
import { toHex, toQuantity } from '../../../primitives/hex.ts';
import { precompilesOf } from '../../../protocol/hardforks/precompiles.ts';
import type { RuleSet } from '../../../protocol/hardforks/rule-set.ts';
import { type JsonSchema, objectSchema } from '../../../wire/values.ts';
import { hash32, QUANTITY_JSON_SCHEMA } from '../../codecs/hex-values.ts';
import { PROTOCOL_VERSION } from '../../discovery.ts';
import { defineMethod, type Method } from '../../method.ts';

/** Returns the CRC-32 checksum (IEEE 802.3) of the bytes as 4 bytes, for fork ids (EIP-2124). */
export function crc32(bytes: Uint8Array): Uint8Array {
  const checksum = new Uint8Array(4);
  new DataView(checksum.buffer).setUint32(0, checksumOf(bytes));
  return checksum;
}

/** Returns the numbers of the EIPs in ascending order. */
function eipsOf(eips: Readonly<Record<number, string>>): number[] {
  return Object.keys(eips).map(Number);
}

/** Returns the blob limits of a block and the price fraction; `null` for hardforks without blobs. */
function blobScheduleOf({ blobs }: RuleSet): Readonly<Record<string, number>> | null {
  if (blobs === null) return null;
  const { baseFeeUpdateFraction, maximum, target } = blobs;
  return { baseFeeUpdateFraction: Number(baseFeeUpdateFraction), max: maximum, target };
}

interface PreviewView {
  readonly eips?: readonly number[];
  readonly rskips?: readonly number[];
  readonly missing: readonly number[];
}

/** Returns the proposals of a preview, and the EIPs that were added on their own; `null` if there are none. */
function previewOf({ preview, addedEips }: RuleSet): PreviewView | null {
  if (preview === null) return addedEips.length === 0 ? null : { eips: addedEips, missing: [] };
  const included = eipsOf(preview.included);
  const missing = eipsOf(preview.leftOut);
  if (preview.kind === 'EIP') return { eips: [...included, ...addedEips], missing };
  return { rskips: included, ...(addedEips.length === 0 ? {} : { eips: addedEips }), missing };
}

/** The kinds of data in `eth_capabilities`. */
const CAPABILITIES = ['state', 'tx', 'logs', 'receipts', 'blocks', 'stateproofs'] as const;

const CAPABILITY_JSON_SCHEMA: JsonSchema = {
  type: 'object',
  properties: { disabled: { type: 'boolean' }, oldestBlock: QUANTITY_JSON_SCHEMA },
  required: ['disabled'],
};

export const ETH_CHAIN: readonly Method[] = [
  /** The chain id in transaction signatures (EIP-155, EIP-695). */
  defineMethod({
    name: 'eth_chainId',
    summary: 'The chain id',
    priority: 'high',
    result: { description: 'The chain id', schema: QUANTITY_JSON_SCHEMA },
    handler: ({ node: { chain } }) => toQuantity(chain.settings.chainId),
  }),
  defineMethod({
    name: 'eth_protocolVersion',
    summary: 'The protocol version',
    priority: 'high',
    result: { description: 'The protocol version', schema: QUANTITY_JSON_SCHEMA },
    handler: () => PROTOCOL_VERSION,
  }),
  defineMethod({
    name: 'eth_syncing',
    summary: 'The sync status',
    priority: 'high',
    result: { description: '`false`, because a single node never syncs', schema: { type: 'boolean' } },
    handler: () => false,
  }),
  /** The rules never change after the first block (EIP-7910). */
  defineMethod({
    name: 'eth_config',
    summary:
      "The configuration of the chain's hardfork: precompiles, system contracts, blob limits (EIP-7910)",
    priority: 'high',
    result: {
      description:
        'The current rules (`last` and `next` are null). For a preview hardfork or single EIPs, also the EIPs (or RSKIPs) that the node executes, and the missing ones',
      schema: {
        type: 'object',
        properties: {
          current: { type: 'object' },
          next: { type: 'null' },
          last: { type: 'null' },
          preview: {
            type: 'object',
            properties: {
              eips: { type: 'array', items: { type: 'integer' } },
              rskips: { type: 'array', items: { type: 'integer' } },
              missing: { type: 'array', items: { type: 'integer' } },
            },
            required: ['missing'],
          },
        },
        required: ['current', 'next', 'last'],
      },
    },
    handler: async ({ node: { chain } }) => {
      const preview = previewOf(chain.ruleSet);
      const genesis = await chain.block({ tag: 'earliest' });
      const precompiles = precompilesOf(chain.ruleSet).map(({ name, address }) => [name, toHex(address)]);
      const { systemContracts, depositContract } = chain.ruleSet;
      const contracts = systemContracts.map(({ name, address }) => [name, toHex(address)]);
      if (depositContract !== null) contracts.push(['DEPOSIT_CONTRACT_ADDRESS', toHex(depositContract)]);
      return {
        current: {
          activationTime: 0,
          blobSchedule: blobScheduleOf(chain.ruleSet),
          chainId: toQuantity(chain.settings.chainId),
          forkId: genesis === undefined ? null : toHex(crc32(genesis.hash)),
          precompiles: Object.fromEntries(precompiles.sort()),
          systemContracts: Object.fromEntries(contracts.sort()),
        },
        next: null,
        last: null,
        ...(preview === null ? {} : { preview }),
      };
    },
  }),
  /**
   * Returns the oldest block with states, transactions, logs, receipts, blocks, and state proofs. A chain has
   * all of them from its first block. A fork has earlier blocks if the upstream does, and no proofs, because
   * they require the whole state.
   */
  defineMethod({
    name: 'eth_capabilities',
    summary: 'The oldest blocks with available state, transactions, logs and other data',
    priority: 'high',
    result: {
      description: 'The latest block, and the available range of each kind of data',
      schema: objectSchema({
        head: objectSchema({ number: QUANTITY_JSON_SCHEMA, hash: hash32.jsonSchema }),
        ...Object.fromEntries(CAPABILITIES.map((name) => [name, CAPABILITY_JSON_SCHEMA])),
      }),
    },
    handler: ({ node: { chain, fork } }) => {
      const { header, hash } = chain.head();
      const isFork = fork.current !== null;
      const held = { disabled: false, oldestBlock: toQuantity(isFork ? 0 : chain.blocks.first) };
      return {
        head: { number: toQuantity(header.number), hash: toHex(hash) },
        ...Object.fromEntries(CAPABILITIES.map((name) => [name, held])),
        ...(isFork ? { stateproofs: { disabled: true } } : {}),
      };
    },
  }),
];
