/** The variables at the steps of an execution, through all its frames. */

import type { DecodedParameter } from '../../artifacts/decoding.ts';
import type { ExecutionStep } from '../../evm/observer.ts';
import { fromHex } from '../../primitives/hex.ts';
import type { ContractsOfFrames, KnownContract } from '../known-contracts.ts';
import { FrameVariables } from './frame-variables.ts';
import { type VariablePlaces, variablePlaces } from './variable-places.ts';
import { variableValue } from './variable-value.ts';

/** Where the variables of each frame lie; `null` for a frame of whose variables nothing is known. */
export type PlacesOfFrames = readonly (VariablePlaces | null)[];

/** The places of the contracts that were asked for before. */
export class KnownVariablePlaces {
  readonly #known = new WeakMap<KnownContract, Promise<VariablePlaces | null>>();

  /** Resolves to the places of the contracts' variables, by the index of the frame. */
  of(contracts: ContractsOfFrames): Promise<PlacesOfFrames> {
    return Promise.all(
      contracts.map((contract) => {
        if (contract === null) return null;
        const places = this.#known.get(contract) ?? variablePlaces(contract);
        this.#known.set(contract, places);
        return places;
      }),
    );
  }
}

const DIGITS_OF_WORD = 64;
const WORD = 32;

/** Returns bytes of a memory that is given in words. */
function bytesOfWords(words: readonly string[], start: number, length: number): Uint8Array {
  const first = Math.floor(start / WORD);
  const digits = words.slice(first, Math.ceil((start + length) / WORD)).join('');
  const skipped = (DIGITS_OF_WORD / WORD) * (start - first * WORD);
  return fromHex(`0x${digits.slice(skipped, skipped + 2 * length)}`);
}

interface OpenFrame {
  readonly variables: FrameVariables | null;
  readonly input: Uint8Array;
}

/** Follows the variables of an execution. */
export class StepVariables {
  readonly #places: PlacesOfFrames;
  readonly #open: OpenFrame[] = [];
  #began = 0;

  constructor(places: PlacesOfFrames) {
    this.#places = places;
  }

  /** Called when a frame begins; the input is copied. */
  open(input: Uint8Array): void {
    const places = this.#places[this.#began++] ?? null;
    this.#open.push(
      places === null
        ? { variables: null, input }
        : { variables: new FrameVariables(places), input: input.slice() },
    );
  }

  /** Called when the innermost frame ends. */
  close(): void {
    this.#open.pop();
  }

  /** Must be called before each opcode. */
  follow({ pc, stackHeight }: ExecutionStep): void {
    this.#open.at(-1)?.variables?.step(pc, stackHeight);
  }

  /** Returns the variables with names before the opcode that was followed last; `null` where nothing is known of them. */
  before(step: ExecutionStep, memory: readonly string[]): readonly DecodedParameter[] | null {
    const { variables, input } = this.#open.at(-1) ?? {};
    if (variables === null || variables === undefined || input === undefined) return null;
    const machine = {
      item: (index: number) => step.stackItem(step.stackHeight - 1 - index) ?? 0n,
      memory: (start: number, length: number) => bytesOfWords(memory, start, length),
      input,
    };
    return variables.live
      .filter(({ variable }) => variable.name !== '')
      .map((live) => variableValue(live, machine));
  }
}
