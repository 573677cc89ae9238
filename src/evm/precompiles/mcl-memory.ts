import type { MclModule, Pointer } from './mcl-module.ts';

/** Calls `work` with that many bytes of the library's memory, which are its own until it returns. */
export function withMemory<Result>(mcl: MclModule, bytes: number, work: (memory: Pointer) => Result): Result {
  const memory = mcl._malloc(bytes);
  try {
    return work(memory);
  } finally {
    mcl._free(memory);
  }
}

/** As {@link withMemory}, for work in pieces: the memory is its own until it has ended, or is ended by `return()`. */
export function* withMemoryInPieces<Result>(
  mcl: MclModule,
  bytes: number,
  work: (memory: Pointer) => Generator<void, Result, void>,
): Generator<void, Result, void> {
  const memory = mcl._malloc(bytes);
  try {
    return yield* work(memory);
  } finally {
    mcl._free(memory);
  }
}

/** A view of the library's memory, until that grows. */
export function memoryView(mcl: MclModule, address: Pointer, length: number): Uint8Array {
  return new Uint8Array(mcl.wasmMemory.buffer, address, length);
}
