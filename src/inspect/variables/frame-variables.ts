/**
 * Follows the variables of one frame from opcode to opcode: which exist, and their stack positions. This only
 * works for solc without its optimizer and without the IR pipeline. There, solc pushes each local and result
 * at its declaration and keeps it at that stack position until its block ends. The opcode that enters a
 * function has the source place of the whole function, with the arguments on the stack.
 */

import type { SourceRange } from '../../artifacts/source-map.ts';
import { OPCODES } from '../../protocol/hardforks/opcodes.ts';
import type { KnownContract } from '../known-contracts.ts';
import { declaredVariables } from './declared-variables.ts';
import { rangeFinder } from './range-finder.ts';
import type { DeclaredVariable } from './syntax-nodes.ts';

/** The variables of one code, by program counter. */
export interface VariablePlaces {
  /** The variable whose declaration contains the opcode. */
  readonly declared: ReadonlyMap<number, DeclaredVariable>;
  /** The parameters on the stack at the entry of a function (the target of a jump). */
  readonly entries: ReadonlyMap<number, readonly DeclaredVariable[]>;
  /** The parameters of constructors; constructors are entered without a jump. */
  readonly constructors: ReadonlyMap<number, readonly DeclaredVariable[]>;
  /** The parameters of `try` clauses, on top of the stack at the first opcode of the clause's block. */
  readonly clauses: ReadonlyMap<number, readonly DeclaredVariable[]>;
  /** Opcodes of modifiers themselves. They convert arguments that were evaluated before. */
  readonly conversions: ReadonlySet<number>;
  /** By program counter: the function or modifier; absent for code of the compiler. */
  readonly definitions: ReadonlyMap<number, SourceRange>;
  readonly owners: ReadonlyMap<DeclaredVariable, SourceRange>;
  /** Jumps into and out of functions, including functions of the compiler. */
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
 * Resolves to the places of a contract's variables; `null` if they are unknown. They are unknown without a
 * syntax tree or source map, in Vyper, and in code from the optimizer or the IR pipeline.
 */
export async function variablePlaces(contract: KnownContract): Promise<VariablePlaces | null> {
  const { map, match, side } = contract;
  const { language, version, optimizer, viaIR } = match.artifact.compiler;
  const { bytes } = match.artifact[side] ?? {};
  // Without compiler settings, the optimizer may have been on.
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
  const clauses = new Map<number, readonly DeclaredVariable[]>();
  const definitions = new Map<number, SourceRange>();
  const definitionOf = rangeFinder([...new Set(found.owners.values())], (range) => range);
  const argumentOf = rangeFinder(found.modifierArguments, ({ range }) => range);
  let waiting = found.clauses;
  const conversions = new Set<number>();
  const modifiers = new Set(found.modifiers.map(keyOf));
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
    const definition = definitionOf(range);
    if (definition !== null) definitions.set(pc, definition);
    if (modifiers.has(key)) conversions.add(pc);
    const argument = argumentOf(range);
    if (argument !== null) declared.set(pc, argument.parameter);
    const clause = waiting.find(({ block }) => isWithin(range, block));
    if (clause !== undefined) {
      waiting = waiting.filter((each) => each !== clause);
      clauses.set(pc, clause.parameters);
    }
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
  const { owners } = found;
  return {
    declared,
    entries,
    constructors,
    clauses,
    conversions,
    definitions,
    owners,
    jumpsInto,
    jumpsOut,
  };
}

export interface LiveVariable {
  readonly variable: DeclaredVariable;
  /** The index of its first stack item, counted from the bottom. */
  readonly item: number;
}

/** A function that was entered and not yet left. */
interface Activation {
  /** False for functions of the compiler, which have no variables. */
  readonly isKnown: boolean;
  /** In stack order. */
  readonly variables: LiveVariable[];
  /** The variable whose declaration is running. */
  opening: LiveVariable | null;
  /** The function or modifier of the last opcode with a place. Modifiers and their function share a stack. */
  definition: SourceRange | null;
}

/** Maximum depth of the function stack. The EVM stack has 1,024 items; each function uses at least one. */
const DEEPEST = 1_024;

export class FrameVariables {
  readonly #places: VariablePlaces;
  readonly #activations: Activation[] = [{ isKnown: true, variables: [], opening: null, definition: null }];
  /** True if the previous opcode jumped into a function. */
  #hasJumped = false;

  constructor(places: VariablePlaces) {
    this.#places = places;
  }

  /** Call before each opcode, with the number of stack items. */
  step(pc: number, height: number): void {
    const { declared, entries, constructors, clauses, conversions, jumpsInto, jumpsOut } = this.#places;
    if (this.#hasJumped) this.#enter(entries.get(pc), height);
    this.#hasJumped = false;
    const activation = this.#activations.at(-1);
    if (activation === undefined) return;
    activation.definition = this.#places.definitions.get(pc) ?? activation.definition;
    dropDead(activation, height);
    const parameters = constructors.get(pc);
    if (parameters !== undefined && activation.variables.length === 0)
      activation.variables.push(...placed(parameters, height));
    const variable = declared.get(pc);
    const isOpening = activation.opening?.variable === variable || conversions.has(pc);
    if (activation.opening !== null && !isOpening) settle(activation, height);
    const caught = clauses.get(pc);
    if (caught !== undefined && !activation.variables.some((live) => caught.includes(live.variable)))
      activation.variables.push(...placed(caught, height));
    const isOpen =
      activation.opening !== null || activation.variables.some((live) => live.variable === variable);
    if (variable !== undefined && !isOpen) activation.opening = { variable, item: height };
    if (jumpsInto.has(pc)) this.#hasJumped = true;
    else if (jumpsOut.has(pc) && this.#activations.length > 1) this.#activations.pop();
  }

  /** Returns the variables of the innermost source function or modifier, in stack order. */
  get live(): readonly LiveVariable[] {
    const activation = this.#activations.findLast(({ isKnown }) => isKnown);
    if (activation === undefined) return [];
    const { definition, variables } = activation;
    const { owners } = this.#places;
    return variables.filter(
      ({ variable }) => definition === null || (owners.get(variable) ?? definition) === definition,
    );
  }

  #enter(parameters: readonly DeclaredVariable[] | undefined, height: number): void {
    if (this.#activations.length > DEEPEST) return;
    this.#activations.push({
      isKnown: parameters !== undefined,
      variables: parameters === undefined ? [] : placed(parameters, height),
      opening: null,
      definition: null,
    });
  }
}

/** Places the parameters at the top of the stack. */
function placed(parameters: readonly DeclaredVariable[], height: number): LiveVariable[] {
  let item = height - parameters.reduce((sum, { items }) => sum + items, 0);
  return parameters.map((variable) => {
    const live = { variable, item };
    item += variable.items;
    return live;
  });
}

function isOnStack({ variable, item }: LiveVariable, height: number): boolean {
  return item >= 0 && item + variable.items <= height;
}

/** Removes the variables of ended blocks: their stack items no longer exist. */
function dropDead({ variables }: Activation, height: number): void {
  for (let last = variables.at(-1); last !== undefined && !isOnStack(last, height); last = variables.at(-1))
    variables.pop();
}

/** Ends a declaration: its variable becomes live, unless nothing was pushed for it. */
function settle(activation: Activation, height: number): void {
  const { opening } = activation;
  activation.opening = null;
  if (opening !== null && isOnStack(opening, height)) activation.variables.push(opening);
}
