import { hexKey } from '../../primitives/hex.ts';
import type { FrameEnd, FrameStart } from '../observer.ts';

/** Code that an account has from that point of the execution on, unless a revert takes it back. */
interface Creation {
  readonly address: string;
  readonly code: Uint8Array;
}

interface OpenFrame {
  readonly start: Pick<FrameStart, 'kind' | 'to'>;
  /** The number of contracts that had been created before it. */
  readonly createdBefore: number;
}

/** True for a frame that creates a contract. */
export function isCreation({ kind }: Pick<FrameStart, 'kind'>): boolean {
  return kind === 'CREATE' || kind === 'CREATE2';
}

/** Follows which code an execution has given to accounts so far. */
export class CreatedCode {
  readonly #open: OpenFrame[] = [];
  readonly #created: Creation[] = [];

  frameStart({ kind, to }: FrameStart): void {
    this.#open.push({ start: { kind, to }, createdBefore: this.#created.length });
  }

  frameEnd({ outcome, output }: FrameEnd): void {
    const frame = this.#open.pop();
    if (frame === undefined) return;
    if (outcome !== 'success') this.#created.length = frame.createdBefore;
    else if (isCreation(frame.start)) {
      this.#created.push({ address: hexKey(frame.start.to), code: output.slice() });
    }
  }

  /** Returns the code that the execution has given to the account (20 bytes) so far; `undefined` for none. */
  of(address: Uint8Array): Uint8Array | undefined {
    const key = hexKey(address);
    return this.#created.findLast((creation) => creation.address === key)?.code;
  }
}
