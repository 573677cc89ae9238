/**
 * Reads the programs of ETHDebug (https://ethdebug.github.io/format), which describe each instruction of a code: the range of the
 * source that it comes from, and the variables that there are behind it. solc writes them from 0.8.29 on.
 */

import type { Task } from '../../scheduling/task.ts';
import type { WorkPieces } from '../../scheduling/work-pieces.ts';
import type { CodeTemplate, ProgramVariable, ProgramVariables } from '../artifact.ts';
import { SourceMap, type SourceRange } from '../source-map.ts';
import { type JsonObject, objectOf, textOf } from './contract-json.ts';

const PUSH1 = 0x60;
const PUSH32 = 0x7f;
const LARGEST = 2 ** 31 - 1;
/** Contexts inside each other that are read. */
const DEEPEST = 8;
/** Variables of one context that are read. */
const MOST_VARIABLES = 256;
/** Contexts of one instruction that are read: they can gather others. */
const MOST_CONTEXTS = 256;
/** The longest code, in bytes, whose program is read: its map takes hundreds of times the bytes. */
const LONGEST_CODE = 2 ** 20;
/** Units of work for an instruction. */
const INSTRUCTION_WORK = 256;
/** The frame of contexts that are about an intermediate language of the compiler. */
const INTERMEDIATE = 'ir';

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The contexts that hold at once: the context itself, and those that it gathers. Of alternatives (`pick`) none is known to hold. */
function contextsIn(value: unknown, depth = 0, found: JsonObject[] = []): JsonObject[] {
  const context = objectOf(value);
  if (depth > DEEPEST || context.frame === INTERMEDIATE) return found;
  found.push(context);
  for (const each of Array.isArray(context.gather) ? context.gather : []) {
    if (found.length >= MOST_CONTEXTS) break;
    contextsIn(each, depth + 1, found);
  }
  return found;
}

/** Returns a number of JSON, or one in hexadecimal; -1 for anything else. */
function numberOf(value: unknown): number {
  const number = typeof value === 'string' && /^0x[0-9a-f]{1,8}$/i.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) && Number(number) >= 0 && Number(number) <= LARGEST
    ? Number(number)
    : -1;
}

/** Returns the range that a context names; `null` for none. */
function rangeIn({ code }: JsonObject): SourceRange | null {
  const { source, range } = objectOf(code);
  const file = numberOf(objectOf(source).id);
  const { offset, length } = objectOf(range);
  const found = { file, start: numberOf(offset), length: numberOf(length) };
  return found.file < 0 || found.start < 0 || found.length < 0 ? null : found;
}

/** Returns the shortest of the ranges, which says most. */
function shortest(contexts: readonly JsonObject[]): SourceRange | null {
  let found: SourceRange | null = null;
  for (const context of contexts) {
    const range = rangeIn(context);
    if (range !== null && (found === null || range.length < found.length)) found = range;
  }
  return found;
}

/** Variables that are named twice are one, of which each context says a part. */
function variablesIn(contexts: readonly JsonObject[]): readonly ProgramVariable[] {
  const found = new Map<string, ProgramVariable>();
  for (const { variables } of contexts) {
    if (!Array.isArray(variables)) continue;
    for (const value of variables.slice(0, MOST_VARIABLES)) {
      const { identifier, type, pointer } = objectOf(value);
      const name = textOf(identifier);
      if (name === null) continue;
      const before = found.get(name);
      found.set(name, {
        name,
        type: isObject(type) ? type : (before?.type ?? null),
        pointer: isObject(pointer) ? pointer : (before?.pointer ?? null),
      });
    }
  }
  return [...found.values()];
}

/** True for a range that says no more than the other, or is about another place. */
function isCoarser(range: SourceRange | null, other: SourceRange): boolean {
  if (range === null) return true;
  const isAround = range.start <= other.start && range.start + range.length >= other.start + other.length;
  return range.file === other.file && isAround && range.length > other.length;
}

interface Instruction {
  readonly contexts: readonly JsonObject[];
  readonly range: SourceRange | null;
}

/** Returns the letter of solc's source maps for what the jump does, by the contexts of its instruction. */
function jumpOf(contexts: readonly JsonObject[]): string | null {
  if (contexts.some(({ invoke }) => objectOf(invoke).jump === true)) return 'i';
  return contexts.some((context) => isObject(context.return)) ? 'o' : null;
}

const LETTERS = { into: 'i', out: 'o', other: '-' } as const;

/**
 * Returns the source map of a code (in the form of solc) with the ranges of its program where it has none itself, or where
 * its own are wider.
 */
function* mapWith(
  template: CodeTemplate,
  instructions: ReadonlyMap<number, Instruction>,
  pieces: WorkPieces,
): Task<string | null> {
  const { bytes } = template;
  const map = yield* SourceMap.read(template, pieces);
  const entries: string[] = [];
  let isChanged = false;
  for (let pc = 0; pc < bytes.length; pc++) {
    const own = map?.rangeAt(pc) ?? null;
    const { range = null, contexts = [] } = instructions.get(pc) ?? {};
    const isBetter = range !== null && isCoarser(own, range);
    isChanged ||= isBetter;
    const { start, length, file } = (isBetter ? range : own) ?? { start: -1, length: -1, file: -1 };
    const jump = map === null ? (jumpOf(contexts) ?? '-') : LETTERS[map.jumpAt(pc)];
    entries.push(`${start}:${length}:${file}:${jump}`);
    const opcode = bytes[pc] ?? 0;
    if (opcode >= PUSH1 && opcode <= PUSH32) pc += opcode - PUSH1 + 1;
    const turn = pieces.spend(INSTRUCTION_WORK);
    if (turn !== undefined) yield turn;
  }
  return isChanged ? entries.join(';') : template.sourceMap;
}

/** Returns the code with its program, read in pieces; the code as it is for a value that is no program, and for a code that is too long. */
export function* withProgram(
  template: CodeTemplate,
  program: unknown,
  pieces: WorkPieces,
): Task<CodeTemplate> {
  const { context: first, instructions: list } = objectOf(program);
  if (!Array.isArray(list) || template.bytes.length > LONGEST_CODE) return template;
  const instructions = new Map<number, Instruction>();
  const after = new Map<number, readonly ProgramVariable[]>();
  // There are at most as many instructions as bytes.
  for (const value of list.slice(0, template.bytes.length)) {
    const turn = pieces.spend(INSTRUCTION_WORK);
    if (turn !== undefined) yield turn;
    const { offset, context } = objectOf(value);
    const pc = numberOf(offset);
    if (pc < 0 || pc >= template.bytes.length) continue;
    const contexts = contextsIn(context);
    instructions.set(pc, { contexts, range: shortest(contexts) });
    const variables = variablesIn(contexts);
    if (variables.length > 0) after.set(pc, variables);
  }
  const before = variablesIn(contextsIn(first));
  const variables: ProgramVariables | null = before.length + after.size === 0 ? null : { before, after };
  return { ...template, sourceMap: yield* mapWith(template, instructions, pieces), variables };
}
