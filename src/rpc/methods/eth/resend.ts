import { equalBytes } from '../../../primitives/bytes.ts';
import { toHex } from '../../../primitives/hex.ts';
import type { Transaction, TransactionRequest } from '../../../protocol/transaction.ts';
import { type TransactionObject, transactionObject } from '../../codecs/call-object.ts';
import { hash32, quantity } from '../../codecs/hex-values.ts';
import { InvalidParamsError, NotInPoolError } from '../../errors.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';
import { countedSend } from './send.ts';

/** True where the transaction has what the object names; what that leaves out may be anything. */
function isMeant(waiting: Transaction, named: TransactionObject): boolean {
  const { to, value, data, gasLimit, maxFeePerGas, maxPriorityFeePerGas } = waiting;
  const isSame = (asked: bigint | null, has: bigint): boolean => asked === null || asked === has;
  const isSameTo = named.to === null ? to === null : to !== null && equalBytes(named.to, to);
  return (
    isSameTo &&
    isSame(named.value, value) &&
    (named.input === null || equalBytes(named.input, data)) &&
    isSame(named.gas, gasLimit) &&
    isSame(named.gasPrice, maxFeePerGas) &&
    isSame(named.maxFeePerGas, maxFeePerGas) &&
    isSame(named.maxPriorityFeePerGas, maxPriorityFeePerGas)
  );
}

/** The content of a transaction without its signature. */
function requestOf({
  type,
  chainId,
  nonce,
  to,
  value,
  data,
  gasLimit,
  maxFeePerGas,
  maxPriorityFeePerGas,
  accessList,
  authorizationList,
  maxFeePerBlobGas,
  blobVersionedHashes,
}: Transaction): TransactionRequest {
  const content = { to, value, data, gasLimit, maxFeePerGas, maxPriorityFeePerGas };
  const blobs = { maxFeePerBlobGas, blobVersionedHashes };
  return { type, chainId, nonce, ...content, accessList, authorizationList, ...blobs };
}

export const ETH_RESEND: readonly Method[] = [
  /**
   * Replaces a transaction that waits in the pool by the same one with another price or other gas, signed anew. The object
   * must name its sender, its nonce and its recipient; what else it names must be as it waits. A transaction that does not wait, or is another one,
   * is an error, and so is a price that is not high enough to replace it.
   */
  defineMethod({
    name: 'eth_resend',
    summary: 'Replaces a waiting transaction by the same with another price or gas',
    params: [
      param('transaction', transactionObject),
      optional<bigint | null>('gasPrice', quantity, null),
      optional<bigint | null>('gasLimit', quantity, null),
    ],
    needsKeys: true,
    result: { description: 'The hash of the transaction that waits now', schema: hash32.jsonSchema },
    handler: async (context, named, gasPrice, gasLimit) => {
      const { chain, life, call } = context;
      const { from, nonce } = named;
      if (nonce === null) {
        throw new InvalidParamsError('transaction.nonce', 'the nonce of the waiting transaction', 'nothing');
      }
      const waiting = chain.pool.bySenderAndNonce(from, nonce);
      if (waiting === undefined || !isMeant(waiting, named)) throw new NotInPoolError(from, nonce);
      const fees = gasPrice === null ? {} : { maxFeePerGas: gasPrice, maxPriorityFeePerGas: gasPrice };
      const gas = gasLimit === null ? {} : { gasLimit };
      const request = { ...requestOf(waiting), ...fees, ...gas };
      return toHex(await countedSend(context, () => chain.sendFrom(from, request, { life, call })));
    },
  }),
];
