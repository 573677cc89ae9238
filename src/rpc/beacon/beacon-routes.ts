/** Answers requests of the Beacon API (github.com/ethereum/beacon-APIs) about blobs and the chain. */

import type { Chain } from '../../chain/chain.ts';
import { concatBytes } from '../../primitives/bytes.ts';
import { toHex } from '../../primitives/hex.ts';
import { hexInSteps } from '../../primitives/steps.ts';
import type { Block } from '../../protocol/block.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { TimeSlice } from '../../scheduling/time-slice.ts';
import { readFixedData } from '../codecs/hex-values.ts';
import type { BeaconRequest, BeaconResponse } from '../connection.ts';
import type { RpcContext } from '../rpc-context.ts';
import { BeaconError } from './beacon-error.ts';
import { blocksOfId } from './block-ids.ts';

type BeaconContext = Pick<RpcContext, 'node' | 'deadline'>;

const ZERO_ROOT = `0x${'0'.repeat(64)}`;
const ZERO_SIGNATURE = `0x${'0'.repeat(192)}`;

/** Hashes between a blob's commitment and the root of a beacon block's body. */
const INCLUSION_PROOF_LENGTH = 17;

/** The seconds of a slot. Mainnet has 12, but several blocks of this chain can share twelve seconds. */
const SECONDS_PER_SLOT = 1;
const SLOTS_PER_EPOCH = 32;

/** Returns the items of a list parameter. Items are repeated or separated by commas. */
function listIn(query: URLSearchParams, name: string): string[] | null {
  const given = query.getAll(name);
  if (given.length === 0) return null;
  return given
    .flatMap((text) => text.split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '');
}

/** Returns the requested versioned hashes; `null` for all. Throws {@link BeaconError}. */
function hashesIn(query: URLSearchParams): ReadonlySet<string> | null {
  const given = listIn(query, 'versioned_hashes');
  if (given === null) return null;
  return new Set(
    given.map((text) => {
      const hash = readFixedData(text, 32);
      if (hash === undefined)
        throw new BeaconError(
          400,
          `invalid versioned hash ${JSON.stringify(text.slice(0, 100))}; expected 32 bytes`,
        );
      return toHex(hash);
    }),
  );
}

/** Returns the requested indexes; `null` for all. Throws {@link BeaconError}. */
function indicesIn(query: URLSearchParams): ReadonlySet<number> | null {
  const given = listIn(query, 'indices');
  if (given === null) return null;
  return new Set(
    given.map((text) => {
      if (!/^\d{1,20}$/.test(text))
        throw new BeaconError(400, `invalid index ${JSON.stringify(text.slice(0, 100))}; expected a number`);
      return Number(text);
    }),
  );
}

interface BlockBlob {
  readonly block: Block;
  /** The position among the blobs of the slot. */
  readonly index: number;
  /** 32 bytes. */
  readonly hash: Uint8Array;
}

function blobsOf(blocks: readonly Block[]): BlockBlob[] {
  const hashes = blocks.flatMap((block) =>
    block.transactions.flatMap(({ blobVersionedHashes }) =>
      blobVersionedHashes.map((hash) => ({ block, hash })),
    ),
  );
  return hashes.map((blob, index) => ({ ...blob, index }));
}

/** Returns the bytes of a blob. Throws {@link BeaconError} if the node no longer stores it. */
function storedBlob({ blobs }: Chain, { hash }: BlockBlob): Uint8Array {
  const blob = blobs.blob(hash);
  if (blob === undefined)
    throw new BeaconError(404, `blob not found: the node does not store ${toHex(hash)}`);
  return blob;
}

/** The blobs of a block as JSON or SSZ, in the order of the block. */
async function blobs(context: BeaconContext, id: string, request: BeaconRequest): Promise<BeaconResponse> {
  const { chain } = context.node;
  const { deadline } = context;
  const wanted = hashesIn(request.query);
  const blocks = await blocksOfId(chain, id, deadline);
  const found = blobsOf(blocks).filter(({ hash }) => wanted === null || wanted.has(toHex(hash)));
  const stored = found.map((blob) => storedBlob(chain, blob));
  const version = forkName(chain.ruleSet);
  if (request.wantsSsz) return { status: 200, version, body: concatBytes(...stored) };
  const data: string[] = [];
  for (const blob of stored) data.push(await deadline.run(hexInSteps(blob)));
  return { status: 200, version, body: { ...stateOf(chain, blocks), data } };
}

