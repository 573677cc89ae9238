import type { Transaction } from 'bitcoinjs-lib';
import { describe, expect, it } from 'vitest';
import { concatBytes } from '../../../src/primitives/bytes.ts';
import { fromHex } from '../../../src/primitives/hex.ts';
import { doubleSha256 } from '../../../src/primitives/sha256.ts';
import { reversed } from '../../../src/rootstock/bitcoin/byte-reader.ts';
import {
  buildPartialMerkleTree,
  serializePartialMerkleTree,
} from '../../../src/rootstock/bitcoin/partial-merkle-tree.ts';
import { idOfBytes, transactionId, withoutWitness } from '../../../src/rootstock/bitcoin/transaction.ts';
import { isRootOfBlock } from '../../../src/rootstock/peg/block-proof.ts';
import { registerCoinbase } from '../../../src/rootstock/peg/register-coinbase.ts';
import { registerTransaction } from '../../../src/rootstock/peg/register-transaction.ts';
import { INPUTS, transactionOf } from './bitcoin-builder.ts';
import { BLOCK_NUMBER, type BlockProof, COIN, MemoryBridge, type WitnessBlock } from './memory-bridge.ts';

const pegin = ({ constants }: MemoryBridge, input = INPUTS.p2pkh()): Transaction =>
  transactionOf([input], [{ script: constants.federation.outputScript, value: COIN }]);

/** The tree of a block with only this transaction. */
const onlyTree = (bytes: Uint8Array) =>
  serializePartialMerkleTree(buildPartialMerkleTree([idOfBytes(bytes)], () => true));

function isRegistered(bridge: MemoryBridge): boolean {
  const isPaid = bridge.sent.length > 0;
  expect(bridge.state.utxos.all()).toHaveLength(isPaid ? 1 : 0);
  return isPaid;
}

/** Proofs that rskj ignores or rejects, by the names of its tests. */
const PROOFS: readonly {
  readonly name: string;
  readonly change: (proof: BlockProof) => Partial<BlockProof>;
  readonly confirmations?: number;
  /** A part of the error; `null` if the proof is ignored. */
  readonly error: string | null;
}[] = [
  { name: 'negative_height', change: () => ({ height: -1 }), error: null },
  { name: 'insufficient_confirmations', change: () => ({}), confirmations: 2, error: null },
  { name: 'a height above the best block', change: () => ({ height: 9 }), error: null },
  {
    name: 'invalid_pmt',
    change: ({ tree }) => ({ tree: concatBytes(tree, Uint8Array.of(1)) }),
    error: 'bytes follow',
  },
  { name: 'an empty tree', change: () => ({ tree: new Uint8Array() }), error: 'the end of the data' },
  {
    name: 'hash_not_in_pmt',
    change: () => ({ tree: onlyTree(Uint8Array.of(1)) }),
    error: null,
  },
  {
    name: 'exception_in_getTxnHashAndMerkleRoot',
    change: () => ({ tree: fromHex('0x000000000000') }),
    error: 'no transactions',
  },
  {
    name: 'tx_without_inputs_after_rskip_143',
    change() {
      const bytes = fromHex('0x0100000000010000000000');
      return { bytes, tree: onlyTree(bytes) };
    },
    error: 'no inputs',
  },
  {
    name: 'invalid_block_merkle_root',
    change: ({ bytes }) => ({ tree: onlyTree(bytes) }),
    error: null,
  },
  { name: 'successful', change: () => ({}), error: null },
];

describe('a proof of a transaction', () => {
  it.each(PROOFS)('is handled as in rskj: $name', ({ name, change, confirmations, error }) => {
    const bridge = new MemoryBridge();
    const proof = bridge.mine(pegin(bridge), 2, confirmations);
    const run = () => registerTransaction(bridge.call(), { ...proof, ...change(proof) });
    if (error === null) run();
    else expect(run).toThrow(error);
    expect(isRegistered(bridge)).toBe(name === 'successful');
  });

  it('is not accepted twice', () => {
    const bridge = new MemoryBridge();
    const proof = bridge.mine(pegin(bridge), 1);
    registerTransaction(bridge.call(), proof);
    registerTransaction(bridge.call(), proof);
    expect(bridge.sent).toHaveLength(1);
    expect(bridge.state.pegs.processedAt(idOfBytes(proof.bytes))).toBe(BigInt(BLOCK_NUMBER));
  });

  it('fails for a block below the indexed heights', () => {
    const bridge = new MemoryBridge();
    const proof = bridge.mine(pegin(bridge), 1, 20);
    expect(() => registerTransaction(bridge.call(), proof)).toThrow('too old');
  });

  it.each([
    ['that spends an output twice', (transaction: Transaction) => transaction.ins.push(...transaction.ins)],
    ['without outputs', (transaction: Transaction) => transaction.outs.splice(0)],
    [
      'of more than all coins',
      (transaction: Transaction) => transaction.addOutput(fromHex('0x51'), 2_100_000_000_000_000n),
    ],
    [
      'that creates coins with other inputs',
      (transaction: Transaction) => transaction.addInput(new Uint8Array(32), 0xffff_ffff),
    ],
  ])('fails for a transaction %s', (_, change) => {
    const bridge = new MemoryBridge();
    const transaction = pegin(bridge);
    change(transaction);
    const proof = bridge.mine(transaction, 1);
    expect(() => registerTransaction(bridge.call(), proof)).toThrow('the Bitcoin transaction');
  });
});

