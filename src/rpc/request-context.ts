import type { Call, Connection } from './connection.ts';
import type { Method } from './method.ts';
import { type CallSlots, type RequestCheck, type RequestTime, requestCheck } from './request-check.ts';
import type { RpcContext, RpcServices, RpcSettings } from './rpc-context.ts';
import type { RpcNode } from './rpc-node.ts';

/** The parts that all requests to a service share. */
interface RequestLimits {
  readonly time: RequestTime;
  /** Maximum seconds; 0 for no limit. */
  readonly timeout: number;
  readonly slots: CallSlots;
}

/** The context of one request on a chain. */
export class RequestContext implements RpcContext {
  readonly node: RpcNode;
  readonly services: RpcServices;
  readonly settings: RpcSettings;
  readonly connection: Connection;
  readonly call: Call | null;
  readonly generation: number;
  readonly #limits: RequestLimits;
  readonly #begunAt: number;
  #deadline: RequestCheck | undefined;
  #hasBegun = false;
  #hasEnded = false;

  /** `begunAt` is the start of the request, or of its batch, in milliseconds since 1970. */
  constructor(
    node: RpcNode,
    services: RpcServices,
    settings: RpcSettings,
    connection: Connection,
    call: Call | null,
    limits: RequestLimits,
    begunAt: number,
  ) {
    this.node = node;
    this.services = services;
    this.settings = settings;
    this.connection = connection;
    this.call = call;
    this.generation = node.chain.identity.life;
    this.#limits = limits;
    this.#begunAt = begunAt;
  }

  /** Created on first use, because most requests are short. A copy of the context must copy it explicitly. */
  get deadline(): RequestCheck {
    this.#deadline ??= this.#createDeadline();
    return this.#deadline;
  }

  #createDeadline(): RequestCheck {
    // Not spread, because V8 takes microseconds for it.
    const { time, timeout, slots } = this.#limits;
    const { yielder } = this.node.chain;
    const check = requestCheck(this.connection, { time, timeout, slots, begunAt: this.#begunAt, yielder });
    // Work after the response gets no slot, because nothing would release it.
    if (this.#hasEnded) check.yielder.end();
    return check;
  }

  /**
   * Returns the result of the chain, or of its upstream. The request yields first if the event loop was blocked
   * for long. Call {@link end} after the response.
   */
  answer(method: Method, params: unknown, name: string): unknown {
    this.#hasBegun = true;
    const turn = this.node.chain.yielder.beginning(method.priority);
    return turn === undefined
      ? this.#answerNow(method, params, name)
      : turn.then(() => this.#answerNow(method, params, name));
  }

  /** The code for forks is loaded on first use. */
  #answerNow(method: Method, params: unknown, name: string): unknown {
    const fork = this.node.fork.current;
    if (fork === null) return method.answer(this, params, name);
    return import('./fork/answer-on-fork.ts').then(async ({ answerOnFork }) =>
      answerOnFork({ method, context: this, fork, params: await method.read(this, params) }, name),
    );
  }

  /** Releases the place of the request among the pending ones. */
  end(): void {
    this.#hasEnded = true;
    this.#deadline?.yielder.end();
    if (this.#hasBegun) this.node.chain.yielder.ended();
  }
}