/** The blobs of a block with commitments and proofs. This chain has no beacon blocks, so their fields are zero. */
async function sidecars(
  context: BeaconContext,
  id: string,
  { query }: BeaconRequest,
): Promise<BeaconResponse> {
  const { chain } = context.node;
  const { deadline } = context;
  const wanted = indicesIn(query);
  const blocks = await blocksOfId(chain, id, deadline);
  const found = blobsOf(blocks).filter(({ index }) => wanted === null || wanted.has(index));
  const slice = new TimeSlice(deadline);
  const start = chain.blocks.firstTimestamp;
  const data: object[] = [];
  for (const entry of found) {
    const blob = storedBlob(chain, entry);
    const commitments = await chain.blobProofs.commitments([blob], slice);
    const { proofs } = await chain.blobProofs.sidecar([blob], commitments, 'blob proofs', slice);
    const { header } = entry.block;
    data.push({
      index: String(entry.index),
      blob: await deadline.run(hexInSteps(blob)),
      kzg_commitment: toHex(concatBytes(...commitments)),
      kzg_proof: toHex(concatBytes(...proofs)),
      signed_block_header: {
        message: {
          slot: String(header.timestamp - start),
          proposer_index: '0',
          parent_root: toHex(header.parentHash),
          state_root: toHex(header.stateRoot),
          body_root: ZERO_ROOT,
        },
        signature: ZERO_SIGNATURE,
      },
      kzg_commitment_inclusion_proof: Array.from({ length: INCLUSION_PROOF_LENGTH }, () => ZERO_ROOT),
    });
  }
  const version = forkName(chain.ruleSet);
  return { status: 200, version, body: { version, ...stateOf(chain, blocks), data } };
}

/** Returns whether the blocks are final. The node executes all blocks itself, so no block is optimistic. */
function stateOf(
  chain: Chain,
  blocks: readonly Block[],
): { readonly execution_optimistic: false; readonly finalized: boolean } {
  const last = chain.numberOfTag({ tag: 'finalized' });
  return { execution_optimistic: false, finalized: blocks.every(({ header }) => header.number <= last) };
}

/** The consensus forks of hardforks with blobs. The fork of all other hardforks with blobs is Fulu. */
const FORK_NAMES: Readonly<Record<string, string>> = {
  cancun: 'deneb',
  prague: 'electra',
  amsterdam: 'gloas',
};

/** The name of the consensus fork that belongs to a hardfork, also if single EIPs were added to it. */
function forkName({ blobs: rules, reference: { hardfork } }: RuleSet): string {
  return rules === null ? 'capella' : (FORK_NAMES[hardfork] ?? 'fulu');
}

function genesis({ node: { chain } }: BeaconContext): BeaconResponse {
  const data = {
    genesis_time: String(chain.blocks.firstTimestamp),
    genesis_validators_root: ZERO_ROOT,
    genesis_fork_version: '0x00000000',
  };
  return { status: 200, body: { data } };
}

function spec({ node: { chain } }: BeaconContext): BeaconResponse {
  const { blobs: rules } = chain.ruleSet;
  const chainId = String(chain.settings.chainId);
  const data = {
    PRESET_BASE: 'mainnet',
    CONFIG_NAME: 'node-cli',
    SECONDS_PER_SLOT: String(SECONDS_PER_SLOT),
    SLOT_DURATION_MS: String(SECONDS_PER_SLOT * 1_000),
    SLOTS_PER_EPOCH: String(SLOTS_PER_EPOCH),
    DEPOSIT_CHAIN_ID: chainId,
    DEPOSIT_NETWORK_ID: String(chain.options.networkId ?? chainId),
    ...(rules === null ? {} : { MAX_BLOBS_PER_BLOCK: String(rules.maximum) }),
  };
  return { status: 200, body: { data } };
}

function answer(context: BeaconContext, request: BeaconRequest): Promise<BeaconResponse> | BeaconResponse {
  const [area, topic, id = '', ...deeper] = request.path;
  if (area === 'config' && topic === 'spec' && id === '') return spec(context);
  if (area === 'beacon' && topic === 'genesis' && id === '') return genesis(context);
  if (area === 'beacon' && topic === 'blobs' && id !== '' && deeper.length === 0)
    return blobs(context, id, request);
  if (area === 'beacon' && topic === 'blob_sidecars' && id !== '' && deeper.length === 0)
    return sidecars(context, id, request);
  throw new BeaconError(
    404,
    'not found: the node serves beacon/genesis, beacon/blobs/{id}, beacon/blob_sidecars/{id} and config/spec',
  );
}

/** Resolves to the response of a request. An invalid request has the status 400, absent data 404. */
export async function beaconResponse(
  context: BeaconContext,
  request: BeaconRequest,
): Promise<BeaconResponse> {
  try {
    return await answer(context, request);
  } catch (error) {
    if (!(error instanceof BeaconError)) throw error;
    const { code, message } = error;
    return { status: code, body: { code, message } };
  }
}
