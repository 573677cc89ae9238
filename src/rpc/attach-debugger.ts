/** Attaches the debugger of a WebSocket connection, until its subscription or connection ends. */

import { Attachment } from '../inspect/attachment.ts';
import type { Hit, WantedStops } from '../inspect/recordings.ts';
import { toHex, toQuantity } from '../primitives/hex.ts';
import type { Connection, Push } from './connection.ts';
import { recordedChain } from './executions.ts';
import type { RpcContext } from './rpc-context.ts';

/** Attaches a debugger, or replaces the breakpoints of the connection. Returns the id of its subscription. */
export function attachDebugger(
  context: RpcContext,
  notify: NonNullable<Connection['notify']>,
  wanted: WantedStops,
): string {
  const { chain, recordings, owner } = context.node;
  const { subscriptions, lanes } = context.services;
  const { connection } = context;
  const known = recordings.clients.get(connection);
  if (known !== undefined) {
    known.attachment.update(wanted);
    return known.subscription;
  }
  let send: Push = () => undefined;
  const onHit = (hit: Hit): void => {
    const lane = lanes?.lanes.list().find(({ node }) => node.chain === hit.on.chain);
    send(hitView(hit, lane?.label?.name ?? null));
  };
  const attachment = new Attachment(recordings, { ...wanted, chain: recordedChain(context), owner, onHit });
  const subscription = subscriptions.add(connection, notify, (push, end) => {
    send = push;
    const stopWaiting = chain.events.on('closed', end);
    return () => {
      stopWaiting();
      attachment.end();
      recordings.clients.delete(connection);
    };
  });
  if (!connection.isClosed) recordings.clients.set(connection, { subscription, attachment });
  return subscription;
}

/** `test` is the label of the lane: the test that runs there. */
function hitView(hit: Hit, test: string | null): object {
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
