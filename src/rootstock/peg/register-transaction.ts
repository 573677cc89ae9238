import { equalBytes } from '../../primitives/bytes.ts';
import { scriptOfHashAddress } from '../bitcoin/address.ts';
import { type BitcoinTransaction, idOfBytes, transactionId } from '../bitcoin/transaction.ts';
import type { BridgeCall } from '../bridge/bridge-method.ts';
import { isProven } from './block-proof.ts';
import { amountToFederation, evaluatePegin, type PeginVerdict } from './evaluate-pegin.ts';
import { logPegin, logRejectedPegin, logUnrefundablePegin } from './pegin-events.ts';
import { peginRemark } from './pegin-remarks.ts';
import { releaseRejectedPegin } from './rejected-pegin-release.ts';
import { pegTransactionType } from './transaction-type.ts';
import type { Utxo } from './utxo-store.ts';
import { isCoinbase, parseVerifiedTransaction } from './verify-transaction.ts';

export const WEI_PER_SATOSHI = 10_000_000_000n;

/** Returns the outputs of a transaction with this script. */
export function outputsTo(transaction: BitcoinTransaction, script: Uint8Array): Utxo[] {
  const origin = { transactionId: transactionId(transaction), isCoinbase: isCoinbase(transaction) };
  return transaction.outs.flatMap((output, index) =>
    equalBytes(output.script, script) ? [{ ...origin, index, value: output.value, script }] : [],
  );
}

/**
 * Registers a transaction of the parent chain (`registerBtcTransaction`). Does nothing if it is not proven or
 * was processed before. Throws `BitcoinFormatError` and `PrecompileError`.
 */
export function registerTransaction(
  call: BridgeCall,
  proof: { bytes: Uint8Array; height: number; tree: Uint8Array },
): void {
  const { state, constants } = call;
  const bytesId = idOfBytes(proof.bytes);
  if (wasProcessed(call, bytesId)) return;
  if (!isProven(call, { ...proof, id: bytesId })) return;
  const transaction = parseVerifiedTransaction(proof.bytes);
  if (wasProcessed(call, transactionId(transaction))) return;
  const type = pegTransactionType(transaction, proof.height, { constants, pegs: state.pegs });
  if (type === 'pegin') registerPegin(call, transaction, evaluatePegin(transaction, constants));
  if (type === 'pegout') {
    registerCoins(call, transaction);
    call.account.remark('peg-out registered: the outputs to the federation are its change');
  }
  if (type === 'unknown') {
    call.account.remark('ignored: the transaction is neither a peg-in nor a peg-out of the federation');
  }
}

/** Returns true, with a remark, for the id of a transaction that the Bridge processed before. */
function wasProcessed({ account, state }: BridgeCall, id: Uint8Array): boolean {
  const block = state.pegs.processedAt(id);
  if (block === undefined) return false;
  account.remark(`not registered: the transaction was processed in block ${block}`);
  return true;
}

function registerPegin(call: BridgeCall, transaction: BitcoinTransaction, verdict: PeginVerdict): void {
  const { account, constants } = call;
  const id = transactionId(transaction);
  const amount = amountToFederation(transaction, constants.federation);
  account.remark(peginRemark(verdict, amount, constants));
  if (verdict.action === 'register') {
    const { receiver, version } = verdict;
    account.send(receiver, amount * WEI_PER_SATOSHI);
    logPegin(account, { receiver, transactionId: id, amount, version });
    registerCoins(call, transaction);
    return;
  }
  logRejectedPegin(account, id, verdict.rejection);
  if (verdict.action === 'keep') {
    // RSKIP-551: the transaction does not count as processed.
    logUnrefundablePegin(account, id, verdict.unrefundable);
    return;
  }
  const { outputScript, redeemScript } = constants.federation;
  const coins = outputsTo(transaction, outputScript).map((coin) => ({ ...coin, redeemScript }));
  releaseRejectedPegin(call, { coins, script: scriptOfHashAddress(verdict.refundAddress), amount });
  call.state.pegs.markProcessed(id, call.environment.number);
}

/** Adds the outputs to the federation to its coins. */
function registerCoins(call: BridgeCall, transaction: BitcoinTransaction): void {
  const { state, constants, environment } = call;
  state.utxos.add(outputsTo(transaction, constants.federation.outputScript));
  state.pegs.markProcessed(transactionId(transaction), environment.number);
}
