/** Compares executions of one transaction or call under several rule sets. */

import type { RuleSetName } from '../protocol/hardforks/registry.ts';
import type { InspectedCall, InspectedEvent, Inspection } from './inspection.ts';
import { callText, eventText } from './tree-text.ts';
import type { NamedAddress } from './value-text.ts';

/** An execution under one rule set. */
export interface ComparedRun {
  readonly ruleSet: RuleSetName;
  /** The reason why the rule set does not let it begin; `null` when it ran. */
  readonly refusal: string | null;
  /** `null` when it was refused. */
  readonly inspection: Inspection | null;
  /** The run with as much gas as it can have, for a transaction that fails with its own and succeeds so; `null` for all others. */
  readonly withMoreGas: Inspection | null;
}

/** Values by run, in the order of the runs; `null` where a run has none. */
export type ByRun<Value> = readonly (Value | null)[];

/** A frame whose figures differ, or that not every run has. */
export interface FrameDifference {
  /** The places among the calls of each frame on the way, from 0: `[]` is the outermost frame. */
  readonly path: readonly number[];
  /** `Token.transfer(to: 0x…, amount: 5)`, of the first run that has the frame. */
  readonly call: string;
  /** False where what is called, or with which data, differs, so that the figures are those of several calls. */
  readonly isSameCall: boolean;
  readonly outcomes: ByRun<string>;
  readonly gasUsed: ByRun<bigint>;
  /** Without that of the calls inside. */
  readonly ownGas: ByRun<bigint>;
}

/** A log that differs. */
export interface LogDifference {
  /** Its place among the logs of the execution. */
  readonly index: number;
  readonly logs: ByRun<InspectedEvent>;
}

/** A slot with different values afterwards. */
export interface SlotDifference {
  readonly account: NamedAddress;
  readonly slot: bigint;
  /** `balances[0x…]`; `null` where it is not known. */
  readonly variable: string | null;
  /** `null` where a run leaves the slot as it was. */
  readonly after: ByRun<string>;
}

/** A balance that is different afterwards, in wei. */
export interface BalanceDifference {
  readonly account: NamedAddress;
  /** `null` where a run leaves the balance as it was. */
  readonly after: ByRun<bigint>;
}

/** In what runs differ. All lists are empty for runs that are the same. */
export interface Comparison {
  readonly runs: readonly ComparedRun[];
  readonly isSame: boolean;
  readonly frames: readonly FrameDifference[];
  readonly logs: readonly LogDifference[];
  readonly storage: readonly SlotDifference[];
  readonly balances: readonly BalanceDifference[];
}

/** Frames, logs, slots and balances that are listed of each, which is more than a person reads. */
const MOST_DIFFERENCES = 1_000;

/** Compares the runs, of which there is at least one. */
export function comparisonOf(runs: readonly ComparedRun[]): Comparison {
  const frames = frameDifferences(runs);
  const logs = logDifferences(runs);
  const storage = slotDifferences(runs);
  const balances = balanceDifferences(runs);
  const outcomes = runs.map(({ refusal, inspection }) =>
    [refusal, inspection?.call.outcome, inspection?.gasUsed, inspection?.failure?.message].join('\n'),
  );
  const isSame = isAlike(outcomes) && frames.length + logs.length + storage.length + balances.length === 0;
  return { runs, isSame, frames, logs, storage, balances };
}

function isAlike(values: readonly unknown[]): boolean {
  return values.every((value) => value === values[0]);
}

interface PlacedCall {
  readonly path: readonly number[];
  readonly call: InspectedCall;
}

/** The frames of a run in the order in which they began. */
function* framesOf(root: InspectedCall): Generator<PlacedCall, void, undefined> {
  const left: PlacedCall[] = [{ path: [], call: root }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    yield next;
    const { path, call } = next;
    const inner = call.items.filter((item) => item.kind === 'call');
    for (let index = inner.length - 1; index >= 0; index--) {
      const item = inner[index];
      if (item !== undefined) left.push({ path: [...path, index], call: item });
    }
  }
}

/** Groups what the runs have by a key, in the order in which keys come. */
function byKey<Value>(
  runs: readonly ComparedRun[],
  valuesOf: (inspection: Inspection) => Iterable<readonly [key: string, value: Value]>,
): Map<string, (Value | null)[]> {
  const found = new Map<string, (Value | null)[]>();
  for (const [run, { inspection }] of runs.entries()) {
    if (inspection === null) continue;
    for (const [key, value] of valuesOf(inspection)) {
      const values = found.get(key) ?? runs.map(() => null);
      values[run] = value;
      found.set(key, values);
    }
  }
  return found;
}

/** The runs that were not refused: only these have frames, logs and changes to compare. */
function begun(runs: readonly ComparedRun[]): readonly ComparedRun[] {
  return runs.filter(({ inspection }) => inspection !== null);
}