const witnessPegin = (bridge: MemoryBridge) => pegin(bridge, INPUTS.p2shP2wpkh());
const coinbaseOf = ({ coinbase, blockHash }: WitnessBlock) => ({ ...coinbase, blockHash });

describe('a proof of a transaction with witness', () => {
  it('requires the coinbase of the block (rejects_tx_with_witness_and_unregistered_coinbase)', () => {
    const bridge = new MemoryBridge();
    const block = bridge.mine(witnessPegin(bridge), 1);
    registerTransaction(bridge.call(), block);
    expect(isRegistered(bridge)).toBe(false);
    registerCoinbase(bridge.call(), coinbaseOf(block));
    registerTransaction(bridge.call(), block);
    expect(isRegistered(bridge)).toBe(true);
  });

  it('requires the registered root (rejects_tx_with_witness_and_unqual_witness_root)', () => {
    const bridge = new MemoryBridge();
    const block = bridge.mine(witnessPegin(bridge), 1);
    bridge.state.pegs.setWitnessRoot(block.blockHash, new Uint8Array(32).fill(1));
    registerTransaction(bridge.call(), block);
    expect(isRegistered(bridge)).toBe(false);
  });

  it('is accepted once, with or without witness (sending_segwit_tx_twice_locks_just_once)', () => {
    const bridge = new MemoryBridge();
    const transaction = witnessPegin(bridge);
    const block = bridge.mine(transaction, 1);
    registerCoinbase(bridge.call(), coinbaseOf(block));
    registerTransaction(bridge.call(), block);
    const plain = withoutWitness(transaction).toBuffer();
    const ids = [idOfBytes(block.coinbase.bytes), transactionId(transaction)];
    const tree = serializePartialMerkleTree(buildPartialMerkleTree(ids, (id) => id === ids[1]));
    registerTransaction(bridge.call(), { bytes: plain, height: 1, tree });
    expect(bridge.sent).toHaveLength(1);
  });

  it('is accepted without its witness (accepts_lock_tx_without_witness)', () => {
    const bridge = new MemoryBridge();
    const transaction = withoutWitness(pegin(bridge));
    registerTransaction(bridge.call(), bridge.mine(transaction, 1));
    expect(isRegistered(bridge)).toBe(true);
  });
});

/** Coinbase transactions that rskj ignores or rejects, by the names of its tests. */
const COINBASES: readonly (readonly [
  name: string,
  change: (block: WitnessBlock, bridge: MemoryBridge) => Partial<ReturnType<typeof coinbaseOf>>,
  error: string | null,
])[] = [
  ['MerkleTreeWrongFormat_noSent', () => ({ tree: new Uint8Array(1) }), 'the end of the data'],
  ['HashNotInPmt_noSent', ({ tree }) => ({ tree }), null],
  ['null_stored_block_noSent', () => ({ blockHash: new Uint8Array(32) }), 'not registered'],
  ['not_equal_merkle_root_noSent', ({ coinbase }) => ({ tree: onlyTree(coinbase.bytes) }), null],
  [
    'notVerify_noSent',
    () => ({ witnessRoot: new Uint8Array(32).fill(3) }),
    'does not commit to this witness root',
  ],
  ['wrong_witnessReservedValue', () => ({ reservedValue: new Uint8Array(32).fill(1) }), 'does not commit'],
  [
    'a transaction that is not the coinbase',
    ({ bytes, tree }) => ({ bytes, tree }),
    'does not create the coins',
  ],
];

describe('registerCoinbase', () => {
  it.each(COINBASES)('handles the coinbase as rskj: %s', (_, change, error) => {
    const bridge = new MemoryBridge();
    const block = bridge.mine(pegin(bridge), 1);
    const run = () => registerCoinbase(bridge.call(), { ...coinbaseOf(block), ...change(block, bridge) });
    if (error === null) run();
    else expect(run).toThrow(error);
    expect(bridge.state.pegs.witnessRoot(block.blockHash)).toBeUndefined();
  });

  it('stores the root (registerBtcCoinbaseTransaction), also a root of zeros', () => {
    const bridge = new MemoryBridge();
    const block = bridge.mine(pegin(bridge), 1);
    registerCoinbase(bridge.call(), coinbaseOf(block));
    expect(bridge.state.pegs.witnessRoot(block.blockHash)).toEqual(block.coinbase.witnessRoot);
    bridge.state.pegs.setWitnessRoot(block.blockHash, new Uint8Array(32));
    expect(bridge.state.pegs.witnessRoot(block.blockHash)).toEqual(new Uint8Array(32));
  });

  it('uses the last commitment of the coinbase', () => {
    const bridge = new MemoryBridge();
    const { blockHash, coinbase } = bridge.mine(pegin(bridge), 1);
    const header = bridge.state.parentChain.block(blockHash)?.header;
    if (header === undefined) throw new Error('the block is missing');
    const { pegs } = bridge.state;
    const root = new Uint8Array(32).fill(9);
    expect(isRootOfBlock(pegs, header.merkleRoot, header)).toBe(true);
    expect(isRootOfBlock(pegs, root, header)).toBe(false);
    pegs.setWitnessRoot(blockHash, root);
    expect(isRootOfBlock(pegs, root, header)).toBe(true);
    const commitment = doubleSha256(concatBytes(reversed(coinbase.witnessRoot), coinbase.reservedValue));
    expect(coinbase.bytes.slice(-36, -4)).toEqual(commitment);
  });
});
