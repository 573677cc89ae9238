import type {
  NetworkContractGas,
  NetworkContractName,
  PrecompileName,
} from '../../protocol/hardforks/precompiles.ts';
import type { SourceContract } from '../../state/state-source.ts';
import type { BlockEnvironment } from '../engine.ts';
import type { SignedMessage } from '../signers.ts';

/**
 * The account of a native contract of the network, as the contract accesses it. All changes are reverted when the call
 * fails.
 */
export interface NativeAccount {
  /** Returns the value of a slot (32 bytes): 32 bytes, zeros when it is not set. */
  slot(key: Uint8Array): Uint8Array;
  /** Sets a slot (32 bytes) to a value of 32 bytes. */
  setSlot(key: Uint8Array, value: Uint8Array): void;
  /**
   * Sends coins (wei) to an account, which is created when it does not exist. Throws a `PrecompileError` when the
   * balance is too low.
   */
  send(to: Uint8Array, value: bigint): void;
  /** Adds a log of at most four topics, 32 bytes each. */
  log(topics: readonly Uint8Array[], data: Uint8Array): void;
  /** Returns the contract at an address (20 bytes) of the forked chain; `null` if that chain does not answer for it. */
  upstream(address: Uint8Array): SourceContract | null;
}

/** The context of a call, for native contracts with state. */
export interface NativeCall {
  /** 20 bytes: the account whose code calls, or the sender of the transaction. */
  readonly caller: Uint8Array;
  /** Wei that came with the call. */
  readonly value: bigint;
  /** True in a STATICCALL and in all calls within one: nothing may be changed. */
  readonly isStatic: boolean;
  /** True for DELEGATECALL and CALLCODE, where code works on the account of its caller. */
  readonly isBorrowed: boolean;
  /** True when the call belongs to a read-only call (eth_call) instead of a transaction, at any depth. */
  readonly isReadOnlyCall: boolean;
  /** The transaction that the call belongs to; `undefined` in a read-only call. */
  readonly transaction: SignedMessage | undefined;
  /** The contract's own account. */
  readonly account: NativeAccount;
}

/** The data that a precompile can read besides its input. */
export interface PrecompileContext {
  /** The block that it is called in. */
  readonly environment: BlockEnvironment;
  /** The depth of its frame: 0 when the message itself calls it. */
  readonly depth: number;
  /** Returns the context of the call, and the access to its account. */
  call(): NativeCall;
}

/** A computation that can pause after each of its pieces. */
export type PrecompilePieces = Generator<void, Uint8Array, void>;

/** Returns the result of the pieces, run one after the other. Throws their errors. */
export function allPieces(pieces: PrecompilePieces): Uint8Array {
  let piece = pieces.next();
  while (piece.done !== true) piece = pieces.next();
  return piece.value;
}

/** The implementation of a precompile, independent of its address. */
export interface PrecompiledFunction {
  /**
   * Returns the price of a call with this input, in gas. Never throws: the price of bad input depends on its length. A
   * price that depends on the contract's state is the lowest one without a `context`.
   */
  gas(input: Uint8Array, context?: PrecompileContext): bigint;
  /**
   * Returns the result, a new array. Throws a `PrecompileError` when the input is bad. Must be called only once
   * `isReady`, and with the price paid: without a price it may take forever.
   */
  run(input: Uint8Array, context: PrecompileContext): Uint8Array;
  /**
   * Throws `MissingStateError` if {@link gas} and {@link run} need a value that must be fetched first; absent for
   * precompiles that need none. Throws `UnanswerableCallError`.
   */
  readonly prepare?: ((input: Uint8Array, context: PrecompileContext) => void) | undefined;
  /**
   * Same as {@link run}, in pieces of a few milliseconds at most, between which other work can run; absent when the
   * price of one call never buys more than one piece. It does not use the context. Must be ended with `return()` when
   * it is not run to its end.
   */
  readonly runInPieces?: ((input: Uint8Array) => PrecompilePieces) | undefined;
  /** True when only a long input makes a call long, so that `runInPieces` is not needed for others. */
  readonly isLongByInput?: boolean | undefined;
  /** False while the library that it computes with is not loaded yet. */
  readonly isReady: boolean;
  /** Loads that library. */
  load(): Promise<void>;
}

/** Creates the contracts that only Rootstock has, by name, at these prices in gas, for the chain with that id. */
export type CreateNetworkContracts = (
  gas: NetworkContractGas,
  chainId: number,
) => Readonly<Record<NetworkContractName, PrecompiledFunction>>;

/** A precompile at its address. */
export interface PrecompiledContract extends PrecompiledFunction {
  readonly name: PrecompileName;
  /** 20 bytes. */
  readonly address: Uint8Array;
}

/** Returns a precompile that needs no library of its own. */
export function readyFunction({
  gas,
  run,
  runInPieces,
  isLongByInput,
}: Pick<PrecompiledFunction, 'gas' | 'run' | 'runInPieces' | 'isLongByInput'>): PrecompiledFunction {
  return { gas, run, runInPieces, isLongByInput, isReady: true, load: async () => {} };
}

/** A precompile refused its input. The call to it fails, and returns nothing; the rule set determines its cost. */
export class PrecompileError extends Error {
  override get name(): string {
    return 'PrecompileError';
  }
}

/**
 * Returns `length` bytes of the input from `offset` on, padded with zeros when it is too short. A view when it is long
 * enough.
 */
export function slicePadded(input: Uint8Array, offset: number, length: number): Uint8Array {
  if (offset + length <= input.length) return input.subarray(offset, offset + length);
  const padded = new Uint8Array(length);
  if (offset < input.length) padded.set(input.subarray(offset));
  return padded;
}

/** Throws a `PrecompileError` for an input of another length. */
export function requireLength(input: Uint8Array, length: number): void {
  if (input.length !== length)
    throw new PrecompileError(`expected an input of ${length} bytes, got ${input.length}`);
}

/**
 * Returns how many parts of `length` bytes the input has. Throws a `PrecompileError` when it is not a multiple of that.
 */
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
