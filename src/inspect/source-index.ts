/** Maps each opcode of a contract to its source function, as far as the source map allows. */

import type { JumpKind, SourceMap, SourceRange } from '../artifacts/source-map.ts';
import type { SourceDefinition } from '../artifacts/source-outline.ts';
import { HALT_REASONS } from '../evm/halt-reasons.ts';
import type { FrameEnd, FrameStart } from '../evm/observer.ts';
import { revertReason } from '../evm/revert-reason.ts';
import { EMPTY_BYTES } from '../primitives/bytes.ts';
import { PLACE, PLACE_BITS, TRAIT, traitsOf } from './bytecode-features.ts';
import { type ContractsOfFrames, FALLBACK, type KnownContract, RECEIVE } from './known-contracts.ts';
import type { KnownFile } from './known-files.ts';

/** A function, modifier or the like, and its file. */
export interface PlacedDefinition {
  readonly file: KnownFile;
  readonly definition: SourceDefinition;
}

const IDENTIFIER = /[A-Za-z_$][\w$]*/g;
/** Matches function types, and `using {…}` lists, which attach functions (also operators) to a type. */
const HAS_FUNCTION_VALUES = /\bfunction\s*\(|\busing\s*\{/;
const WITHOUT_MEANING = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g;
/** An identifier that is not called. */
const UNCALLED = /(?<![\w$])([A-Za-z_$][\w$]*)(?![\w$])(?!\s*\()/g;
/** Statements that may revert without data and without an opcode of their own. */
const SILENT_END = /\brevert\s*\(\s*\)|\bassembly\b|\brequire\s*\(\s*!?[\w$.]+\s*\)/;
/** Low-level calls: the caller continues after they fail. */
const LOW_LEVEL_CALL = /\.\s*(?:call|callcode|delegatecall|staticcall|send)\s*[({]/;
/** The patterns of statements that can fail with each panic code. */
const PANIC_CAUSES: ReadonlyMap<bigint, RegExp> = new Map([
  [0x01n, /\bassert\b/],
  [0x11n, /[-+*]/],
  [0x12n, /[/%]/],
  [0x31n, /\bpop\b/],
  [0x32n, /\[/],
]);
/** Maximum bytes of a statement to search. */
const MAX_STATEMENT_LENGTH = 1000;
/** Kinds of definitions that any function may run without naming them. */
const UNNAMED_KINDS: ReadonlySet<string> = new Set(['modifier', 'constructor']);

/** Follows the functions of one code. Definitions are numbered from 1; 0 means none. */
export class SourceIndex {
  readonly #map: SourceMap;
  readonly #contract: KnownContract;
  readonly #definitions: readonly PlacedDefinition[];
  /** By program counter: one of `PLACE` in the low bits, the number of the definition above it. */
  readonly #places: Int32Array;
  /** By program counter: the number of the source range; 0 for none. */
  readonly #ranges: Int32Array;
  /** By program counter: bits of `TRAIT`. */
  readonly #traits: Uint8Array;
  readonly #entries: ReadonlySet<number>;
  readonly #isOptimized: boolean;
  readonly #byName = new Map<string, number[]>();
  /** Caches by definition and by name, because each frame needs them and a search of the text is slow. */
  readonly #named = new Map<number, ReadonlySet<number>>();
  readonly #reach = new Map<number, ReadonlySet<number>>();
  #values: ReadonlySet<number> | null = null;
  readonly #silent = new Map<number, boolean>();
  readonly #called = new Map<string, number>();

  private constructor(
    contract: KnownContract,
    map: SourceMap,
    definitions: readonly PlacedDefinition[],
    places: Int32Array,
    ranges: Int32Array,
    entries: ReadonlySet<number>,
  ) {
    this.#contract = contract;
    this.#map = map;
    this.#definitions = definitions;
    this.#places = places;
    this.#ranges = ranges;
    this.#entries = entries;
    this.#traits = traitsOf(contract.match.artifact[contract.side]?.bytes ?? EMPTY_BYTES, map, places);
    const { optimizer, viaIR, version } = contract.match.artifact.compiler;
    // Without compiler settings, assume that the optimizer shares code.
    this.#isOptimized = optimizer || viaIR || version === null;
    for (const [index, { definition }] of definitions.entries()) {
      const name = UNNAMED_FUNCTIONS.has(definition.kind) ? `<${definition.kind}>` : definition.name;
      const numbers = this.#byName.get(name) ?? [];
      numbers.push(index + 1);
      this.#byName.set(name, numbers);
    }
  }

  /**
   * Resolves to the guide of a contract; `null` without a source map. The time is proportional to the code
   * and its sources.
   */
  static async of(contract: KnownContract): Promise<SourceIndex | null> {
    const { map } = contract;
    const { bytes } = contract.match.artifact[contract.side] ?? {};
    if (map === null || bytes === undefined) return null;
    const definitions: PlacedDefinition[] = [];
    const numbers = new Map<SourceDefinition, number>();
    // Functions in other files have no instruction in this code.
    const files = await contract.filesOfCode();
    for (const file of files.values()) {
      for (const definition of file.outline.definitions) {
        if (
          definition.kind === 'contract' ||
          definition.kind === 'library' ||
          definition.kind === 'interface'
        )
          continue;
        definitions.push({ file, definition });
        numbers.set(definition, definitions.length);
      }
    }
    const places = new Int32Array(bytes.length);
    const entries = new Set<number>();
    const ranges = new Int32Array(bytes.length);
    const known = new Map<
      string,
      { readonly place: number; readonly number: number; readonly isEntry: boolean }
    >();
    for (let pc = 0; pc < bytes.length; pc++) {
      const range = map.rangeAt(pc);
      const file = range === null ? undefined : files.get(range.file);
      if (range === null || file === undefined) continue;
      const key = `${range.file}:${range.start}:${range.length}`;
      let found = known.get(key);
      if (found === undefined) {
        const isEntry = file.outline.functionOf(range.start, range.length) !== null;
        found = { place: placeOf(range, file, numbers), number: known.size + 1, isEntry };
        known.set(key, found);
      }
      places[pc] = found.place;
      ranges[pc] = found.number;
      if (found.isEntry) entries.add(pc);
    }
    return new SourceIndex(contract, map, definitions, places, ranges, entries);
  }

  jumpAt(pc: number): JumpKind {
    return this.#map.jumpAt(pc);
  }

  /** Returns bits of `TRAIT`. */
  traitsAt(pc: number): number {
    return this.#traits[pc] ?? 0;
  }

  /** Returns one of `PLACE`; `none` if the opcode comes from no file of the user. */
  placeAt(pc: number): number {
    return (this.#places[pc] ?? 0) & TRAIT.place;
  }

  /** Returns the number of the definition that contains the opcode's place. */
  definitionAt(pc: number): number {
    return (this.#places[pc] ?? 0) >> PLACE_BITS;
  }

  /** Returns true if the opcode's source range is a whole function. */
  isEntry(pc: number): boolean {
    return this.#entries.has(pc);
  }

  /** Returns the definition with this number; `null` for 0. */
  definition(number: number): PlacedDefinition | null {
    return this.#definitions[number - 1] ?? null;
  }

  /**
   * Returns true if code of `definition` may run within `within` without a visible jump, because the source
   * of `within` names it. The optimizer lets functions share code, and shared code has the place of only one
   * of them.
   */
  mayRun(definition: number, within: number): boolean {
    if (!this.#isOptimized || definition === 0 || within === 0 || definition === within) return true;
    const kind = this.#definitions[definition - 1]?.definition.kind ?? '';
    return UNNAMED_KINDS.has(kind) || this.#reachOf(within).has(definition);
  }

  /** Returns true if two opcodes have the same source range. */
  isSamePlace(pc: number, other: number): boolean {
    return this.#ranges[pc] !== 0 && this.#ranges[pc] === this.#ranges[other];
  }

  /**
   * Returns true if the statement of the last opcode that ran can have ended the function this way. Later
   * code without a place of its own may belong to the next statement.
   */
  canFail(pc: number, within: number, end: FrameEnd): boolean {
    if (end.outcome === 'halt') return end.haltReason === HALT_REASONS.outOfGas;
    const isSilent = end.output.length === 0 && this.#canEndSilently(this.definitionAt(pc) || within);
    return !isSilent && this.#fits(pc, within, end);
  }

  /**
   * Returns true if the frame's last statement, at `pc`, belongs to the function `within`. Returns false if
   * `within` only shares code with the statement's function.
   */
  isOwnEnd(pc: number, within: number, end: FrameEnd): boolean {
    const definition = this.definitionAt(pc);
    if (!this.#isOptimized || definition === 0 || within === 0 || definition === within) return true;
    return this.mayRun(definition, within) && (end.output.length === 0 || this.#fits(pc, within, end));
  }

  /** Returns true if the text of the statement can have produced the revert data. */
  #fits(pc: number, within: number, { output }: FrameEnd): boolean {
    const range = this.#map.rangeAt(pc);
    const found = this.definition(this.definitionAt(pc) || within);
    if (range === null || found === null) return false;
    const rest = Math.max(range.length, found.definition.end - range.start);
    const text = found.file.outline.textOf(range.start, Math.min(MAX_STATEMENT_LENGTH, rest));
    const [statement = ''] = text.split(';', 1);
    const reason = revertReason(output);
    switch (reason.kind) {
      case 'none':
        return !LOW_LEVEL_CALL.test(statement);
      case 'text':
        return statement.includes(reason.text);
      case 'panic':
        return PANIC_CAUSES.get(reason.panicCode)?.test(statement) ?? true;
      case 'custom': {
        const error = this.#contract.table.error(output);
        return error !== null && statement.includes(error.name);
      }
    }
  }

  /** Returns the number of the function that a message calls; 0 if unknown. */
  calledBy({ kind, input }: FrameStart): number {
    if (kind === 'CREATE' || kind === 'CREATE2') return 0;
    const called = this.#contract.table.functionOf(input);
    if (called !== null) return this.#only(called.name, called.inputs.length);
    // Another contract of the sources may have a fallback function even if this one has none.
    const meant = this.#contract.functionMeantBy(input);
    return meant === RECEIVE || meant === FALLBACK ? this.#only(meant, null) : 0;
  }

  /** The only definition of this name in the contract, otherwise in all sources. 0 if several match. */
  #only(name: string, parameters: number | null): number {
    const key = `${name}:${parameters}`;
    const known = this.#called.get(key) ?? this.#findOnly(name, parameters);
    this.#called.set(key, known);
    return known;
  }

  #findOnly(name: string, parameters: number | null): number {
    const named = (this.#byName.get(name) ?? []).filter((number) => {
      const found = this.definition(number);
      const isOfKind = parameters === null || found?.definition.kind === 'function';
      return (
        found !== null && isOfKind && (parameters === null || parameterCount(textOf(found)) === parameters)
      );
    });
    const own = named.filter(
      (number) => this.definition(number)?.definition.contract === this.#contract.match.contract.name,
    );
    const [first, ...others] = own.length > 0 ? own : named;
    return first === undefined || others.length > 0 ? 0 : first;
  }

  #reachOf(within: number): ReadonlySet<number> {
    const known = this.#reach.get(within);
    if (known !== undefined) return known;
    this.#values ??= this.#functionValues();
    const reach = new Set([within, ...this.#values]);
    // A set can grow while a loop iterates over it.
    for (const number of reach) {
      for (const named of this.#namedBy(number)) reach.add(named);
      // A modifier's body (`_`) runs within the modifier. The IR pipeline makes it a function of its own.
      if (this.definition(number)?.definition.kind !== 'modifier') continue;
      for (const user of this.#definitions.keys())
        if (this.#namedBy(user + 1).has(number)) reach.add(user + 1);
    }
    this.#reach.set(within, reach);
    return reach;
  }

  /** Functions used as values (pointers, operators). Any function may run them. */
  #functionValues(): ReadonlySet<number> {
    const found = new Set<number>();
    for (const file of new Set(this.#definitions.map((placed) => placed.file))) {
      const { text } = file.outline;
      if (!HAS_FUNCTION_VALUES.test(text)) continue;
      for (const [, name = ''] of text.replace(WITHOUT_MEANING, '').matchAll(UNCALLED)) {
        for (const number of this.#byName.get(name) ?? [])
          if (this.definition(number)?.definition.kind === 'function') found.add(number);
      }
    }
    return found;
  }

  /** The definitions that the text of one definition names. */
  #namedBy(number: number): ReadonlySet<number> {
    const known = this.#named.get(number);
    if (known !== undefined) return known;
    const found = this.definition(number);
    const words = new Set(found === null ? [] : (textOf(found).match(IDENTIFIER) ?? []));
    const named = new Set([...words].flatMap((word) => this.#byName.get(word) ?? []));
    this.#named.set(number, named);
    return named;
  }

  /** Returns true if the function may revert without data at a statement that has no opcode of its own. */
  #canEndSilently(number: number): boolean {
    const found = this.definition(number);
    const known = this.#silent.get(number) ?? (found !== null && SILENT_END.test(textOf(found)));
    this.#silent.set(number, known);
    return known;
  }
}

const UNNAMED_FUNCTIONS: ReadonlySet<string> = new Set(['fallback', 'receive', 'constructor']);

function textOf({ file, definition: { start, end } }: PlacedDefinition): string {
  return file.outline.textOf(start, end - start);
}

function parameterCount(text: string): number {
  const [, parameters = ''] = /\(([^)]*)\)/.exec(text) ?? [];
  return parameters.trim() === '' ? 0 : parameters.split(',').length;
}

function placeOf(
  { start, length }: SourceRange,
  { outline }: KnownFile,
  numbers: ReadonlyMap<SourceDefinition, number>,
): number {
  const definition = outline.functionAt(start);
  if (definition !== null && start + length <= definition.end) {
    // The whole body is no more precise than the function.
    const isBody = start + length === definition.end;
    return ((numbers.get(definition) ?? 0) << PLACE_BITS) | (isBody ? PLACE.definition : PLACE.statement);
  }
  // A source in another language has no known functions.
  if (outline.definitions.length === 0) return PLACE.statement;
  const contract = outline.contractAt(start);
  const isWithin = contract !== null && start > contract.start && start + length < contract.end;
  return isWithin ? PLACE.statement : PLACE.contract;
}

/** A cache of guides by contract. */
export type SourceIndexes = WeakMap<KnownContract, Promise<SourceIndex | null>>;

/** Resolves to one guide per frame, for the recorder. New guides are added to `known`. */
export function guidesOf(
  contracts: ContractsOfFrames,
  known: SourceIndexes,
): Promise<(SourceIndex | null)[]> {
  return Promise.all(
    contracts.map((contract) => {
      if (contract === null) return null;
      const guide = known.get(contract) ?? SourceIndex.of(contract);
      known.set(contract, guide);
      return guide;
    }),
  );
}
