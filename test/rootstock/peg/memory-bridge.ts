import { Transaction } from 'bitcoinjs-lib';
import type { PrecompileAccount } from '../../../src/evm/precompiles/precompiled-contract.ts';
import { concatBytes } from '../../../src/primitives/bytes.ts';
import { fromHex, hexKey, toHex } from '../../../src/primitives/hex.ts';
import { doubleSha256 } from '../../../src/primitives/sha256.ts';
import { type FederationFormat, rootstockUpgradesOf } from '../../../src/protocol/hardforks/rootstock.ts';
import { reversed } from '../../../src/rootstock/bitcoin/byte-reader.ts';
import { merkleRootOfIds } from '../../../src/rootstock/bitcoin/merkle-root.ts';
import {
  buildPartialMerkleTree,
  serializePartialMerkleTree,
} from '../../../src/rootstock/bitcoin/partial-merkle-tree.ts';
import {
  parseTransaction,
  transactionId,
  witnessTransactionId,
} from '../../../src/rootstock/bitcoin/transaction.ts';
import { type BridgeConstants, bridgeConstants } from '../../../src/rootstock/bridge/bridge-constants.ts';
import type { BridgeCall } from '../../../src/rootstock/bridge/bridge-method.ts';
import { BridgeState } from '../../../src/rootstock/bridge/bridge-state.ts';
import { GENESIS_HEADER, parseHeader } from '../../../src/rootstock/bridge/parent-chain.ts';
import { ETHER, environmentOf } from '../../reference/scene.ts';
import { ABI, BRIDGE_BALANCE, signedMessage } from '../bridge/bridge-scene.ts';
import { minedHeader } from '../bridge/parent-headers.ts';

/** Mined headers of the parent chain without transactions, by height. */
const HEADERS: Uint8Array[] = [GENESIS_HEADER.raw];

function headersUpTo(height: number): readonly Uint8Array[] {
  while (HEADERS.length <= height) {
    HEADERS.push(minedHeader(parseHeader(HEADERS.at(-1) ?? GENESIS_HEADER.raw).hash));
  }
  return HEADERS.slice(1, height + 1);
}

/** A transaction in a block of the parent chain, as arguments of `registerBtcTransaction`. */
export interface BlockProof {
  readonly bytes: Uint8Array;
  readonly height: number;
  readonly tree: Uint8Array;
}

/** A block with a coinbase transaction that commits to the wtxids. */
export interface WitnessBlock extends BlockProof {
  readonly blockHash: Uint8Array;
  readonly coinbase: {
    bytes: Uint8Array;
    tree: Uint8Array;
    witnessRoot: Uint8Array;
    reservedValue: Uint8Array;
  };
}

const RESERVED = new Uint8Array(32);

function coinbaseOf(witnessRoot: Uint8Array, height: number): Transaction {
  const commitment = doubleSha256(concatBytes(reversed(witnessRoot), RESERVED));
  const transaction = new Transaction();
  transaction.addInput(
    new Uint8Array(32),
    0xffff_ffff,
    0xffff_ffff,
    Uint8Array.of(2, height & 0xff, height >> 8),
  );
  transaction.addOutput(fromHex('0x51'), 5_000_000_000n);
  transaction.addOutput(concatBytes(fromHex('0x6a24aa21a9ed'), commitment), 0n);
  return transaction;
}

function treeOf(ids: readonly Uint8Array[], id: Uint8Array): Uint8Array {
  return serializePartialMerkleTree(buildPartialMerkleTree(ids, (each) => each === id));
}

/** A Bridge with its account in memory. */
export class MemoryBridge {
  readonly constants: BridgeConstants;
  readonly state: BridgeState;
  readonly logs: { topics: readonly Uint8Array[]; data: Uint8Array }[] = [];
  readonly sent: [to: string, wei: bigint][] = [];
  balance = BRIDGE_BALANCE;
  readonly #slots = new Map<string, Uint8Array>();
  readonly #account: PrecompileAccount;

  constructor(format: FederationFormat = 'legacy', chainId = 33) {
    this.constants = bridgeConstants(chainId, format);
    this.#account = {
      slot: (key) => this.#slots.get(hexKey(key)) ?? new Uint8Array(32),
      setSlot: (key, value) => void this.#slots.set(hexKey(key), value),
      balance: () => this.balance,
      send: (to, wei) => this.#send(to, wei),
      refund: (to, wei) => this.#send(to, wei),
      log: (topics, data) => void this.logs.push({ topics, data }),
      remark: () => undefined,
      upstream: () => null,
    };
    this.state = new BridgeState(this.#account, this.constants);
  }

  #send(to: Uint8Array, wei: bigint): void {
    this.balance -= wei;
    this.sent.push([toHex(to), wei]);
  }

  /** A call by a transaction, or by a contract with this address. */
  call(contract?: Uint8Array): BridgeCall {
    return {
      caller: contract ?? new Uint8Array(20),
      value: 0n,
      isStatic: false,
      isBorrowed: false,
      isReadOnlyCall: false,
      transaction: { hash: TRANSACTION.hash, publicKey: () => undefined },
      account: this.#account,
      isFromContract: contract !== undefined,
      environment: environmentOf('rootstock', { number: BLOCK_NUMBER }),
      state: this.state,
      constants: this.constants,
      upgrades: rootstockUpgradesOf(33),
    };
  }

  /** Mines a block at the height with this transaction, and the blocks that confirm it. */
  mine(
    transaction: Transaction,
    height: number,
    confirmations = this.constants.peginConfirmations,
  ): WitnessBlock {
    const { parentChain } = this.state;
    for (const raw of headersUpTo(height - 1)) parentChain.add(parseHeader(raw));
    const wtxid = witnessTransactionId(transaction);
    const witnessIds = [new Uint8Array(32), wtxid];
    const witnessRoot = merkleRootOfIds(witnessIds);
    const coinbase = coinbaseOf(witnessRoot, height);
    const ids = [transactionId(coinbase), transactionId(transaction)] as const;
    let raw = minedHeader(parseHeader(HEADERS[height - 1] ?? GENESIS_HEADER.raw).hash, merkleRootOfIds(ids));
    const { hash: blockHash } = parseHeader(raw);
    for (let count = 0; count < confirmations; count++) {
      parentChain.add(parseHeader(raw));
      raw = minedHeader(parseHeader(raw).hash);
    }
    return {
      bytes: transaction.toBuffer(),
      height,
      tree: transaction.hasWitnesses() ? treeOf(witnessIds, wtxid) : treeOf(ids, ids[1]),
      blockHash,
      coinbase: {
        bytes: coinbase.toBuffer(),
        tree: treeOf(ids, ids[0]),
        witnessRoot,
        reservedValue: RESERVED,
      },
    };
  }

  /** The names and the arguments of the logs. */
  events(): unknown[][] {
    return this.logs.map(({ topics, data }) => {
      const parsed = ABI.parseLog({ topics: topics.map(toHex), data: toHex(data) });
      if (parsed === null) throw new Error('unknown event');
      return [parsed.name, ...parsed.args.toArray()];
    });
  }

  /** The transactions that wait for confirmations. */
  waiting(): Transaction[] {
    return this.state.pegouts.unconfirmed().map(({ raw }) => parseTransaction(raw));
  }
}

/** The number of the block that executes the calls. */
export const BLOCK_NUMBER = 77;

const TRANSACTION = signedMessage('somebody', { gasLimit: 100_000n });
/** The hash of the transaction that makes the calls. */
export const TRANSACTION_HASH = toHex(TRANSACTION.hash);

export const COIN = 100_000_000n;
export const WEI = ETHER / COIN;
