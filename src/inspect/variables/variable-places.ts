/**
 * Where the code of a contract puts the variables of its functions. solc, without its optimizer and without the IR, pushes each
 * local and each result where its declaration stands in the source, keeps it in that place of the stack until its block ends, and
 * gives the place of the whole function to the opcode at which callers enter it, their arguments on the stack.
 */

import type { SourceRange } from '../../artifacts/source-map.ts';
import { OPCODES } from '../../protocol/hardforks/opcodes.ts';
import type { KnownContract } from '../known-contracts.ts';
import { type DeclaredVariable, declaredVariables } from './declared-variables.ts';

/** The variables of one code, by program counter. */
export interface VariablePlaces {
  /** The variable whose declaration the opcode comes from. */
  readonly declared: ReadonlyMap<number, DeclaredVariable>;
  /** The parameters that are on the stack where a function is entered by a jump. */
  readonly entries: ReadonlyMap<number, readonly DeclaredVariable[]>;
  /** The variables of constructors, which are entered without one. */
  readonly constructors: ReadonlyMap<number, readonly DeclaredVariable[]>;
  /** The program counters of jumps into functions and out of them, also those that the compiler makes. */
  readonly jumpsInto: ReadonlySet<number>;
  readonly jumpsOut: ReadonlySet<number>;
}

function keyOf({ file, start, length }: SourceRange): string {
  return `${file}:${start}:${length}`;
}

function isWithin(inner: SourceRange, outer: SourceRange): boolean {
  return (
    inner.file === outer.file &&
    inner.start > outer.start &&
    inner.start + inner.length < outer.start + outer.length
  );
}

/**
 * Resolves to the places of a contract's variables; `null` where nothing says them: without syntax tree and source map, in Vyper,
 * and in code that the optimizer or the IR pipeline made.
 */
export async function variablePlaces(contract: KnownContract): Promise<VariablePlaces | null> {
  const { map, match, side } = contract;
  const { language, version, optimizer, viaIR } = match.artifact.compiler;
  const { bytes } = match.artifact[side] ?? {};
  // Where the tool says nothing of its settings, the optimizer may have been on.
  if (language !== 'Solidity' || version === null || optimizer || viaIR) return null;
  if (map === null || bytes === undefined) return null;
  const found = await declaredVariables(contract);
  if (found === null) return null;
  const variables = new Map(found.variables.map((variable) => [keyOf(variable.range), variable]));
  const functions = new Map(found.functions.map((each) => [keyOf(each.range), each]));
  const bodies = found.functions.filter(({ constructorBody }) => constructorBody !== null);
  const declared = new Map<number, DeclaredVariable>();
  const entries = new Map<number, readonly DeclaredVariable[]>();
  const constructors = new Map<number, readonly DeclaredVariable[]>();
  const begun = new Set<SourceRange>();
  const jumpsInto = new Set<number>();
  const jumpsOut = new Set<number>();
  for (const [pc, opcode] of bytes.entries()) {
    const jump = opcode === OPCODES.JUMP ? map.jumpAt(pc) : 'other';
    if (jump === 'into') jumpsInto.add(pc);
    else if (jump === 'out') jumpsOut.add(pc);
    const range = map.rangeAt(pc);
    if (range === null) continue;
    const key = keyOf(range);
    const variable = variables.get(key);
    if (variable !== undefined) declared.set(pc, variable);
    const entered = opcode === OPCODES.JUMPDEST ? functions.get(key) : undefined;
    if (entered !== undefined) entries.set(pc, entered.parameters);
    if (side !== 'creation') continue;
    for (const { constructorBody, parameters } of bodies) {
      if (constructorBody === null || begun.has(constructorBody) || !isWithin(range, constructorBody))
        continue;
      begun.add(constructorBody);
      constructors.set(pc, parameters);
    }
  }
  return { declared, entries, constructors, jumpsInto, jumpsOut };
}
