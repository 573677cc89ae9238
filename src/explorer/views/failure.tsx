/** The view of a failed call, estimate or transaction by number. Log messages link to it. */

import type { ComponentChildren, JSX } from 'preact';
import { client } from '../chain.ts';
import { counted, grouped, numberOf, shown } from '../format.ts';
import type { Inspection } from '../inspection.ts';
import { Parameters, WhyItFailed } from '../parts/decoded.tsx';
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

type Inspected = Pick<Inspection, 'call' | 'gasUsed' | 'failure' | 'stackTrace'>;

/** A failure in the result of `inspect_failures`; no inspection if the node can no longer execute it. */
type Kept = {
  readonly number: string;
  /** `null` for a transaction. */
  readonly method: string | null;
  readonly blockNumber: string;
  readonly transactionHash: string | null;
} & (Inspected | { readonly [name in keyof Inspected]?: undefined });

interface Answer {
  /** The total number of failures on the chain. */
  readonly count: number;
  /** The number of the oldest failure that the node keeps; `null` if it keeps none. */
  readonly oldest: number | null;
  /** `null` if the node no longer keeps it. */
  readonly kept: Kept | null;
}

async function readFailure(number: number): Promise<Answer> {
  const { count, oldest, failures } = await client.read<{
    readonly count: string;
    readonly oldest: string | null;
    readonly failures: readonly Kept[];
  }>('inspect_failures', [1, number - 1, null, number + 1]);
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

function callRows({ call, gasUsed }: Pick<Inspected, 'call' | 'gasUsed'>): FactRow[] {
  const { from, to, value, gas, input } = call;
  const isCreation = call.type.startsWith('CREATE');
  const called: FactRow[] =
    call.call === null
      ? []
      : [
          [
            'Call',
            <span key="call">
              <b>{shown(call.call.name, 80)}</b>
              <Parameters parameters={call.call.parameters} />
            </span>,
          ],
        ];
  return [
    ['From', <Address key="from" address={from.address} name={from.name} isWhole />],
    [isCreation ? 'Created' : 'To', <Address key="to" address={to.address} name={to.name} isWhole />],
    ...called,
    ['Value', <Amount key="value" wei={BigInt(value)} />],
    ['Gas used', `${grouped(BigInt(gasUsed))} gas`],
    ['Gas limit for execution (without intrinsic gas)', `${grouped(BigInt(gas))} gas`],
    ['Input', <Hex key="input" hex={input} digits={30} />],
  ];
}

function Shown({
  kept: { number, method, blockNumber, transactionHash, call, gasUsed, failure, stackTrace },
  count,
}: {
  readonly kept: Kept;
  readonly count: number;
}): JSX.Element {
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
      {transactionHash === null ? null : (
        <p>
          Transaction <TransactionHash hash={transactionHash} isWhole />
        </p>
      )}
      {call === undefined ? (
        <>
          <Empty>This failure cannot be executed again: the chain now forks another chain.</Empty>
          <Facts rows={rows} />
        </>
      ) : (
        <>
          <WhyItFailed inspection={{ failure, stackTrace, omitted: {} }} />
          <Facts rows={[...rows, ...callRows({ call, gasUsed })]} />
        </>
      )}
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
        {kept === null ? null : (
          <span class="tag bad">{kept.transactionHash === null ? 'call' : 'transaction'}</span>
        )}
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
