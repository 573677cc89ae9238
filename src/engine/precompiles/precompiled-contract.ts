/** What a precompile does, wherever it stands. */
export interface PrecompiledFunction {
  /** What a call with this input costs, in gas. Never throws: bad input costs what its length asks for. */
  gas(input: Uint8Array): bigint;
  /**
   * The result, a new array. Throws a `PrecompileError` when the input is bad. To be called only once `isReady`, and
   * with the price paid: what is not priced may take forever.
   */
  run(input: Uint8Array): Uint8Array;
  /** False while the library that it computes with is not loaded yet. */
  readonly isReady: boolean;
  /** Loads that library. */
  load(): Promise<void>;
}

/** A precompile at its address. */
export interface PrecompiledContract extends PrecompiledFunction {
  /** As the lists of configurations name it (EIP-7910). */
  readonly name: string;
  /** 20 bytes. */
  readonly address: Uint8Array;
}

/** A precompile that needs no library of its own. */
export function readyFunction({ gas, run }: Pick<PrecompiledFunction, 'gas' | 'run'>): PrecompiledFunction {
  return { gas, run, isReady: true, load: async () => {} };
}
