// Pegout transactions: their creation from the queue, and their confirmation.

import { PrecompileError } from '../../evm/precompiles/precompiled-contract.ts';
import { equalBytes } from '../../primitives/bytes.ts';
import { fromHex } from '../../primitives/hex.ts';
import { p2pkhScript } from '../bitcoin/script.ts';
import { parseTransaction, transactionId } from '../bitcoin/transaction.ts';
import type { QueuedPegout } from '../bridge/bridge-state.ts';
import { addRelease, creationHashOf, type PegoutCall, type Release, releaseRules } from './add-release.ts';
import { coinsText } from './coins-text.ts';
import { logBatchCreated, logConfirmed } from './pegout-events.ts';
import { pegoutIndexHash } from './pegout-index.ts';
import { nextConfirmed } from './pegouts-waiting.ts';
import {
  buildRelease,
  type ReleaseOutput,
  type ReleasePlan,
  type ReleaseResult,
} from './release-transaction.ts';
import { spendableUtxos } from './spendable-utxos.ts';
import { unsignedTransaction } from './unsigned-transaction.ts';

/** Receives coins that the federation keeps because its change would be too small. */
const BURN_ADDRESS = fromHex('0xffffffffffffffffffffffffffffffffffffffff');
const WEI_PER_SATOSHI = 10_000_000_000n;

function total(items: readonly { readonly value: bigint }[]): bigint {
  return items.reduce((sum, { value }) => sum + value, 0n);
}

function totalAmount(pegouts: readonly QueuedPegout[]): bigint {
  return pegouts.reduce((sum, { amount }) => sum + amount, 0n);
}

/**
 * Spends coins of the federation in a transaction that waits for confirmations. Returns its id (txid). Throws
 * `PrecompileError` if the transaction already exists.
 */
function settleRelease(call: PegoutCall, release: Release): Uint8Array {
  const { state, constants } = call;
  const { plan } = release;
  const indexHash = pegoutIndexHash(unsignedTransaction(plan, constants));
  if (indexHash === null || state.pegs.isPegout(indexHash))
    throw new PrecompileError('the Bridge already created this transaction of the parent chain');
  state.utxos.remove(plan.inputs);
  state.pegs.addPegout(indexHash);
  return addRelease(call, release);
}

function outputsOf(pegouts: readonly Pick<QueuedPegout, 'destination' | 'amount'>[]): ReleaseOutput[] {
  return pegouts.map(({ destination, amount }) => ({ script: p2pkhScript(destination), value: amount }));
}

/** Builds the transaction that pays these pegouts from the federation's outputs. */
export function buildBatch(
  call: PegoutCall,
  pegouts: readonly Pick<QueuedPegout, 'destination' | 'amount'>[],
): ReleaseResult {
  const { state, constants } = call;
  const utxos = spendableUtxos(state.utxos.all(), constants.federation, state.pegs);
  return buildRelease(outputsOf(pegouts), utxos, releaseRules(call));
}

/** Builds a transaction for as many of the oldest pegouts as fit, by halving their number (RSKIP-271). */
function largestBatch(
  call: PegoutCall,
  pegouts: readonly QueuedPegout[],
): { readonly batch: readonly QueuedPegout[]; readonly result: ReleaseResult } {
  const result = buildBatch(call, pegouts);
  const isTooLarge = 'failure' in result && result.failure === 'EXCEED_MAX_TRANSACTION_SIZE';
  if (!isTooLarge || pegouts.length <= 1) return { batch: pegouts, result };
  return largestBatch(call, pegouts.slice(0, Math.floor(pegouts.length / 2)));
}

/** Burns the coins that raised the change of the federation. */
function burnRaisedChange({ account, constants }: PegoutCall, plan: ReleasePlan, requested: bigint): void {
  if (plan.outputs.length <= 1) return;
  const { outputScript } = constants.federation;
  const change = total(plan.outputs.filter(({ script }) => equalBytes(script, outputScript)));
  const spent = total(plan.inputs) - change;
  if (spent < requested) account.send(BURN_ADDRESS, (requested - spent) * WEI_PER_SATOSHI);
}

/**
 * Pays the queued pegouts in one transaction, if the block for the next one is reached. The pegouts stay in the
 * queue if the federation has too few coins or the transaction cannot be built. Returns true if it created a
 * transaction.
 */
export function processQueue(call: PegoutCall): boolean {
  const { account, state, constants, environment, upgrades } = call;
  const blockNumber = BigInt(environment.number);
  const stay = (reason: string): false => {
    if (state.queueLength > 0) account.remark(`peg-outs stay queued: ${reason}`);
    return false;
  };
  if (blockNumber < state.nextPegoutBlock)
    return stay(`block ${state.nextPegoutBlock} creates the next transaction`);
  const queued = state.queuedPegouts();
  const queuedAmount = totalAmount(queued);
  const available = state.utxos.balance;
  if (available < queuedAmount) {
    return stay(`the federation has ${coinsText(available)}, the peg-outs need ${coinsText(queuedAmount)}`);
  }
  if (queued.length > 0) {
    const { batch, result } = largestBatch(call, queued);
    if ('failure' in result) return stay(`the transaction cannot be built (${result.failure})`);
    // Before RSKIP-378, the amount also includes the requests that do not fit into the transaction.
    const requestedAmount = upgrades.has('RSKIP378') ? totalAmount(batch) : queuedAmount;
    const id = settleRelease(call, { plan: result, creationHash: creationHashOf(call), requestedAmount });
    state.dequeue(batch.length);
    const requests = batch.map(({ transactionHash }) => transactionHash);
    logBatchCreated(account, id, requests);
    burnRaisedChange(call, result, requestedAmount);
  }
  if (state.queueLength === 0) state.nextPegoutBlock = blockNumber + BigInt(constants.blocksBetweenPegouts);
  return queued.length > 0;
}

function idOf(raw: Uint8Array): Uint8Array {
  return transactionId(parseTransaction(raw));
}

/**
 * Moves one transaction with enough confirmations to the transactions that wait for signatures. `hasCreated` is
 * true if this call created a transaction.
 */
export function processConfirmed(call: PegoutCall, hasCreated: boolean): void {
  const { account, state, constants, environment, upgrades } = call;
  const waiting = state.pegouts.unconfirmed();
  const moment = {
    blockNumber: BigInt(environment.number),
    confirmations: constants.pegoutConfirmations,
    isOrdered: upgrades.has('RSKIP559'),
  };
  const stored = waiting.length - (hasCreated ? 1 : 0);
  const confirmed = nextConfirmed(waiting, stored, moment, idOf);
  if (confirmed === undefined) {
    if (waiting.length > 0)
      account.remark(`no peg-out confirmed: each one needs ${moment.confirmations} confirmations`);
    return;
  }
  const { raw, blockNumber, creationHash } = confirmed;
  const unsigned = state.pegouts.unsigned();
  if (unsigned.some((pegout) => equalBytes(pegout.creationHash, creationHash)))
    throw new PrecompileError('a transaction with the same origin already waits for signatures');
  state.pegouts.setUnsigned([...unsigned, { creationHash, raw }]);
  state.pegouts.setUnconfirmed(waiting.filter((pegout) => pegout !== confirmed));
  logConfirmed(account, idOf(raw), blockNumber);
}
