import type { PrecompileName, RootstockPrecompileName } from '../../protocol/hardforks/precompiles.ts';
import type { PrecompileRules } from '../../protocol/hardforks/rule-set.ts';
import type { SourceContract } from '../../state/state-source.ts';
import type { BlockEnvironment } from '../engine.ts';
import type { SignedMessage } from '../signers.ts';

/** The account of a Rootstock precompile. All changes are reverted if the call fails. */
export interface PrecompileAccount {
  /** Returns a slot (32 bytes): 32 bytes, zeros if not set. */
  slot(key: Uint8Array): Uint8Array;
  /** Sets a slot (32 bytes) to a value of 32 bytes. */
  setSlot(key: Uint8Array, value: Uint8Array): void;
  /** Returns the balance in wei. */
  balance(): bigint;
  /**
   * Sends wei; creates the account if absent. Observers see a call without gas. Throws `PrecompileError` if the
   * balance is too low.
   */
  send(to: Uint8Array, value: bigint): void;
  /** Like {@link send}, but observers see no call. */
  refund(to: Uint8Array, value: bigint): void;
  /** Adds a log with at most four topics, 32 bytes each. */
  log(topics: readonly Uint8Array[], data: Uint8Array): void;
  /**
   * Reports a decision of the precompile, and its reason, to observers. No effect on the execution. `text` is
   * one clause without a full stop: `the transaction has 1 of 3 confirmations`.
   */
  remark(text: string): void;
  /** Returns a contract (20 bytes) of the forked chain; `null` if it cannot be called. */
  upstream(address: Uint8Array): SourceContract | null;
}

/** The context of a call, for precompiles with state. */
export interface PrecompileCall {
  /** 20 bytes: the calling contract, or the sender of the transaction. */
  readonly caller: Uint8Array;
  /** Wei sent with the call. */
  readonly value: bigint;
  /** True in a STATICCALL and in all nested calls: no change is allowed. */
  readonly isStatic: boolean;
  /** True for DELEGATECALL and CALLCODE, which use the account of the caller. */
  readonly isBorrowed: boolean;
  /** True if the call belongs to a read-only call (eth_call), at any depth. */
  readonly isReadOnlyCall: boolean;
  /** The transaction of the call; undefined in a read-only call. */
  readonly transaction: SignedMessage | undefined;
  /** The precompile's own account. */
  readonly account: PrecompileAccount;
}

/** The context that a precompile can read. */
export interface PrecompileContext {
  /** The block of the call. */
  readonly environment: BlockEnvironment;
  /** The depth of the frame: 0 if the message itself calls the precompile. */
  readonly depth: number;
  /** Returns the context of the call, with access to the account. */
  call(): PrecompileCall;
}

/** A computation in time slices. */
export type PrecompileSteps = Generator<void, Uint8Array, void>;

/** Runs the computation to its end without yielding. Throws its errors. */
export function allSteps(pieces: PrecompileSteps): Uint8Array {
  let piece = pieces.next();
  while (piece.done !== true) piece = pieces.next();
  return piece.value;
}

/** The implementation of a precompile, without its address. */
export interface PrecompiledFunction {
  /**
   * Returns the price of a call in gas. Never throws: the price of invalid input depends on its length.
   * Without a `context`, a price that depends on the state is the minimum price.
   */
  gas(input: Uint8Array, context?: PrecompileContext): bigint;
  /**
   * Returns the result, a new array. Throws `PrecompileError` if the input is invalid. Call it only if
   * `isReady` is true and the price is paid, because an unpaid computation may never end.
   */
  run(input: Uint8Array, context: PrecompileContext): Uint8Array;
  /**
   * Throws `MissingStateError` if {@link gas} or {@link run} needs a value that must be fetched first. Throws
   * `UnanswerableCallError`. Undefined for precompiles that fetch no values.
   */
  readonly prepare?: ((input: Uint8Array, context: PrecompileContext) => void) | undefined;
  /**
   * Like {@link run}, in time slices of a few milliseconds. Undefined if the price never pays for more than
   * one slice. Does not use the context. Call `return()` if it is not run to its end.
   */
  readonly runInSteps?: ((input: Uint8Array) => PrecompileSteps) | undefined;
  /** True if only calls with a long input are long. `runInSteps` is then unnecessary for short inputs. */
  readonly isLongByInput?: boolean | undefined;
  /** False until the library of the precompile is loaded. */
  readonly isReady: boolean;
  /** Loads the library. */
  load(): Promise<void>;
}

