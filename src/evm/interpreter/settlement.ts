// Settles an ended message: its result, the refund, the fee and the state changes.

import { EMPTY_BYTES } from '../../primitives/bytes.ts';
import type { Log } from '../../protocol/receipt.ts';
import { type Awaitable, runTask, type Task, waitFor } from '../../scheduling/task.ts';
import type { WorkPieces } from '../../scheduling/work-pieces.ts';
import { executionGas, type GasPrice } from '../admission.ts';
import type { ExecutionResult } from '../engine.ts';
import type { Outcome } from '../observer.ts';
import { type ExecutionTask, haltWords, outcomeOf } from './execution-task.ts';
import type { Machine } from './machine.ts';
import { logsInPieces, logsOf } from './machine-logs.ts';
import { MessageChanges } from './message-changes.ts';
import { END } from './protocol.ts';

export interface Settlement {
  readonly result: ExecutionResult;
  /** The addresses (20 bytes) of destroyed contracts. */
  readonly ended: readonly Uint8Array[];
}

/** The account records that every message needs. */
export interface Parties {
  readonly sender: number;
  readonly feeRecipient: number;
  /** The called account or the contract to create. */
  readonly target: number;
}

/** A message that ended on its machine. */
export interface EndedMessage {
  readonly machine: Machine;
  readonly task: ExecutionTask;
  readonly parties: Parties;
  readonly price: GasPrice;
  /** The gas limit, capped for the machine. */
  readonly gasLimit: bigint;
  /** One of `END`. */
  readonly end: number;
}

/** Bytes of logs to read without a time check (tens of microseconds). */
const FEW_LOG_BYTES = 2 ** 14;

const FAILED_PRECOMPILE = { isFailedPrecompile: true } as const;

const NO_LOGS: readonly Log[] = [];

/** Settles the message: logs, refund, fee, changes. Long lists are processed in time slices. */
export function settle(message: EndedMessage, pieces: WorkPieces): Awaitable<Settlement> {
  const { machine, end } = message;
  machine.memory.refresh();
  const outcome = outcomeOf(end);
  const logBytes = outcome === 'success' ? keptLogBytes(message) : 0;
  if (logBytes > FEW_LOG_BYTES) return runTask(settleManyLogs(message, outcome, pieces));
  return applyChanges(
    message,
    resultOf(message, outcome, logBytes === 0 ? NO_LOGS : logsOf(machine)),
    pieces,
  );
}

/** Returns the size of the logs in bytes; 0 if the message does not want them. */
function keptLogBytes({ machine, task: { message } }: EndedMessage): number {
  const logBytes = machine.exports.logMark();
  return logBytes > 0 && message.keepsLogs?.(logBytes) === false ? 0 : logBytes;
}

function* settleManyLogs(message: EndedMessage, outcome: Outcome, pieces: WorkPieces): Task<Settlement> {
  const logs = yield* logsInPieces(message.machine, pieces);
  return yield* waitFor(applyChanges(message, resultOf(message, outcome, logs), pieces));
}

/** Builds the result, and pays the fee and the refund. */
function resultOf(message: EndedMessage, outcome: Outcome, logs: readonly Log[]): ExecutionResult {
  const { machine, task, parties, price, gasLimit, end } = message;
  const { floor } = task.startingGas;
  machine.exports.readGas();
  const left = outcome === 'halt' ? leftOnHalt(message) : machine.cell(0);
  const refund = machine.cell(1);
  machine.exports.readStateGas();
  const spent = gasLimit - left - machine.cell(0);
  const stateGas = machine.cell(1);
  const gasUsed = charged(task, spent, refund);
  const gasPaid = end === END.precompileRefused ? task.message.gasLimit : gasUsed;
  const result = {
    outcome,
    haltReason: outcome === 'halt' ? haltWords(machine, end) : null,
    gasUsed,
    gasPaid,
    gasBeforeRefund: spent > gasUsed ? spent : gasUsed,
    stateGas,
    executionGas: executionGas(spent, stateGas, floor),
    effectiveGasPrice: price.price,
    returnData: outcome === 'halt' ? EMPTY_BYTES : machine.returnData(),
    logs,
    createdAddress: task.message.to === null ? machine.addressOf(parties.target) : null,
    ...(end === END.precompileRefused ? FAILED_PRECOMPILE : {}),
  };
  payFees(message, gasPaid);
  return result;
}

/** Returns the gas left after a halt. A failed precompile called by the message may leave gas. */
function leftOnHalt({ machine, end }: EndedMessage): bigint {
  const keepsGas = end === END.precompileFailed || end === END.balanceOverflow;
  return keepsGas ? machine.cell(0) : 0n;
}

/** Returns the gas charged: gas spent minus refund (EIP-3529), at least the calldata floor (EIP-7623). */
function charged({ ruleSet, startingGas: { floor } }: ExecutionTask, spent: bigint, refund: bigint): bigint {
  if (refund === 0n) return spent < floor ? floor : spent;
  const most = spent / BigInt(ruleSet.gas.refundQuotient);
  const rest = spent - (refund < most ? refund : most);
  return rest < floor ? floor : rest;
}

function payFees({ machine, task, parties, price }: EndedMessage, gasPaid: bigint): void {
  const { sender, feeRecipient } = parties;
  const unused = (task.message.gasLimit - gasPaid) * price.price;
  machine.setBalance(sender, machine.balance(sender) + unused);
  const fee = gasPaid * price.tip;
  machine.setBalance(feeRecipient, machine.balance(feeRecipient) + fee);
}

function applyChanges(
  message: EndedMessage,
  result: ExecutionResult,
  pieces: WorkPieces,
): Awaitable<Settlement> {
  const { machine, task } = message;
  const changes = MessageChanges.listed(machine);
  if (changes === undefined || changes.areMany)
    return runTask(applyInPieces(message, result, changes, pieces));
  // The state is rarely read after a call.
  if (task.purpose === 'call') changes.applyLater(task.state);
  else changes.apply(task.state);
  return kept(message, result, changes.ended);
}

/** `listed` are the changes if they are already listed. */
function* applyInPieces(
  message: EndedMessage,
  result: ExecutionResult,
  listed: MessageChanges | undefined,
  pieces: WorkPieces,
): Task<Settlement> {
  const { machine, task } = message;
  const changes = listed ?? (yield* MessageChanges.of(machine, pieces));
  if (task.purpose === 'call' && !changes.areMany) changes.applyLater(task.state);
  else yield* changes.applyInPieces(task.state, pieces);
  return kept(message, result, changes.ended);
}

function kept(
  { machine, task }: EndedMessage,
  result: ExecutionResult,
  ended: readonly Uint8Array[],
): Settlement {
  if (machine.isLarge) return { result, ended };
  if (task.purpose === 'transaction') machine.exports.keepChanges();
  else machine.exports.dropChanges();
  return { result, ended };
}
