/** The view of a failed call, estimate or transaction by number. Log messages link to it. */

import type { ComponentChildren, JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { LINES_AT_ONCE, type ReadLines } from '../call-lines.ts';
import { client, headNumber } from '../chain.ts';
import { counted, grouped, numberOf, shown } from '../format.ts';
import type { Inspection } from '../inspection.ts';
import { CalledFunction } from '../parts/decoded.tsx';
import { WhyItFailed } from '../parts/failure/why-it-failed.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { useReadState } from '../parts/use-read.ts';
import {
  Address,
  Amount,
  BlockNumber,
  Empty,
  Facts,
  Hex,
  Loaded,
  TransactionHash,
} from '../parts/values.tsx';
import { pathTo, place as routed } from '../router.ts';
import { CallTree } from './transaction/call-tree.tsx';
import { CopyAs } from './transaction/copy-as.tsx';
import { RunAgain } from './transaction/run-again.tsx';

/** A failure in the result of `inspect_failures`; no inspection if the node can no longer execute it. */
type Kept = {
  readonly number: string;
  /** `null` for a transaction. */
  readonly method: string | null;
  readonly blockNumber: string;
  readonly transactionHash: string | null;
  /** Only for a deployment, without a page. */
  readonly initcode?: string;
} & (Inspection | { readonly [name in keyof Inspection]?: undefined });

/** A failure that the node can run again. */
type Runnable = Kept & Inspection;

interface Answer {
  /** The total number of failures on the chain. */
  readonly count: number;
  /** The number of the oldest failure that the node keeps; `null` if it keeps none. */
  readonly oldest: number | null;
  /** `null` if the node no longer keeps it. */
  readonly kept: Kept | null;
}

interface Failures {
  readonly count: string;
  readonly oldest: string | null;
  readonly failures: readonly Kept[];
}

/** Requests one failure. Without a page, its values are complete. */
function failuresAt(number: number, page: object | null): Promise<Failures> {
  return client.read<Failures>('inspect_failures', [1, number - 1, page, number + 1]);
}

async function readFailure(number: number): Promise<Answer> {
  const page = { first: 0, count: LINES_AT_ONCE, changes: false };
  const { count, oldest, failures } = await failuresAt(number, page);
  return {
    count: numberOf(count),
    oldest: oldest === null ? null : numberOf(oldest),
    kept: failures[0] ?? null,
  };
}

/** The reason why a failure cannot be shown. */
function Missing({
  number,
  count,
  oldest,
}: Pick<Answer, 'count' | 'oldest'> & { readonly number: number }): JSX.Element {
  const stored = oldest === null ? 'no failures' : `the failures ${oldest} to ${count}`;
  return (
    <Empty>
      {number > count
        ? `Failure ${number} not found; this chain has ${counted(count, 'failure')}.`
        : `Failure ${number} is no longer stored; the node stores ${stored}.`}
    </Empty>
  );
}

type FactRow = readonly [string, ComponentChildren];

/** Returns a function to request call lines of a failure. */
function linesOf(number: number): ReadLines {
  return async (page) => {
    const [kept] = (await failuresAt(number, page)).failures;
    if (kept?.call === undefined) throw new Error(`Failure ${number} is no longer stored`);
    return kept;
  };
}

/** Returns the gas limit of the message. A failed execution has no refund, so the rest is intrinsic gas. */
function gasLimitOf({ call, gasUsed }: Inspection): bigint {
  return BigInt(call.gas) + BigInt(gasUsed) - BigInt(call.gasUsed);
}

/**
 * Returns the block whose state a failure ran on. Only a call runs as part of the block that it names. A
 * transaction and an estimate run after the state of the block before.
 */
function stateAfterOf({ method, blockNumber }: Kept): number {
  const block = numberOf(blockNumber);
  // A call on the pending block names a block that may not exist yet.
  return Math.min(headNumber.peek(), method === 'eth_call' ? block : Math.max(0, block - 1));
}

/** The form that runs the failed call again, or the code that sends it. */
function Again({
  kept,
  ask,
  isCode,
}: {
  readonly kept: Runnable;
  readonly ask: ReadLines;
  readonly isCode: boolean;
}): JSX.Element {
  const { call } = kept;
  const isCreation = call.type.startsWith('CREATE');
  // The page of a failure cuts long data, and omits initcode.
  const asked = useReadState(async () => {
    if (!isCreation && !call.input.endsWith('…')) return call.input;
    const [whole] = (await failuresAt(numberOf(kept.number), null)).failures;
    const input = whole?.initcode ?? whole?.call?.input;
    if (input === undefined) throw new Error(`Failure ${numberOf(kept.number)} is no longer stored`);
    return input;
  }, [kept.number]);
  const first = {
    from: call.from.address,
    to: isCreation ? null : call.to.address,
    value: call.value,
  };
  const gas = `0x${gasLimitOf(kept).toString(16)}`;
  const isMined = kept.transactionHash !== null;
  return (
    <Loaded asked={asked}>
      {(input) =>
        isCode ? (
          <CopyAs fields={{ ...first, gas: isMined ? gas : null, input }} isCall={kindOf(kept) === 'call'} />
        ) : (
          <RunAgain
            first={{ ...first, gas, input, stateAfter: stateAfterOf(kept) }}
            inspection={kept}
            ask={ask}
          />
        )
      }
    </Loaded>
  );
}

/** The tabs of a failure, by name in the URL. */
const TABS = { calls: 'Calls', again: 'Run again', copy: 'Copy as' } as const;

function FailureTabs({ kept }: { readonly kept: Runnable }): JSX.Element {
  const number = numberOf(kept.number);
  const tab = routed.value.query.get('show') ?? 'calls';
  const ask = useMemo(() => linesOf(number), [number]);
  const tabs = Object.entries(TABS).map(([name, title]) => ({
    name,
    title,
    path: pathTo('failure', String(number), { show: name }),
  }));
  return (
    <>
      <Tabs label="Failure details" tabs={tabs} current={tab} isInner />
      {tab === 'again' || tab === 'copy' ? (
        <Again kept={kept} ask={ask} isCode={tab === 'copy'} />
      ) : (
        <CallTree first={kept} ask={ask} />
      )}
    </>
  );
}

function callRows({ call, gasUsed }: Pick<Inspection, 'call' | 'gasUsed'>): FactRow[] {
  const { from, to, value, gas, input } = call;
  const isCreation = call.type.startsWith('CREATE');
  const called: FactRow[] =
    call.call === null ? [] : [['Call', <CalledFunction key="call" entry={call.call} to={to.address} />]];
  return [
    ['From', <Address key="from" address={from.address} name={from.name} isWhole />],
    [isCreation ? 'Created' : 'To', <Address key="to" address={to.address} name={to.name} isWhole />],
    ...called,
    ['Value', <Amount key="value" wei={BigInt(value)} />],
    ['Gas used', `${grouped(BigInt(gasUsed))} gas`],
    [
      'Gas limit',
      <span key="gas">
        {grouped(BigInt(gas))} gas <span class="faint">without intrinsic gas</span>
      </span>,
    ],
    ['Input', <Hex key="input" hex={input} digits={30} />],
  ];
}

function kindOf({ method, transactionHash }: Kept): string {
  if (transactionHash !== null) return 'transaction';
  return method === 'eth_estimateGas' ? 'estimate' : 'call';
}

function isRunnable(kept: Kept): kept is Runnable {
  return kept.call !== undefined;
}

function Shown({ kept, count }: { readonly kept: Kept; readonly count: number }): JSX.Element {
  const { number, method, blockNumber, transactionHash } = kept;
  const rows: FactRow[] = [
    [
      'Number',
      `${grouped(numberOf(number))} of ${grouped(count)} failed calls, estimates and transactions of this chain`,
    ],
    ...(method === null ? [] : [['Method', <code key="method">{shown(method, 80)}</code>] as const]),
    ['Block', <BlockNumber key="block" number={numberOf(blockNumber)} />],
  ];
  return (
    <>
      {isRunnable(kept) ? (
        <WhyItFailed
          inspection={kept}
          target={numberOf(number)}
          again={pathTo('failure', String(numberOf(number)), { show: 'again' })}
        />
      ) : (
        <Empty>This failure cannot be executed again: the chain now forks another chain.</Empty>
      )}
      {transactionHash === null ? null : (
        <p>
          Transaction <TransactionHash hash={transactionHash} isWhole />
        </p>
      )}
      <Facts rows={isRunnable(kept) ? [...rows, ...callRows(kept)] : rows} />
      {isRunnable(kept) ? <FailureTabs kept={kept} /> : null}
    </>
  );
}

/** The failure whose number is in the URL. */
export function RecentFailure({ subject }: { readonly subject: string }): JSX.Element {
  const number = /^[1-9]\d{0,14}$/.test(subject) ? Number(subject) : null;
  const asked = useReadState(async () => (number === null ? null : readFailure(number)), [number]);
  const kept = asked.value?.kept ?? null;
  return (
    <>
      <h1>
        Failure {number === null ? null : number}{' '}
        {kept === null ? null : <span class="tag bad">{kindOf(kept)}</span>}
      </h1>
      {number === null ? (
        <Empty>Invalid failure number “{shown(subject, 80)}”: expected a whole number from 1.</Empty>
      ) : (
        <Loaded asked={asked}>
          {(answer) => {
            if (answer === null) return null;
            return answer.kept === null ? (
              <Missing number={number} count={answer.count} oldest={answer.oldest} />
            ) : (
              <Shown kept={answer.kept} count={answer.count} />
            );
          }}
        </Loaded>
      )}
    </>
  );
}
