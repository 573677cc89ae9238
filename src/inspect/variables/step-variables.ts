/** The variables at the steps of an execution, through all its frames. */

import type { ProgramVariables } from '../../artifacts/artifact.ts';
import type { DecodedParameter } from '../../artifacts/decoding.ts';
import type { ExecutionStep } from '../../evm/observer.ts';
import { bigIntToFixedBytes, padLeft } from '../../primitives/bytes.ts';
import { fromHex } from '../../primitives/hex.ts';
import type { ContractsOfFrames, KnownContract } from '../known-contracts.ts';
import { FrameVariables } from './frame-variables.ts';
import { FrameProgram } from './program-variables.ts';
import { type VariablePlaces, variablePlaces } from './variable-places.ts';
import { variableValue } from './variable-value.ts';

/** Where the variables of a code lie: as its program says, or as they are found; `null` where nothing is known of them. */
type CodeVariables =
  | { readonly kind: 'program'; readonly program: ProgramVariables }
  | { readonly kind: 'places'; readonly places: VariablePlaces }
  | null;

/** Where the variables of each frame lie. */
export type PlacesOfFrames = readonly CodeVariables[];

async function variablesOf(contract: KnownContract): Promise<CodeVariables> {
  const program = contract.match.artifact[contract.side]?.variables ?? null;
  if (program !== null) return { kind: 'program', program };
  const places = await variablePlaces(contract);
  return places === null ? null : { kind: 'places', places };
}

/** The places of the contracts that were asked for before. */
export class KnownVariablePlaces {
  readonly #known = new WeakMap<KnownContract, Promise<CodeVariables>>();

  /** Resolves to the places of the contracts' variables, by the index of the frame. */
  of(contracts: ContractsOfFrames): Promise<PlacesOfFrames> {
    return Promise.all(
      contracts.map((contract) => {
        if (contract === null) return null;
        const places = this.#known.get(contract) ?? variablesOf(contract);
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
  readonly variables: FrameVariables | FrameProgram | null;
  readonly input: Uint8Array;
}

function followed(variables: CodeVariables): OpenFrame['variables'] {
  if (variables === null) return null;
  return variables.kind === 'program'
    ? new FrameProgram(variables.program)
    : new FrameVariables(variables.places);
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
    const variables = followed(this.#places[this.#began++] ?? null);
    this.#open.push({ variables, input: variables === null ? input : input.slice() });
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
  before(step: ExecutionStep, words: readonly string[]): readonly DecodedParameter[] | null {
    const { variables, input } = this.#open.at(-1) ?? {};
    if (variables === null || variables === undefined || input === undefined) return null;
    const { stackHeight } = step;
    const memory = (start: number, length: number): Uint8Array => bytesOfWords(words, start, length);
    if (variables instanceof FrameProgram) {
      return variables.values({
        stackHeight,
        item: (index) => bigIntToFixedBytes(step.stackItem(index) ?? 0n, WORD),
        memory,
        slot: (slot) => padLeft(step.storageAt(bigIntToFixedBytes(slot, WORD)), WORD),
        input,
      });
    }
    const item = (index: number): bigint => step.stackItem(stackHeight - 1 - index) ?? 0n;
    return variables.live
      .filter(({ variable }) => variable.name !== '')
      .map((live) => variableValue(live, { item, memory, input }));
  }
}
