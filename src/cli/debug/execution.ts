/** Reads one recorded execution from a node, in pages. */

import type { NodeConnection, SocketEvents } from './node-socket.ts';
import {
  type CallFrame,
  type NamedValue,
  type Outline,
  outlineIn,
  type StateAtStep,
  type Step,
} from './outline.ts';

/** A node, or one of its lanes. */
export interface DebugNode {
  /** The URL for messages. */
  readonly name: string;
  ask(method: string, params: readonly unknown[]): Promise<unknown>;
  /** Opens a WebSocket, for notifications. */
  connect(events: SocketEvents): NodeConnection;
}

/** Steps per page of opcodes. */
const PAGE = 256;
/** Maximum cached pages, call stacks and steps with variables. */
const MAX_CACHED = 32;

/** The step with its memory, and the variables of the running function. */
export interface DetailedStep extends Step {
  readonly memory: readonly string[];
  /** `null` if they are unknown. */
  readonly variables: readonly NamedValue[] | null;
}

/** Caches the latest results. Every request of a step executes the target again on the node. */
class Recent<Value> {
  readonly #values = new Map<string, Promise<Value>>();

  get(key: string, load: () => Promise<Value>): Promise<Value> {
    const value = this.#values.get(key) ?? load();
    this.#values.delete(key);
    this.#values.set(key, value);
    // A failed request can succeed later.
    value.catch(() => this.#values.delete(key));
    for (const oldest of this.#values.keys()) {
      if (this.#values.size <= MAX_CACHED) break;
      this.#values.delete(oldest);
    }
    return value;
  }
}

/** The value of an expression. */
export type Evaluated = Omit<NamedValue, 'name'>;

export class Execution {
  readonly outline: Outline;
  readonly target: unknown;
  readonly #node: DebugNode;
  readonly #pages = new Recent<readonly Step[]>();
  readonly #details = new Recent<DetailedStep>();
  readonly #frames = new Recent<readonly CallFrame[]>();
  readonly #states = new Recent<StateAtStep>();
  readonly #values = new Recent<Evaluated>();

  private constructor(node: DebugNode, target: unknown, outline: Outline) {
    this.#node = node;
    this.target = target;
    this.outline = outline;
  }

  /** Reads the statements of the execution. `target` is a target of `inspect_steps`. */
  static async open(node: DebugNode, target: unknown): Promise<Execution> {
    const page = { count: 0, sources: true, depths: true, events: true };
    return new Execution(node, target, outlineIn(await node.ask('inspect_steps', [target, page]), node.name));
  }

  /** Calls a method of the node of the execution. */
  readonly ask = (method: string, params: readonly unknown[]): Promise<unknown> =>
    this.#node.ask(method, params);

  /** Resolves to the steps of a range, at most up to the last one. */
  async steps(first: number, count: number): Promise<Step[]> {
    const end = Math.min(this.outline.count, first + count);
    const found: Step[] = [];
    for (let at = Math.max(0, first); at < end; ) {
      const start = at - (at % PAGE);
      const page = await this.#pages.get(String(start), async () => {
        const wanted = { first: start, count: PAGE, outline: false };
        return ((await this.ask('inspect_steps', [this.target, wanted])) as { steps: Step[] }).steps;
      });
      const part = page.slice(at - start, end - start);
      if (part.length === 0) break;
      found.push(...part);
      at += part.length;
    }
    return found;
  }

  /** Resolves to a step with its memory and variables. */
  details(step: number): Promise<DetailedStep> {
    return this.#details.get(String(step), async () => {
      const wanted = { first: step, count: 1, outline: false, memory: true, variables: true };
      const { steps } = (await this.ask('inspect_steps', [this.target, wanted])) as { steps: Step[] };
      const [found] = steps;
      if (found === undefined) throw new RangeError(`the execution has no step ${step}`);
      return { ...found, memory: found.memory ?? [], variables: found.variables ?? null };
    });
  }

  /** Resolves to the call stack at a step, innermost function first. */
  frames(step: number): Promise<readonly CallFrame[]> {
    return this.#frames.get(String(step), async () => {
      const { frames } = (await this.ask('inspect_frames', [this.target, step])) as { frames: CallFrame[] };
      return frames;
    });
  }

  /** Resolves to the state variables of the running contract at a step. */
  state(step: number): Promise<StateAtStep> {
    return this.#states.get(
      String(step),
      async () => (await this.ask('inspect_state', [this.target, step])) as StateAtStep,
    );
  }

  /** Resolves to the value of an expression at a step. Rejects with the reason of the node. */
  evaluate(step: number, expression: string): Promise<Evaluated> {
    return this.#values.get(
      `${step} ${expression}`,
      async () => (await this.ask('inspect_evaluate', [this.target, step, expression])) as Evaluated,
    );
  }
}
