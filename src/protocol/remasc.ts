import { bigIntToBytes, EMPTY_BYTES, equalBytes } from '../primitives/bytes.ts';
import { fromHex } from '../primitives/hex.ts';
import { keccak256 } from '../primitives/keccak.ts';
import { encodeRlp } from '../primitives/rlp.ts';
import type { Block } from './block.ts';
import { LOCAL_FEDERATORS } from './hardforks/free-calls.ts';
import { precompileAddress } from './hardforks/precompiles.ts';
import { NO_BLOBS, type Transaction, type TransactionRequest } from './transaction.ts';

/** The shares of block fees that REMASC pays. Each divisor takes its part of the remaining sum. */
export interface RemascParameters {
  /** The number of blocks until the fees of a block are paid. */
  readonly maturity: number;
  /** Divisor of the collected fees for the share of one block. No block below this number is paid. */
  readonly syntheticSpan: number;
  /** 20 bytes. */
  readonly labsAddress: Uint8Array;
  readonly labsDivisor: bigint;
  readonly federationDivisor: bigint;
  /** 20 bytes each, in the order of payment. */
  readonly federators: readonly Uint8Array[];
  /** The part of the miners who included siblings of the matured block as uncles. */
  readonly publishersDivisor: bigint;
  /** The part that is burned if the previous block violated the selection rule. */
  readonly punishmentDivisor: bigint;
  /** The part of its share that a sibling loses per block of late inclusion. */
  readonly lateInclusionDivisor: bigint;
  /** The number of blocks after a block that can include its siblings as uncles. */
  readonly uncleGenerations: number;
  /** A block is not paid yet if its share is below this gas at the minimum gas price (RSKIP-85). */
  readonly minimumPayableGas: bigint;
  /** A federator is not paid yet if its share is below this gas at the minimum gas price (RSKIP-85). */
  readonly minimumFederatorGas: bigint;
}

/**
 * The parameters of regtest with its genesis federation. Members are paid in the order of their public keys,
 * with the prefixes `02cd53`, `036263` and `03c594`.
 */
export const LOCAL_REMASC: RemascParameters = {
  maturity: 10,
  syntheticSpan: 5,
  labsAddress: fromHex('0xdabadabadabadabadabadabadabadabadaba0001'),
  labsDivisor: 5n,
  federationDivisor: 100n,
  federators: LOCAL_FEDERATORS,
  publishersDivisor: 10n,
  punishmentDivisor: 10n,
  lateInclusionDivisor: 20n,
  uncleGenerations: 7,
  minimumPayableGas: 200_000n,
  minimumFederatorGas: 50_000n,
};

/** The account that collects and distributes the fees of all blocks (RSKIP-15). */
export const REMASC_ADDRESS = precompileAddress('REMASC');

/** The sender of the unsigned REMASC transaction: the zero address. */
export const REMASC_SENDER = new Uint8Array(20);

const ZERO_BYTE = Uint8Array.of(0);

/**
 * Returns the unsigned REMASC transaction of a block (number 1 or above). It depends only on the number, so
 * its hash is the same on every fork. Gas price and gas limit are encoded as a zero byte, not as RLP numbers.
 */
export function remascTransaction(blockNumber: number): Transaction {
  const nonce = BigInt(blockNumber - 1);
  const empty = [EMPTY_BYTES, EMPTY_BYTES, EMPTY_BYTES, EMPTY_BYTES, EMPTY_BYTES];
  const raw = encodeRlp([bigIntToBytes(nonce), ZERO_BYTE, ZERO_BYTE, REMASC_ADDRESS, ...empty]);
  return {
    type: 0,
    chainId: null,
    nonce,
    maxFeePerGas: 0n,
    maxPriorityFeePerGas: 0n,
    gasLimit: 0n,
    to: REMASC_ADDRESS,
    value: 0n,
    data: EMPTY_BYTES,
    accessList: [],
    authorizationList: [],
    ...NO_BLOBS,
    v: 0n,
    r: 0n,
    s: 0n,
    sender: REMASC_SENDER,
    raw,
    hash: keccak256(raw),
  };
}

/** Returns true for a REMASC transaction: no signature, no gas, sent to {@link REMASC_ADDRESS}. */
export function isRemascTransaction({
  v,
  r,
  s,
  gasLimit,
  to,
}: Pick<Transaction, 'v' | 'r' | 's'> & Pick<TransactionRequest, 'gasLimit' | 'to'>): boolean {
  // All other transactions in blocks have gas.
  if (gasLimit !== 0n || v !== 0n || r !== 0n || s !== 0n || to === null) return false;
  return equalBytes(to, REMASC_ADDRESS);
}

/** Returns true if the block ends with REMASC: the fees went to {@link REMASC_ADDRESS}. */
export function endsWithRemasc({ transactions }: Pick<Block, 'transactions'>): boolean {
  const last = transactions.at(-1);
  return last !== undefined && isRemascTransaction(last);
}
