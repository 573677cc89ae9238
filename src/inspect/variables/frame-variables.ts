/** Follows the variables of one frame from opcode to opcode: which there are, and where on the stack they lie. */

import type { DeclaredVariable } from './declared-variables.ts';
import type { VariablePlaces } from './variable-places.ts';

/** A variable that has a value. */
export interface LiveVariable {
  readonly variable: DeclaredVariable;
  /** The index of its first item on the stack, counted from the bottom. */
  readonly item: number;
}

/** A function that was entered and not left. */
interface Activation {
  /** False for functions that the compiler made, which have no variables. */
  readonly isKnown: boolean;
  /** In the order of their places. */
  readonly variables: LiveVariable[];
  /** The variable whose declaration is being executed. */
  opening: LiveVariable | null;
}

/** Functions inside each other that are followed. The stack has 1,024 items, and each function keeps one. */
const DEEPEST = 1_024;

/** The variables of a frame. */
export class FrameVariables {
  readonly #places: VariablePlaces;
  readonly #activations: Activation[] = [{ isKnown: true, variables: [], opening: null }];
  /** True when the opcode before jumped into a function. */
  #hasJumped = false;

  constructor(places: VariablePlaces) {
    this.#places = places;
  }

  /** Called before each opcode, with the number of items on the stack. */
  step(pc: number, height: number): void {
    const { declared, entries, constructors, jumpsInto, jumpsOut } = this.#places;
    if (this.#hasJumped) this.#enter(entries.get(pc), height);
    this.#hasJumped = false;
    const activation = this.#activations.at(-1);
    if (activation === undefined) return;
    dropDead(activation, height);
    const parameters = constructors.get(pc);
    if (parameters !== undefined && activation.variables.length === 0)
      activation.variables.push(...placed(parameters, height));
    const variable = declared.get(pc);
    if (activation.opening !== null && activation.opening.variable !== variable) settle(activation, height);
    const isOpen =
      activation.opening !== null || activation.variables.some((live) => live.variable === variable);
    if (variable !== undefined && !isOpen) activation.opening = { variable, item: height };
    if (jumpsInto.has(pc)) this.#hasJumped = true;
    else if (jumpsOut.has(pc) && this.#activations.length > 1) this.#activations.pop();
  }

  /** Returns the variables of the innermost function of the source, in the order of the stack. */
  get live(): readonly LiveVariable[] {
    return this.#activations.findLast(({ isKnown }) => isKnown)?.variables ?? [];
  }

  #enter(parameters: readonly DeclaredVariable[] | undefined, height: number): void {
    if (this.#activations.length > DEEPEST) return;
    this.#activations.push({
      isKnown: parameters !== undefined,
      variables: parameters === undefined ? [] : placed(parameters, height),
      opening: null,
    });
  }
}

/** Returns parameters that end at the top of the stack. */
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

/** Takes away the variables whose block has ended, with which their places ended. */
function dropDead({ variables }: Activation, height: number): void {
  for (let last = variables.at(-1); last !== undefined && !isOnStack(last, height); last = variables.at(-1))
    variables.pop();
}

/** Ends a declaration: its variable is there from now on, unless nothing was pushed for it. */
function settle(activation: Activation, height: number): void {
  const { opening } = activation;
  activation.opening = null;
  if (opening !== null && isOnStack(opening, height)) activation.variables.push(opening);
}
