import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import type { Overlay } from '../../state/overlay.ts';
import type { Purpose, StartingGas } from '../admission.ts';
import type { BlockEnvironment, Message } from '../engine.ts';
import { HALT_REASONS, invalidOpcodeReason } from '../halt-reasons.ts';
import type { ExecutionObserver, Outcome } from '../observer.ts';
import type { ImpersonatedSigner } from '../signers.ts';
import type { Machine } from './machine.ts';
import { CONTEXT_WORD, END } from './protocol.ts';

export interface ExecutionTask {
  readonly ruleSet: RuleSet;
  readonly chainId: bigint;
  readonly impersonatedSigner: ImpersonatedSigner;
  readonly state: Overlay;
  readonly environment: BlockEnvironment;
  readonly observer: ExecutionObserver | null;
  readonly message: Message;
  readonly purpose: Purpose;
  /** Wei per gas; `null` under rule sets without a base fee. */
  readonly baseFeePerGas: bigint | null;
  readonly startingGas: StartingGas;
  /** Contracts destroyed earlier in the block, under rules that reserve their addresses. */
  readonly taken: readonly Uint8Array[];
}

/**
 * Writes the words that opcodes read from block and message. The words of the block are skipped if the
 * machine already has them. `gasPrice` is the result of GASPRICE, in wei.
 */
export function writeContext(machine: Machine, task: ExecutionTask, gasPrice: bigint): void {
  const { memory, exports, written } = machine;
  const { message, environment, baseFeePerGas, ruleSet, chainId } = task;
  memory.refresh();
  const start = exports.CONTEXT.value;
  memory.setWordBytes(start + 32 * CONTEXT_WORD.origin, message.sender);
  memory.setWord(start + 32 * CONTEXT_WORD.value, message.value);
  memory.setWord(start + 32 * CONTEXT_WORD.gasPrice, gasPrice);
  const answersPrice = ruleSet.environment.baseFeeAnswers === 'minimumGasPrice';
  const baseFee = (answersPrice ? null : baseFeePerGas) ?? environment.minimumGasPrice;
  if (written?.environment === environment && written.baseFee === baseFee && written.chainId === chainId)
    return;
  machine.written = { environment, baseFee, chainId };
  memory.setWordBytes(start + 32 * CONTEXT_WORD.coinbase, environment.coinbase);
  memory.setWord(start + 32 * CONTEXT_WORD.timestamp, BigInt(environment.timestamp));
  memory.setWord(start + 32 * CONTEXT_WORD.number, BigInt(environment.number));
  const difficulty = start + 32 * CONTEXT_WORD.difficulty;
  if (ruleSet.environment.difficultyAnswers === 'prevRandao')
    memory.setWordBytes(difficulty, environment.prevRandao);
  else memory.setWord(difficulty, environment.difficulty);
  memory.setWord(start + 32 * CONTEXT_WORD.gasLimit, environment.gasLimit);
  memory.setWord(start + 32 * CONTEXT_WORD.chainId, chainId);
  memory.setWord(start + 32 * CONTEXT_WORD.baseFee, baseFee);
  memory.setWord(start + 32 * CONTEXT_WORD.blobBaseFee, environment.blobBaseFee ?? 0n);
  memory.setWord(start + 32 * CONTEXT_WORD.slotNumber, environment.slotNumber ?? 0n);
}

const WORDS: ReadonlyMap<number, string> = new Map<number, string>([
  [END.outOfGas, HALT_REASONS.outOfGas],
  [END.stackUnderflow, HALT_REASONS.stackUnderflow],
  [END.stackOverflow, HALT_REASONS.stackOverflow],
  [END.invalidJump, HALT_REASONS.invalidJump],
  [END.staticCall, HALT_REASONS.staticCall],
  [END.codeTooLarge, HALT_REASONS.codeTooLarge],
  [END.initcodeTooLarge, HALT_REASONS.initcodeTooLarge],
  [END.codeStartsWithEf, HALT_REASONS.codeStartsWithEf],
  [END.addressTaken, HALT_REASONS.addressTaken],
  [END.balanceOverflow, HALT_REASONS.balanceOverflow],
  [END.balanceTooLow, HALT_REASONS.balanceTooLow],
  [END.callTooDeep, HALT_REASONS.callTooDeep],
  [END.precompileFailed, HALT_REASONS.precompileFailed],
  [END.outOfMemory, HALT_REASONS.outOfMemory],
]);

/** Maps the `END` of the outermost frame to the outcome of the message. */
export function outcomeOf(end: number): Outcome {
  if (end === END.success || end === END.precompileRefused) return 'success';
  return end === END.revert ? 'revert' : 'halt';
}

/** Returns the halt reason, one of `HALT_REASONS`, of a frame with this `END`. */
export function haltWords({ exports }: Machine, end: number): string {
  if (end === END.invalidOpcode) return invalidOpcodeReason(exports.invalidOpcode.value);
  const words = WORDS.get(end);
  if (words === undefined) throw new Error(`a frame cannot end with ${end}`);
  return words;
}
