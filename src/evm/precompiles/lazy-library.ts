import { allPieces, type Pieces, type PrecompiledFunction } from './precompiled-contract.ts';

/** A library that is loaded when it is first needed, because few programs need it and loading takes long. */
export class LazyLibrary<Library> {
  readonly #import: () => Promise<Library>;
  #loaded: Library | undefined;

  constructor(load: () => Promise<Library>) {
    this.#import = load;
  }

  get isReady(): boolean {
    return this.#loaded !== undefined;
  }

  async load(): Promise<void> {
    this.#loaded ??= await this.#import();
  }

  /** The library. Throws when it is not loaded. */
  get(): Library {
    if (this.#loaded === undefined)
      throw new Error('The library of a precompile is used before it is loaded');
    return this.#loaded;
  }

  /** Returns a precompile that computes with this library. */
  function(
    gas: (input: Uint8Array) => bigint,
    run: (library: Library, input: Uint8Array) => Uint8Array,
  ): PrecompiledFunction {
    return this.#contract(gas, (input) => run(this.get(), input), undefined);
  }

  /** As {@link function}, for one that may compute for long. */
  functionInPieces(
    gas: (input: Uint8Array) => bigint,
    pieces: (library: Library, input: Uint8Array) => Pieces,
  ): PrecompiledFunction {
    const library = this;
    // A fault of the input is thrown by the first piece, not before.
    const runInPieces = function* (input: Uint8Array): Pieces {
      return yield* pieces(library.get(), input);
    };
    return this.#contract(gas, (input) => allPieces(runInPieces(input)), runInPieces);
  }

  #contract(
    gas: PrecompiledFunction['gas'],
    run: PrecompiledFunction['run'],
    runInPieces: PrecompiledFunction['runInPieces'],
  ): PrecompiledFunction {
    const library = this;
    return {
      gas,
      run,
      runInPieces,
      get isReady() {
        return library.isReady;
      },
      load: () => library.load(),
    };
  }
}
