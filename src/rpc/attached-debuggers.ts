/** The debuggers of WebSocket connections. A debugger is attached until its subscription or connection ends. */

import type { Attachment, AttachOptions, Hit } from '../inspect/recordings.ts';
import { toHex, toQuantity } from '../primitives/hex.ts';
import type { Connection, Push } from './connection.ts';
import { recordedChain } from './executions.ts';
import type { RpcContext } from './rpc-context.ts';

interface AttachedDebugger {
  /** The id of the subscription that sends its hits. */
  readonly subscription: string;
  readonly attachment: Attachment;
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
  attach(
    context: RpcContext,
    notify: NonNullable<Connection['notify']>,
    wanted: Pick<AttachOptions, 'breakpoints' | 'failures'>,
  ): string {
    const { connection, node, services } = context;
    const known = this.#attached.get(connection);
    if (known !== undefined) {
      known.attachment.update(wanted);
      return known.subscription;
    }
    const { chain, recordings, owner } = node;
    const laneOf = ({ on }: Hit) => services.lanes?.lanes.list().find((lane) => lane.node.chain === on.chain);
    let send: Push = () => undefined;
    const onHit = (hit: Hit): void => send(hitView(hit, laneOf(hit)?.label?.name ?? null));
    const attachment = recordings.attach({ ...wanted, chain: recordedChain(context), owner, onHit });
    const subscription = services.subscriptions.add(connection, notify, (push, end) => {
      send = push;
      const stopWaiting = chain.events.on('closed', end);
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
