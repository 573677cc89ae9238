// The JSON forms of inspections, with long strings and lists shortened.

import type { DecodedEntry } from '../../artifacts/decoding.ts';
import { type CallLine, type CallLinePage, callLines } from '../../inspect/call-lines.ts';
import type { Failure } from '../../inspect/failure.ts';
import type { InspectedCall, InspectedEvent, Inspection } from '../../inspect/inspection.ts';
import type { InspectedStorageChange, StateChanges, StorageChangesAt } from '../../inspect/state-changes.ts';
import { stackText } from '../../inspect/tree-text.ts';
import type { NamedAddress } from '../../inspect/value-text.ts';
import { toQuantity } from '../../primitives/hex.ts';
import type { Steps } from '../../primitives/steps.ts';

/** Maximum characters of a value in a list. */
const MAX_TEXT_LENGTH = 1_000;

/** Maximum items of all lists of a value together. */
const MAX_ITEMS = 100;

/** Returns a text; a long one is cut and ends with `…`. */
function shortenedText(text: string): string {
  return text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text;
}

/**
 * Returns a copy of a JSON value with long texts cut (`…`). The copy has at most a hundred items of all
 * lists, including nested ones. A cut list ends with a text such as "… 900 more". This limits the size of a
 * response.
 */
export function shortened(value: unknown): unknown {
  let left = MAX_ITEMS;
  const copyOf = (part: unknown): unknown => {
    if (typeof part === 'string') return shortenedText(part);
    if (typeof part !== 'object' || part === null) return part;
    if (!Array.isArray(part))
      return Object.fromEntries(Object.entries(part).map(([name, member]) => [name, copyOf(member)]));
    // The items of a list are counted before their contents, so that a long item does not displace the next
    // ones.
    const kept = Math.min(part.length, left);
    left -= kept;
    const items = part.slice(0, kept).map(copyOf);
    return kept === part.length ? items : [...items, `… ${part.length - kept} more`];
  };
  return copyOf(value);
}

function failureView(failure: Failure | null): object | null {
  if (failure === null) return null;
  const { message, error, isGuess } = failure;
  return { message, error: entryView(error), isGuess };
}

function entryView(entry: DecodedEntry | null): object | null {
  return entry === null ? null : { ...entry };
}

function namedView({ address, name }: NamedAddress): object {
  return { address, name };
}

function eventView(made: InspectedEvent): object {
  const { kind, emitter, event, isGuess, topics, data, parentTransaction } = made;
  return {
    kind,
    emitter: namedView(emitter),
    event: entryView(event),
    isGuess,
    topics,
    data,
    ...(parentTransaction === undefined ? {} : { parentTransaction }),
  };
}

/** Work units per call, event or message. */
const ITEM_WORK = 1_024;

/** Returns a call with its contents as JSON. Calls are nested up to the call depth limit. */
function* callView(call: InspectedCall): Steps<object> {
  const items: object[] = [];
  for (const item of call.items) {
    if (item.kind === 'event') items.push(eventView(item));
    else items.push(item.kind === 'console' ? { ...item } : yield* callView(item));
    yield ITEM_WORK;
  }
  return { ...callFacts(call), items };
}

/** Returns a call without its contents as JSON. */
function callFacts(call: InspectedCall): object {
  return {
    kind: call.kind,
    type: call.type,
    from: namedView(call.from),
    to: namedView(call.to),
    hasCode: call.hasCode,
    call: entryView(call.call),
    meant: call.meant,
    results: call.results,
    isGuess: call.isGuess,
    implementation: call.implementation === null ? null : namedView(call.implementation),
    value: toQuantity(call.value),
    gas: toQuantity(call.gasLimit),
    gasUsed: toQuantity(call.gasUsed),
    ownGas: toQuantity(call.ownGas),
    outcome: call.outcome,
    failure: failureView(call.failure),
    ...bridgeView(call),
    input: call.input,
    output: call.output,
  };
}

/** Returns the members that only calls of Rootstock's precompiles have. */
function bridgeView({ remarks, parentTransaction }: InspectedCall): object {
  return {
    ...(parentTransaction === undefined ? {} : { parentTransaction }),
    ...(remarks === undefined ? {} : { remarks }),
  };
}

/** Returns the decoded call of a frame, in addition to its raw fields in a trace. */
export function decodedCallView(made: InspectedCall): object {
  const { to, call, results, isGuess, implementation, failure } = made;
  return {
    contract: to.name,
    call: entryView(call),
    results,
    isGuess,
    implementation: implementation === null ? null : namedView(implementation),
    failure: failureView(failure),
    ...bridgeView(made),
  };
}

/** Returns the decoded event of a log, in addition to its raw fields in a trace. */
export function decodedEventView({ emitter, event, isGuess }: InspectedEvent): object {
  return { contract: emitter.name, event: entryView(event), isGuess };
}

