import { Buffer } from 'node:buffer';
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';

/** Characters of the fields of the header, which precedes V8's code in the file. */
const FIELDS = { build: 16, checksum: 8, level: 8 };
/** Bytes of the header. V8 requires an 8-byte alignment of the code. */
const HEADER_SIZE = FIELDS.build + FIELDS.checksum + FIELDS.level;

/** Every N-th 32-bit word is part of the checksum: one word of each disk sector. */
const CHECKED_WORDS = 128;

/**
 * Returns a checksum of the code. V8 does not check the code, and crashes if it is damaged. A checksum of all
 * words would take 3 % of a start. This one detects a page of a file that is missing, damaged or exchanged.
 */
function checksumOf({ buffer, byteOffset, length }: Uint8Array): string {
  const words = new Int32Array(buffer, byteOffset, length >> 2);
  let sum = length;
  // Without a call, because each start interprets this loop.
  for (let index = 0; index < words.length; index += CHECKED_WORDS)
    sum = ((sum << 5) - sum + (words[index] as number)) | 0;
  return (sum >>> 0).toString(16).padStart(FIELDS.checksum, '0');
}

interface Header {
  readonly build: string;
  readonly checksum: string;
  /** The number of milestones that the process of the code has reached. */
  readonly level: number;
}

function headerOf(bytes: Buffer): Header {
  const build = bytes.toString('latin1', 0, FIELDS.build);
  const checksum = bytes.toString('latin1', FIELDS.build, FIELDS.build + FIELDS.checksum);
  const level = Number(bytes.toString('latin1', FIELDS.build + FIELDS.checksum, HEADER_SIZE));
  return { build, checksum, level };
}

/** Returns the first bytes of a file; fewer, or none, if it is shorter or cannot be read. */
function readHead(file: string): Buffer {
  const bytes = Buffer.alloc(HEADER_SIZE);
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch {
    return bytes.subarray(0, 0);
  }
  try {
    return bytes.subarray(0, readSync(descriptor, bytes, 0, HEADER_SIZE, 0));
  } catch {
    return bytes.subarray(0, 0);
  } finally {
    closeSync(descriptor);
  }
}

/** Runs an action under V8's default flags. V8 rejects code of other flags. */
export type WithDefaultFlags = <Result>(action: () => Result) => Result;

/** The code cache of a script: V8's compiled code in a file, for later processes. */
export class CodeCache {
  readonly #file: string;
  readonly #build: string;
  readonly #withDefaultFlags: WithDefaultFlags;
  #script: Script | undefined;
  /** The level of the cached code; -1 for none. */
  #level = -1;
  /** True if the file is damaged, or V8 rejected its code. */
  #isUnusable = false;
  /** The checksum in the file that was read; empty for none. */
  #checksum = '';

  /**
   * `filename` is the path of the script. `use` is part of the file's name, because each use compiles other
   * functions.
   */
  constructor(filename: string, use: string, build: string, withDefaultFlags: WithDefaultFlags) {
    const { versions, arch } = process;
    this.#file = join(dirname(filename), `../cache/${use}-${versions.v8}-${arch}.bin`);
    this.#build = build;
    this.#withDefaultFlags = withDefaultFlags;
  }

  /** Compiles the script, from the cached code if that belongs to this build and is undamaged. */
  compile(text: string, filename: string): Script {
    const cachedData = this.#read();
    const script = this.#withDefaultFlags(
      () => new Script(text, { filename, ...(cachedData && { cachedData }) }),
    );
    if (script.cachedDataRejected === true) this.#isUnusable = true;
    if (this.#isUnusable) this.#level = -1;
    this.#script = script;
    return script;
  }

  /** Returns the cached code; `undefined` if there is no usable one. V8 itself compares only the length. */
  #read(): Buffer | undefined {
    let bytes: Buffer;
    try {
      bytes = readFileSync(this.#file);
    } catch {
      return undefined;
    }
    if (bytes.length < HEADER_SIZE) return undefined;
    const { build, checksum, level } = headerOf(bytes);
    const code = bytes.subarray(HEADER_SIZE);
    if (build !== this.#build) return undefined;
    this.#checksum = checksum;
    this.#isUnusable = checksum !== checksumOf(code);
    if (this.#isUnusable) return undefined;
    this.#level = level;
    return code;
  }

  /**
   * Writes the code that is compiled so far, unless the cache has code of this level. Another process may
   * have written it meanwhile. Does nothing if the file cannot be written.
   */
  write(level: number): void {
    const script = this.#script;
    if (script === undefined || this.#level >= level) return;
    const head = headerOf(readHead(this.#file));
    this.#level = level;
    const isSame = this.#isUnusable && head.checksum === this.#checksum;
    if (head.build === this.#build && head.level >= level && !isSame) return;
    this.#replace(() => {
      const code = this.#withDefaultFlags(() => script.createCachedData());
      const header = `${this.#build}${checksumOf(code)}${String(level).padEnd(FIELDS.level)}`;
      return [Buffer.from(header, 'latin1'), code];
    });
  }

  /** Replaces the file in one step. Creates the content only if the directory is writable. */
  #replace(createContent: () => Uint8Array[]): void {
    const unfinished = `${this.#file}.${process.pid}.${process.hrtime.bigint()}`;
    try {
      mkdirSync(dirname(this.#file), { recursive: true });
      writeFileSync(unfinished, '');
    } catch {
      return;
    }
    try {
      writeFileSync(unfinished, Buffer.concat(createContent()));
      renameSync(unfinished, this.#file);
    } catch {
      rmSync(unfinished, { force: true });
    }
  }
}
