// The blocks of Ethereum's rule sets are also given to the library's blockchain, which validates them: an oracle for headers,
// roots and encodings, as the reference engine is one for executions.
import { createBlockFromRLP, type Block as LibraryBlock } from '@ethereumjs/block';
import {
  type Blockchain,
  createBlockchain,
  DBSaveLookups,
  DBSetBlockOrHeader,
  DBSetTD,
} from '@ethereumjs/blockchain';
import { Common, createCustomCommon, Mainnet } from '@ethereumjs/common';
import type { BatchDBOp, DB, DBObject, EncodingOpts } from '@ethereumjs/util';
import { MemoryLevel } from 'memory-level';
import type { ValidateBlock } from '../evm/engine.ts';
import { equalBytes } from '../primitives/bytes.ts';
import { hexKey, toHex } from '../primitives/hex.ts';
import type { Block, BlockHeader, ParentBlock } from '../protocol/block.ts';
import { nextBaseFee } from '../protocol/fees.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import { encodeBlock, headerHash } from '../protocol/header-encoding.ts';
import { isSigned } from '../protocol/transaction-encoding.ts';
import { blockHardforksOf, engineKzg } from './rule-set-common.ts';
import { EngineDifferenceError } from './shadow-engine.ts';

type Key = Uint8Array | string | number;
type Value = Uint8Array | string | DBObject;

/** The encodings of `abstract-level` for those that the library asks for; it writes keys and values as text without any. */
function encodings(options?: EncodingOpts): { keyEncoding: string; valueEncoding: string } {
  const { keyEncoding = 'string', valueEncoding = 'string' } = options ?? {};
  const named = (encoding: string): string => (encoding === 'string' ? 'utf8' : encoding);
  return { keyEncoding: named(keyEncoding), valueEncoding: named(valueEncoding) };
}

/** A database of the library that keeps everything in a `memory-level`. */
class MemoryDatabase implements DB<Key, Value> {
  readonly #level: MemoryLevel<Key, Value>;

  constructor(level = new MemoryLevel<Key, Value>()) {
    this.#level = level;
  }

  get(key: Key, options?: EncodingOpts): Promise<Value | undefined> {
    return this.#level.get(key, encodings(options));
  }

  put(key: Key, value: Value, options?: EncodingOpts): Promise<void> {
    return this.#level.put(key, value, encodings(options));
  }

  del(key: Key, options?: EncodingOpts): Promise<void> {
    return this.#level.del(key, { keyEncoding: encodings(options).keyEncoding });
  }

  batch(operations: BatchDBOp<Key, Value>[]): Promise<void> {
    return this.#level.batch(operations.map((operation) => ({ ...operation, ...encodings(operation.opts) })));
  }

  shallowCopy(): DB<Key, Value> {
    return new MemoryDatabase(this.#level);
  }

  open(): Promise<void> {
    return this.#level.open();
  }
}

/** Returns the library's description of a chain that has had the rule set since its first block. */
function chainWith(ruleSet: RuleSet, chainId: number): Common {
  const last = Mainnet.hardforks.findIndex(({ name }) => name === ruleSet.name);
  const hardforks = Mainnet.hardforks
    .slice(0, last + 1)
    .map(({ name, timestamp }) =>
      timestamp === undefined ? { name, block: 0 } : { name, block: null, timestamp: 0 },
    );
  const options = { hardfork: ruleSet.name, customCrypto: { kzg: engineKzg } };
  const common = createCustomCommon({ chainId, hardforks, ...blockHardforksOf(ruleSet) }, Mainnet, options);
  return withGasLimit(common, transactionGasLimit(ruleSet));
}

/** Maximum gas of a transaction, or of its execution, as the library has it (EIP-7825, EIP-8037). */
function transactionGasLimit({ gas, maximumTransactionGas }: RuleSet): bigint {
  return gas.state?.executionLimit ?? maximumTransactionGas ?? BigInt(Number.MAX_SAFE_INTEGER);
}

/** Sets the gas limit of transactions in the description and in its copies; the library resets its own parameters. */
function withGasLimit(common: Common, limit: bigint): Common {
  const { param } = Common.prototype;
  return Object.assign(common, {
    param(this: Common, name: string): bigint {
      return name === 'maxTransactionGasLimit' ? limit : param.call(this, name);
    },
  });
}

/** A gas limit may differ from that of the parent by less than this part of it (yellow paper, 4.4.4). */
const GAS_LIMIT_DIVISOR = 1024n;

/** The bytes of extra data that Ethereum's blocks may have. */
const MOST_EXTRA_DATA = 32;

/**
 * True for a header that breaks a rule about headers because a user set it so: time, base fee, gas limit or extra data.
 * The header that our own rules make differs from it then.
 */
function isSetByHand(header: BlockHeader, parent: BlockHeader): boolean {
  const change = header.gasLimit - parent.gasLimit;
  const baseFee = header.ethereum?.baseFeePerGas ?? null;
  return (
    header.timestamp <= parent.timestamp ||
    (change < 0n ? -change : change) >= parent.gasLimit / GAS_LIMIT_DIVISOR ||
    header.extraData.length > MOST_EXTRA_DATA ||
    (baseFee !== null && baseFee !== nextBaseFee(parent))
  );
}

/** A blockchain of the library that takes blocks, each on top of its parent. */
class ValidatingBlockchain {
  readonly #common: Common;
  readonly #blockchain: Promise<Blockchain>;
  /** The hashes of the blocks that the library's chain has; it has no question for that. */
  readonly #known = new Set<string>();