/** Creates the Rootstock-only precompiles by name. */
export type CreateRootstockPrecompiles = (
  rules: PrecompileRules,
  chainId: number,
) => Readonly<Record<RootstockPrecompileName, PrecompiledFunction>>;

/** A precompile at its address. */
export interface PrecompiledContract extends PrecompiledFunction {
  readonly name: PrecompileName;
  /** 20 bytes. */
  readonly address: Uint8Array;
}

/** Creates a precompile that needs no library. */
export function readyFunction({
  gas,
  run,
  runInSteps,
  isLongByInput,
}: Pick<PrecompiledFunction, 'gas' | 'run' | 'runInSteps' | 'isLongByInput'>): PrecompiledFunction {
  return { gas, run, runInSteps, isLongByInput, isReady: true, load: async () => {} };
}

/** Thrown if a precompile rejects its input. The call fails; the rule set sets its cost. */
export class PrecompileError extends Error {
  override get name(): string {
    return 'PrecompileError';
  }
}

/** Returns `length` bytes from `offset` on, padded with zeros. A view if long enough. */
export function slicePadded(input: Uint8Array, offset: number, length: number): Uint8Array {
  if (offset + length <= input.length) return input.subarray(offset, offset + length);
  const padded = new Uint8Array(length);
  if (offset < input.length) padded.set(input.subarray(offset));
  return padded;
}

/** Throws `PrecompileError` for an input of a different length. */
export function requireLength(input: Uint8Array, length: number): void {
  if (input.length !== length)
    throw new PrecompileError(`expected an input of ${length} bytes, got ${input.length}`);
}

/** Returns the number of parts. Throws `PrecompileError` unless the length is a multiple. */
export function countParts(input: Uint8Array, length: number): number {
  if (input.length % length !== 0) {
    throw new PrecompileError(`expected a multiple of ${length} bytes, got ${input.length}`);
  }
  return input.length / length;
}

/** Returns 1 or 0 as a word of 32 bytes. */
export function truthWord(value: boolean): Uint8Array {
  const word = new Uint8Array(32);
  if (value) word[31] = 1;
  return word;
}

/** A library that is loaded on first use, because it is rarely needed and slow to load. */
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

  /** Returns the library. Throws if it is not loaded. */
  get(): Library {
    if (this.#loaded === undefined)
      throw new Error('The library of a precompile is used before it is loaded');
    return this.#loaded;
  }

  /** Creates a precompile that uses this library. */
  function(
    gas: (input: Uint8Array) => bigint,
    run: (library: Library, input: Uint8Array) => Uint8Array,
  ): PrecompiledFunction {
    return this.#contract(gas, (input) => run(this.get(), input), undefined);
  }

  /** Like {@link function}, for a computation that may take long. */
  functionInSteps(
    gas: (input: Uint8Array) => bigint,
    pieces: (library: Library, input: Uint8Array) => PrecompileSteps,
  ): PrecompiledFunction {
    const library = this;
    // Invalid input throws in the first time slice, not when the generator is created.
    const runInSteps = function* (input: Uint8Array): PrecompileSteps {
      return yield* pieces(library.get(), input);
    };
    return this.#contract(gas, (input) => allSteps(runInSteps(input)), runInSteps);
  }

  #contract(
    gas: PrecompiledFunction['gas'],
    run: PrecompiledFunction['run'],
    runInSteps: PrecompiledFunction['runInSteps'],
  ): PrecompiledFunction {
    const library = this;
    return {
      gas,
      run,
      runInSteps,
      get isReady() {
        return library.isReady;
      },
      load: () => library.load(),
    };
  }
}
