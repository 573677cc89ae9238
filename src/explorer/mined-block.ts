/** Blocks with the fields of the network. */

/** The fields of a block by which blocks of the network differ from Ethereum's. */
export interface ProvenBlock {
  readonly number: string;
  readonly difficulty: string;
  readonly baseFeePerGas?: string;
  /** The fields of the proof, by the names of the service or of the network. */
  readonly [field: string]: unknown;
}

/** A block as `eth_getBlockByNumber` answers it without its transactions. */
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

/** Returns a field of the proof, which answers call `parentchain…` or `bitcoin…`. */
export function proofField(block: ProvenBlock, name: string): string {
  const value = block[`parentchainMergedMining${name}`] ?? block[`bitcoinMergedMining${name}`];
  return typeof value === 'string' ? value : '0x';
}

/** True for a block under the rules of the network: proven by a parent chain, or the first one, which has a difficulty at least. */
export function isOfNetwork(block: ProvenBlock): boolean {
  if (proofField(block, 'Header') !== '0x') return true;
  return BigInt(block.number) === 0n && block.baseFeePerGas === undefined && BigInt(block.difficulty) > 0n;
}
