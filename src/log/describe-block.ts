import { type ExecutionResult, hasFailed } from '../evm/engine.ts';
import { HALT_REASONS } from '../evm/halt-reasons.ts';
import { revertReason } from '../evm/revert-reason.ts';
import { equalBytes } from '../primitives/bytes.ts';
import { toHex } from '../primitives/hex.ts';
import type { Block } from '../protocol/block.ts';
import { precompileAddress, precompilesOf } from '../protocol/hardforks/precompiles.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import { endsWithRemasc, isRemascTransaction } from '../protocol/remasc.ts';
import type { Transaction } from '../protocol/transaction.ts';
import type { ComingActivity } from '../rpc/activity.ts';
import type { WorldState } from '../state/world-state.ts';
import type { BlockEntry, ConsoleEntry, TransactionEntry, TransactionKind } from './log-entries.ts';

/** Returns the reason of a failed execution; `null` for a success. */
export function failureReason(result: ExecutionResult): string | null {
  if (result.isFailedPrecompile === true) return HALT_REASONS.precompileFailed;
  if (result.outcome === 'success') return null;
  if (result.outcome === 'halt') return result.haltReason ?? 'halted';
  const reason = revertReason(result.returnData);
  switch (reason.kind) {
    case 'none':
      return 'reverted without a reason string';
    case 'text':
      return `reverted with reason string '${reason.text}'`;
    case 'panic':
      return `reverted with panic code 0x${reason.panicCode.toString(16)} (${reason.words})`;
    case 'custom':
      return `reverted with custom error ${reason.selector}`;
  }
}

/** Hexadecimal digits of an ABI word. */
const WORD_DIGITS = 64;

/** Returns the data after the selector of a custom error, in words of 32 bytes; empty for other failures. */
export function errorArguments(result: ExecutionResult): string[] {
  if (result.outcome !== 'revert') return [];
  const reason = revertReason(result.returnData);
  if (reason.kind !== 'custom') return [];
  const digits = reason.data.slice(reason.selector.length);
  return Array.from(
    { length: Math.ceil(digits.length / WORD_DIGITS) },
    (_, index) => `0x${digits.slice(index * WORD_DIGITS, (index + 1) * WORD_DIGITS)}`,
  );
}

const SELECTOR_SIZE = 4;
const WORD_SIZE = 32;

/** Number of words after the selector of a custom error; 0 for other failures. */
export function errorArgumentCount(result: ExecutionResult): number {
  if (result.outcome !== 'revert' || revertReason(result.returnData).kind !== 'custom') return 0;
  return Math.max(0, Math.ceil((result.returnData.length - SELECTOR_SIZE) / WORD_SIZE));
}

/** Number of leading zero bytes in the addresses of all precompiles. */
const PRECOMPILE_ZEROS = 16;
const PRECOMPILE_DIGITS = `0x${'00'.repeat(PRECOMPILE_ZEROS)}`;

/** True if the address has code in a state, or is a precompile. */
export type HasCode = (address: Uint8Array) => boolean;

export interface BlockFacts {
  /** Reads the state after the block. */
  readonly hasCode: HasCode;
  readonly consoleOf: (result: ExecutionResult) => ConsoleEntry | null;
}

function hasZeros(address: Uint8Array): boolean {
  return address.subarray(0, PRECOMPILE_ZEROS).every((byte) => byte === 0);
}

function kindOf({ to, data }: Transaction, hasCode: HasCode): TransactionKind {
  if (to === null) return 'deployment';
  return data.length > 0 || hasCode(to) ? 'call' : 'transfer';
}

function describeTransaction(
  transaction: Transaction,
  result: ExecutionResult,
  { hasCode, consoleOf }: BlockFacts,
): TransactionEntry {
  const { to, data } = transaction;
  const kind = kindOf(transaction, hasCode);
  return {
    kind,
    hash: toHex(transaction.hash),
    from: toHex(transaction.sender),
    to: to === null ? null : toHex(to),
    value: transaction.value,
    selector: kind === 'call' && data.length >= SELECTOR_SIZE ? toHex(data.subarray(0, SELECTOR_SIZE)) : null,
    contractAddress: result.createdAddress === null ? null : toHex(result.createdAddress),
    gasUsed: result.gasUsed,
    gasLimit: transaction.gasLimit,
    failure: failureReason(result),
    errorArguments: errorArguments(result),
    errorArgumentCount: errorArgumentCount(result),
    calledWithoutCode: to !== null && data.length > 0 && !hasZeros(to) && !hasCode(to),
    console: consoleOf(result),
  };
}

/**
 * Returns the log entry of a block from the results of its transactions. Skips the Remasc transaction of
 * Rootstock.
 */
export function describeBlock(
  block: Block,
  results: readonly ExecutionResult[],
  facts: BlockFacts,
): BlockEntry {
  return {
    number: block.header.number,
    hash: toHex(block.hash),
    timestamp: block.header.timestamp,
    gasUsed: block.header.gasUsed,
    transactions: results.flatMap((result, index) => {
      const transaction = block.transactions[index];
      if (transaction === undefined || isRemascTransaction(transaction)) return [];
      return [describeTransaction(transaction, result, facts)];
    }),
  };
}

/** Returns a summary of a block's entries. It is cheaper than the entries. */
export function comingBlock(
  block: Block,
  results: readonly ExecutionResult[],
  lane: string | undefined,
): ComingActivity {
  const count = block.transactions.length - (endsWithRemasc(block) ? 1 : 0);
  return {
    lane,
    hasFailure: results.some(hasFailed),
    counts: { block: 1, transaction: count },
  };
}

/** Returns a function that is true for accounts with code, and for precompiles of the hardfork. */
export function codeIn(state: WorldState, ruleSet: RuleSet): HasCode {
  return (address) =>
    (state.account(address)?.code.bytes.length ?? 0) > 0 ||
    (hasZeros(address) && precompilesOf(ruleSet).some((one) => equalBytes(one.address, address)));
}

/** True for a call of a precompile, which has a name without an artifact. */
export function callsPrecompile({ kind, to }: TransactionEntry): boolean {
  return kind === 'call' && to?.startsWith(PRECOMPILE_DIGITS) === true;
}

const BRIDGE = precompileAddress('BRIDGE');

/**
 * True for a transaction that calls Rootstock's Bridge, or that has its logs. It runs again for the log,
 * because its receipt contains neither the Bitcoin transaction nor the reason of a rejection.
 */
export function usesBridge({ to }: Transaction, { logs }: Pick<ExecutionResult, 'logs'>): boolean {
  return (to !== null && equalBytes(to, BRIDGE)) || logs.some(({ address }) => equalBytes(address, BRIDGE));
}
