import { bigIntToBytes, EMPTY_BYTES, equalBytes } from '../primitives/bytes.ts';
import { fromHex } from '../primitives/hex.ts';
import { keccak256 } from '../primitives/keccak.ts';
import { encodeRlp } from '../primitives/rlp.ts';
import type { Block } from './block.ts';
import { precompileAddress } from './hardforks/precompiles.ts';
import { NO_BLOBS, type Transaction, type TransactionRequest } from './transaction.ts';

/** The shares by which REMASC pays out the fees of blocks. Each divisor takes its part of the sum that is left by then. */
export interface RemascParameters {
  /** The number of blocks after a block at which its fees are looked at. */
  readonly maturity: number;
  /** The part of all fees collected that one block is worth; no block below this number is paid for. */
  readonly syntheticSpan: number;
  /** 20 bytes. */
  readonly labsAddress: Uint8Array;
  readonly labsDivisor: bigint;
  readonly federationDivisor: bigint;
  /** 20 bytes each, in the order in which they are paid. */
  readonly federators: readonly Uint8Array[];
  /** The part of those who included the matured block's siblings as uncles. */
  readonly publishersDivisor: bigint;
  /** The part that is burned when the block before broke the selection rule. */
  readonly punishmentDivisor: bigint;
  /** The part of its share that a sibling loses for each block that it was included late. */
  readonly lateInclusionDivisor: bigint;
  /** The number of blocks after a block in which its siblings can be uncles. */
  readonly uncleGenerations: number;
  /** Gas at the minimum gas price below which a block is not paid for yet (RSKIP-85). */
  readonly minimumPayableGas: bigint;
  /** Gas at the minimum gas price below which a federator is not paid yet (RSKIP-85). */
  readonly minimumFederatorGas: bigint;
}

/**
 * The local network's. Its federation is that of its genesis; members are paid in the order of their public keys, which
 * begin with `02cd53`, `036263` and `03c594`.
 */
export const LOCAL_REMASC: RemascParameters = {
  maturity: 10,
  syntheticSpan: 5,
  labsAddress: fromHex('0xdabadabadabadabadabadabadabadabadaba0001'),
  labsDivisor: 5n,
  federationDivisor: 100n,
  federators: [
    fromHex('0x6b045752f4d650a510a353bbf7e52988331e7f5b'),
    fromHex('0x85845342b0d5260d516d6da5280a7df9a96d1925'),
    fromHex('0x138161cda86b55c0de1bc3a0adef974633c85fbe'),
  ],
  publishersDivisor: 10n,
  punishmentDivisor: 10n,
  lateInclusionDivisor: 20n,
  uncleGenerations: 7,
  minimumPayableGas: 200_000n,
  minimumFederatorGas: 50_000n,
};

/** The account that collects the fees of all blocks and shares them out (RSKIP-15). */
export const REMASC_ADDRESS = precompileAddress('REMASC');

/** The sender of the unsigned transaction that ends each block: the zero address. */
export const REMASC_SENDER = new Uint8Array(20);

const ZERO_BYTE = Uint8Array.of(0);

/**
 * Returns the transaction that ends the block with that number (1 or above). It depends on nothing else, so it has the same
 * hash on every fork. It has no signature. Its gas price and gas are written as one zero byte, which RLP does not have for a
 * number.
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

/** Returns true for a transaction such as ends a block: without signature and gas, to {@link REMASC_ADDRESS}. */
export function isRemascTransaction({
  v,
  r,
  s,
  gasLimit,
  to,
}: Pick<Transaction, 'v' | 'r' | 's'> & Pick<TransactionRequest, 'gasLimit' | 'to'>): boolean {
  // No other transaction that stands in a block goes without gas.
  if (gasLimit !== 0n || v !== 0n || r !== 0n || s !== 0n || to === null) return false;
  return equalBytes(to, REMASC_ADDRESS);
}

/** Returns true when such a transaction ends the block: the fees of its other transactions went to {@link REMASC_ADDRESS}. */
export function endsWithRemasc({ transactions }: Pick<Block, 'transactions'>): boolean {
  const last = transactions.at(-1);
  return last !== undefined && isRemascTransaction(last);
}
