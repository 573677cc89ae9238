/** The debuggers of WebSocket connections. A debugger is attached until its subscription or connection ends. */

import type { Chain } from '../chain/chain.ts';
import type { Attachment, AttachOptions, Hit } from '../inspect/recordings.ts';
import { toHex, toQuantity } from '../primitives/hex.ts';
import type { Connection, Push, Subscriptions } from './connection.ts';
import type { RpcNode } from './rpc-node.ts';

interface AttachedDebugger {
  /** The id of the subscription that sends its hits. */
  readonly subscription: string;
  readonly attachment: Attachment;
}

interface AttachRequest extends Pick<AttachOptions, 'breakpoints' | 'failures' | 'chain'> {
  readonly connection: Connection;
  readonly notify: NonNullable<Connection['notify']>;
  readonly subscriptions: Subscriptions;
  readonly node: Pick<RpcNode, 'chain' | 'recordings' | 'owner'>;
  /** Returns the label of the lane with this chain. */
  readonly testOn: (chain: Chain) => string | null;
}

/** The RPC form of a hit. `test` is the label of the lane: the test that runs there. */
export interface HitView {
  readonly number: string;
  readonly method: string | null;
  readonly lane: string | null;
  readonly test: string | null;
  readonly blockNumber: string;
  readonly transactionHash: string | null;
  readonly failed: boolean;
  readonly source: string | null;
  readonly line: number | null;
  readonly omitted: string;
}

export class AttachedDebuggers {
  readonly #attached = new WeakMap<Connection, AttachedDebugger>();

  /** Attaches a debugger, or replaces its breakpoints. Returns the id of its subscription. */
  attach({ connection, notify, subscriptions, node, chain, testOn, ...wanted }: AttachRequest): string {
    const known = this.#attached.get(connection);
    if (known !== undefined) {
      known.attachment.update(wanted);
      return known.subscription;
    }
    let send: Push = () => undefined;
    const onHit = (hit: Hit): void => send(hitView(hit, testOn(hit.on.chain)));
    const attachment = node.recordings.attach({ ...wanted, chain, owner: node.owner, onHit });
    const subscription = subscriptions.add(connection, notify, (push, end) => {
      send = push;
      const stopWaiting = node.chain.events.on('closed', end);
      return () => {
        stopWaiting();
        attachment.end();
        this.#attached.delete(connection);
      };
    });
    if (!connection.isClosed) this.#attached.set(connection, { subscription, attachment });
    return subscription;
  }

  /** Releases the hits that the debugger of the connection has. Returns their number. */
  release(connection: Connection, numbers: readonly number[]): number {
    const { attachment } = this.#attached.get(connection) ?? {};
    return numbers.filter((number) => attachment?.release(number) === true).length;
  }
}

function hitView(hit: Hit, test: string | null): HitView {
  const { number, on, method, blockNumber, transactionHash, failed, breakpoint, omitted } = hit;
  return {
    number: toQuantity(number),
    method,
    lane: on.lane,
    test,
    blockNumber: toQuantity(blockNumber),
    transactionHash: transactionHash === null ? null : toHex(transactionHash),
    failed,
    source: breakpoint?.source ?? null,
    line: breakpoint?.line ?? null,
    omitted: toQuantity(omitted),
  };
}
