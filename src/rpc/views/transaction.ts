import { bigIntToFixedBytes } from '../../primitives/bytes.ts';
import { toHex, toQuantity } from '../../primitives/hex.ts';
import { effectiveGasPrice } from '../../rules/base-fee.ts';
import type { Block } from '../../rules/block.ts';
import type { AccessListEntry, Authorization, Transaction } from '../../rules/transaction.ts';

/** A transaction as JSON (service document, Transaction object). */
export type TransactionView = Readonly<Record<string, unknown>>;

/** An access list as JSON (EIP-2930). */
export function accessListView(accessList: readonly AccessListEntry[]): unknown {
  return accessList.map(({ address, storageKeys }) => ({
    address: toHex(address),
    storageKeys: storageKeys.map(toHex),
  }));
}

function authorizationView(authorization: Authorization): unknown {
  return {
    chainId: toQuantity(authorization.chainId),
    address: toHex(authorization.address),
    nonce: toQuantity(authorization.nonce),
    yParity: toQuantity(authorization.yParity),
    r: toQuantity(authorization.r),
    s: toQuantity(authorization.s),
  };
}

/** The fields that only typed transactions have (EIP-2930, EIP-1559, EIP-7702). */
function typedFields(transaction: Transaction): TransactionView {
  if (transaction.type === 0) return {};
  const shared = {
    chainId: toQuantity(transaction.chainId ?? 0n),
    accessList: accessListView(transaction.accessList),
    yParity: toQuantity(transaction.v),
  };
  if (transaction.type === 1) return shared;
  const fees = {
    ...shared,
    maxFeePerGas: toQuantity(transaction.maxFeePerGas),
    maxPriorityFeePerGas: toQuantity(transaction.maxPriorityFeePerGas),
  };
  if (transaction.type === 2) return fees;
  return { ...fees, authorizationList: transaction.authorizationList.map(authorizationView) };
}

/**
 * A transaction as JSON. `place` is where it was mined; `null` for a pending one, whose block fields are `null` and
 * whose gas price is the most it offers.
 */
export function transactionView(
  transaction: Transaction,
  place: { readonly block: Block; readonly index: number } | null,
): TransactionView {
  const baseFeePerGas = place?.block.header.ethereum.baseFeePerGas ?? null;
  return {
    hash: toHex(transaction.hash),
    nonce: toQuantity(transaction.nonce),
    blockHash: place === null ? null : toHex(place.block.hash),
    blockNumber: place === null ? null : toQuantity(place.block.header.number),
    transactionIndex: place === null ? null : toQuantity(place.index),
    from: toHex(transaction.sender),
    to: transaction.to === null ? null : toHex(transaction.to),
    gas: toQuantity(transaction.gasLimit),
    gasPrice: toQuantity(effectiveGasPrice(transaction, baseFeePerGas)),
    value: toQuantity(transaction.value),
    input: toHex(transaction.data),
    v: toQuantity(transaction.v),
    r: toHex(bigIntToFixedBytes(transaction.r, 32)),
    s: toHex(bigIntToFixedBytes(transaction.s, 32)),
    type: toQuantity(transaction.type),
    ...typedFields(transaction),
  };
}
