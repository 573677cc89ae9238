import { CodedError, type ErrorEntry, fill } from '../../src/primitives/coded-error.ts';
import type { Call, Connection, RpcService } from '../../src/rpc/connection.ts';

/** A coded error, like the errors of the RPC module. */
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

export type FakeMethod = (params: unknown, connection: Connection) => unknown;

/** A service with the methods of a test. It records the calls. */
export class FakeService implements RpcService {
  readonly calls: { readonly method: string; readonly params: unknown }[] = [];
  readonly connections: Connection[] = [];
  readonly tokens: (Call | undefined)[] = [];
  /** True if a call was already marked as answered when it arrived. */
  answeredEarly = false;
  readonly #methods: Readonly<Record<string, FakeMethod>>;

  constructor(methods: Readonly<Record<string, FakeMethod>> = {}) {
    this.#methods = methods;
  }

  /** Calls the method of that name. Any other method returns its parameters. */
  async call(method: string, params: unknown, connection: Connection, token?: Call): Promise<unknown> {
    this.calls.push({ method, params });
    this.connections.push(connection);
    this.tokens.push(token);
    this.answeredEarly ||= token?.isAnswered === true;
    return Object.hasOwn(this.#methods, method) ? this.#methods[method]?.(params, connection) : params;
  }
}
