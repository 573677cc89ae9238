/** Calls of a program in the process of the node: values instead of JSON, without a socket. */

import { isPromise } from '../primitives/awaitable.ts';
import { CodedError } from '../primitives/coded-error.ts';
import type { Call, Connection, RpcService } from '../rpc/connection.ts';
import { plainResult } from '../rpc/views/log-list.ts';
import type { CallHooks } from './options.ts';

/** Calls a method on a lane; `null` for the base chain. Returns a promise, rejects or throws like {@link RpcService.call}. */
export type InProcessCall = (key: string | null, method: string, params: unknown) => unknown;

/** Like a connection of HTTP: it has no subscriptions, and holds no lane. */
function connectionTo(key: string | null): Connection {
  return {
    transport: 'in-process',
    remoteAddress: 'in-process',
    ...(key !== null && { key }),
    isLocal: true,
    isClosed: false,
    notify: null,
    onClose: () => () => undefined,
  };
}

/** Returns the calls of a program to a served node. They are reported to the hooks like calls over HTTP. */
export function inProcessCalls(service: RpcService, hooks: CallHooks): InProcessCall {
  return (key, method, params) => {
    const connection = connectionTo(key);
    const call: Call = { method, connection, isLogged: true, isAnswered: false };
    const startedAt = hooks.clock?.now() ?? 0;
    const report = (error?: unknown): void => {
      call.isAnswered = true;
      const durationMs = hooks.clock && { durationMs: hooks.clock.now() - startedAt };
      hooks.onRequest?.({ method, ...durationMs, ...(error !== undefined && { error }) }, call);
    };
    const succeeded = (result: unknown): unknown => {
      const plain = plainResult(result);
      report();
      return plain;
    };
    const failed = (error: unknown): never => {
      if (!(error instanceof CodedError)) hooks.onInternalError(error, method);
      report(error);
      throw error;
    };
    let answered: unknown;
    try {
      answered = service.call(method, params, connection, call);
    } catch (error) {
      return failed(error);
    }
    return isPromise(answered) ? answered.then(succeeded, failed) : succeeded(answered);
  };
}
