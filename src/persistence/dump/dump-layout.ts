import type { Blockchain } from '../../storage/blockchain.ts';

/** A position in the bytes of a dump, directly behind a block. */
export interface DumpMark {
  /** The number of the block. */
  readonly block: number;
  /** The offset in the bytes. */
  readonly end: number;
  /** Number of codes in the lines up to here. */
  readonly codes: number;
}

/** The marks of a dump. A later dump of the same chain copies the bytes up to one of them. */
export interface DumpLayout {
  readonly isCompressed: boolean;
  /** The length of the bytes. */
  readonly size: number;
  /** The text before the first block; `null` if it is not recorded. */
  readonly preamble: string | null;
  /** The number of the first block. */
  readonly first: number;
  /** Ascending. */
  readonly marks: readonly DumpMark[];
  /** The hashes of the codes in the dump, in order. */
  readonly codes: readonly string[];
  /** The lowest block that changed since the dump. */
  readonly changed: ReturnType<Blockchain['watchChanges']>;
}

interface NextDump extends Pick<DumpLayout, 'isCompressed' | 'preamble'> {
  readonly blockchain: Blockchain;
}

/** Returns the marks up to the last block whose lines are the same in the next dump. */
export function unchangedMarks(
  earlier: DumpLayout | null,
  { isCompressed, preamble, blockchain }: NextDump,
): readonly DumpMark[] {
  if (earlier === null || preamble === null || earlier.preamble !== preamble) return [];
  if (earlier.isCompressed !== isCompressed || earlier.first !== blockchain.first) return [];
  return earlier.marks.filter(({ block }) => block < earlier.changed.lowest);
}
