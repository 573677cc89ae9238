import { Block, crypto, Transaction } from 'bitcoinjs-lib';

/** The work that a pool solves with a parent-chain block: hexadecimal with 0x, as in mnr_getWork. */
export interface PoolWork {
  readonly blockHashForMergedMining: string;
  readonly target: string;
}

/** The options of a parent-chain block. */
export interface ParentBlockOptions {
  /** Number of transactions after the coinbase transaction (default 2). */
  readonly others?: number;
  readonly hasWitness?: boolean;
  /** Makes solutions of the same work differ. */
  readonly extraNonce?: number;
  /** False for a header whose hash is above the target. */
  readonly meetsTarget?: boolean;
}

function bytesOf(hex: string): Uint8Array {
  return new Uint8Array(Buffer.from(hex.replace(/^0x/, ''), 'hex'));
}

function coinbaseTransaction(
  work: PoolWork,
  { extraNonce = 0, hasWitness = false }: ParentBlockOptions,
): Transaction {
  const transaction = new Transaction();
  const script = Buffer.alloc(40, 0x2f);
  script.writeUInt32LE(extraNonce, 4);
  transaction.addInput(new Uint8Array(32), 0xffffffff, 0xffffffff, script);
  if (hasWitness) transaction.setWitness(0, [new Uint8Array(32)]);
  transaction.addOutput(Uint8Array.of(0x51), 5_000_000_000n);
  const payload = Buffer.concat([Buffer.from('RSKBLOCK:'), bytesOf(work.blockHashForMergedMining)]);
  transaction.addOutput(Buffer.concat([Buffer.from([0x6a, payload.length]), payload]), 0n);
  return transaction;
}

function paymentNumber(number: number, hasWitness: boolean): Transaction {
  const transaction = new Transaction();
  transaction.addInput(new Uint8Array(32).fill(number + 1), 0, undefined, Uint8Array.of(0x51));
  if (hasWitness) transaction.setWitness(0, [Uint8Array.of(1, 2, 3)]);
  transaction.addOutput(Uint8Array.of(0x51), BigInt(number));
  return transaction;
}

/** The header hash as a number, to compare with targets. */
function hashNumber(block: Block): bigint {
  return BigInt(`0x${block.getId()}`);
}

/** Searches for the nonce of a header whose hash meets the target (default). */
export function solve(block: Block, target: string, meetsTarget = true): Block {
  for (block.nonce = 0; hashNumber(block) <= BigInt(target) !== meetsTarget; ) block.nonce++;
  return block;
}

/** A parent-chain block that commits to the work and solves it, built with bitcoinjs-lib only. */
export function minedParentBlock(work: PoolWork, options: ParentBlockOptions = {}): Block {
  const { others = 2, hasWitness = false, meetsTarget = true } = options;
  const block = new Block();
  block.version = 0x20000000;
  block.prevHash = new Uint8Array(32).fill(7);
  block.timestamp = 1_700_000_000;
  block.bits = 0x207fffff;
  const payments = Array.from({ length: others }, (_, number) => paymentNumber(number, hasWitness));
  const transactions = [coinbaseTransaction(work, options), ...payments];
  block.transactions = transactions;
  block.merkleRoot = Block.calculateMerkleRoot(transactions);
  return solve(block, work.target, meetsTarget);
}

function transactionsOf(block: Block): readonly Transaction[] {
  return block.transactions ?? [];
}

/** Hash of the coinbase transaction and its siblings in the Merkle tree, lowest first, in hashing order. */
function partialTree(block: Block): Uint8Array[] {
  let row = transactionsOf(block).map((transaction) => new Uint8Array(transaction.getHash()));
  const tree = row.slice(0, 1);
  while (row.length > 1) {
    const last = row.at(-1);
    if (row.length % 2 === 1 && last !== undefined) row.push(last);
    tree.push(...row.slice(1, 2));
    const pairs = row.flatMap((left, index) => (index % 2 === 0 ? [[left, row[index + 1] ?? left]] : []));
    row = pairs.map((pair) => new Uint8Array(crypto.hash256(Buffer.concat(pair))));
  }
  return tree;
}

/** A method of merged mining and its parameters. */
export type Submission = readonly [method: string, params: readonly string[]];

/** The ways to submit a parent-chain block, by method. */
export function submissionsOf(block: Block): readonly Submission[] {
  const transactions = transactionsOf(block);
  const coinbase = transactions[0]?.toHex() ?? '';
  const header = block.toHex(true);
  const ids = transactions.map((transaction) => transaction.getId());
  const tree = partialTree(block).map((hash) => Buffer.from(hash).toString('hex'));
  return [
    ['mnr_submitBitcoinBlock', [block.toHex()]],
    ['mnr_submitBitcoinBlockTransactions', [block.getId(), header, coinbase, ids.join(' ')]],
    [
      'mnr_submitBitcoinBlockPartialMerkle',
      [block.getId(), header, coinbase, tree.join(' '), transactions.length.toString(16)],
    ],
  ];
}
