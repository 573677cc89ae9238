/** Simulates calls and describes them in the form of Tenderly's node (tenderly_simulate*). */

import type { DecodedEntry, DecodedParameter } from '../../artifacts/decoding.ts';
import type { BlockSelector } from '../../chain/block-selector.ts';
import type { CallMessage } from '../../chain/execution/calls.ts';
import type { CallOverrides } from '../../chain/execution/state-overrides.ts';
import { type FrameKind, isCreation } from '../../evm/observer.ts';
import { MuxTracer } from '../../evm/tracers/mux-tracer.ts';
import { PrestateTracer } from '../../evm/tracers/prestate-tracer.ts';
import type { Tracer, TraceSubject } from '../../evm/tracers/tracer.ts';
import { creationIndexes } from '../../inspect/creations.ts';
import {
  ExecutionRecorder,
  type RecordedExecution,
  type RecordedFrame,
} from '../../inspect/execution-recorder.ts';
import { contractsOfFrames, type InspectedCall, InspectionBuilder } from '../../inspect/inspection.ts';
import type { KnownContracts } from '../../inspect/known-contracts.ts';
import { readContract } from '../../inspect/state-changes.ts';
import { toHex, toQuantity } from '../../primitives/hex.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import { hexInSteps, type Steps } from '../../primitives/steps.ts';
import { BloomMaker, type Log } from '../../protocol/receipt.ts';
import { TimeSlice } from '../../scheduling/time-slice.ts';
import type { CallObject } from '../codecs/call-object.ts';
import type { RpcContext } from '../rpc-context.ts';
import { callMessage, typeOf } from '../transaction-request.ts';
import { type AssetFacts, tenderlyAssets } from './tenderly-assets.ts';
import { type StateDifference, stateChangesView } from './tenderly-state.ts';

interface SimulatedCall {
  readonly recording: RecordedExecution;
  readonly difference: StateDifference;
}

/** Records the calls and the changed state of an execution. */
function simulationTracer(subject: TraceSubject): Tracer<SimulatedCall> {
  const tracers = new Map<string, Tracer>([
    ['recording', new ExecutionRecorder(subject)],
    [
      'difference',
      new PrestateTracer(subject, { diffMode: true, disableCode: false, disableStorage: false }),
    ],
  ]);
  // The names above are the members of the result.
  return new MuxTracer(tracers) as Tracer as Tracer<SimulatedCall>;
}

/** Work units per call or log, in addition to its data. */
const ITEM_WORK = 1_024;

/** Returns a decoded value as JSON: members of a struct by name, other composites as arrays. */
function valueView({ type, value }: DecodedParameter): unknown {
  if (typeof value !== 'object') return value;
  const isStruct = type === 'tuple' && value.every(({ name }) => name !== '');
  return isStruct
    ? Object.fromEntries(value.map((member) => [member.name, valueView(member)]))
    : value.map(valueView);
}

/** Returns the type without names: `(address,uint256)[]` for an array of structs. */
function typeText({ type, value }: DecodedParameter): string {
  if (!type.startsWith('tuple')) return type;
  const suffix = type.slice('tuple'.length);
  if (typeof value !== 'object') return type;
  if (suffix === '') return `(${value.map(typeText).join(',')})`;
  const [first] = value;
  return first === undefined ? type : `${typeText(first).replace(/(?:\[\d*\])*$/, '')}${suffix}`;
}

function parametersView(parameters: readonly DecodedParameter[]): object[] {
  return parameters.map((parameter) => ({
    value: valueView(parameter),
    type: typeText(parameter),
    ...(parameter.name === '' ? {} : { name: parameter.name }),
  }));
}

const WITHOUT_VALUE: ReadonlySet<FrameKind> = new Set(['DELEGATECALL', 'STATICCALL']);

/** Returns a call as JSON. A failed call has `error` and, if it is known, `errorReason`. */
function* callView(
  frame: RecordedFrame,
  call: InspectedCall,
  address: readonly number[],
): Steps<Record<string, unknown>> {
  const { start, end } = frame;
  const creates = isCreation(start.kind);
  return {
    type: start.kind,
    from: toHex(start.from),
    to: toHex(start.to),
    gas: toQuantity(start.gas),
    gasUsed: toQuantity(end.gasUsed),
    ...(WITHOUT_VALUE.has(start.kind) ? {} : { value: toQuantity(call.value) }),
    ...failureView(call, end.haltReason),
    input: yield* hexInSteps(start.input),
    ...(call.call === null ? {} : { decodedInput: parametersView(call.call.parameters) }),
    ...(call.call === null || creates ? {} : { method: call.call.name }),
    output: yield* hexInSteps(end.output),
    ...(call.results === null ? {} : { decodedOutput: parametersView(call.results) }),
    subtraces: frame.items.filter(({ kind }) => kind === 'call').length,
    traceAddress: address,
  };
}

function failureView({ outcome, failure }: InspectedCall, haltReason: string | null): object {
  if (outcome === 'success') return {};
  const error = outcome === 'revert' ? 'execution reverted' : (haltReason ?? 'execution failed');
  return { error, ...(failure === null ? {} : { errorReason: failure.message }) };
}

/** Returns all calls as JSON, in the order of their start, with their places in the tree. */
function* traceView(
  { frames }: RecordedExecution,
  calls: ReadonlyMap<RecordedFrame, InspectedCall>,
): Steps<object[]> {
  const addresses = new Map<RecordedFrame, readonly number[]>();
  const views: object[] = [];
  for (const frame of frames) {
    const address = addresses.get(frame) ?? [];
    let child = 0;
    for (const item of frame.items) {
      if (item.kind === 'call') addresses.set(item.frame, [...address, child++]);
    }
    const call = calls.get(frame);
    if (call !== undefined) views.push(yield* callView(frame, call, address));
    yield ITEM_WORK + frame.items.length;
  }
  return views;
}

