import type { Common } from '@ethereumjs/common';
import { type EVMOpts, getOpcodesForHF } from '@ethereumjs/evm';
import { type CheckInterrupt, uninterrupted } from '../../primitives/interrupt.ts';
import { Scheduler, SLICE_MILLISECONDS, type Turns } from '../../primitives/scheduler.ts';
import type { LibraryOpcode, RunState } from './reference-step.ts';

type CustomOpcodes = NonNullable<EVMOpts['customOpcodes']>;

/** JUMP, JUMPI, calls and creations: without one of them code ends soon. */
const TURNING_OPCODES = [0x56, 0x57, 0xf0, 0xf1, 0xf2, 0xf4, 0xf5, 0xfa];

/** Such opcodes between two looks at the clock: less than a millisecond of work. */
const OPCODES_PER_LOOK = 64;

/** From here on opcodes make contracts or call them, precompiles among them, which may take milliseconds. */
const FIRST_CALLING_OPCODE = 0xf0;

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

  /** The machine's `own` opcodes, and those that take turns. */
  opcodes(common: Common, own: CustomOpcodes): CustomOpcodes {
    const { opcodeMap } = getOpcodesForHF(common, own);
    const turning = TURNING_OPCODES.flatMap((opcode) => {
      const entry = opcodeMap[opcode];
      return entry === undefined || entry.opcodeInfo.isInvalid ? [] : [this.#turning(opcode, entry, common)];
    });
    return [...own, ...turning];
  }

  #turning(opcode: number, entry: LibraryOpcode, common: Common): CustomOpcodes[number] {
    // Against its types, the library has no handler for an opcode whose price is fixed.
    const gasFunction: LibraryOpcode['gasHandler'] | undefined = entry.gasHandler;
    return {
      opcode,
      opcodeName: entry.opcodeInfo.name,
      baseFee: entry.opcodeInfo.fee,
      ...(gasFunction === undefined ? {} : { gasFunction }),
      logicFunction: (runState: RunState) => {
        this.#opcodesLeft--;
        if (this.#opcodesLeft > 0 && opcode < FIRST_CALLING_OPCODE) return entry.opHandler(runState, common);
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
