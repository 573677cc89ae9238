import { PrecompileError } from '../../../evm/precompiles/precompiled-contract.ts';
import { equalBytes } from '../../../primitives/bytes.ts';
import { PARENT_HEADER_SIZE } from '../../../protocol/merged-mining/proof-of-work.ts';
import { isRootOfBlock } from '../../peg/block-proof.ts';
import {
  type BridgeMethod,
  defineBridgeMethod,
  failingForMalformed,
  lowInteger,
  requireMember,
} from '../bridge-method.ts';
import type { ParentBlock } from '../parent-chain.ts';
import { merkleRootOf, parseHeader, requireBranch } from '../parent-chain.ts';

/** Maximum depth of a transaction's block below the best block. */
const MAX_CONFIRMATIONS = 4320;

const CONFIRMATIONS = {
  unknownBlock: -1n,
  notInBestChain: -2n,
  blockTooOld: -4n,
  wrongBranch: -5n,
} as const;

/** The gas to verify a transaction: base, per block above its block, and per hash of its branch. */
const CONFIRMATIONS_GAS = { base: 27_000n, block: 315n, hash: 144n } as const;

/** Returns the gas to verify a transaction. `blocksAbove` is the depth of its block. */
function gasOfSearch(blocksAbove: bigint, branch: readonly Uint8Array[]): bigint {
  const { base, block, hash } = CONFIRMATIONS_GAS;
  return base + blocksAbove * block + BigInt(branch.length) * hash;
}

const RECEIVE_HEADER = {
  success: 0n,
  tooSoon: -1n,
  tooOld: -2n,
  unknownParent: -3n,
  alreadyKnown: -4n,
  wrongSize: -20n,
  refused: -99n,
} as const;

/** Minimum seconds between two calls of `receiveHeader`. */
const HEADER_INTERVAL = 300;
/** Maximum depth below the best block of a header for `receiveHeader`. */
const DEEPEST_HEADER = 25;

const HEADERS_GAS = { base: 25_000n, further: 3_500n } as const;

function rawHeader(block: ParentBlock | undefined): readonly [Uint8Array] {
  return [block?.header.raw ?? new Uint8Array(0)];
}

const READING: readonly BridgeMethod[] = [
  defineBridgeMethod({
    name: 'getBtcBlockchainBestChainHeight',
    inputs: [],
    outputs: ['int256'],
    access: 'read',
    gas: 19_000n,
    run: ({ state }) => [BigInt(state.parentChain.head.height)],
  }),
  defineBridgeMethod({
    name: 'getBtcBlockchainInitialBlockHeight',
    inputs: [],
    outputs: ['int256'],
    access: 'call only',
    gas: 20_000n,
    run: () => [0n],
  }),
  defineBridgeMethod({
    name: 'getBtcBlockchainBlockHashAtDepth',
    inputs: ['int256'],
    outputs: ['bytes'],
    access: 'call only',
    gas: 20_000n,
    run({ state }, [depth]) {
      const { parentChain } = state;
      const distance = lowInteger(depth);
      const block = distance < 0 ? undefined : parentChain.blockAt(parentChain.head.height - distance);
      if (block === undefined) throw new PrecompileError('no block has this depth');
      return [block.header.hash];
    },
  }),
  defineBridgeMethod({
    name: 'getBtcBlockchainBestBlockHeader',
    inputs: [],
    outputs: ['bytes'],
    access: 'read',
    gas: 3_800n,
    run: ({ state }) => rawHeader(state.parentChain.head),
  }),
  defineBridgeMethod({
    name: 'getBtcBlockchainBlockHeaderByHash',
    inputs: ['bytes32'],
    outputs: ['bytes'],
    access: 'read',
    gas: 4_600n,
    run: ({ state }, [hash]) => rawHeader(state.parentChain.block(hash)),
  }),
  defineBridgeMethod({
    name: 'getBtcBlockchainBlockHeaderByHeight',
    inputs: ['uint256'],
    outputs: ['bytes'],
    access: 'read',
    gas: 5_000n,
    run: ({ state }, [height]) => rawHeader(state.parentChain.findByHeight(lowInteger(height))),
  }),
  defineBridgeMethod({
    name: 'getBtcBlockchainParentBlockHeaderByHash',
    inputs: ['bytes32'],
    outputs: ['bytes'],
    access: 'read',
    gas: 4_900n,
    run({ state }, [hash]) {
      const block = state.parentChain.block(hash);
      return rawHeader(block === undefined ? undefined : state.parentChain.block(block.header.parentHash));
    },
  }),
  defineBridgeMethod({
    name: 'getBtcTransactionConfirmations',
    inputs: ['bytes32', 'bytes32', 'uint256', 'bytes32[]'],
    outputs: ['int256'],
    access: 'read',
    gas([, blockHash, , branch], { parentChain }) {
      const block = parentChain.block(blockHash);
      if (block === undefined) return CONFIRMATIONS_GAS.base;
      const depth = parentChain.head.height - block.height;
      if (depth > MAX_CONFIRMATIONS) return CONFIRMATIONS_GAS.base;
      return gasOfSearch(BigInt(depth), branch);
    },
    gasOfAnswer([, , , branch], [confirmations]) {
      const { unknownBlock, blockTooOld } = CONFIRMATIONS;
      if (confirmations === unknownBlock || confirmations === blockTooOld) return CONFIRMATIONS_GAS.base;
      // A failed verification does not return the depth of the block.
      return gasOfSearch(confirmations > 0n ? confirmations - 1n : 0n, branch);
    },
    run({ state }, [transactionHash, blockHash, path, branch]) {
      const merkleBranch = { path: lowInteger(path), hashes: branch };
      requireBranch(merkleBranch);
      const { parentChain } = state;
      const block = parentChain.block(blockHash);
      if (block === undefined) return [CONFIRMATIONS.unknownBlock];
      const depth = parentChain.head.height - block.height;
      if (depth > MAX_CONFIRMATIONS) return [CONFIRMATIONS.blockTooOld];
      const atHeight = parentChain.findByHeight(block.height);
      if (atHeight === undefined || !equalBytes(atHeight.header.hash, block.header.hash)) {
        return [CONFIRMATIONS.notInBestChain];
      }
      const root = failingForMalformed(() => merkleRootOf(transactionHash, merkleBranch));
      const isValid = isRootOfBlock(state.pegs, root, block.header);
      return [isValid ? BigInt(depth + 1) : CONFIRMATIONS.wrongBranch];
    },
  }),
  defineBridgeMethod({
    name: 'hasBtcBlockCoinbaseTransactionInformation',
    inputs: ['bytes32'],
    outputs: ['bool'],
    access: 'read',
    gas: 5_000n,
    run: ({ state }, [hash]) => [state.pegs.witnessRoot(hash) !== undefined],
  }),
];

