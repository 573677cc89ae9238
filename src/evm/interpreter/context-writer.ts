import type { ExecutionTask } from './execution-task.ts';
import type { Machine } from './machine.ts';
import { CONTEXT_WORD } from './protocol.ts';

/** What BLOBBASEFEE answers on a chain without blobs (EIP-7516). */
const BLOB_BASE_FEE = 1n;

/** Writes what opcodes tell of block and message; what belongs to the block only when the block is another one. */
export class ContextWriter {
  readonly #written = new WeakMap<Machine, { readonly environment: object; readonly baseFee: bigint }>();

  /** `gasPrice` is what GASPRICE answers, in wei. */
  write(machine: Machine, task: ExecutionTask, gasPrice: bigint): void {
    const { memory, exports } = machine;
    const { message, environment, baseFeePerGas, rules } = task;
    memory.refresh();
    const start = exports.CONTEXT.value;
    memory.setWordBytes(start + 32 * CONTEXT_WORD.origin, message.sender);
    memory.setWord(start + 32 * CONTEXT_WORD.value, message.value);
    memory.setWord(start + 32 * CONTEXT_WORD.gasPrice, gasPrice);
    const answersPrice = rules.environment.baseFeeAnswers === 'minimumGasPrice';
    const baseFee = (answersPrice ? null : baseFeePerGas) ?? environment.minimumGasPrice;
    const written = this.#written.get(machine);
    if (written?.environment === environment && written.baseFee === baseFee) return;
    this.#written.set(machine, { environment, baseFee });
    memory.setWordBytes(start + 32 * CONTEXT_WORD.coinbase, environment.coinbase);
    memory.setWord(start + 32 * CONTEXT_WORD.timestamp, BigInt(environment.timestamp));
    memory.setWord(start + 32 * CONTEXT_WORD.number, BigInt(environment.number));
    const difficulty = start + 32 * CONTEXT_WORD.difficulty;
    if (rules.environment.difficultyAnswers === 'prevRandao')
      memory.setWordBytes(difficulty, environment.prevRandao);
    else memory.setWord(difficulty, environment.difficulty);
    memory.setWord(start + 32 * CONTEXT_WORD.gasLimit, environment.gasLimit);
    memory.setWord(start + 32 * CONTEXT_WORD.chainId, task.chainId);
    memory.setWord(start + 32 * CONTEXT_WORD.baseFee, baseFee);
    memory.setWord(start + 32 * CONTEXT_WORD.blobBaseFee, BLOB_BASE_FEE);
  }
}
