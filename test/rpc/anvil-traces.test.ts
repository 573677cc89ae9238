import { beforeAll, describe, expect, it } from 'vitest';
import { recordedTraces } from '../support/anvil-traces.ts';
import { playTraceScene, SCENE_CHAIN_ID, SCENE_SENDER, type TraceAnswers } from '../support/trace-scene.ts';
import { createRpcHarness } from './rpc-harness.ts';

/** Difference between two responses: its path and both values. */
interface Difference {
  readonly question: string;
  readonly path: string;
  readonly ours: unknown;
  readonly theirs: unknown;
}

/** Reason of expected differences, and the predicate that matches them. */
interface Explanation {
  readonly reason: string;
  readonly explains: (difference: Difference) => boolean;
}

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;
const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

function* differencesIn(question: string, ours: unknown, theirs: unknown, path = ''): Generator<Difference> {
  if (isSame(ours, theirs)) return;
  if (!isObject(ours) || !isObject(theirs) || Array.isArray(ours) !== Array.isArray(theirs)) {
    yield { question, path, ours, theirs };
    return;
  }
  for (const name of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
    const below = path === '' ? name : `${path}.${name}`;
    yield* differencesIn(question, ours[name], theirs[name], below);
  }
}

const PRECOMPILE = `0x${'0'.repeat(39)}4`;

/** Failure messages of Anvil, with the equivalents of Parity and geth. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  StateChangeDuringStaticCall: ['write protection', 'Mutable Call In Static Context'],
  CreateCollision: ['contract address collision'],
  'Some(OutOfGas)': ['out of gas'],
};

const withoutPrefix = (word: unknown): string => String(word).replace('0x', '');

const EXPLANATIONS: readonly Explanation[] = [
  {
    reason:
      'geth gives the outermost call the gas limit of the transaction; Anvil takes off what is paid before it',
    explains: ({ question, path }) => question.includes('callTracer') && /^(?:0\.result\.)?gas$/.test(path),
  },
  {
    reason: 'failures are told in the words of geth and Parity; Anvil has those of revm',
    explains: ({ path, ours, theirs }) =>
      path.endsWith('error') && (WORDS[String(theirs)] ?? []).includes(String(ours)),
  },
  {
    reason: 'geth leaves out accounts that did not exist before',
    explains: ({ question, ours, theirs }) =>
      question.includes('prestateTracer') && ours === undefined && isSame(theirs, { balance: '0x0' }),
  },
  {
    reason: 'geth counts no selectors in calls of precompiles',
    explains: ({ question, ours, theirs }) =>
      question.includes('4byteTracer') && Number(theirs) === Number(ours) + 1,
  },
  {
    reason: 'geth leaves out a refund of 0',
    explains: ({ path, ours, theirs }) => /^structLogs\.\d+\.refund$/.test(path) && !ours && theirs === 0,
  },
  {
    reason: 'geth writes words of memory and storage without 0x',
    explains: ({ path, ours, theirs }) =>
      /^structLogs\.\d+\.memory\.\d+$/.test(path)
        ? withoutPrefix(theirs) === ours
        : /^structLogs\.\d+\.storage\.\w+$/.test(path),
  },
  {
    reason: 'the network names the kind of creations by code only',
    explains: ({ path, ours, theirs }) =>
      path.endsWith('action.creationMethod') && ours === undefined && theirs === 'create',
  },
  {
    reason: "Parity's frames that reverted have no result",
    explains: ({ question, path, ours }) =>
      question.startsWith('trace_') && path.endsWith('result') && ours === null,
  },
  {
    reason: 'onlyTopCall leaves out all inner frames; Anvil keeps those of SELFDESTRUCT',
    explains: ({ question, path, ours }) =>
      question.endsWith('of the top') && path === 'calls' && ours === undefined,
  },
  {
    reason: 'geth gives the step that cannot be paid for the gas that it takes; Anvil gives what was left',
    explains: ({ path, ours, theirs }) =>
      /^structLogs\.\d+\.gasCost$/.test(path) && Number(ours) > Number(theirs),
  },
  {
    reason: 'the network selects transactions by their sender and receiver, Anvil single frames',
    explains: ({ question }) => question.startsWith('trace_filter by '),
  },
  {
    reason: 'Otterscan asks for what happened, and a creation that failed did not',
    explains: ({ question, ours, theirs }) =>
      question.startsWith('ots_getInternalOperations') && ours === undefined && (theirs as Json).type === 2,
  },
];

/** True for a response that reports a method or tracer missing in Anvil. */
function isMissing(question: string, answer: unknown): boolean {
  if (isObject(answer) && isObject(answer.error)) {
    const { message } = answer.error;
    return message === 'Method not found' || message === 'unsupported tracer type';
  }
  return isSame(answer, {}) && /flatCallTracer|muxTracer/.test(question);
}

