import { toHex } from '../../primitives/hex.ts';
import type { FrameStart } from '../observer.ts';
import type { Tracer } from './tracer.ts';

const SELECTOR_SIZE = 4;

/**
 * Counts the function selectors that calls ask for, with the size of their arguments in bytes (geth's 4byteTracer):
 * `{"0xa9059cbb-64": 2}`. Creations and calls of precompiles do not count.
 */
export class FourByteTracer implements Tracer {
  readonly #counts = new Map<string, number>();

  frameStart({ kind, input, isPrecompile }: FrameStart): void {
    const isCall = kind.endsWith('CALL') || kind === 'CALLCODE';
    if (!isCall || isPrecompile || input.length < SELECTOR_SIZE) return;
    const key = `${toHex(input.subarray(0, SELECTOR_SIZE))}-${input.length - SELECTOR_SIZE}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  result(): unknown {
    return Object.fromEntries(this.#counts);
  }
}
