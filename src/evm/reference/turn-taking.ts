import type { Common } from '@ethereumjs/common';
import { type EVMOpts, getOpcodesForHF } from '@ethereumjs/evm';
import { type CheckInterrupt, uninterrupted } from '../../primitives/interrupt.ts';
import { Scheduler, SLICE_MILLISECONDS, type Turns } from '../../primitives/scheduler.ts';
import type { LibraryOpcode, RunState } from './reference-step.ts';

type CustomOpcodes = NonNullable<EVMOpts['customOpcodes']>;

/** From PUSH0 to DUP16 opcodes do nothing but add to the stack: others must come soon, and nothing is gained by these. */
const PUSH0 = 0x5f;
const DUP16 = 0x8f;

/** Opcodes between two looks at the clock: less than a millisecond of work. */
const OPCODES_PER_LOOK = 512;

/**
 * KECCAK256, copies, logs, calls and creations: each may take milliseconds, so that the clock is looked at before it, and the
 * more as precompiles are called this way.
 */
const LONG_OPCODES: ReadonlySet<number> = new Set([
  0x20, 0x37, 0x39, 0x3c, 0x3e, 0x5e, 0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xf0, 0xf1, 0xf2, 0xf4, 0xf5, 0xfa,
]);

/**
 * Lets others be heard while a virtual machine of the library works, whose promises never do. The machine must have the
 * opcodes of {@link TurnTaking.opcodes}.
 */
export class TurnTaking {
  /** For callers who have no turns. */
  readonly #ownTurns: Turns = new Scheduler().createLane();
  #turns = this.#ownTurns;
  #checkInterrupt = uninterrupted;
  #opcodesLeft = OPCODES_PER_LOOK;

  /** What this throws ends the execution that runs from now on. */
  begin(checkInterrupt: CheckInterrupt): void {
    this.#checkInterrupt = checkInterrupt;
    this.#turns = checkInterrupt.turns ?? this.#ownTurns;
  }

  /** Returns the machine's `own` opcodes, and those that take turns. */
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
