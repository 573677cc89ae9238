/** A node that the debugger is attached to: places breakpoints there, and queues the hits. */

import { isRecord } from '../../primitives/record.ts';
import type { BreakpointScope, MappedPlaces, MappedSource, WantedPlaces } from './breakpoint-scope.ts';
import { DebugError } from './debug-error.ts';
import type { ExceptionFilter } from './exception-filters.ts';
import type { DebugNode } from './execution.ts';
import type { FunctionName } from './function-definitions.ts';
import type { NodeConnection } from './node-socket.ts';
import type { Sources } from './sources.ts';

/** An execution that reached a breakpoint, or that failed. */
export interface Hit {
  readonly number: number;
  /** The label of the lane, else the RPC method; `null` for work of the chain itself. */
  readonly name: string | null;
  /** The first breakpoint; `null` for a failure without one. */
  readonly place: { readonly source: string; readonly line: number } | null;
  /** Executions since the last hit that were not checked. */
  readonly omitted: number;
}

export interface AttachEvents {
  /** A hit waits: {@link AttachedNode.next} returns it. */
  waiting(): void;
  /** The connection ended, but not by {@link AttachedNode.close}. */
  ended(reason: string): void;
}

/** The filters that stop in executions without a breakpoint. */
const FAILURE_FILTERS: readonly ExceptionFilter[] = ['uncaught', 'revert', 'panic'];

export class AttachedNode implements BreakpointScope {
  readonly node: DebugNode;
  readonly sources: Sources;
  readonly subject = 'the build output of the node';
  readonly #connection: NodeConnection;
  #waiting: Hit[] = [];
  #filters: ReadonlySet<ExceptionFilter>;

  /** Records nothing before {@link map}. */
  constructor(
    node: DebugNode,
    sources: Sources,
    filters: ReadonlySet<ExceptionFilter>,
    { waiting, ended }: AttachEvents,
  ) {
    this.node = node;
    this.sources = sources;
    this.#filters = filters;
    this.#connection = node.connect({
      notified: (result) => {
        this.#waiting.push(hitIn(result));
        waiting();
      },
      ended,
    });
  }

  /** Sets the filters for the next {@link map}. */
  setFilters(filters: ReadonlySet<ExceptionFilter>): void {
    this.#filters = filters;
  }

  /** Replaces the breakpoints of the node. */
  async map({ sources, functions }: WantedPlaces): Promise<MappedPlaces> {
    const places = [...sources, ...functions.map((name) => ({ function: name }))];
    const failures = FAILURE_FILTERS.some((filter) => this.#filters.has(filter));
    return placesIn(await this.#connection.ask('inspect_attach', [places, { failures }]), this.node.name);
  }

  /** Reads the names of the source files, for breakpoints of paths that do not end with a name. */
  async readNames(): Promise<void> {
    const contracts = await this.node.ask('inspect_contracts', []);
    const names = (Array.isArray(contracts) ? contracts : []).flatMap((each) =>
      isRecord(each) && typeof each.sourceName === 'string' ? [each.sourceName] : [],
    );
    this.sources.setNames([...new Set(names)]);
  }

  async hasContract(name: string): Promise<boolean> {
    const found = await this.node.ask('inspect_find', [name]);
    return (
      Array.isArray(found) &&
      found.some((each) => isRecord(each) && each.kind === 'contract' && each.name === name)
    );
  }

  /** Removes the oldest waiting hit from the queue; `undefined` for none. */
  next(): Hit | undefined {
    return this.#waiting.shift();
  }

  /** Frees the place of a hit on the node, so that the node keeps another one. */
  async release({ number }: Hit): Promise<void> {
    await this.#connection.ask('inspect_release', [[number]]);
  }

  /** Detaches. The node stops to record. */
  close(): void {
    this.#waiting = [];
    this.#connection.close();
  }
}

function hitIn(result: unknown): Hit {
  const { number, method, test, source, line, omitted } = isRecord(result) ? result : {};
  const name = test ?? method;
  return {
    number: Number(number),
    name: typeof name === 'string' ? name : null,
    place: typeof source === 'string' ? { source, line: Number(line) } : null,
    omitted: Number(omitted ?? 0),
  };
}

function placesIn(answer: unknown, node: string): MappedPlaces {
  const { sources, functions } = isRecord(answer) ? answer : {};
  if (!Array.isArray(sources) || !Array.isArray(functions))
    throw new DebugError(`the node at ${node} does not support this debugger; update that node`);
  return { sources: sources as MappedSource[], functions: functions as FunctionName[] };
}
