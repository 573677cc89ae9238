import type { Common } from '@ethereumjs/common';
import { type EVMOpts, getOpcodesForHF } from '@ethereumjs/evm';
import { type CheckInterrupt, uninterrupted } from '../../primitives/interrupt.ts';
import { nextTurn } from '../../primitives/next-turn.ts';
import type { LibraryOpcode, RunState } from './reference-step.ts';

type CustomOpcodes = NonNullable<EVMOpts['customOpcodes']>;

/** JUMP, JUMPI, calls and creations: without one of them code ends soon. */
const TURNING_OPCODES = [0x56, 0x57, 0xf0, 0xf1, 0xf2, 0xf4, 0xf5, 0xfa];

/** Some milliseconds of work. */
const OPCODES_PER_TURN = 1_024;

/**
 * Lets others be heard while a virtual machine of the library works, whose promises never do. The machine must have the
 * opcodes of {@link TurnTaking.opcodes}.
 */
export class TurnTaking {
  #checkInterrupt = uninterrupted;
  #opcodesLeft = OPCODES_PER_TURN;

  /** What this throws ends the execution that runs from now on. */
  begin(checkInterrupt: CheckInterrupt): void {
    this.#checkInterrupt = checkInterrupt;
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
        if (this.#opcodesLeft > 0) return entry.opHandler(runState, common);
        return this.#takeTurn().then(() => entry.opHandler(runState, common));
      },
    };
  }

  async #takeTurn(): Promise<void> {
    this.#opcodesLeft = OPCODES_PER_TURN;
    await nextTurn();
    this.#checkInterrupt();
  }
}
