/** The log's facts about an execution that was inspected: a mined transaction, or a call that failed. */

import { changeLines } from '../inspect/change-text.ts';
import type { InspectedCall, InspectedEvent, Inspection } from '../inspect/inspection.ts';
import { callText, eventText, stackText, treeLines } from '../inspect/tree-text.ts';
import type { ExplainedFacts } from './log-entries.ts';

/** Returns the names, the stack trace and the events; with `isVerbose` also the tree of all calls. */
export function explainedFacts(
  { call, stackTrace, changes }: Inspection,
  isVerbose: boolean,
): ExplainedFacts {
  const events = eventsOf(call);
  return {
    subject: call.call === null ? null : callText(call),
    // A trace of contracts that are not known would name addresses only.
    ...(stackTrace.some(({ source }) => source !== null) ? { stackTrace, stack: stackText(stackTrace) } : {}),
    events: events.filter(({ event }) => event !== null).map(eventText),
    tree: isVerbose ? [...treeLines(call), ...changeLines(changes)] : [],
  };
}

/** The events of a call and of those inside it that were not reverted. */
function eventsOf(item: InspectedCall['items'][number]): InspectedEvent[] {
  if (item.kind === 'event') return [item];
  return item.kind === 'call' && item.outcome === 'success' ? item.items.flatMap(eventsOf) : [];
}
