/** Finds the statements of a source file: their lines, and the code that belongs to no statement. */

import type { SourceDefinition, SourceOutline } from '../artifacts/source-outline.ts';

/** The place of an instruction in a function. */
export interface StatementPlace {
  /** From 1. */
  readonly line: number;
  /** True for the head of a function, a whole function, and a whole block. They are no statements. */
  readonly isDefinition: boolean;
}

/** Comments of Solidity, and the bracket before a body. */
const BODY = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|(?<start>\{)/g;
/** In Vyper, a body follows a colon at the end of a line. */
const VYPER_BODY = /:[ \t]*(?:#[^\n]*)?\n/;
const VYPER_HEAD = /^(?:def\b|@)/;

/**
 * Source ranges of blocks. At the end of a block, the compiler removes its variables with the range of the whole
 * block. After the branches of `try`, the execution continues with the range of the whole statement.
 */
const BLOCK = /^(?:\{|try\s)/;
const BLOCK_LENGTH = 4;

/** Returns the first byte of the body in the source of a function; 1 if it has none. */
function bodyStart(text: string): number {
  const found = VYPER_HEAD.test(text)
    ? VYPER_BODY.exec(text)
    : Array.from(text.matchAll(BODY)).find(({ groups }) => groups?.start !== undefined);
  return found == null ? 1 : Buffer.byteLength(text.slice(0, found.index));
}

/** Caches the places of one file, because many instructions have the same place. */
export class StatementPlaces {
  readonly #outline: SourceOutline;
  readonly #places = new Map<number, StatementPlace | null>();
  readonly #bodies = new Map<SourceDefinition, number>();

  constructor(outline: SourceOutline) {
    this.#outline = outline;
  }

  /** Returns the place at the first byte of a source range; `null` outside of functions. */
  at(start: number): StatementPlace | null {
    let place = this.#places.get(start);
    if (place === undefined) {
      place = this.#find(start);
      this.#places.set(start, place);
    }
    return place;
  }

  #find(start: number): StatementPlace | null {
    const around = this.#outline.functionAt(start);
    if (around === null) return null;
    const isInHead = start < around.start + this.#bodyOf(around);
    const isDefinition = isInHead || BLOCK.test(this.#outline.textOf(start, BLOCK_LENGTH));
    return { line: this.#outline.lineOf(start), isDefinition };
  }

  #bodyOf(definition: SourceDefinition): number {
    const { start, end } = definition;
    const body = this.#bodies.get(definition) ?? bodyStart(this.#outline.textOf(start, end - start));
    this.#bodies.set(definition, body);
    return body;
  }
}
