import type { Common } from '@ethereumjs/common';
import { type EVMOpts, getOpcodesForHF } from '@ethereumjs/evm';
import { type CheckInterrupt, uninterrupted } from '../../primitives/interrupt.ts';
import { Scheduler, SLICE_MILLISECONDS, type Turns } from '../../primitives/scheduler.ts';
import { OPCODES, opcodeRange } from '../../protocol/hardforks/opcodes.ts';
import type { LibraryOpcode, RunState } from './reference-step.ts';

type CustomOpcodes = NonNullable<EVMOpts['customOpcodes']>;

/** Opcodes from PUSH0 to DUP16 only add to the stack, so that others must follow soon: the clock is not read for these. */
const { PUSH0, DUP16 } = OPCODES;

/** Opcodes between two readings of the clock: less than a millisecond of work. */
const OPCODES_PER_LOOK = 512;

/**
 * KECCAK256, copies, logs, calls and creations: each may take milliseconds, as precompiles are called this way, too, so that
 * the clock is read before each.
 */
const LONG_OPCODES: ReadonlySet<number> = new Set([
  ...[OPCODES.KECCAK256, OPCODES.CALLDATACOPY, OPCODES.CODECOPY, OPCODES.EXTCODECOPY, OPCODES.RETURNDATACOPY],
  ...[OPCODES.MCOPY, ...opcodeRange('LOG0', 'LOG4'), OPCODES.CREATE, OPCODES.CALL, OPCODES.CALLCODE],
  ...[OPCODES.DELEGATECALL, OPCODES.CREATE2, OPCODES.STATICCALL],
]);

/**
 * Gives way to other work while a virtual machine of the library runs, whose promises never do. The machine must have the
 * opcodes of {@link TurnTaking.opcodes}.
 */
export class TurnTaking {
  /** The turns of callers that have none. */
  readonly #ownTurns: Turns = new Scheduler().createLane();
  #turns = this.#ownTurns;
  #checkInterrupt = uninterrupted;
  #opcodesLeft = OPCODES_PER_LOOK;

  /** What this throws ends the execution that runs from now on. */
  begin(checkInterrupt: CheckInterrupt): void {
    this.#checkInterrupt = checkInterrupt;
    this.#turns = checkInterrupt.turns ?? this.#ownTurns;
  }

  /** The machine's `own` opcodes, and those that take turns. */
  opcodes(common: Common, own: CustomOpcodes): CustomOpcodes {
    const { opcodeMap } = getOpcodesForHF(common, own);
    // Code without a jump may be long, too.
    const turning = opcodeMap.flatMap((entry, opcode) =>
      entry.opcodeInfo.isInvalid || (opcode >= PUSH0 && opcode <= DUP16)
        ? []
        : [this.#turning(opcode, entry, common)],
    );
    return [...own, ...turning];
  }

  #turning(opcode: number, entry: LibraryOpcode, common: Common): CustomOpcodes[number] {
    // Against its types, the library has no handler for an opcode whose price is fixed.
    const gasFunction: LibraryOpcode['gasHandler'] | undefined = entry.gasHandler;
    const isLong = LONG_OPCODES.has(opcode);
    return {
      opcode,
      opcodeName: entry.opcodeInfo.name,
      baseFee: entry.opcodeInfo.fee,
      ...(gasFunction === undefined ? {} : { gasFunction }),
      logicFunction: (runState: RunState) => {
        this.#opcodesLeft--;
        if (this.#opcodesLeft > 0 && !isLong) return entry.opHandler(runState, common);
        this.#opcodesLeft = OPCODES_PER_LOOK;
        if (this.#turns.held() < SLICE_MILLISECONDS) return entry.opHandler(runState, common);
        return this.#takeTurn().then(() => entry.opHandler(runState, common));
      },
    };
  }

  /** Asks for no admission: those who have it may wait for this very machine. */
  async #takeTurn(): Promise<void> {
    await this.#turns.wait();
    this.#checkInterrupt();
  }
}
