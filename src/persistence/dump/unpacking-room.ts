import { InvalidDumpError } from '../../wire/errors.ts';

/** The most bytes that a file unpacks to whose owner starts the node. */
const LARGEST_FILE = 2 ** 31;

/**
 * How much memory dumps may take while they are loaded that are compressed: without a bound, a small one could unpack to
 * more than there is. All that are being loaded share it.
 */
export class UnpackingRoom {
  readonly #size: number;
  #taken = 0;

  /** `size` is in bytes. */
  constructor(size = LARGEST_FILE) {
    this.#size = size;
  }

  /** Returns the result of `load`, which may unpack a dump into the room; after that its bytes are given back. */
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

/** A dump that has a room of its own, for the owner's files. */
export function ofItsOwn(): UnpackedDump {
  let left = LARGEST_FILE;
  return {
    take(bytes) {
      left -= bytes;
      if (left < 0) throw new InvalidDumpError(`it unpacks to more than ${LARGEST_FILE} bytes`);
    },
  };
}

/** Told how much of something long is done, from 0 to 1. It is told often, so it must cost next to nothing. */
export type OnProgress = (fraction: number) => void;

/** Tells the whole of what a part of it tells: the part begins and ends at these fractions of the whole. */
export function partOf(onProgress: OnProgress, begin: number, end: number): OnProgress {
  return (fraction) => onProgress(begin + fraction * (end - begin));
}

/** For those who do not ask. */
export const untold: OnProgress = () => undefined;