const WRITING: readonly BridgeMethod[] = [
  defineBridgeMethod({
    name: 'receiveHeaders',
    inputs: ['bytes[]'],
    outputs: [],
    access: 'write',
    gas: ([headers]) => HEADERS_GAS.base + BigInt(Math.max(headers.length - 1, 0)) * HEADERS_GAS.further,
    run(call, [headers]) {
      requireMember(call);
      if (headers.some(({ length }) => length !== PARENT_HEADER_SIZE)) {
        throw new PrecompileError('each header must be 80 bytes long');
      }
      // Invalid headers are skipped, as on Rootstock.
      for (const raw of headers) call.state.parentChain.add(parseHeader(raw));
      return [];
    },
  }),
  defineBridgeMethod({
    name: 'receiveHeader',
    inputs: ['bytes'],
    outputs: ['int256'],
    access: 'write',
    gas: 10_600n,
    run({ state, environment, account }, [raw]) {
      const reject = (code: bigint, reason: string): [bigint] => {
        account.remark(`header rejected: ${reason}`);
        return [code];
      };
      if (raw.length !== PARENT_HEADER_SIZE) {
        return reject(RECEIVE_HEADER.wrongSize, `expected ${PARENT_HEADER_SIZE} bytes, got ${raw.length}`);
      }
      const { parentChain } = state;
      const header = parseHeader(raw);
      if (parentChain.block(header.hash) !== undefined) {
        return reject(RECEIVE_HEADER.alreadyKnown, 'the Bridge already has the header');
      }
      const { headerTimestamp } = state;
      const seconds = environment.timestamp - headerTimestamp;
      if (headerTimestamp > 0 && seconds < HEADER_INTERVAL) {
        const needed = `${HEADER_INTERVAL} s after the previous header, got ${seconds} s`;
        return reject(RECEIVE_HEADER.tooSoon, `expected at least ${needed}`);
      }
      const parent = parentChain.block(header.parentHash);
      if (parent === undefined) {
        return reject(RECEIVE_HEADER.unknownParent, 'the Bridge does not have the parent of the header');
      }
      if (parentChain.head.height - (parent.height + 1) > DEEPEST_HEADER) {
        return reject(RECEIVE_HEADER.tooOld, `more than ${DEEPEST_HEADER} blocks below the best block`);
      }
      if (!parentChain.add(header)) {
        return reject(RECEIVE_HEADER.refused, 'invalid proof of work');
      }
      state.headerTimestamp = environment.timestamp;
      return [RECEIVE_HEADER.success];
    },
  }),
];

/** The methods to read and add headers of the parent chain. */
export const PARENT_CHAIN_METHODS: readonly BridgeMethod[] = [...READING, ...WRITING];
