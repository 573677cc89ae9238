import type { Common } from '@ethereumjs/common';
import { type EVMOpts, getOpcodesForHF } from '@ethereumjs/evm';
import { type CheckInterrupt, uninterrupted } from '../../primitives/interrupt.ts';
import { Scheduler, SLICE_MILLISECONDS, type Turns } from '../../primitives/scheduler.ts';
import { OPCODES, opcodeRange } from '../../protocol/hardforks/opcodes.ts';
import type { LibraryOpcode, RunState } from './reference-step.ts';

type CustomOpcodes = NonNullable<EVMOpts['customOpcodes']>;

/** Opcodes from PUSH0 to DUP16 only add to the stack, so that others must follow soon: the clock is not read for these. */
const { PUSH0, DUP16 } = OPCODES;

/** The number of opcodes between two readings of the clock: less than a millisecond of work. */
const OPCODES_PER_LOOK = 512;

/**
 * KECCAK256, copies, logs, calls (including those of precompiles) and creations: the clock is read before each, because
 * it may take milliseconds.
 */
const LONG_OPCODES: ReadonlySet<number> = new Set([
  ...[OPCODES.KECCAK256, OPCODES.CALLDATACOPY, OPCODES.CODECOPY, OPCODES.EXTCODECOPY, OPCODES.RETURNDATACOPY],
  ...[OPCODES.MCOPY, ...opcodeRange('LOG0', 'LOG4'), OPCODES.CREATE, OPCODES.CALL, OPCODES.CALLCODE],
  ...[OPCODES.DELEGATECALL, OPCODES.CREATE2, OPCODES.STATICCALL],
]);

/**
 * Lets other work run while a virtual machine of the library executes, because its promises never yield to the event
 * loop. The machine must have the opcodes of {@link TurnTaking.opcodes}.
 */
export class TurnTaking {
  /** For callers without turns. */
  readonly #ownTurns: Turns = new Scheduler().createLane();
  #turns = this.#ownTurns;
  #checkInterrupt = uninterrupted;
  #opcodesLeft = OPCODES_PER_LOOK;

  /** Sets the check whose error ends the execution. */
  begin(checkInterrupt: CheckInterrupt): void {
    this.#checkInterrupt = checkInterrupt;
    this.#turns = checkInterrupt.turns ?? this.#ownTurns;
  }

  /** Returns the machine's `own` opcodes, and those that take turns. */
  opcodes(common: Common, own: CustomOpcodes): CustomOpcodes {
    const { opcodeMap } = getOpcodesForHF(common, own);
    // Code without jumps may be long, too.
    const turning = opcodeMap.flatMap((entry, opcode) =>
      entry.opcodeInfo.isInvalid || (opcode >= PUSH0 && opcode <= DUP16)
        ? []
        : [this.#turning(opcode, entry, common)],
    );
    return [...own, ...turning];
  }

  #turning(opcode: number, entry: LibraryOpcode, common: Common): CustomOpcodes[number] {
    // Contrary to its types, the library has no handler for an opcode with a fixed price.
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

  /** Waits without admission, because admitted work may wait for this very machine. */
  async #takeTurn(): Promise<void> {
    await this.#turns.wait();
    this.#checkInterrupt();
  }
}
