// The clients of the event stream of MEV-Share, by chain.

import type { Chain } from '../chain/chain.ts';
import type { PushText } from './connection.ts';

/** Sends the hints of waiting bundles to the clients of a chain. */
export class HintStreams {
  readonly #clients = new WeakMap<Chain, Set<PushText>>();

  /** Returns a function that stops sending. */
  watch(chain: Chain, push: PushText): () => void {
    const clients = this.#clients.get(chain) ?? new Set();
    this.#clients.set(chain, clients);
    clients.add(push);
    return () => void clients.delete(push);
  }

  hasClients(chain: Chain): boolean {
    return (this.#clients.get(chain)?.size ?? 0) > 0;
  }

  send(chain: Chain, event: unknown): void {
    const text = JSON.stringify(event);
    for (const push of this.#clients.get(chain) ?? []) push(text);
  }
}
