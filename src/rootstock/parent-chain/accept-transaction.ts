// Accepts transactions to the mempool.

import type { Steps } from '../../primitives/steps.ts';
import { minRelayFee } from './amounts.ts';
import { type Coin, coinsOf } from './chain-index.ts';
import { RejectedTransactionError } from './errors.ts';
import type { Mempool, MempoolEntry } from './mempool.ts';
import { medianTimePast } from './parent-block.ts';
import type { ParentChain } from './parent-chain.ts';
import { outpointKey, type ParentTransaction, virtualSize } from './parent-transaction.ts';
import { ScriptError } from './script/script-error.ts';
import type { ScriptRules } from './script/signature-check.ts';
import { SignatureHashes } from './script/signature-hashes.ts';
import { verifyInput } from './script/verify-input.ts';
import {
  checkForm,
  checkStandardForm,
  checkStandardInputs,
  feeOfInputs,
  isFinal,
  meetsSequenceLocks,
} from './transaction-checks.ts';

/** Work units to check the scripts of an input. */
const INPUT_WORK = 2 ** 12;

/** Checks the scripts of all inputs. Throws {@link RejectedTransactionError}. */
export function* verifyScripts(
  transaction: ParentTransaction,
  coins: readonly Pick<Coin, 'script' | 'value'>[],
  rules: ScriptRules,
): Steps<void> {
  const hashes = new SignatureHashes(transaction);
  for (const [input, coin] of coins.entries()) {
    try {
      verifyInput(transaction, hashes, input, coin, rules);
    } catch (error) {
      if (!(error instanceof ScriptError)) throw error;
      throw new RejectedTransactionError(scriptFault(transaction, input, coin, error));
    }
    yield INPUT_WORK;
  }
}

/** Returns the reason for a script that fails. It depends on whether blocks may contain the transaction. */
function scriptFault(
  transaction: ParentTransaction,
  input: number,
  coin: Pick<Coin, 'script' | 'value'>,
  error: ScriptError,
): string {
  try {
    verifyInput(transaction, new SignatureHashes(transaction), input, coin, 'consensus');
  } catch {
    return `mandatory-script-verify-flag-failed (${error.message})`;
  }
  return `non-mandatory-script-verify-flag (${error.message})`;
}

/** Returns the outputs that the inputs spend. Throws {@link RejectedTransactionError}. */
function spentCoins(chain: ParentChain, mempool: Mempool, transaction: ParentTransaction): Coin[] {
  return transaction.inputs.map((input) => {
    const coin = mempool.coin(input);
    if (coin !== undefined) return coin;
    const isKnown = coinsOf(transaction, 1).some((own) => chain.index.coin(outpointKey(own)) !== undefined);
    throw new RejectedTransactionError(isKnown ? 'txn-already-known' : 'bad-txns-inputs-missingorspent');
  });
}

interface CheckedTransaction {
  readonly entry: MempoolEntry;
  readonly coins: readonly Coin[];
}

/** The checks without scripts, in the order of bitcoind. Throws {@link RejectedTransactionError}. */
function checkForMempool(
  chain: ParentChain,
  mempool: Mempool,
  transaction: ParentTransaction,
): CheckedTransaction {
  const { tip } = chain;
  checkForm(transaction);
  checkStandardForm(transaction);
  if (!isFinal(transaction, tip.height + 1, medianTimePast(tip)))
    throw new RejectedTransactionError('non-final');
  const known = mempool.entry(transaction.txid);
  if (known !== undefined) {
    const isSame = known.transaction.wtxid === transaction.wtxid;
    throw new RejectedTransactionError(
      isSame ? 'txn-already-in-mempool' : 'txn-same-nonwitness-data-in-mempool',
    );
  }
  if (transaction.inputs.some((input) => mempool.spender(input) !== undefined)) {
    throw new RejectedTransactionError('txn-mempool-conflict');
  }
  const coins = spentCoins(chain, mempool, transaction);
  if (!meetsSequenceLocks(transaction, coins, chain)) throw new RejectedTransactionError('non-BIP68-final');
  const fee = feeOfInputs(transaction, coins, tip.height + 1);
  checkStandardInputs(transaction, coins);
  const minimum = minRelayFee(virtualSize(transaction.weight));
  if (fee < minimum) throw new RejectedTransactionError('min relay fee not met', `${fee} < ${minimum}`);
  return { entry: { transaction, fee, time: chain.clock.now(), height: tip.height }, coins };
}

/** Checks a transaction for a mempool without adding it. Throws {@link RejectedTransactionError}. */
export function* testTransaction(
  chain: ParentChain,
  mempool: Mempool,
  transaction: ParentTransaction,
): Steps<MempoolEntry> {
  const { entry, coins } = checkForMempool(chain, mempool, transaction);
  yield* verifyScripts(transaction, coins, 'policy');
  return entry;
}

/** Adds a transaction to the mempool. Throws {@link RejectedTransactionError}. */
export function* acceptTransaction(chain: ParentChain, transaction: ParentTransaction): Steps<MempoolEntry> {
  yield* testTransaction(chain, chain.mempool, transaction);
  // The chain may have changed between the steps. The scripts remain valid, because the transaction commits to its inputs.
  const { entry } = checkForMempool(chain, chain.mempool, transaction);
  chain.addToMempool(entry);
  return entry;
}
