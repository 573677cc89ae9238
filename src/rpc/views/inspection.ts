// The JSON forms of the accounts of transactions, with long texts and lists shortened.

import type { DecodedEntry } from '../../artifacts/decoding.ts';
import { type CallLine, type CallLinePage, callLines } from '../../inspect/call-lines.ts';
import type { Failure } from '../../inspect/failure.ts';
import type { InspectedCall, InspectedEvent, Inspection } from '../../inspect/inspection.ts';
import type { InspectedStorageChange, StateChanges } from '../../inspect/state-changes.ts';
import { stackText } from '../../inspect/tree-text.ts';
import type { NamedAddress } from '../../inspect/value-text.ts';
import { toQuantity } from '../../primitives/hex.ts';
import type { Task } from '../../scheduling/task.ts';
import type { WorkPieces } from '../../scheduling/work-pieces.ts';

/** The longest text of a value that is shown in a list. */
const LONGEST_TEXT = 1_000;

/** The most items of all lists of a value together. */
const MOST_ITEMS = 100;

/** Returns a text, the end of a long one replaced by `…`. */
function shortenedText(text: string): string {
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
}

/**
 * Returns a copy of what is to be written as JSON in which long texts are cut and end with `…`, and of the items of lists, also those within
 * others, the first hundred are left, followed by the text `… 900 more`. So an answer has a bound, whatever a caller put into a call.
 */
export function shortened(value: unknown): unknown {
  let left = MOST_ITEMS;
  const copyOf = (part: unknown): unknown => {
    if (typeof part === 'string') return shortenedText(part);
    if (typeof part !== 'object' || part === null) return part;
    if (!Array.isArray(part))
      return Object.fromEntries(Object.entries(part).map(([name, member]) => [name, copyOf(member)]));
    // Items of a list are counted before what is inside them, so that a long one does not take the place of its neighbours.
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

function eventView({ kind, emitter, event, isGuess, topics, data }: InspectedEvent): object {
  return { kind, emitter: namedView(emitter), event: entryView(event), isGuess, topics, data };
}

/** Units of work for making the form of a call, an event or a message. */
const ITEM_WORK = 1_024;

/** Returns the form of a call with what happened in it. Calls are nested, as deep as the chain lets them be. */
function* callView(call: InspectedCall, pieces: WorkPieces): Task<object> {
  const items: object[] = [];
  for (const item of call.items) {
    if (item.kind === 'event') items.push(eventView(item));
    else items.push(item.kind === 'console' ? { ...item } : yield* callView(item, pieces));
    const turn = pieces.spend(ITEM_WORK);
    if (turn !== undefined) yield turn;
  }
  return { ...callFacts(call), items };
}

/** Returns the form of a call without what happened in it. */
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
    input: call.input,
    output: call.output,
  };
}

/** Returns the decoded call of a frame, for a trace that has its raw fields. */
export function decodedCallView(made: InspectedCall): object {
  const { to, call, results, isGuess, implementation, failure } = made;
  return {
    contract: to.name,
    call: entryView(call),
    results,
    isGuess,
    implementation: implementation === null ? null : namedView(implementation),
    failure: failureView(failure),
  };
}

/** Returns the decoded event of a log, for a trace that has its raw fields. */
export function decodedEventView({ emitter, event, isGuess }: InspectedEvent): object {
  return { contract: emitter.name, event: entryView(event), isGuess };
}

function storageChangeView({ account, slot, ...change }: InspectedStorageChange): object {
  return { account: namedView(account), ...change, slot: toQuantity(slot) };
}

function orNull<Value, View>(value: Value | null, view: (value: Value) => View): View | null {
  return value === null ? null : view(value);
}

/** Amounts of the native coin are QUANTITY; those of tokens, which may be negative, and values are decimal texts. */
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

/**
 * Returns the form of the account of an execution; in pieces where many things happened. Amounts are QUANTITY; decoded numbers
 * are decimal texts.
 */
export function* inspectionView(inspection: Inspection, pieces: WorkPieces): Task<object> {
  return { call: yield* callView(inspection.call, pieces), ...factsView(inspection) };
}

/**
 * Returns the form of the account with a page of the lines of its calls in place of the tree. In all of it long values are cut; its other
 * lists have their first entries, and `omitted` says how many more each of them that is cut would have.
 */
export function* inspectionPageView(
  inspection: Inspection,
  page: CallLinePage,
  pieces: WorkPieces,
): Task<object> {
  const { count, lines, next } = yield* callLines(inspection.call, page, pieces);
  const shortLines: unknown[] = [];
  for (const line of lines) {
    shortLines.push(lineView(line));
    const turn = pieces.spend(ITEM_WORK);
    if (turn !== undefined) yield turn;
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

/** Entries of a list of facts that stand in an answer with a page. */
const MOST_ENTRIES = 500;

function shortFactsView({ stackTrace, labels, changes, ...facts }: Inspection): object {
  const omitted: Record<string, number> = {};
  const first = <Entry>(name: string, entries: readonly Entry[]): readonly Entry[] => {
    if (entries.length > MOST_ENTRIES) omitted[name] = entries.length - MOST_ENTRIES;
    return entries.slice(0, MOST_ENTRIES);
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

/** Returns the members with long values cut in each entry of lists, and of the lists of the changes. */
function shortEntries(members: object): object {
  return Object.fromEntries(
    Object.entries(members).map(([name, member]: [string, unknown]) => {
      if (Array.isArray(member)) return [name, member.map((entry: unknown) => shortened(entry))];
      const isChanges = name === 'changes' && typeof member === 'object' && member !== null;
      return [name, isChanges ? shortEntries(member) : shortened(member)];
    }),
  );
}