/** Parity traces without inner calls of precompiles, which Parity, geth and this node omit. */
function withoutPrecompiles(list: readonly unknown[]): readonly unknown[] {
  const traces = structuredClone(list) as {
    readonly action: { readonly to?: string };
    readonly traceAddress: number[];
    subtraces: number;
    readonly transactionHash?: string;
  }[];
  for (;;) {
    const place = traces.findIndex(
      ({ action, traceAddress }) => action.to === PRECOMPILE && traceAddress.length > 0,
    );
    const [removed] = place === -1 ? [] : traces.splice(place, 1);
    if (removed === undefined) return traces;
    const last = removed.traceAddress.length - 1;
    for (const trace of traces) {
      const { traceAddress, transactionHash } = trace;
      if (transactionHash !== removed.transactionHash) continue;
      if (!isSame(traceAddress.slice(0, last), removed.traceAddress.slice(0, last))) continue;
      const [index, own] = [removed.traceAddress[last] ?? 0, traceAddress[last]];
      if (own === undefined) trace.subtraces--;
      else if (own > index) traceAddress[last] = own - 1;
    }
  }
}

/** A response without the entries that only one of the nodes includes. */
function comparable(question: string, answer: unknown): unknown {
  if (question.startsWith('trace_replayBlock') && Array.isArray(answer))
    return answer.map((replay: Json) => ({
      ...replay,
      trace: withoutPrecompiles(replay.trace as unknown[]),
    }));
  if (question.startsWith('trace_') && Array.isArray(answer)) return withoutPrecompiles(answer);
  if (!Array.isArray(answer)) return answer;
  const calls = answer as readonly {
    readonly to?: string;
    readonly from?: string;
    readonly type?: unknown;
  }[];
  // Only Erigon lists creations and self-destructs here, and only Anvil lists calls of precompiles.
  if (question.startsWith('ots_traceTransaction'))
    return calls.filter(({ to, type }) => to !== PRECOMPILE && !/^(?:CREATE|SELF)/.test(String(type)));
  // Otterscan lists only internal operations of a transaction.
  if (question.startsWith('ots_getInternalOperations'))
    return calls.filter(({ from }) => from !== SCENE_SENDER);
  return answer;
}

let ours: TraceAnswers;
const { client, answers: recorded } = recordedTraces();

beforeAll(async () => {
  const chainOptions = { ruleSet: 'osaka', chainId: SCENE_CHAIN_ID, gasLimit: 30_000_000n } as const;
  const { call } = await createRpcHarness({ compat: 'anvil' }, chainOptions);
  ours = await playTraceScene(call);
});

describe('traces compared with Anvil', () => {
  it('traces equal the traces of Anvil except for explained differences', () => {
    expect(client).toBe('anvil/v1.7.1');
    expect(Object.keys(ours)).toEqual(Object.keys(recorded));
    const unexplained: Difference[] = [];
    const used = new Set<Explanation>();
    let compared = 0;
    for (const [question, theirs] of Object.entries(recorded)) {
      if (isMissing(question, theirs)) continue;
      compared++;
      for (const difference of differencesIn(
        question,
        comparable(question, ours[question]),
        comparable(question, theirs),
      )) {
        const explanation = EXPLANATIONS.find(({ explains }) => explains(difference));
        if (explanation === undefined) unexplained.push(difference);
        else used.add(explanation);
      }
    }
    expect(unexplained).toEqual([]);
    expect(EXPLANATIONS.filter((explanation) => !used.has(explanation))).toEqual([]);
    expect(compared).toBeGreaterThan(150);
  });

  it('traces exist for methods and tracers that Anvil does not have', () => {
    const missing = Object.entries(recorded).filter(([question, answer]) => isMissing(question, answer));
    expect(missing.length).toBeGreaterThan(30);
    for (const [question] of missing) {
      const answer = ours[question];
      expect(isObject(answer) && !('error' in answer && isObject(answer.error)), question).toBe(true);
    }
  });
});