/** A log that was not reverted, with its decoded event. */
export interface SimulatedLog {
  readonly log: Log;
  readonly event: DecodedEntry | null;
}

/** Returns the logs and transfers of the calls that were not reverted, in the order of execution. */
function* effectsOf(
  root: RecordedFrame,
  calls: ReadonlyMap<RecordedFrame, InspectedCall>,
): Steps<{ readonly logs: SimulatedLog[]; readonly paid: InspectedCall[] }> {
  const logs: SimulatedLog[] = [];
  const paid: InspectedCall[] = [];
  const left: (RecordedFrame | SimulatedLog)[] = [root];
  for (let item = left.pop(); item !== undefined; item = left.pop()) {
    yield ITEM_WORK;
    if ('log' in item) {
      logs.push(item);
      continue;
    }
    const call = calls.get(item);
    if (call === undefined || call.outcome !== 'success') continue;
    if (call.value > 0n && call.type !== 'CALLCODE') paid.push(call);
    const events = call.items.filter((inner) => inner.kind === 'event');
    const inside: (RecordedFrame | SimulatedLog)[] = [];
    let next = 0;
    for (const made of item.items) {
      inside.push(
        made.kind === 'call' ? made.frame : { log: made.log, event: events[next++]?.event ?? null },
      );
    }
    for (let index = inside.length - 1; index >= 0; index--) {
      const made = inside[index];
      if (made !== undefined) left.push(made);
    }
  }
  return { logs, paid };
}

function isAnonymous({ signature }: DecodedEntry, { topics }: Log): boolean {
  const [first] = topics;
  return first === undefined || toHex(first) !== toHex(keccak256(Buffer.from(signature)));
}

function* logView({ log, event }: SimulatedLog): Steps<object> {
  const { address, topics, data } = log;
  return {
    name: event?.name ?? '',
    anonymous: event !== null && isAnonymous(event, log),
    inputs: event === null ? null : parametersView(event.parameters),
    raw: { address: toHex(address), topics: topics.map(toHex), data: yield* hexInSteps(data) },
  };
}

/** Returns the part of the members that have a value. */
function present(members: Readonly<Record<string, readonly unknown[]>>): object {
  return Object.fromEntries(Object.entries(members).filter(([, list]) => list.length > 0));
}

/**
 * Simulates calls after a block, each on the state of the previous one. Rejects with `BlockNotFoundError`, with
 * `CallRejectedError` for a call that breaks a rule before its execution, and with `TraceTooLargeError`.
 */
export async function simulateCalls(
  context: RpcContext,
  given: readonly CallObject[],
  selector: BlockSelector,
  { accounts, block }: CallOverrides,
): Promise<readonly object[]> {
  const { chain, inspector } = context.node;
  const { deadline } = context;
  const messages = given.map((call, index) => callMessage(context, call, `transactions[${index}]`));
  const site = { selector, transactionIndex: null, accounts };
  const run = async <Trace>(createTracer: (subject: TraceSubject) => Tracer<Trace>): Promise<Trace[]> => {
    const traced = messages.map((message: CallMessage) => ({ message, createTracer }));
    const [traces = []] = await chain.tracing.bundles([{ messages: traced, block }], site, deadline);
    return traces;
  };
  const [simulated, { contracts: known }] = await Promise.all([run(simulationTracer), inspector.ready()]);
  const places = async (index: number): ReturnType<typeof creationIndexes> =>
    creationIndexes(async (createTracer) => {
      const trace = (await run(createTracer))[index];
      if (trace === undefined) throw new RangeError(`call ${index} does not exist`);
      return trace;
    });
  const results: object[] = [];
  const slice = new TimeSlice(deadline);
  const isRootstock = chain.ruleSet.encoding !== 'ethereum';
  let cumulative = 0n;
  for (const [index, call] of simulated.entries()) {
    cumulative += call.recording.result.gasUsed;
    const calls = await inspected(context, call.recording, known, () => places(index));
    const { logs, paid } = await deadline.run(effectsOf(call.recording.root, calls));
    const { before, environment } = call.recording.subject;
    const readToken: AssetFacts['readToken'] = (token, data) =>
      readContract(chain, { state: before, environment }, token, data, deadline);
    const assets = await tenderlyAssets({ logs, paid, isRootstock, readToken, slice });
    const type = given[index] === undefined ? 0 : typeOf({ ...given[index], type: null }, chain);
    results.push(
      await deadline.run(
        (function* () {
          const { result, subject } = call.recording;
          const shownLogs: object[] = [];
          for (const log of logs) {
            shownLogs.push(yield* logView(log));
            yield ITEM_WORK;
          }
          return {
            status: result.outcome === 'success',
            gasUsed: toQuantity(result.gasUsed),
            cumulativeGasUsed: toQuantity(cumulative),
            blockNumber: toQuantity(subject.environment.number),
            type: toQuantity(type),
            logsBloom: toHex(yield* new BloomMaker().add(logs.map(({ log }) => log))),
            logs: shownLogs,
            trace: yield* traceView(call.recording, calls),
            ...present({ ...assets, stateChanges: yield* stateChangesView(call.difference) }),
          };
        })(),
      ),
    );
  }
  return results;
}

async function inspected(
  { deadline }: RpcContext,
  recording: RecordedExecution,
  known: KnownContracts,
  places: () => ReturnType<typeof creationIndexes>,
): Promise<ReadonlyMap<RecordedFrame, InspectedCall>> {
  const contracts = await contractsOfFrames(recording, known, deadline, places);
  return new InspectionBuilder(known, contracts).calls(recording, deadline);
}
