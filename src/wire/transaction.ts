import { bigIntToFixedBytes } from '../primitives/bytes.ts';
import { toHex, toQuantity } from '../primitives/hex.ts';
import type { Task } from '../primitives/task.ts';
import { inOnePiece, mapInPieces, type WorkPieces } from '../primitives/work-pieces.ts';
import type { Block } from '../protocol/block.ts';
import { effectiveGasPrice } from '../protocol/fees.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import type { AccessListEntry, Authorization, Transaction } from '../protocol/transaction.ts';
import type { Json } from './json.ts';

/** Units of work for showing an account or a slot. */
const ENTRY_WORK = 64;

/** An access list as JSON (EIP-2930), in pieces where it is long. */
export function* accessListInPieces(
  accessList: readonly AccessListEntry[],
  pieces: WorkPieces,
): Task<unknown> {
  const entries: unknown[] = [];
  for (const { address, storageKeys } of accessList) {
    const slots = yield* mapInPieces(storageKeys, pieces, () => ENTRY_WORK, toHex);
    entries.push({ address: toHex(address), storageKeys: slots });
    const turn = pieces.spend(ENTRY_WORK);
    if (turn !== undefined) yield turn;
  }
  return entries;
}

export function accessListView(accessList: readonly AccessListEntry[]): unknown {
  return accessList.length === 0 ? [] : inOnePiece((pieces) => accessListInPieces(accessList, pieces));
}

/** An authorization as JSON (EIP-7702). */
export function authorizationView(authorization: Authorization): unknown {
  return {
    chainId: toQuantity(authorization.chainId),
    address: toHex(authorization.address),
    nonce: toQuantity(authorization.nonce),
    yParity: toQuantity(authorization.yParity),
    r: toQuantity(authorization.r),
    s: toQuantity(authorization.s),
  };
}

/** The rules that the transactions of a chain are under, as far as their JSON depends on them. */
export type TransactionRules = Pick<RuleSet, 'encoding'>;

/** The network shows the values of a signature as 32 bytes (service document, Transaction object), Ethereum as QUANTITY. */
function signatureFields({ r, s }: Transaction, { encoding }: TransactionRules): Json {
  return encoding === 'ethereum'
    ? { r: toQuantity(r), s: toQuantity(s) }
    : { r: toHex(bigIntToFixedBytes(r, 32)), s: toHex(bigIntToFixedBytes(s, 32)) };
}

/** Of legacy transactions Ethereum's nodes name the chain, where they are signed for one (EIP-155). */
function legacyFields({ chainId }: Transaction, { encoding }: TransactionRules): Json {
  return encoding === 'ethereum' && chainId !== null ? { chainId: toQuantity(chainId) } : {};
}

/** The fields that not all types of transactions have (EIP-155, EIP-2930, EIP-1559, EIP-7702). */
function typedFields(transaction: Transaction, rules: TransactionRules): Json {
  if (transaction.type === 0) return legacyFields(transaction, rules);
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
 * A transaction as JSON, in the form that nodes with these rules give it. `place` is where it was mined; `null` for a pending one, whose block fields are `null` and
 * whose gas price is the most it offers.
 */
export function transactionView(
  transaction: Transaction,
  place: { readonly block: Block; readonly index: number } | null,
  rules: TransactionRules,
): Json {
  const baseFeePerGas = place?.block.header.ethereum.baseFeePerGas ?? null;
  return {
    hash: toHex(transaction.hash),
    nonce: toQuantity(transaction.nonce),
    blockHash: place === null ? null : toHex(place.block.hash),
    blockNumber: place === null ? null : toQuantity(place.block.header.number),
    blockTimestamp: place === null ? null : toQuantity(place.block.header.timestamp),
    transactionIndex: place === null ? null : toQuantity(place.index),
    from: toHex(transaction.sender),
    to: transaction.to === null ? null : toHex(transaction.to),
    gas: toQuantity(transaction.gasLimit),
    gasPrice: toQuantity(effectiveGasPrice(transaction, baseFeePerGas)),
    value: toQuantity(transaction.value),
    input: toHex(transaction.data),
    v: toQuantity(transaction.v),
    ...signatureFields(transaction, rules),
    type: toQuantity(transaction.type),
    ...typedFields(transaction, rules),
  };
}
