/**
 * Reads ETHDebug programs (https://ethdebug.github.io/format). For each instruction, a program has the source
 * range and the variables after it. solc writes programs since 0.8.29.
 */

import { isRecord } from '../../primitives/record.ts';
import type { Steps } from '../../primitives/steps.ts';
import type { CodeTemplate, ProgramVariable, ProgramVariables } from '../artifact.ts';
import { SourceMap, type SourceRange } from '../source-map.ts';
import { type JsonObject, objectOf, textOf } from './contract-json.ts';

const PUSH1 = 0x60;
const PUSH32 = 0x7f;
const LARGEST = 2 ** 31 - 1;
/** Maximum nesting of contexts. */
const DEEPEST = 8;
/** Maximum variables of one context. */
const MAX_VARIABLES = 256;
/** Maximum contexts of one instruction, because a context can gather others. */
const MAX_CONTEXTS = 256;
/** Maximum bytes of a code with a program. Its source map takes hundreds of times the size. */
const MAX_CODE_LENGTH = 2 ** 20;
/** Units of work per instruction. */
const INSTRUCTION_WORK = 256;
/** The frame of contexts for an intermediate language of the compiler. */
const INTERMEDIATE = 'ir';

/**
 * Returns the contexts that apply together: the context itself and its `gather` list. Alternatives (`pick`)
 * are ignored, because the applicable one is unknown.
 */
function contextsIn(value: unknown, depth = 0, found: JsonObject[] = []): JsonObject[] {
  const context = objectOf(value);
  if (depth > DEEPEST || context.frame === INTERMEDIATE) return found;
  found.push(context);
  for (const each of Array.isArray(context.gather) ? context.gather : []) {
    if (found.length >= MAX_CONTEXTS) break;
    contextsIn(each, depth + 1, found);
  }
  return found;
}

/** Returns a JSON number or a hex string as a number; -1 for other values. */
function numberOf(value: unknown): number {
  const number = typeof value === 'string' && /^0x[0-9a-f]{1,8}$/i.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) && Number(number) >= 0 && Number(number) <= LARGEST
    ? Number(number)
    : -1;
}

/** Returns the source range of a context; `null` for none. */
function rangeIn({ code }: JsonObject): SourceRange | null {
  const { source, range } = objectOf(code);
  const file = numberOf(objectOf(source).id);
  const { offset, length } = objectOf(range);
  const found = { file, start: numberOf(offset), length: numberOf(length) };
  return found.file < 0 || found.start < 0 || found.length < 0 ? null : found;
}

/** Returns the shortest range, because it is the most precise. */
function shortest(contexts: readonly JsonObject[]): SourceRange | null {
  let found: SourceRange | null = null;
  for (const context of contexts) {
    const range = rangeIn(context);
    if (range !== null && (found === null || range.length < found.length)) found = range;
  }
  return found;
}

/** Merges variables of the same name. Each context may have a part of their description. */
function variablesIn(contexts: readonly JsonObject[]): readonly ProgramVariable[] {
  const found = new Map<string, ProgramVariable>();
  for (const { variables } of contexts) {
    if (!Array.isArray(variables)) continue;
    for (const value of variables.slice(0, MAX_VARIABLES)) {
      const { identifier, type, pointer } = objectOf(value);
      const name = textOf(identifier);
      if (name === null) continue;
      const before = found.get(name);
      found.set(name, {
        name,
        type: isRecord(type) ? type : (before?.type ?? null),
        pointer: isRecord(pointer) ? pointer : (before?.pointer ?? null),
      });
    }
  }
  return [...found.values()];
}

/** Returns true if `range` is absent, or is larger than `other` and contains it. */
function isCoarser(range: SourceRange | null, other: SourceRange): boolean {
  if (range === null) return true;
  const isAround = range.start <= other.start && range.start + range.length >= other.start + other.length;
  return range.file === other.file && isAround && range.length > other.length;
}

interface Instruction {
  readonly contexts: readonly JsonObject[];
  readonly range: SourceRange | null;
}

/** Returns the jump letter of solc's source maps for an instruction's contexts. */
function jumpOf(contexts: readonly JsonObject[]): string | null {
  if (contexts.some(({ invoke }) => objectOf(invoke).jump === true)) return 'i';
  return contexts.some((context) => isRecord(context.return)) ? 'o' : null;
}

const LETTERS = { into: 'i', out: 'o', other: '-' } as const;

/** Returns the source map in solc's format. The program's ranges replace missing or wider ranges. */
function* mapWith(
  template: CodeTemplate,
  instructions: ReadonlyMap<number, Instruction>,
): Steps<string | null> {
  const { bytes } = template;
  const map = yield* SourceMap.read(template);
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
    yield INSTRUCTION_WORK;
  }
  return isChanged ? entries.join(';') : template.sourceMap;
}

/**
 * Returns the code with its program. Returns the code unchanged if the value is not a program, or if the code
 * is too long. Yields between time slices.
 */
export function* withProgram(template: CodeTemplate, program: unknown): Steps<CodeTemplate> {
  const { context: first, instructions: list } = objectOf(program);
  if (!Array.isArray(list) || template.bytes.length > MAX_CODE_LENGTH) return template;
  const instructions = new Map<number, Instruction>();
  const after = new Map<number, readonly ProgramVariable[]>();
  // A code has at most one instruction per byte.
  for (const value of list.slice(0, template.bytes.length)) {
    yield INSTRUCTION_WORK;
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
  return { ...template, sourceMap: yield* mapWith(template, instructions), variables };
}
