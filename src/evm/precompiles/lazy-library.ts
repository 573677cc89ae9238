import { allPieces, type PrecompiledFunction, type PrecompilePieces } from './precompiled-contract.ts';

/** A library that is loaded on first use, because few programs need it and loading takes long. */
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

  /** Returns the library. Throws when it is not loaded. */
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

  /** Same as {@link function}, for a precompile that may compute for long. */
  functionInPieces(
    gas: (input: Uint8Array) => bigint,
    pieces: (library: Library, input: Uint8Array) => PrecompilePieces,
  ): PrecompiledFunction {
    const library = this;
    // Bad input throws in the first piece, not before.
    const runInPieces = function* (input: Uint8Array): PrecompilePieces {
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
