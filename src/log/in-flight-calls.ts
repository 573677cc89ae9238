import type { RpcService } from '../rpc/connection.ts';
import type { ConsoleEntry } from './log-entries.ts';

/** One call of a method, told apart from others of the same method by its identity. */
export interface Call {
  readonly method: string;
  /** The key of the lane that it asks; `null` for the base chain. */
  readonly lane: string | null;
  /** True once it made a block or removed one. */
  hasChangedChain: boolean;
  /** What it told the console of contracts; `null` for nothing. */
  console: ConsoleEntry | null;
}

/** Knows which calls a service has not answered yet, and which it has answered but nobody has told of. */
export class InFlightCalls {
  readonly #hasLanes: boolean;
  readonly #inHand = new Set<Call>();
  readonly #answered = new Set<Call>();

  /** Without lanes all calls are of one chain, whatever their path. */
  constructor(hasLanes = false) {
    this.#hasLanes = hasLanes;
  }

  /** The same service, with its calls known here. Each must be taken with {@link takeAnswered} later. */
  follow(service: RpcService): RpcService {
    return {
      call: async (method, params, connection, batch) => {
        const lane = this.#hasLanes ? (connection.key ?? null) : null;
        const call: Call = { method, lane, hasChangedChain: false, console: null };
        this.#inHand.add(call);
        try {
          return await service.call(method, params, connection, batch);
        } finally {
          this.#inHand.delete(call);
          this.#answered.add(call);
        }
      },
    };
  }

  /** True when all calls are answered. */
  get isEmpty(): boolean {
    return this.#inHand.size === 0;
  }

  /** The call of that lane (`null` for the base chain) in hand, if it is a single one. */
  only(lane: string | null = null): Call | null {
    return this.#single((call) => call.lane === lane);
  }

  /** The same among the calls of that method. */
  onlyOf(method: string, lane: string | null = null): Call | null {
    return this.#single((call) => call.lane === lane && call.method === method);
  }

  #single(isWanted: (call: Call) => boolean): Call | null {
    let found: Call | null = null;
    for (const call of this.#inHand) {
      if (!isWanted(call)) continue;
      if (found !== null) return null;
      found = call;
    }
    return found;
  }

  /** Takes out the oldest answered call of the method; `null` when there is none. */
  takeAnswered(method: string): Call | null {
    for (const call of this.#answered) {
      if (call.method !== method) continue;
      this.#answered.delete(call);
      return call;
    }
    return null;
  }
}