  constructor(common: Common) {
    this.#common = common;
    this.#blockchain = createBlockchain({
      common,
      db: new MemoryDatabase() as DB<Uint8Array | string, Uint8Array | string | DBObject>,
      validateBlocks: true,
      genesisStateRoot: new Uint8Array(32),
    });
  }

  /** Rejects with the library's reason, or our own, for a block that is not valid on top of its parent. */
  async take(block: Block, parent: ParentBlock): Promise<void> {
    const blockchain = await this.#blockchain;
    const theirs = this.#decode(block);
    const isOrdinary = !isSetByHand(block.header, parent.header) && block.transactions.every(isSigned);
    if (isOrdinary && (await this.#hasParent(blockchain, parent))) await blockchain.putBlock(theirs);
    else {
      if (!(await theirs.transactionsTrieIsValid())) throw new Error('its transactions root is wrong');
      await trust(blockchain, theirs, block.totalDifficulty);
    }
    this.#known.add(hexKey(block.hash));
  }

  /**
   * True when the library's chain has the block, which is where it goes on from if it was a first block, or loaded or reserved. Blocks
   * of a fork's upstream can have fields that our headers lack, so that they are not taken.
   */
  async #hasParent(blockchain: Blockchain, parent: ParentBlock): Promise<boolean> {
    if (this.#known.has(hexKey(parent.hash))) return true;
    if (!equalBytes(headerHash(parent.header, 'ethereum'), parent.hash)) return false;
    await trust(blockchain, this.#decode(parent), parent.totalDifficulty);
    this.#known.add(hexKey(parent.hash));
    return true;
  }

  #decode(block: ParentBlock): LibraryBlock {
    const theirs = createBlockFromRLP(encodeBlock(block, 'ethereum'), { common: this.#common });
    if (equalBytes(theirs.hash(), block.hash)) return theirs;
    throw new Error(
      `the hash of block ${block.header.number} is ${toHex(theirs.hash())}, not ${toHex(block.hash)}`,
    );
  }
}

/** Takes a block into the library's chain as its head without validating it. */
async function trust(blockchain: Blockchain, block: LibraryBlock, totalDifficulty: bigint): Promise<void> {
  const hash = block.hash();
  const { number } = block.header;
  await blockchain.dbManager.batch([
    DBSetTD(totalDifficulty, number, hash),
    ...DBSetBlockOrHeader(block),
    ...DBSaveLookups(hash, number),
  ]);
  // The library has no way to begin a chain at a later block than the first, but keeps its head in these members.
  Object.assign(blockchain, { _headHeaderHash: hash, _headBlockHash: hash });
}

/**
 * Returns what validates blocks with the rule set, which must be one of Ethereum's, on the chain of that id. It rejects with an
 * {@link EngineDifferenceError} for a block that the library does not take; `onDifference` is called with it before.
 */
export function blockValidation(
  ruleSet: RuleSet,
  chainId: number,
  onDifference: (error: EngineDifferenceError) => void,
): ValidateBlock {
  const blockchain = new ValidatingBlockchain(chainWith(ruleSet, chainId));
  return async (block, parent) => {
    try {
      await blockchain.take(block, parent);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      const error = new EngineDifferenceError({
        difference: `whether block ${block.header.number} is valid: ${reason}`,
        ruleSet: ruleSet.name,
        chainId,
        block: toHex(encodeBlock(block, 'ethereum')),
        parent: toHex(encodeBlock(parent, 'ethereum')),
      });
      onDifference(error);
      throw error;
    }
  };
}
