/** Calls view functions on the state of a moment inside a transaction. */

import type { Abi } from 'abitype';
import { AbiTable } from '../../artifacts/decoding.ts';
import type { Chain } from '../../chain/chain.ts';
import { CallRejectedError } from '../../chain/errors.ts';
import type { CallMessage } from '../../chain/execution/calls.ts';
import type { ExecutionResult } from '../../evm/engine.ts';
import { HALT_REASONS } from '../../evm/halt-reasons.ts';
import { type ExecutionObserver, type ExecutionStep, opcodeName } from '../../evm/observer.ts';
import { revertReason } from '../../evm/revert-reason.ts';
import { toHex } from '../../primitives/hex.ts';
import { OPCODES } from '../../protocol/hardforks/opcodes.ts';
import type { CancelCheck } from '../../scheduling/cancel-check.ts';
import { runTask } from '../../scheduling/task.ts';
import { Overlay } from '../../state/overlay.ts';
import { fetchingState } from '../../state/state-source.ts';
import { entryText } from '../value-text.ts';
import type { Moment } from './moment-recorder.ts';
import { OperationError } from './operators.ts';

/** Maximum calls of one expression. */
const MAX_CALLS = 64;

const MAX_TOPICS = 4;
const WRITING_OPCODES: ReadonlySet<number> = new Set([
  ...[OPCODES.SSTORE, OPCODES.TSTORE, OPCODES.CREATE, OPCODES.CREATE2, OPCODES.SELFDESTRUCT, OPCODES.CALL],
  ...Array.from({ length: MAX_TOPICS + 1 }, (_, topics) => OPCODES.LOG0 + topics),
]);

/** Finds the first opcode that a static call does not allow. */
class WriteFinder implements ExecutionObserver {
  readonly wantedSteps = WRITING_OPCODES;
  #last: Pick<ExecutionStep, 'opcode' | 'address'> | null = null;
  /** The opcode and the account that it would change; `null` if no opcode wrote. */
  found: string | null = null;

  step({ opcode, address }: ExecutionStep): void {
    this.#last = { opcode, address: address.slice() };
  }

  fault(reason: string): void {
    if (reason !== HALT_REASONS.staticCall || this.found !== null || this.#last === null) return;
    this.found = `${opcodeName(this.#last.opcode)} at ${toHex(this.#last.address)}`;
  }
}

export interface ViewCall {
  /** For errors: `balanceOf`. */
  readonly name: string;
  readonly sender: Uint8Array;
  readonly to: Uint8Array;
  readonly data: Uint8Array;
  /** Code to run in place of the code of `to`; `null` for its own. */
  readonly code: Uint8Array | null;
  /** The ABIs whose errors the function may return. */
  readonly abis: readonly Abi[];
}

export class ViewCalls {
  readonly #chain: Chain;
  readonly #moment: Moment;
  readonly #checkCancelled: CancelCheck;
  #count = 0;

  constructor(chain: Chain, moment: Moment, checkCancelled: CancelCheck) {
    this.#chain = chain;
    this.#moment = moment;
    this.#checkCancelled = checkCancelled;
  }

  /** Resolves to the returned data. Rejects with {@link OperationError} if the call fails or writes. */
  async run(call: ViewCall): Promise<Uint8Array> {
    if (++this.#count > MAX_CALLS)
      throw new OperationError(`an expression calls at most ${MAX_CALLS} functions`);
    const result = await this.#execute(call);
    if (result.outcome === 'success') return result.returnData;
    const finder = new WriteFinder();
    await this.#execute(call, finder);
    if (finder.found !== null)
      throw new OperationError(`${call.name} writes (${finder.found}); an expression cannot write`);
    const tables: AbiTable[] = [];
    for (const abi of call.abis) tables.push(await runTask(AbiTable.read(abi, [])));
    throw new OperationError(`${call.name} failed: ${failureText(result, tables)}`);
  }

  async #execute(
    { sender, to, data, code }: ViewCall,
    observer?: ExecutionObserver,
  ): Promise<ExecutionResult> {
    const { environment, message, gasPrice, transient } = this.#moment;
    const state = code === null ? this.#moment.state : await this.#withCode(to, code);
    const call: CallMessage = {
      ...{ sender, to, value: 0n, data, gasLimit: null },
      ...{ maxFeePerGas: 0n, maxPriorityFeePerGas: 0n, accessList: [], authorizationList: [] },
      blobVersionedHashes: message.blobVersionedHashes,
      maxFeePerBlobGas: message.maxFeePerBlobGas,
      inside: { origin: message.sender, gasPrice, transientStorage: transient },
    };
    try {
      return await this.#chain.calls.callOn(state, environment, call, this.#checkCancelled, observer);
    } catch (error) {
      if (error instanceof CallRejectedError) throw new OperationError(error.message);
      throw error;
    }
  }

  #withCode(address: Uint8Array, code: Uint8Array) {
    return fetchingState(() => {
      const overlay = new Overlay(this.#moment.state);
      overlay.setCode(address, code);
      return overlay.toWorldState();
    });
  }
}

function failureText({ haltReason, returnData }: ExecutionResult, tables: readonly AbiTable[]): string {
  if (haltReason !== null) return haltReason;
  const reason = revertReason(returnData);
  switch (reason.kind) {
    case 'none':
      return 'reverted without a reason';
    case 'text':
      return `reverted with '${reason.text}'`;
    case 'panic':
      return `reverted with panic code 0x${reason.panicCode.toString(16)} (${reason.words})`;
    case 'custom': {
      const error = tables.map((table) => table.error(returnData)).find((each) => each !== null);
      return `reverted with ${error === undefined || error === null ? reason.data : entryText(error)}`;
    }
  }
}
