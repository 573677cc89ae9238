/** The scopes of a stack frame, and their variables. */

import type { DebugProtocol } from '@vscode/debugprotocol';
import type { Evaluated, Execution } from './execution.ts';
import { memoryReference } from './memory.ts';
import type { CallFrame, NamedValue } from './outline.ts';
import { itemsOf, partExpression, type ValueItems, valueText } from './value-text.ts';

/** The items to return of an array; `null` for all. */
export interface VariablePage {
  readonly start: number;
  readonly count: number | null;
}

type Load = (page: VariablePage) => Promise<DebugProtocol.Variable[]>;

/** Maximum items of an array per request. Each one beyond the first items is a request to the node. */
const MAX_ITEMS = 1_000;

/** The references of variables that the editor can expand. They are valid until the next stop. */
export class VariableReferences {
  readonly #loads = new Map<number, Load>();
  #next = 1;

  add(load: Load): number {
    const reference = this.#next++;
    this.#loads.set(reference, load);
    return reference;
  }

  get(reference: number): Load | null {
    return this.#loads.get(reference) ?? null;
  }

  clear(): void {
    this.#loads.clear();
  }
}

/** A stack frame, and the current step of its function: the next step, or the step of its call. */
export interface FrameSite {
  /** The id of the thread. */
  readonly thread: number;
  readonly execution: Execution;
  readonly frame: CallFrame;
  /** `null` if the step is unknown, because the compiler inlined the function that it called. */
  readonly step: number | null;
  /** True if the code of the step belongs to another function, because the optimizer shares it. */
  readonly isShared: boolean;
}

const NOT_AVAILABLE = '<not available: the compiler inlined the function that this function called>';

const SHARED = '<not available: the optimizer shares this code with another function>';

const GLOBALS: readonly string[] = [
  ...['this', 'address(this).balance', 'gasleft()'],
  ...['msg.sender', 'msg.value', 'msg.sig', 'msg.data', 'tx.origin', 'tx.gasprice'],
  ...['block.number', 'block.timestamp', 'block.chainid', 'block.coinbase', 'block.gaslimit'],
];

const WORD = 32;

function note(value: string): DebugProtocol.Variable {
  return { name: '', value, variablesReference: 0, presentationHint: { attributes: ['readOnly'] } };
}

function withoutLocals(step: number | null): string {
  return step === null
    ? NOT_AVAILABLE
    : '<not available: the build output has no syntax tree or no variables for this code>';
}

export class FrameScopes {
  readonly #references: VariableReferences;
  readonly #site: FrameSite;

  constructor(references: VariableReferences, site: FrameSite) {
    this.#references = references;
    this.#site = site;
  }

