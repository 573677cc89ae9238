// Settles an ended message: its result, the refund, the fee and the state changes.

import { EMPTY_BYTES } from '../../primitives/bytes.ts';
import type { Steps } from '../../primitives/steps.ts';
import type { Log } from '../../protocol/receipt.ts';
import { executionGas, type GasPrice } from '../admission.ts';
import type { ExecutionResult } from '../engine.ts';
import type { Outcome } from '../observer.ts';
import { type ExecutionTask, haltMessage, outcomeOf } from './execution-task.ts';
import type { Machine } from './machine.ts';
import { logsOf } from './machine-logs.ts';
import { MessageChanges } from './message-changes.ts';
import { END, RESULT } from './protocol.ts';

export interface Settlement {
  readonly result: ExecutionResult;
  /** The addresses (20 bytes) of destroyed contracts. */
  readonly ended: readonly Uint8Array[];
}

/** A message that ended on its machine. */
export interface EndedMessage {
  readonly machine: Machine;
  readonly task: ExecutionTask;
  readonly price: GasPrice;
  /** The gas limit, capped for the machine. */
  readonly gasLimit: bigint;
  /** One of `END`. */
  readonly end: number;
}

const FAILED_PRECOMPILE = { isFailedPrecompile: true } as const;

/** The halts of a message that may leave gas. */
const KEEPS_GAS: ReadonlySet<number> = new Set([
  END.precompileFailed,
  END.balanceOverflow,
  END.nonceOverflow,
]);

const NO_LOGS: readonly Log[] = [];

/** The result that the module wrote. */
interface ModuleResult {
  readonly gas: bigint;
  readonly refund: bigint;
  /** State gas left and used. */
  readonly reservoir: bigint;
  readonly stateGas: bigint;
  readonly logBytes: number;
  readonly returnData: number;
  readonly returnLength: number;
  /** The record of the called or created account. */
  readonly target: number;
  readonly isGasUnobserved: boolean;
}

function readResult({ memory, exports }: Machine): ModuleResult {
  exports.readResult();
  memory.refresh();
  const start = exports.RESULT.value;
  return {
    gas: memory.signed(start + RESULT.gas),
    refund: memory.signed(start + RESULT.refund),
    reservoir: memory.signed(start + RESULT.reservoir),
    stateGas: memory.signed(start + RESULT.stateGas),
    logBytes: memory.number(start + RESULT.logBytes),
    returnData: memory.number(start + RESULT.returnData),
    returnLength: memory.number(start + RESULT.returnLength),
    target: memory.number(start + RESULT.target),
    isGasUnobserved: memory.number(start + RESULT.isGasUnobserved) === 1,
  };
}

/** Settles the message: logs, refund, fee, changes. Long lists are processed in time slices. */
export function* settle(message: EndedMessage): Steps<Settlement> {
  const { machine, end, task } = message;
  const ended = readResult(machine);
  const outcome = outcomeOf(end);
  const { logBytes } = ended;
  if (ended.isGasUnobserved) task.message.onUnobservedGas?.();
  const hasLogs = outcome === 'success' && logBytes > 0 && task.message.keepsLogs?.(logBytes) !== false;
  const logs = hasLogs ? yield* logsOf(machine) : NO_LOGS;
  return yield* applyChanges(message, resultOf(message, ended, outcome, logs));
}

/** Builds the result, and pays the fee and the refund. */
function resultOf(
  message: EndedMessage,
  ended: ModuleResult,
  outcome: Outcome,
  logs: readonly Log[],
): ExecutionResult {
  const { machine, task, price, gasLimit, end } = message;
  const isHalt = outcome === 'halt';
  // These halts may leave gas.
  const keepsGas = !isHalt || KEEPS_GAS.has(end);
  const spent = gasLimit - (keepsGas ? ended.gas : 0n) - ended.reservoir;
  const gasUsed = charged(task, spent, ended.refund);
  const gasPaid = end === END.precompileRejected ? task.message.gasLimit : gasUsed;
  const result = {
    outcome,
    haltReason: isHalt ? haltMessage(machine, end) : null,
    gasUsed,
    gasPaid,
    gasBeforeRefund: spent > gasUsed ? spent : gasUsed,
    stateGas: ended.stateGas,
    executionGas: executionGas(spent, ended.stateGas, task.startingGas.floor),
    effectiveGasPrice: price.price,
    returnData: isHalt ? EMPTY_BYTES : machine.memory.copy(ended.returnData, ended.returnLength),
    logs,
    createdAddress: task.message.to === null ? machine.addressOf(ended.target) : null,
    ...(end === END.precompileRejected ? FAILED_PRECOMPILE : {}),
  };
  payFees(message, gasPaid);
  return result;
}

/** Returns the gas charged: gas spent minus refund (EIP-3529), at least the calldata floor (EIP-7623). */
function charged({ ruleSet, startingGas: { floor } }: ExecutionTask, spent: bigint, refund: bigint): bigint {
  if (refund === 0n) return spent < floor ? floor : spent;
  const most = spent / BigInt(ruleSet.gas.refundQuotient);
  const rest = spent - (refund < most ? refund : most);
  return rest < floor ? floor : rest;
}

function payFees({ machine: { memory, exports }, task, price }: EndedMessage, gasPaid: bigint): void {
  const words = exports.SCRATCH.value;
  memory.setWord(words, (task.message.gasLimit - gasPaid) * price.price);
  memory.setWord(words + 32, gasPaid * price.tip);
  exports.payFees();
}

function* applyChanges(message: EndedMessage, result: ExecutionResult): Steps<Settlement> {
  const { machine, task } = message;
  const changes = MessageChanges.listed(machine) ?? (yield* MessageChanges.of(machine));
  // The state is rarely read after a call.
  if (task.purpose === 'call' && !changes.areMany) changes.applyLater(task.state);
  else yield* changes.apply(task.state);
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
