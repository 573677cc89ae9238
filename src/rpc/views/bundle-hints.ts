// The events of MEV-Share's stream. Loaded with the first shared bundle.

import { equalBytes } from '../../primitives/bytes.ts';
import { fromHex, toHex } from '../../primitives/hex.ts';
import type { Log } from '../../protocol/receipt.ts';
import type { Transaction } from '../../protocol/transaction.ts';
import type { Json } from '../../wire/values.ts';
import type { Hint } from '../codecs/bundles.ts';

/** A transaction of a bundle with the facts that its bundle shares. */
export interface SharedTransaction {
  readonly transaction: Transaction;
  readonly hints: ReadonlySet<Hint>;
}

/** Event signatures of swaps that identify the pool by the address: Uniswap 2, Uniswap 3 and Curve. */
const SWAPS = [
  '0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822',
  '0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67',
  '0x8b3e96f2b889fa771c53c981b40daf005f63f637f1869f707052d15a3dd97140',
].map(fromHex);

/** The event signature of Balancer's swap, whose first indexed topic identifies the pool. */
const BALANCER_SWAP = fromHex('0x2170c741c41531aec20e7c107c24eecfdd15e69c9bb0a8dd37b1840b9e0b207b');

const ZERO_TOPIC = new Uint8Array(32);
const SELECTOR_LENGTH = 4;

function logView({ address, topics, data }: Log): Json {
  return { address: toHex(address), topics: topics.map(toHex), data: toHex(data) };
}

/** Returns the log of a swap with only the pool; `null` for other logs. */
function swapOf(log: Log): Log | null {
  const [signature, ...indexed] = log.topics;
  if (signature === undefined) return null;
  const isBalancer = equalBytes(signature, BALANCER_SWAP) && indexed.length > 0;
  if (!isBalancer && !SWAPS.some((swap) => equalBytes(swap, signature))) return null;
  const shown = indexed.map((topic, index) => (isBalancer && index === 0 ? topic : ZERO_TOPIC));
  return { ...log, topics: [signature, ...shown], data: new Uint8Array(0) };
}

/** True if the hints need the logs of an execution. */
export function sharesLogs({ hints }: SharedTransaction): boolean {
  return hints.has('logs') || hints.has('default_logs') || hints.has('special_logs');
}

function sharedLogs(shared: SharedTransaction, logs: readonly Log[]): Json[] {
  if (!sharesLogs(shared)) return [];
  if (shared.hints.has('logs')) return logs.map(logView);
  return logs.flatMap((log) => swapOf(log) ?? []).map(logView);
}

/** Returns the shared fields. As on MEV-Share, call data include the selector, and both include the address. */
function transactionView({ transaction, hints }: SharedTransaction): Json | null {
  const { hash, to, data } = transaction;
  const hasData = hints.has('calldata');
  const hasSelector = hasData || hints.has('function_selector');
  const hasAddress = hasSelector || hints.has('contract_address');
  if (!hasAddress && !hints.has('tx_hash')) return null;
  return {
    ...(hints.has('tx_hash') && { hash: toHex(hash) }),
    ...(hasAddress && to !== null && { to: toHex(to) }),
    ...(hasSelector && { functionSelector: toHex(data.slice(0, SELECTOR_LENGTH)) }),
    ...(hasData && { callData: toHex(data) }),
  };
}

/**
 * Returns the event of a bundle. `logsOf` returns the logs of a simulated transaction. `logs` and `txs` are `null` if
 * the bundle shares none.
 */
export function hintEvent(
  hash: Uint8Array,
  shared: readonly SharedTransaction[],
  logsOf: (transaction: Transaction) => readonly Log[],
): Json {
  const logs = shared.flatMap((one) => sharedLogs(one, logsOf(one.transaction)));
  const txs = shared.map(transactionView).filter((view) => view !== null);
  return { hash: toHex(hash), logs: logs.length === 0 ? null : logs, txs: txs.length === 0 ? null : txs };
}
