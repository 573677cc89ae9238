import type { PrecompileName } from '../../protocol/hardforks/precompiles.ts';
import type { BlockEnvironment } from '../engine.ts';
import type { SignedMessage } from '../signers.ts';

/**
 * The account of a contract of the network as the contract itself changes it. Everything is taken back when the call
 * fails.
 */
export interface NativeAccount {
  /** The value of a slot (32 bytes): 32 bytes, zeros when it is not set. */
  slot(key: Uint8Array): Uint8Array;
  /** Sets a slot (32 bytes) to a value of 32 bytes. */
  setSlot(key: Uint8Array, value: Uint8Array): void;
  /** Sends coins (wei) to an account, which is made when it is not there. Throws a `PrecompileError` for lack of them. */
  send(to: Uint8Array, value: bigint): void;
  /** Adds a log of at most four topics, 32 bytes each. */
  log(topics: readonly Uint8Array[], data: Uint8Array): void;
}

/** The call of a contract of the network, for those that have storage. */
export interface NativeCall {
  /** 20 bytes: the account whose code calls, or who signed the transaction. */
  readonly caller: Uint8Array;
  /** Wei that came with the call. */
  readonly value: bigint;
  /** True in a STATICCALL and in all calls within one: nothing may be changed. */
  readonly isStatic: boolean;
  /** True for DELEGATECALL and CALLCODE, where code works on the account of its caller. */
  readonly isBorrowed: boolean;
  /** True when the call is part of a read-only call (eth_call) and of no transaction. */
  readonly isReadOnlyCall: boolean;
  /** The transaction that the call is part of; `undefined` in a read-only call. */
  readonly transaction: SignedMessage | undefined;
  /** The contract's own account. */
  readonly account: NativeAccount;
}

/** The surroundings of a call that a precompile can see besides its input. */
export interface PrecompileContext {
  /** The block that it is called in. */
  readonly environment: BlockEnvironment;
  /** The depth of its frame: 0 when the message itself calls it. */
  readonly depth: number;
  /** Returns how it is called, and its access to its own account. */
  call(): NativeCall;
}

/** A computation that stops after each piece of it. */
export type Pieces = Generator<void, Uint8Array, void>;

/** Returns the result of the pieces, run one after the other. Throws their errors. */
export function allPieces(pieces: Pieces): Uint8Array {
  let piece = pieces.next();
  while (piece.done !== true) piece = pieces.next();
  return piece.value;
}

/** The function of a precompile, at whatever address it is. */
export interface PrecompiledFunction {
  /**
   * Returns the price of a call with this input, in gas. Never throws: bad input costs what its length asks for. A price
   * that depends on the contract's storage is the least one where there is no `context`.
   */
  gas(input: Uint8Array, context?: PrecompileContext): bigint;
  /**
   * Returns the result, a new array. Throws a `PrecompileError` when the input is bad. To be called only once `isReady`, and
   * with the price paid: what is not priced may take forever.
   */
  run(input: Uint8Array, context: PrecompileContext): Uint8Array;
  /**
   * The same as {@link run} in pieces of at most some milliseconds, between which others can be heard; left out where the
   * price of one call never buys more than one piece. It does not use the context. To be ended with `return()` when
   * it is given up.
   */
  readonly runInPieces?: ((input: Uint8Array) => Pieces) | undefined;
  /** True where only a long input makes a call long, so that other calls need no pieces. */
  readonly isLongByInput?: boolean | undefined;
  /** False while the library that it computes with is not loaded yet. */
  readonly isReady: boolean;
  /** Loads that library. */
  load(): Promise<void>;
}

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
