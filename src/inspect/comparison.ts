/** Compares the executions of one transaction or call under several rule sets. */

import type { RuleSetName } from '../protocol/hardforks/registry.ts';
import type { InspectedCall, InspectedEvent, Inspection } from './inspection.ts';
import { callText, eventText } from './tree-text.ts';
import type { NamedAddress } from './value-text.ts';

export interface ComparedRun {
  readonly ruleSet: RuleSetName;
  /** The reason why the rule set rejects the transaction or call; `null` if it ran. */
  readonly refusal: string | null;
  /** `null` if it was rejected. */
  readonly inspection: Inspection | null;
  /** The run with the maximum gas, if it succeeds and the run with the given limit fails; else `null`. */
  readonly withMoreGas: Inspection | null;
}

/** Values in the order of the runs; `null` for a run without one. */
export type ByRun<Value> = readonly (Value | null)[];

/** A frame with different figures, or that some runs do not have. */
export interface FrameDifference {
  /** The path from the outermost frame (`[]`): the index of the call within each frame, from 0. */
  readonly path: readonly number[];
  /** `Token.transfer(to: 0x…, amount: 5)`, from the first run that has the frame. */
  readonly call: string;
  /** False if the target, call type or call data differ. The figures then belong to different calls. */
  readonly isSameCall: boolean;
  readonly outcomes: ByRun<string>;
  readonly gasUsed: ByRun<bigint>;
  /** Without the gas of inner calls. */
  readonly ownGas: ByRun<bigint>;
}

export interface LogDifference {
  /** Index among the logs of the execution. */
  readonly index: number;
  readonly logs: ByRun<InspectedEvent>;
}

/** A slot with different final values. */
export interface SlotDifference {
  readonly account: NamedAddress;
  readonly slot: bigint;
  /** `balances[0x…]`; `null` if unknown. */
  readonly variable: string | null;
  /** `null` if a run does not change the slot. */
  readonly after: ByRun<string>;
}

/** A balance with different final values, in wei. */
export interface BalanceDifference {
  readonly account: NamedAddress;
  /** `null` if a run does not change the balance. */
  readonly after: ByRun<bigint>;
}

/** The differences between runs. All lists are empty if the runs are the same. */
export interface Comparison {
  readonly runs: readonly ComparedRun[];
  readonly isSame: boolean;
  readonly frames: readonly FrameDifference[];
  readonly logs: readonly LogDifference[];
  readonly storage: readonly SlotDifference[];
  readonly balances: readonly BalanceDifference[];
}

/** Maximum entries in each list of differences. */
const MAX_DIFFERENCES = 1_000;

/** Compares the runs (at least one). */
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

/** Yields the frames of a run in call order (depth first). */
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

/** Groups the values of the runs by key, in order of first appearance. */
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

/** The runs that were not rejected. Only these have frames, logs and changes to compare. */
function begun(runs: readonly ComparedRun[]): readonly ComparedRun[] {
  return runs.filter(({ inspection }) => inspection !== null);
}

/** Returns true if the runs that executed have different values. */
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
    if (differences.length === MAX_DIFFERENCES) break;
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

/** Yields the logs that remain after the execution. Failed frames leave none. */
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
    .slice(0, MAX_DIFFERENCES)
    .map(([index, values]) => ({ index: Number(index), logs: values }));
}

function slotDifferences(runs: readonly ComparedRun[]): SlotDifference[] {
  if (begun(runs).length < 2) return [];
  type Slot = Omit<SlotDifference, 'after'> & { readonly after: string };
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
  return differences.slice(0, MAX_DIFFERENCES);
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
  return differences.slice(0, MAX_DIFFERENCES);
}

/** Maximum characters of the data of an undecoded log. */
const MAX_DATA_LENGTH = 2_000;

/** Returns a log as its decoded event, otherwise as its topics and data. Long data is cut. */
export function logText(log: InspectedEvent | null): string {
  if (log === null) return 'none';
  if (log.event !== null) return eventText(log);
  const data = log.data.length > MAX_DATA_LENGTH ? `${log.data.slice(0, MAX_DATA_LENGTH)}…` : log.data;
  return `event ${log.topics.join(' ') || 'without topic'}, data ${data}`;
}
