import { BLOOM_SIZE } from '../protocol/receipt.ts';
import { ByteRows } from './byte-rows.ts';
import type { BloomTest } from './log-record.ts';

/** Each section of a level is as many sections of the level below; of blocks, in the lowest one. */
const SECTION = 16;
const LEVELS = 2;

/** Gives the number behind the section around a block that a search can leave out; the block's own number where it cannot. */
export type SectionSkip = (number: number) => number;

/** Sets the bits of a bloom in another one. */
function addBits(target: Uint8Array, bloom: Uint8Array): void {
  for (let index = 0; index < BLOOM_SIZE; index++) target[index] = (target[index] ?? 0) | (bloom[index] ?? 0);
}

/**
 * One bloom for all the blocks of each whole section of a chain, and for sections of sections, whose blocks are counted from 0: by
 * these a search leaves out most of a long chain. They take a fifteenth of what the blooms of all blocks would.
 */
export class BloomSections {
  /** The blooms of the whole sections of each level, from the lowest on; each level is made with its first section. */
  readonly #levels: ByteRows[] = [];
  /** The bits of the blocks of the section that is not whole yet; `undefined` where these have no logs. */
  #begun: Uint8Array | undefined;
  #length = 0;

  /** Appends a block; `bloom` is `null` when it has no logs. */
  push(bloom: Uint8Array | null): void {
    if (bloom !== null) {
      this.#begun ??= new Uint8Array(BLOOM_SIZE);
      addBits(this.#begun, bloom);
    }
    this.#length++;
    if (this.#length % SECTION !== 0) return;
    this.#complete(0, this.#begun ?? new Uint8Array(BLOOM_SIZE));
    this.#begun = undefined;
  }

  #complete(level: number, bits: Uint8Array): void {
    const rows = this.#levels[level] ?? new ByteRows(BLOOM_SIZE);
    this.#levels[level] = rows;
    rows.push(bits);
    if (level === LEVELS - 1 || rows.length % SECTION !== 0) return;
    const above = new Uint8Array(BLOOM_SIZE);
    for (let row = rows.length - SECTION; row < rows.length; row++)
      rows.read(row, (bloom) => addBits(above, bloom));
    this.#complete(level + 1, above);
  }

  /** Removes the blocks from that number on; `bloomOf` gives the bloom of one that stays. */
  truncate(length: number, bloomOf: (number: number) => Uint8Array | null): void {
    if (length >= this.#length) return;
    let size = 1;
    for (const rows of this.#levels) {
      size *= SECTION;
      rows.truncate(Math.floor(length / size));
    }
    this.#length = length - (length % SECTION);
    this.#begun = undefined;
    for (let number = this.#length; number < length; number++) this.push(bloomOf(number));
  }

  /** Returns what leaves out the sections that the test rules out; it tests each section once. */
  skip(mayMatch: BloomTest): SectionSkip {
    const passed = new Array<number>(LEVELS).fill(-1);
    return (number) => {
      for (let level = LEVELS - 1; level >= 0; level--) {
        const size = SECTION ** (level + 1);
        const section = Math.floor(number / size);
        const rows = this.#levels[level];
        if (rows === undefined || section >= rows.length || passed[level] === section) continue;
        if (!rows.read(section, mayMatch)) return (section + 1) * size;
        passed[level] = section;
      }
      return number;
    };
  }
}
