import { InvalidDumpError } from '../../wire/strict-value.ts';

/** The most bytes that a file of the node's owner may unpack to. */
const LARGEST_FILE = 2 ** 31;

/**
 * The memory that compressed dumps may take while they are loaded: without a limit, a small one could unpack to more
 * than there is. All dumps that are being loaded share it.
 */
export class UnpackingRoom {
  readonly #size: number;
  #taken = 0;

  /** `size` is in bytes. */
  constructor(size = LARGEST_FILE) {
    this.#size = size;
  }

  /** Returns the result of `load`, which may unpack a dump into the room; its bytes are released after that. */
  async use<Result>(load: (dump: UnpackedDump) => Promise<Result>): Promise<Result> {
    let length = 0;
    const take = (bytes: number): void => {
      if (this.#taken + bytes > this.#size) throw this.#fault(length);
      this.#taken += bytes;
      length += bytes;
    };
    try {
      return await load({ take });
    } finally {
      this.#taken -= length;
    }
  }

  #fault(own: number): InvalidDumpError {
    const others = this.#taken - own;
    const reason = others === 0 ? '' : `, of which others that are being loaded take ${others}`;
    return new InvalidDumpError(
      `it unpacks to more than the ${this.#size} bytes that there is room for${reason}`,
    );
  }
}

/** A dump that is being unpacked into a room. */
export interface UnpackedDump {
  /** Takes so many bytes. Throws an `InvalidDumpError` when there is no room for them. */
  readonly take: (bytes: number) => void;
}

/** Returns a dump with a room of its own, for the owner's files. */
export function ofItsOwn(): UnpackedDump {
  let left = LARGEST_FILE;
  return {
    take(bytes) {
      left -= bytes;
      if (left < 0) throw new InvalidDumpError(`it unpacks to more than ${LARGEST_FILE} bytes`);
    },
  };
}

/**
 * Called with the completed fraction of a long operation, from 0 to 1. It is called often, so it must be very cheap.
 */
export type OnProgress = (fraction: number) => void;

/** Returns a callback for a part of the operation, which begins and ends at these fractions of the whole. */
export function partOf(onProgress: OnProgress, begin: number, end: number): OnProgress {
  return (fraction) => onProgress(begin + fraction * (end - begin));
}

/** For callers without progress. */
export const ignoreProgress: OnProgress = () => undefined;