/** True where the runs that began have different values. */
function differs<Value>(
  runs: readonly ComparedRun[],
  values: ByRun<Value>,
  textOf: (value: Value) => unknown,
): boolean {
  const compared = values.filter((_, run) => runs[run]?.inspection !== null);
  return !isAlike(compared.map((value) => (value === null ? null : textOf(value))));
}

function frameDifferences(runs: readonly ComparedRun[]): FrameDifference[] {
  if (begun(runs).length < 2) return [];
  const frames = byKey<PlacedCall>(runs, function* ({ call }) {
    for (const placed of framesOf(call)) yield [placed.path.join('.'), placed];
  });
  const differences: FrameDifference[] = [];
  for (const placed of frames.values()) {
    if (differences.length === MOST_DIFFERENCES) break;
    const first = placed.find((each) => each !== null);
    if (first == null) continue;
    const isSameCall = !differs(runs, placed, ({ call: { type, to, input } }) =>
      [type, to.address, input].join(' '),
    );
    const figures = ({ call }: PlacedCall): string => [call.outcome, call.ownGas, call.gasUsed].join(' ');
    if (isSameCall && !differs(runs, placed, figures)) continue;
    differences.push({
      path: first.path,
      call: callText(first.call),
      isSameCall,
      outcomes: placed.map((each) => each?.call.outcome ?? null),
      gasUsed: placed.map((each) => each?.call.gasUsed ?? null),
      ownGas: placed.map((each) => each?.call.ownGas ?? null),
    });
  }
  return differences;
}

/** The logs that an execution leaves: those of frames that failed are gone. */
function* logsOf(root: InspectedCall): Generator<InspectedEvent, void, undefined> {
  const left: InspectedCall['items'][number][] = [root];
  for (let item = left.pop(); item !== undefined; item = left.pop()) {
    if (item.kind === 'event') yield item;
    if (item.kind !== 'call' || item.outcome !== 'success') continue;
    for (let index = item.items.length - 1; index >= 0; index--) {
      const inner = item.items[index];
      if (inner !== undefined) left.push(inner);
    }
  }
}

function logDifferences(runs: readonly ComparedRun[]): LogDifference[] {
  if (begun(runs).length < 2) return [];
  const logs = byKey<InspectedEvent>(runs, function* ({ call }) {
    let index = 0;
    for (const log of logsOf(call)) yield [String(index++), log];
  });
  const textOf = ({ emitter, topics, data }: InspectedEvent): string =>
    [emitter.address, ...topics, data].join(' ');
  return [...logs]
    .filter(([, values]) => differs(runs, values, textOf))
    .slice(0, MOST_DIFFERENCES)
    .map(([index, values]) => ({ index: Number(index), logs: values }));
}

function slotDifferences(runs: readonly ComparedRun[]): SlotDifference[] {
  if (begun(runs).length < 2) return [];
  type Slot = Omit<SlotDifference, 'after'> & { readonly after: string };
  // Parts of a packed slot are reported one by one.
  const slots = byKey<Slot>(runs, function* ({ changes }) {
    for (const { account, slot, offset, variable, after } of changes?.storage ?? [])
      yield [`${account.address} ${slot} ${offset}`, { account, slot, variable, after: String(after) }];
  });
  const differences: SlotDifference[] = [];
  for (const values of slots.values()) {
    const first = values.find((each) => each !== null);
    if (first == null || !differs(runs, values, ({ after }) => after)) continue;
    const { account, slot, variable } = first;
    differences.push({ account, slot, variable, after: values.map((each) => each?.after ?? null) });
  }
  return differences.slice(0, MOST_DIFFERENCES);
}

function balanceDifferences(runs: readonly ComparedRun[]): BalanceDifference[] {
  if (begun(runs).length < 2) return [];
  const balances = byKey<{ account: NamedAddress; after: bigint }>(runs, function* ({ changes }) {
    for (const { account, after } of changes?.balances ?? []) yield [account.address, { account, after }];
  });
  const differences: BalanceDifference[] = [];
  for (const values of balances.values()) {
    const first = values.find((each) => each !== null);
    if (first == null || !differs(runs, values, ({ after }) => after)) continue;
    differences.push({ account: first.account, after: values.map((each) => each?.after ?? null) });
  }
  return differences.slice(0, MOST_DIFFERENCES);
}

/** Characters of the data of a log that no event is known of. */
const LONGEST_DATA = 2_000;

/** Returns a log as its event, or as its topics and data, which is cut when it is long. */
export function logText(log: InspectedEvent | null): string {
  if (log === null) return 'none';
  if (log.event !== null) return eventText(log);
  const data = log.data.length > LONGEST_DATA ? `${log.data.slice(0, LONGEST_DATA)}…` : log.data;
  return `event ${log.topics.join(' ') || 'without topic'}, data ${data}`;
}
