import { bigIntToBytes, EMPTY_BYTES, equalBytes } from '../primitives/bytes.ts';
import { fromHex } from '../primitives/hex.ts';
import { keccak256 } from '../primitives/keccak.ts';
import { encodeRlp } from '../primitives/rlp.ts';
import type { Block } from './block.ts';
import type { Transaction, TransactionRequest } from './transaction.ts';

/** The account that collects the fees of all blocks and shares them out (RSKIP-15). */
export const REMASC_ADDRESS = fromHex('0x0000000000000000000000000000000001000008');

/** Who sends the transaction to it that ends each block: nobody. */
export const REMASC_SENDER = new Uint8Array(20);

const ZERO_BYTE = Uint8Array.of(0);

/**
 * The transaction that ends the block with that number (1 or above). It depends on nothing else, so it has the same
 * hash on every fork. Nobody signs it. Its gas price and gas are written as one zero byte, which RLP does not have for a
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
    v: 0n,
    r: 0n,
    s: 0n,
    sender: REMASC_SENDER,
    raw,
    hash: keccak256(raw),
  };
}

/** True for a transaction such as ends a block: without signature and gas, to {@link REMASC_ADDRESS}. */
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

/** True when such a transaction ends the block: the fees of its other transactions went to {@link REMASC_ADDRESS}. */
export function endsWithRemasc({ transactions }: Pick<Block, 'transactions'>): boolean {
  const last = transactions.at(-1);
  return last !== undefined && isRemascTransaction(last);
}
