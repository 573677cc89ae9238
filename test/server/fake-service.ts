import { CodedError, type ErrorEntry, fill } from '../../src/primitives/coded-error.ts';
import type { Call, Connection, RpcService } from '../../src/rpc/connection.ts';

/** An error for the caller, as the RPC side throws them. */
export class SampleError extends CodedError {
  static readonly entry = {
    name: 'Sample',
    code: -32015,
    message: '{message}',
    page: 'server',
  } as const satisfies ErrorEntry;

  constructor(
    message: string,
    override readonly data: unknown = undefined,
  ) {
    super(fill(SampleError.entry, { message }));
  }
}

/** A fake method. */
export type FakeMethod = (params: unknown, connection: Connection) => unknown;

/** A service whose methods are given by the test; it remembers the calls. */
export class FakeService implements RpcService {
  readonly calls: { readonly method: string; readonly params: unknown }[] = [];
  readonly connections: Connection[] = [];
  readonly tokens: (Call | undefined)[] = [];
  /** True when a call came that was said to be answered already. */
  answeredEarly = false;
  readonly #methods: Readonly<Record<string, FakeMethod>>;

  constructor(methods: Readonly<Record<string, FakeMethod>> = {}) {
    this.#methods = methods;
  }

  /** Calls the method of that name; any other answers with its parameters. */
  async call(method: string, params: unknown, connection: Connection, token?: Call): Promise<unknown> {
    this.calls.push({ method, params });
    this.connections.push(connection);
    this.tokens.push(token);
    this.answeredEarly ||= token?.isAnswered === true;
    return Object.hasOwn(this.#methods, method) ? this.#methods[method]?.(params, connection) : params;
  }
}
