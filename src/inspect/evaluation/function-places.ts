/** Finds the instructions that belong to functions of the source, by program counter. */

import type { ContractsOfFrames, KnownContract } from '../known-contracts.ts';
import type { FunctionPlaces } from './moment-recorder.ts';

/** Returns a table of the code: 1 for each instruction in a function or modifier. `null` without sources. */
async function placesOf(contract: KnownContract): Promise<Uint8Array | null> {
  const { map } = contract;
  const { bytes } = contract.match.artifact[contract.side] ?? {};
  if (map === null || bytes === undefined) return null;
  const places = new Uint8Array(bytes.length);
  for (let pc = 0; pc < bytes.length; pc++) {
    const range = map.rangeAt(pc);
    const file = range === null ? null : await contract.file(range.file);
    if (range !== null && file !== null && file.outline.functionAt(range.start) !== null) places[pc] = 1;
  }
  return places;
}

/** A cache of function places by contract. */
export class KnownFunctionPlaces {
  readonly #known = new WeakMap<KnownContract, Promise<Uint8Array | null>>();

  /** Resolves to the places of the contracts, by index of the frame. */
  of(contracts: ContractsOfFrames): Promise<FunctionPlaces> {
    return Promise.all(
      contracts.map((contract) => {
        if (contract === null) return null;
        const places = this.#known.get(contract) ?? placesOf(contract);
        this.#known.set(contract, places);
        return places;
      }),
    );
  }
}
