/**
 * Bounds the nodes of a storage layout. Compilers describe each type once. A few types that contain each
 * other twice therefore expand to 2^n members, and a reader that visits each member would not end.
 */

import type { StorageType, StorageVariable } from './storage-type.ts';

/** Maximum variables, members and item types of a layout. A type counts once per place. */
export const MAX_LAYOUT_NODES = 20_000;
/** Maximum nesting of structs, arrays and mappings. */
export const DEEPEST_LAYOUT = 64;
/** Characters of a name or label that count as one more node, because readers repeat names in each place. */
const CHARACTERS_OF_NODE = 256;

/** The layout exceeds a bound, or a struct contains itself. The message omits the contract's name. */
export class LayoutBoundError extends Error {
  override readonly name = 'LayoutBoundError';
}

/** The layout has more nodes than {@link MAX_LAYOUT_NODES}. */
export function tooManyNodes(): LayoutBoundError {
  return new LayoutBoundError(`it has more than ${MAX_LAYOUT_NODES} variables and members`);
}

/** A struct contains itself without a mapping or dynamic array in between. */
export function containsItself(label: string): LayoutBoundError {
  return new LayoutBoundError(`${label.slice(0, CHARACTERS_OF_NODE)} contains itself`);
}

/** Types are nested deeper than {@link DEEPEST_LAYOUT}. */
export function tooDeep(): LayoutBoundError {
  return new LayoutBoundError(`its types are nested deeper than ${DEEPEST_LAYOUT} levels`);
}

/** Counts nodes of types. Each type object counts once, so the time is linear in the description. */
export class LayoutNodes {
  readonly #known = new WeakMap<StorageType, number>();

  /** Returns the nodes of a type, without mapping values and dynamic items: they are read by key. */
  of(type: StorageType): number {
    const known = this.#known.get(type);
    if (known !== undefined) return known;
    let nodes = 1 + Math.floor(type.label.length / CHARACTERS_OF_NODE);
    if (type.kind === 'struct') nodes += this.ofVariables(type.members);
    else if (type.kind === 'fixedArray' || type.kind === 'boundedArray') nodes += this.of(type.item);
    else if (type.kind === 'mapping') nodes += this.of(type.key);
    this.#known.set(type, nodes);
    return nodes;
  }

  ofVariables(variables: readonly StorageVariable[]): number {
    let nodes = 0;
    for (const { name, type } of variables) {
      nodes += Math.floor(name.length / CHARACTERS_OF_NODE) + this.of(type);
    }
    return nodes;
  }

  /** Throws {@link LayoutBoundError} if the type has too many nodes. */
  check(type: StorageType): void {
    if (this.of(type) > MAX_LAYOUT_NODES) throw tooManyNodes();
  }

  /** Throws {@link LayoutBoundError} if the variables have too many nodes. */
  checkVariables(variables: readonly StorageVariable[]): void {
    if (this.ofVariables(variables) > MAX_LAYOUT_NODES) throw tooManyNodes();
  }
}
