// Validates the blocks of Ethereum's rule sets with the blockchain of ethereumjs. It is an oracle for
// headers, roots and encodings, like the reference engine for executions.
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
import { addedLibraryEips, addedParameters, blockHardforksOf, engineKzg } from './rule-set-common.ts';
import { EngineDifferenceError } from './shadow-engine.ts';

type Key = Uint8Array | string | number;
type Value = Uint8Array | string | DBObject;

/** Maps encodings of ethereumjs to `abstract-level`. Without options, keys and values are text. */
function encodings(options?: EncodingOpts): { keyEncoding: string; valueEncoding: string } {
  const { keyEncoding = 'string', valueEncoding = 'string' } = options ?? {};
  const named = (encoding: string): string => (encoding === 'string' ? 'utf8' : encoding);
  return { keyEncoding: named(keyEncoding), valueEncoding: named(valueEncoding) };
}

/** A database for ethereumjs in memory (`memory-level`). */
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

/** Returns the `Common` of a chain with this rule set from genesis on. */
function chainWith(ruleSet: RuleSet, chainId: number): Common {
  const { hardfork } = ruleSet.reference;
  const last = Mainnet.hardforks.findIndex(({ name }) => name === hardfork);
  const hardforks = Mainnet.hardforks
    .slice(0, last + 1)
    .map(({ name, timestamp }) =>
      timestamp === undefined ? { name, block: 0 } : { name, block: null, timestamp: 0 },
    );
  const options = { hardfork, customCrypto: { kzg: engineKzg } };
  const common = createCustomCommon({ chainId, hardforks, ...blockHardforksOf(ruleSet) }, Mainnet, options);
  return withGasLimit(withAddedEips(common, ruleSet), transactionGasLimit(ruleSet));
}

/** Maximum gas of a transaction or its execution, as ethereumjs defines it (EIP-7825, EIP-8037). */
function transactionGasLimit({ gas, maximumTransactionGas }: RuleSet): bigint {
  return gas.state?.executionLimit ?? maximumTransactionGas ?? BigInt(Number.MAX_SAFE_INTEGER);
}

/** Activates the added EIPs in copies too. */
function withAddedEips(common: Common, ruleSet: RuleSet): Common {
  const added = addedLibraryEips(ruleSet);
  if (added.length === 0) return common;
  const { isActivatedEIP, param } = Common.prototype;
  const parameters = addedParameters(ruleSet);
  return Object.assign(common, {
    param(this: Common, name: string): bigint {
      const value = parameters[name];
      return value === undefined || value === null ? param.call(this, name) : BigInt(value);
    },
    isActivatedEIP(this: Common, eip: number): boolean {
      return added.includes(eip) || isActivatedEIP.call(this, eip);
    },
  });
}

/** Overrides the transaction gas limit in copies too, because ethereumjs resets parameters. */
function withGasLimit(common: Common, limit: bigint): Common {
  const { param } = common;
  return Object.assign(common, {
    param(this: Common, name: string): bigint {
      return name === 'maxTransactionGasLimit' ? limit : param.call(this, name);
    },
  });
}

/** The gas limit may differ from the parent's by less than this fraction (yellow paper, 4.4.4). */
const GAS_LIMIT_DIVISOR = 1024n;

/** Maximum extra data of Ethereum's blocks in bytes. */
const MAX_EXTRA_DATA = 32;

/** Returns true if a timestamp, base fee, gas limit or extra data set by a user is invalid. */
function isSetByHand(header: BlockHeader, parent: BlockHeader): boolean {
  const change = header.gasLimit - parent.gasLimit;
  const baseFee = header.ethereum?.baseFeePerGas ?? null;
  return (
    header.timestamp <= parent.timestamp ||
    (change < 0n ? -change : change) >= parent.gasLimit / GAS_LIMIT_DIVISOR ||
    header.extraData.length > MAX_EXTRA_DATA ||
    (baseFee !== null && baseFee !== nextBaseFee(parent))
  );
}

/** An ethereumjs blockchain that accepts blocks on top of their parents. */
class ValidatingBlockchain {
  readonly #common: Common;
  readonly #blockchain: Promise<Blockchain>;
  /** The hashes of the blocks in the blockchain, because ethereumjs cannot query them. */
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

  /** Rejects with a reason if the block is not valid on top of its parent. */
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
   * Returns true if the blockchain has the parent. Adds the parent if it is the genesis, loaded or reserved.
   * Returns false for upstream blocks of a fork with fields that our headers lack.
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

/** Adds a block as the head of the blockchain without validation. */
async function trust(blockchain: Blockchain, block: LibraryBlock, totalDifficulty: bigint): Promise<void> {
  const hash = block.hash();
  const { number } = block.header;
  await blockchain.dbManager.batch([
    DBSetTD(totalDifficulty, number, hash),
    ...DBSetBlockOrHeader(block),
    ...DBSaveLookups(hash, number),
  ]);
  // ethereumjs cannot start a chain after its genesis block, so set the members that contain its head.
  Object.assign(blockchain, { _headHeaderHash: hash, _headBlockHash: hash });
}

/**
 * Returns a validator of blocks under one of Ethereum's rule sets. It rejects with
 * {@link EngineDifferenceError} if ethereumjs rejects a block, after a call of `onDifference`.
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
