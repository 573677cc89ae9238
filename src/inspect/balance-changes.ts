/** Says whose balance of the native coin an execution changed, and what of that is the fee. */

import type { BlockEnvironment, ExecutionResult, Message } from '../evm/engine.ts';
import { equalBytes } from '../primitives/bytes.ts';
import type { WorldState } from '../state/world-state.ts';

/** A balance that differs. All amounts are in wei. */
export interface BalanceChange {
  /** 20 bytes. */
  readonly account: Uint8Array;
  readonly before: bigint;
  readonly after: bigint;
  /** Wei that the account paid for gas; they are contained in the difference. */
  readonly feePaid: bigint;
  /** Wei that the account received for the gas of the execution; they are contained in the difference. */
  readonly feeReceived: bigint;
}

/** An execution, as far as its fee goes. */
export interface FeeFacts {
  readonly message: Pick<Message, 'sender'>;
  readonly environment: Pick<BlockEnvironment, 'coinbase' | 'feeRecipient' | 'baseFeePerGas'>;
  readonly result: Pick<ExecutionResult, 'gasPaid' | 'effectiveGasPrice'>;
}

/**
 * Returns the accounts whose balances differ, the sender first. The base fee is burned, so that less than the fee
 * may be received. Throws `MissingStateError` when a balance must be fetched first.
 */
export function balanceChanges(before: WorldState, after: WorldState, facts: FeeFacts): BalanceChange[] {
  const { message, environment, result } = facts;
  const { gasPaid, effectiveGasPrice: price } = result;
  const burned = environment.baseFeePerGas ?? 0n;
  const tip = price > burned ? price - burned : 0n;
  const recipient = environment.feeRecipient ?? environment.coinbase;
  const changes: BalanceChange[] = [];
  for (const { address, becomes } of after.differencesFrom(before)) {
    const balance = before.account(address)?.balance ?? 0n;
    const balanceAfter = becomes?.balance ?? 0n;
    if (balance === balanceAfter) continue;
    const isSender = equalBytes(address, message.sender);
    const change: BalanceChange = {
      account: address,
      before: balance,
      after: balanceAfter,
      feePaid: isSender ? gasPaid * price : 0n,
      feeReceived: equalBytes(address, recipient) ? gasPaid * tip : 0n,
    };
    if (isSender) changes.unshift(change);
    else changes.push(change);
  }
  return changes;
}
