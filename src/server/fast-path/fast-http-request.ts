import type { Connection } from '../../rpc/connection.ts';
import { keyOfTarget } from '../gate.ts';
import type { Response } from '../response-writer.ts';

/** One HTTP request of a fast connection as the RPC side sees it, and its answer until that can be sent. */
export class FastHttpRequest implements Connection {
  readonly transport = 'http';
  readonly notify = null;
  readonly remoteAddress: string;
  readonly key: string | undefined;
  readonly userAgent: string | undefined;
  /** The whole response as it goes over the wire. */
  response: Response | undefined;
  #isClosed = false;
  #closeActions: Set<() => void> | undefined;

  /** `target` is the request's: the path with the key. */
  constructor(remoteAddress: string, target: string, userAgent: string | undefined) {
    this.remoteAddress = remoteAddress;
    this.key = keyOfTarget(target);
    this.userAgent = userAgent;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  onClose(action: () => void): () => void {
    if (this.#isClosed) action();
    else {
      this.#closeActions ??= new Set();
      this.#closeActions.add(action);
    }
    return () => this.#closeActions?.delete(action);
  }

  /** The answer is sent, or nobody is there to read it. */
  close(): void {
    this.#isClosed = true;
    const actions = this.#closeActions ?? [];
    this.#closeActions = undefined;
    for (const action of actions) action();
  }
}