function storageChangeView({ account, slot, ...change }: InspectedStorageChange): object {
  return { account: namedView(account), ...change, slot: toQuantity(slot) };
}

/** Maximum changed variables at a step. */
const MAX_CHANGES = 500;

/** Returns the changes of storage before a step as JSON. Long values are cut; `omitted` counts the rest. */
export function changesAtView({ storage, transientStorage, omittedSlots }: StorageChangesAt): object {
  const first = (changes: readonly InspectedStorageChange[]): unknown[] =>
    changes.slice(0, MAX_CHANGES).map((change) => shortened(storageChangeView(change)));
  const omitted = Math.max(0, storage.length - MAX_CHANGES) + omittedSlots;
  return { storage: first(storage), transientStorage: first(transientStorage), omitted };
}

function orNull<Value, View>(value: Value | null, view: (value: Value) => View): View | null {
  return value === null ? null : view(value);
}

/** Amounts of the native currency are QUANTITY. Token amounts (possibly negative) and values are decimal. */
function changesView({ storage, transientStorage, omittedSlots, balances, tokens }: StateChanges): object {
  return {
    storage: storage.map(storageChangeView),
    transientStorage: transientStorage.map(storageChangeView),
    omittedSlots,
    balances: balances.map(({ account, before, after, feePaid, feeReceived }) => ({
      account: namedView(account),
      before: toQuantity(before),
      after: toQuantity(after),
      feePaid: toQuantity(feePaid),
      feeReceived: toQuantity(feeReceived),
    })),
    tokens: tokens.map(({ account, token, id, change, before, after, ...facts }) => ({
      token: namedView(token),
      ...facts,
      account: namedView(account),
      id: orNull(id, String),
      change: String(change),
      before: orNull(before, String),
      after: orNull(after, String),
    })),
  };
}

/** Returns an inspection as JSON, in time slices. Amounts are QUANTITY; decoded numbers are decimal. */
export function* inspectionView(inspection: Inspection): Steps<object> {
  return { call: yield* callView(inspection.call), ...factsView(inspection) };
}

/**
 * Returns an inspection as JSON, with a page of lines instead of the call tree. Long values are cut. Other
 * lists have their first entries; `omitted` counts the others by list.
 */
export function* inspectionPageView(inspection: Inspection, page: CallLinePage): Steps<object> {
  const { count, lines, next } = yield* callLines(inspection.call, page);
  const shortLines: unknown[] = [];
  for (const line of lines) {
    shortLines.push(lineView(line));
    yield ITEM_WORK;
  }
  const call = shortened(callFacts(inspection.call));
  return { call, lineCount: count, lines: shortLines, next, ...shortFactsView(inspection) };
}

function lineView({ item, gasBefore, ...place }: CallLine): object {
  const facts =
    item.kind === 'call' ? callFacts(item) : item.kind === 'event' ? eventView(item) : { ...item };
  return { ...place, gasBefore: toQuantity(gasBefore), item: shortened(facts) };
}

function factsView({ gasUsed, failure, stackTrace, labels, changes }: Inspection): object {
  return {
    gasUsed: toQuantity(gasUsed),
    failure: failureView(failure),
    stackTrace,
    stack: stackText(stackTrace),
    labels: labels.map(namedView),
    changes: changes === null ? null : changesView(changes),
  };
}

/** Maximum entries of each list in a page. */
const MAX_ENTRIES = 500;

function shortFactsView({ stackTrace, labels, changes, ...facts }: Inspection): object {
  const omitted: Record<string, number> = {};
  const first = <Entry>(name: string, entries: readonly Entry[]): readonly Entry[] => {
    if (entries.length > MAX_ENTRIES) omitted[name] = entries.length - MAX_ENTRIES;
    return entries.slice(0, MAX_ENTRIES);
  };
  const kept = orNull(changes, ({ storage, transientStorage, omittedSlots, balances, tokens }) => ({
    storage: first('storage', storage),
    transientStorage: first('transientStorage', transientStorage),
    omittedSlots,
    balances: first('balances', balances),
    tokens: first('tokens', tokens),
  }));
  const trace = first('stackTrace', stackTrace);
  const view = factsView({
    ...facts,
    stackTrace: trace,
    labels: first('labels', labels),
    changes: kept,
  });
  const stack = trace.map((frame) => shortenedText(stackText([frame]))).join('\n');
  return { ...shortEntries(view), stack, omitted };
}

/** Cuts long values in each entry of the lists, and in the lists of the changes. */
function shortEntries(members: object): object {
  return Object.fromEntries(
    Object.entries(members).map(([name, member]: [string, unknown]) => {
      if (Array.isArray(member)) return [name, member.map((entry: unknown) => shortened(entry))];
      const isChanges = name === 'changes' && typeof member === 'object' && member !== null;
      return [name, isChanges ? shortEntries(member) : shortened(member)];
    }),
  );
}
