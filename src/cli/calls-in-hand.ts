import type { RpcService } from '../rpc/connection.ts';
import type { ConsoleEntry } from './log-entries.ts';

/** One call of a method, told apart from others of the same method by its identity. */
export interface Call {
  readonly method: string;
  /** True once it made a block. */
  hasMined: boolean;
  /** What it told the console of contracts; `null` for nothing. */
  console: ConsoleEntry | null;
}

/** Knows which calls a service has not answered yet, and which it has answered but nobody has told of. */
export class CallsInHand {
  readonly #inHand = new Set<Call>();
  readonly #answered = new Set<Call>();

  /** The same service, with its calls known here. Each must be taken with {@link takeAnswered} later. */
  follow(service: RpcService): RpcService {
    return {
      call: async (method, params, connection) => {
        const call: Call = { method, hasMined: false, console: null };
        this.#inHand.add(call);
        try {
          return await service.call(method, params, connection);
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

  /** The call in hand, if it is a single one. */
  only(): Call | null {
    const [call = null] = this.#inHand;
    return this.#inHand.size === 1 ? call : null;
  }

  /** The call of that method in hand, if it is a single one. */
  onlyOf(method: string): Call | null {
    const [call = null, another] = Array.from(this.#inHand).filter((inHand) => inHand.method === method);
    return another === undefined ? call : null;
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
