/** Answers the requests of one editor. Each request has one response, and no request ends the process. */

import { ProtocolServer } from '@vscode/debugadapter/lib/protocol.js';
import type { DebugProtocol } from '@vscode/debugprotocol';

/** Resolves to the body of the response, or to `undefined` without one. Rejects with an error whose message the editor shows. */
export type RequestHandler = (given: unknown) => Promise<object | undefined>;

export interface RequestHandlers {
  /** Requests that are answered in their order, by command. */
  readonly inOrder: Readonly<Record<string, RequestHandler>>;
  /** Requests that are answered while another request or a search runs. */
  readonly immediately: Readonly<Record<string, RequestHandler>>;
  /** Reports an error of this program. */
  onInternalError(error: unknown): void;
}

/** The id of all errors. Editors only show the format. */
const ERROR_ID = 1;

export class DebugConnection extends ProtocolServer {
  readonly #handlers: (connection: DebugConnection) => RequestHandlers;
  #made: RequestHandlers | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(handlers: (connection: DebugConnection) => RequestHandlers) {
    super();
    this.#handlers = handlers;
  }

  /** Sends an event of the protocol. */
  emitEvent(event: string, body: object = {}): void {
    this.sendEvent({ type: 'event', seq: 0, event, body });
  }

  /** Runs a task after the pending requests, and before later ones. */
  afterRequests(task: () => Promise<void>): void {
    this.#last = this.#last.then(task).catch((error: unknown) => this.#table.onInternalError(error));
  }

  get #table(): RequestHandlers {
    this.#made ??= this.#handlers(this);
    return this.#made;
  }

  protected override dispatchRequest(request: DebugProtocol.Request): void {
    const { inOrder, immediately } = this.#table;
    const command = String(request.command);
    if (Object.hasOwn(immediately, command)) {
      void this.#answer(request, immediately[command]);
      return;
    }
    const handler = Object.hasOwn(inOrder, command) ? inOrder[command] : undefined;
    this.#last = this.#last.then(() => this.#answer(request, handler));
  }

  async #answer(request: DebugProtocol.Request, handler: RequestHandler | undefined): Promise<void> {
    const response = { type: 'response', seq: 0, request_seq: request.seq, command: String(request.command) };
    try {
      if (handler === undefined) throw new Error(`unsupported request ${response.command}`);
      const body = await handler(request.arguments);
      this.sendResponse({ ...response, success: true, ...(body === undefined ? {} : { body }) });
    } catch (error) {
      if (!(error instanceof Error) || error instanceof TypeError) this.#table.onInternalError(error);
      const message = error instanceof Error ? error.message : String(error);
      const shown = { id: ERROR_ID, format: '{message}', variables: { message }, showUser: true };
      this.sendResponse({ ...response, success: false, message, body: { error: shown } });
    }
  }
}
