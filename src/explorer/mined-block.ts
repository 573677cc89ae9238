/** Blocks with Rootstock's fields. */

/** The fields that distinguish Rootstock blocks from Ethereum blocks. */
export interface ProvenBlock {
  readonly number: string;
  readonly difficulty: string;
  readonly baseFeePerGas?: string;
  /** The proof fields, under the names of the service or of Rootstock. */
  readonly [field: string]: unknown;
}

/** A block of `eth_getBlockByNumber` without transactions. */
export interface MinedBlock extends ProvenBlock {
  readonly hash: string;
  readonly parentHash: string;
  readonly miner: string;
  readonly totalDifficulty?: string;
  readonly cumulativeDifficulty?: string;
  readonly minimumGasPrice?: string;
  readonly paidFees?: string;
  readonly hashForMergedMining?: string;
  readonly uncles: readonly string[];
  readonly transactions: readonly string[];
}

/** Returns a proof field. Its name starts with `parentchain…` or `bitcoin…`. */
export function proofField(block: ProvenBlock, name: string): string {
  const value = block[`parentchainMergedMining${name}`] ?? block[`bitcoinMergedMining${name}`];
  return typeof value === 'string' ? value : '0x';
}

/**
 * Returns true for a block under Rootstock rules. It has a merged-mining proof, or it is a genesis with a
 * difficulty and without a base fee.
 */
export function isRootstock(block: ProvenBlock): boolean {
  if (proofField(block, 'Header') !== '0x') return true;
  return BigInt(block.number) === 0n && block.baseFeePerGas === undefined && BigInt(block.difficulty) > 0n;
}
