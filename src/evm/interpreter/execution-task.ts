import { EMPTY_BYTES } from '../../primitives/bytes.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import type { Overlay } from '../../state/overlay.ts';
import { blobFee, boundedBalance, type EntryGas, type GasPrice, type Purpose } from '../admission.ts';
import type { BlockEnvironment, Message, StartingGas } from '../engine.ts';
import { HALT_REASONS, invalidOpcodeReason } from '../halt-reasons.ts';
import type { ExecutionObserver, Outcome } from '../observer.ts';
import type { ImpersonatedSigner } from '../signers.ts';
import type { Machine } from './machine.ts';
import { CONTEXT, CONTEXT_WORD, END } from './protocol.ts';

const WORD_SIZE = 32;

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
  /** Maximum wei that the message can take from its sender. */
  readonly maximumCost: bigint;
  /** Contracts destroyed earlier in the block, under rules that reserve their addresses. */
  readonly taken: readonly Uint8Array[];
}

/** The amounts of a message that depend on its fees and its starting gas. */
export interface MessageAmounts {
  readonly price: GasPrice;
  readonly entryGas: EntryGas;
  /** Gas of the first slice. */
  readonly slice: bigint;
}

/**
 * Writes the context of a message. The fields of the block are skipped if the machine already has them.
 *
 * In a call, a sender that cannot pay has the value and the unused fees left.
 */
export function writeContext(
  machine: Machine,
  task: ExecutionTask,
  { price, entryGas, slice }: MessageAmounts,
): void {
  const { memory, exports } = machine;
  const { message, environment } = task;
  const { gasLimit, value, to, blobVersionedHashes: blobs } = message;
  memory.refresh();
  const start = exports.CONTEXT.value;
  const isPaid = message.inside === undefined;
  const cost = isPaid ? gasLimit * price.price + blobFee(message, environment) : 0n;
  const least = isPaid && task.purpose === 'call' ? task.maximumCost - cost : 0n;
  memory.setWordBytes(start + WORD_SIZE * CONTEXT_WORD.origin, message.sender);
  memory.setWord(start + WORD_SIZE * CONTEXT_WORD.value, value);
  memory.setWord(start + WORD_SIZE * CONTEXT_WORD.gasPrice, message.inside?.gasPrice ?? price.price);
  if (to !== null) memory.setWordBytes(start + CONTEXT.target, to);
  memory.setWord(start + CONTEXT.cost, boundedBalance(cost));
  memory.setWord(start + CONTEXT.minBalance, boundedBalance(least));
  memory.setLimb(start + CONTEXT.gas, entryGas.gas);
  memory.setLimb(start + CONTEXT.slice, slice);
  memory.setLimb(start + CONTEXT.reservoir, entryGas.reservoir);
  memory.setLimb(start + CONTEXT.stateGas, 0n);
  memory.setLimb(start + CONTEXT.refund, 0n);
  memory.setNumber(start + CONTEXT.isCreation, to === null ? 1 : 0);
  memory.setNumber(start + CONTEXT.blobCount, blobs.length);
  for (let index = 0; index < blobs.length; index++)
    memory.setWordBytes(start + blobWord(index), blobs[index] ?? EMPTY_BYTES);
  writeBlock(machine, task, start);
}

/** Returns the offset of the hash of a blob. The space suffices for the limits of all rule sets. */
function blobWord(index: number): number {
  const word = CONTEXT.blobHashes + WORD_SIZE * index;
  if (word >= CONTEXT.size) throw new RangeError(`a message cannot have ${index + 1} blobs`);
  return word;
}

function writeBlock(machine: Machine, task: ExecutionTask, start: number): void {
  const { memory, written } = machine;
  const { environment, message, ruleSet, chainId } = task;
  const showsBlock = message.inside !== undefined || environment.showsFees === true;
  const baseFeePerGas = showsBlock ? environment.baseFeePerGas : task.baseFeePerGas;
  const answersPrice = ruleSet.environment.baseFeeAnswers === 'minimumGasPrice';
  const baseFee = (answersPrice ? null : baseFeePerGas) ?? environment.minimumGasPrice;
  if (written?.environment === environment && written.baseFee === baseFee && written.chainId === chainId)
    return;
  machine.written = { environment, baseFee, chainId };
  memory.setWordBytes(start + CONTEXT.feeRecipient, environment.feeRecipient ?? environment.coinbase);
  memory.setWordBytes(start + WORD_SIZE * CONTEXT_WORD.coinbase, environment.coinbase);
  memory.setWord(start + WORD_SIZE * CONTEXT_WORD.timestamp, BigInt(environment.timestamp));
  memory.setWord(start + WORD_SIZE * CONTEXT_WORD.number, BigInt(environment.number));
  const difficulty = start + WORD_SIZE * CONTEXT_WORD.difficulty;
  if (ruleSet.environment.difficultyAnswers === 'prevRandao')
    memory.setWordBytes(difficulty, environment.prevRandao);
  else memory.setWord(difficulty, environment.difficulty);
  memory.setWord(start + WORD_SIZE * CONTEXT_WORD.gasLimit, environment.gasLimit);
  memory.setWord(start + WORD_SIZE * CONTEXT_WORD.chainId, chainId);
  memory.setWord(start + WORD_SIZE * CONTEXT_WORD.baseFee, baseFee);
  const blobBaseFee = environment.shownBlobBaseFee ?? environment.blobBaseFee;
  memory.setWord(start + WORD_SIZE * CONTEXT_WORD.blobBaseFee, blobBaseFee ?? 0n);
  memory.setWord(start + WORD_SIZE * CONTEXT_WORD.slotNumber, environment.slotNumber ?? 0n);
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
  [END.nonceOverflow, HALT_REASONS.nonceOverflow],
  [END.precompileFailed, HALT_REASONS.precompileFailed],
  [END.outOfMemory, HALT_REASONS.outOfMemory],
]);

/** Maps the `END` of the outermost frame to the outcome of the message. */
export function outcomeOf(end: number): Outcome {
  if (end === END.success || end === END.precompileRejected) return 'success';
  return end === END.revert ? 'revert' : 'halt';
}

/** Returns the halt reason, one of `HALT_REASONS`, of a frame with this `END`. */
export function haltMessage({ exports }: Machine, end: number): string {
  if (end === END.invalidOpcode) return invalidOpcodeReason(exports.invalidOpcode.value);
  const words = WORDS.get(end);
  if (words === undefined) throw new Error(`a frame cannot end with ${end}`);
  return words;
}
