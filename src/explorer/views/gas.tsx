/** The gas of the chain: by block, by function over time, and as a report. */

import type { JSX } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { client, moment } from '../chain.ts';
import { blockText, counted, errorText, grouped, shown } from '../format.ts';
import {
  type FunctionLine,
  functionLines,
  type GasHistory,
  GasReader,
  MAX_IN_BLOCK,
} from '../gas-history.ts';
import { type GasReport, reportOf } from '../gas-report.ts';
import { Plot } from '../parts/plot.tsx';
import { LONG_PAUSE, useCalmHead, useReadState } from '../parts/use-read.ts';
import { Empty, Loaded } from '../parts/values.tsx';
import { go, pathOn, pathTo } from '../router.ts';
import { RpcError } from '../rpc/client.ts';
import { ReportTable } from './gas/report.tsx';

/** Blocks per page. */
const BLOCKS = 100;
/** Maximum lines in the plot of several functions. */
const MAX_LINES = 5;

const toBlock = (block: number): void => go(pathTo('block', String(block)));

function ByFunction({
  history,
  isLogarithmic,
}: {
  readonly history: GasHistory;
  readonly isLogarithmic: boolean;
}): JSX.Element | null {
  const [chosen, choose] = useState('');
  const id = useId();
  const lines = functionLines(history);
  // Deployments use so much gas that other lines would be flat.
  const calls = lines.filter(({ isCreation }) => !isCreation);
  const several = (calls.length === 0 ? lines : calls).slice(0, MAX_LINES);
  if (lines.length === 0) return null;
  const one = lines.find(({ label }) => label === chosen);
  const drawn: readonly FunctionLine[] = one === undefined ? several : [one];
  return (
    <section aria-label="Gas by function over time">
      <h2>Gas by function</h2>
      <div class="field">
        <label for={id}>Average gas per call and block of</label>
        <select id={id} value={chosen} onChange={(event) => choose(event.currentTarget.value)}>
          <option value="">
            {several.length === 1
              ? 'the only function'
              : `the ${grouped(several.length)} functions with the most gas`}
          </option>
          {lines.slice(0, 500).map(({ label, calls }) => (
            <option key={label} value={label}>
              {shown(label, 60)} ({counted(calls, 'call')})
            </option>
          ))}
        </select>
      </div>
      <Plot
        label={`Gas of ${drawn.map(({ label }) => shown(label, 60)).join(', ')} by block; the table below contains the values`}
        blocks={history.blocks.map(({ number }) => number)}
        series={drawn}
        isLogarithmic={isLogarithmic}
        onChoose={toBlock}
      />
    </section>
  );
}

function Plots({
  history,
  onOlder,
}: {
  readonly history: GasHistory;
  readonly onOlder: () => void;
}): JSX.Element {
  const { blocks, omitted, hasOlder } = history;
  const [isLogarithmic, setLogarithmic] = useState(false);
  const [first] = blocks;
  const last = blocks.at(-1);
  if (first === undefined || last === undefined) return <Empty>No transactions yet</Empty>;
  return (
    <>
      <section aria-label="Gas by block">
        <h2>Gas by block</h2>
        <p>
          <label>
            <input
              type="checkbox"
              checked={isLogarithmic}
              onChange={(event) => setLogarithmic(event.currentTarget.checked)}
            />{' '}
            Logarithmic scale
          </label>
        </p>
        <Plot
          label={`Gas used by ${counted(blocks.length, 'block')} with transactions, ${blockText(first.number)} to ${blockText(last.number)}`}
          blocks={blocks.map(({ number }) => number)}
          series={[{ label: 'Gas used', values: blocks.map(({ gasUsed }) => gasUsed) }]}
          isBars
          isLogarithmic={isLogarithmic}
          onChoose={toBlock}
        />
        <p class="faint">
          {blocks.length === 1
            ? `Block ${blockText(first.number)}. `
            : `${grouped(blocks.length)} blocks with transactions, ${blockText(first.number)} to ${blockText(last.number)}. `}
          {hasOlder ? (
            <button type="button" onClick={onOlder}>
              Show older blocks
            </button>
          ) : null}
        </p>
      </section>
      <ByFunction history={history} isLogarithmic={isLogarithmic} />
      {omitted === 0 ? null : (
        <p class="faint">
          {counted(omitted, 'transaction')} not shown: only the last {MAX_IN_BLOCK} transactions of each block
          are read.
        </p>
      )}
    </>
  );
}

function Lanes({ report: { lanes, hasMoreLanes } }: { readonly report: GasReport }): JSX.Element | null {
  const others = lanes.flatMap(({ lane, transactions }) => (lane === null ? [] : [{ lane, transactions }]));
  if (others.length === 0) return null;
  return (
    <>
      <h2>Lanes</h2>
      <ul class="plain">
        {others.map(({ lane, transactions }) => (
          <li key={lane}>
            <a href={pathOn(lane, 'gas')}>{shown(lane, 60)}</a>{' '}
            <span class="faint">
              {counted(transactions?.calls ?? 0, 'transaction')}, {grouped(transactions?.total ?? 0)} gas
            </span>
          </li>
        ))}
        {hasMoreLanes ? (
          <li class="faint">Further lanes are not listed, but included in the totals</li>
        ) : null}
      </ul>
    </>
  );
}

/** The gas report, or the reason why there is none. */
type Measured = { readonly report: GasReport } | { readonly reason: string };

async function measured(): Promise<Measured> {
  try {
    return { report: await client.read<GasReport>('inspect_gasReport') };
  } catch (error) {
    if (error instanceof RpcError) return { reason: errorText(error) };
    throw error;
  }
}

function Report({ history }: { readonly history: GasHistory | undefined }): JSX.Element {
  const head = useCalmHead();
  const asked = useReadState(measured, [head]);
  return (
    <section aria-label="Report">
      <h2>Report</h2>
      <Loaded asked={asked}>
        {(answer) => {
          if ('report' in answer)
            return answer.report.transactions === null ? (
              <Empty>No transactions measured yet</Empty>
            ) : (
              <>
                <p class="faint">
                  All transactions since the node started, including transactions in reverted blocks.
                </p>
                <ReportTable report={answer.report} />
                <Lanes report={answer.report} />
              </>
            );
          return (
            <>
              <p>
                This report covers only the transactions in the blocks above, without internal calls and code
                sizes: {shown(answer.reason, 300)}
              </p>
              {history === undefined || history.calls.length === 0 ? null : (
                <ReportTable report={reportOf(history.calls)} />
              )}
            </>
          );
        }}
      </Loaded>
    </section>
  );
}

export function Gas(): JSX.Element {
  const [count, setCount] = useState(BLOCKS);
  const reader = useRef(new GasReader());
  const head = useCalmHead(LONG_PAUSE);
  const until = moment.value;
  const asked = useReadState(() => reader.current.read(count, until), [count, until, head]);
  return (
    <>
      <h1>Gas</h1>
      <Loaded asked={asked}>
        {(history) => <Plots history={history} onOlder={() => setCount(count + BLOCKS)} />}
      </Loaded>
      <Report history={asked.value} />
    </>
  );
}