  scopes(): DebugProtocol.Scope[] {
    const { step } = this.#site;
    const scope = (
      name: string,
      load: (step: number) => Promise<DebugProtocol.Variable[]>,
    ): DebugProtocol.Scope => ({
      name,
      variablesReference: this.#references.add(async ({ start, count }) => {
        const all = step === null ? [note(withoutLocals(null))] : await load(step);
        return count === null ? all.slice(start) : all.slice(start, start + count);
      }),
      expensive: false,
    });
    return [
      { ...scope('Locals', (at) => this.#locals(at)), presentationHint: 'locals' },
      scope('State', (at) => this.#state(at)),
      { ...scope('Globals', (at) => this.#globals(at)), expensive: true },
      { ...scope('Stack', (at) => this.#stack(at)), expensive: true, presentationHint: 'registers' },
      { ...scope('Memory', (at) => this.#memory(at)), expensive: true },
      { ...scope('Transient storage', (at) => this.#transient(at)), expensive: true },
    ];
  }

  async #locals(step: number): Promise<DebugProtocol.Variable[]> {
    // The step has the variables of the other function.
    if (this.#site.isShared) return [note(SHARED)];
    const { variables } = await this.#site.execution.details(step);
    if (variables === null) return [note(withoutLocals(step))];
    return variables.map((each) => this.variable(each, each.name === '' ? null : each.name));
  }

  async #state(step: number): Promise<DebugProtocol.Variable[]> {
    const { state, contract } = await this.#site.execution.state(step);
    if (state === null)
      return [
        note(`<not available: the build output has no storage layout of ${contract ?? 'this contract'}>`),
      ];
    const { variables } = await this.#site.execution.details(step);
    const locals = new Set((variables ?? []).map(({ name }) => name));
    // An expression with the name of a local variable would evaluate to that variable.
    return state.map((each) => this.variable(each, locals.has(each.name) ? null : each.name));
  }

  async #globals(step: number): Promise<DebugProtocol.Variable[]> {
    const found: DebugProtocol.Variable[] = [];
    for (const name of GLOBALS) {
      const value = await this.#site.execution.evaluate(step, name).catch(() => null);
      // Some names do not exist in every contract and hardfork.
      if (value !== null) found.push(this.variable({ name, ...value }, name));
    }
    return found;
  }

  async #stack(step: number): Promise<DebugProtocol.Variable[]> {
    const [{ stack = [] } = {}] = await this.#site.execution.steps(step, 1);
    return stack.toReversed().map((value, index) => ({
      name: String(index),
      value,
      type: 'uint256',
      variablesReference: 0,
    }));
  }

  async #memory(step: number): Promise<DebugProtocol.Variable[]> {
    const { memory } = await this.#site.execution.details(step);
    return memory.map((word, index) => ({
      name: `0x${(index * WORD).toString(16)}`,
      value: `0x${word}`,
      type: 'bytes32',
      variablesReference: 0,
      memoryReference: memoryReference(this.#site.thread, step, index * WORD),
    }));
  }

  async #transient(step: number): Promise<DebugProtocol.Variable[]> {
    const { transient, transientSlots, omittedTransientSlots } = await this.#site.execution.state(step);
    return [
      ...transient.map((each) => this.variable(each, each.name)),
      ...transientSlots.map(([slot, value]) => ({
        name: `slot ${slot}`,
        value,
        type: 'bytes32',
        variablesReference: 0,
      })),
      ...(omittedTransientSlots > 0
        ? [{ name: '…', value: `${omittedTransientSlots} more slots`, variablesReference: 0 }]
        : []),
    ];
  }

  /** Returns a variable. `expression` evaluates to it; `null` if no expression does. */
  variable(given: NamedValue, expression: string | null): DebugProtocol.Variable {
    const parts = itemsOf(given);
    return {
      name: given.name,
      value: valueText(given),
      type: given.type,
      ...(expression === null ? {} : { evaluateName: expression }),
      ...this.#partsOf(given, parts, expression),
      presentationHint: { attributes: ['readOnly'] },
    };
  }

  /** Returns the result of an evaluation, as for a variable. */
  result(value: Evaluated, expression: string): DebugProtocol.EvaluateResponse['body'] {
    const { value: result, type, ...rest } = this.variable({ name: '', ...value }, expression);
    const { variablesReference, indexedVariables, namedVariables } = rest;
    return {
      result,
      ...(type === undefined ? {} : { type }),
      variablesReference,
      ...(indexedVariables === undefined ? {} : { indexedVariables }),
      ...(namedVariables === undefined ? {} : { namedVariables }),
    };
  }

  #partsOf(
    given: NamedValue,
    parts: ValueItems | null,
    expression: string | null,
  ): Pick<DebugProtocol.Variable, 'variablesReference' | 'indexedVariables' | 'namedVariables'> {
    if (parts === null) return { variablesReference: 0 };
    const { items, kind, missing } = parts;
    const variablesReference = this.#references.add((page) => this.#items(given, parts, expression, page));
    const notes = given.hasUnknownKeys === true ? 1 : 0;
    if (kind !== 'array') return { variablesReference, namedVariables: items.length + notes };
    // Without the length, the editor requests all items.
    return { variablesReference, ...(missing === null ? {} : { indexedVariables: items.length + missing }) };
  }

  async #items(
    given: NamedValue,
    { items, kind, missing }: ValueItems,
    expression: string | null,
    { start, count }: VariablePage,
  ): Promise<DebugProtocol.Variable[]> {
    const length = missing === null ? await this.#lengthOf(expression, items.length) : items.length + missing;
    const end = Math.min(length, start + (count ?? MAX_ITEMS), start + MAX_ITEMS);
    const found: DebugProtocol.Variable[] = [];
    for (let index = start; index < end; index++) {
      const item = items[index] ?? (await this.#itemAt(expression, index));
      const shown = kind === 'array' ? { ...item, name: `[${index}]` } : item;
      found.push(this.variable(shown, partExpression(expression, item, index, kind)));
    }
    if (end < length && count === null) found.push(note(`… ${length - end} more`));
    if (given.hasUnknownKeys === true && end === length)
      found.push(note('… entries with unknown keys; evaluate them by key'));
    return found;
  }

  async #itemAt(expression: string | null, index: number): Promise<NamedValue> {
    const { step, execution } = this.#site;
    if (expression === null || step === null) return { name: '', type: '', value: '<not available>' };
    return { name: '', ...(await execution.evaluate(step, `${expression}[${index}]`)) };
  }

  async #lengthOf(expression: string | null, known: number): Promise<number> {
    const { step, execution } = this.#site;
    if (expression === null || step === null) return known;
    const { value } = await execution.evaluate(step, `${expression}.length`);
    return Number(value);
  }
}
