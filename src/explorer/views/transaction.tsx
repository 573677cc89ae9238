/** The view of a transaction: its decoded execution, and code to send it again. */

import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { headNumber } from '../chain.ts';
import { targetPlace } from '../execution-target.ts';
import { grouped, numberOf, shown } from '../format.ts';
import { outcomeOf } from '../outcome.ts';
import { BridgeReport } from '../parts/bridge.tsx';
import { CalledFunction } from '../parts/decoded.tsx';
import { WhyItFailed } from '../parts/failure/why-it-failed.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { type ReadState, useCalmHead, useRead, useReadState } from '../parts/use-read.ts';
import { Address, Age, Amount, BlockNumber, Empty, Facts, Hex, Loaded } from '../parts/values.tsx';
import { pathTo, place as routed } from '../router.ts';
import { CallTree } from './transaction/call-tree.tsx';
import { Changes } from './transaction/changes.tsx';
import { CopyAs } from './transaction/copy-as.tsx';
import {
  type Execution,
  executionAhead,
  executionOf,
  type TransactionFacts,
} from './transaction/execution.ts';
import { FlameGraph } from './transaction/flame-graph.tsx';
import { RunAgain } from './transaction/run-again.tsx';
import { SourceSteps } from './transaction/source-steps.tsx';

/** The tabs of a transaction, by name in the URL. The debug view has its own page. */
const TABS = {
  calls: 'Calls',
  changes: 'Changes',
  source: 'Source',
  debug: 'Debug',
  gas: 'Gas',
  again: 'Run again',
  copy: 'Copy as',
} as const;

function TransactionTabs({
  transaction,
  execution,
}: {
  readonly transaction: TransactionFacts;
  readonly execution: ReadState<Execution | null>;
}): JSX.Element {
  const tab = routed.value.query.get('show') ?? 'calls';
  // Only transactions in a block have steps. A simulated call has none.
  const hasSteps = execution.value?.isOfBlock !== false;
  const tabs = Object.entries(TABS)
    .filter(([name]) => (name !== 'source' && name !== 'debug') || hasSteps)
    .map(([name, title]) => ({
      name,
      title,
      path:
        name === 'debug'
          ? pathTo('debug', targetPlace(transaction.hash).subject)
          : pathTo('tx', transaction.hash, { show: name }),
    }));
  return (
    <>
      <Tabs label="Transaction details" tabs={tabs} current={tab} isInner />
      {tab === 'source' && hasSteps ? (
        <SourceSteps hash={transaction.hash} />
      ) : tab === 'copy' ? (
        <CopyAs fields={transaction} />
      ) : (
        <Loaded asked={execution}>
          {(run) => {
            if (run === null) return null;
            const { inspection, ask } = run;
            if (tab === 'gas') return <FlameGraph hash={transaction.hash} ask={ask} />;
            if (tab === 'again') {
              const { blockNumber } = transaction;
              const stateAfter =
                blockNumber === null ? headNumber.peek() : Math.max(0, numberOf(blockNumber) - 1);
              return <RunAgain first={{ ...transaction, stateAfter }} inspection={inspection} ask={ask} />;
            }
            if (tab !== 'changes') return <CallTree first={inspection} ask={ask} />;
            if (inspection.changes == null) return <Empty>State changes not available</Empty>;
            return <Changes changes={inspection.changes} omitted={inspection.omitted} />;
          }}
        </Loaded>
      )}
    </>
  );
}

/** The titles of the fee fields, by field name. */
const FEES = {
  gasPrice: 'Gas price',
  maxFeePerGas: 'Max fee per gas',
  maxPriorityFeePerGas: 'Max priority fee per gas',
  maxFeePerBlobGas: 'Max fee per blob gas',
} as const;

/**
 * The rows of the fee fields. For a transaction with a fee cap, `gasPrice` is the effective price: as mined,
 * or at the current base fee.
 */
function feeRows(transaction: TransactionFacts): (readonly [string, JSX.Element])[] {
  return Object.entries(FEES).flatMap(([name, title]) => {
    const wei = transaction[name as keyof typeof FEES];
    return wei === undefined ? [] : [[title, <Amount key={name} wei={BigInt(wei)} isPrice />] as const];
  });
}

/** The notice that a pending transaction is simulated. */
function Ahead({ execution }: { readonly execution: Execution }): JSX.Element {
  return (
    <p class="faint" role="note">
      {execution.isOfBlock
        ? 'Not mined yet. The details below are a simulation of the next block.'
        : 'Not part of the next block: an earlier nonce is missing, or the block is full. The details below are a simulation on the latest block.'}
    </p>
  );
}

export function Transaction({ subject: hash }: { readonly subject: string }): JSX.Element {
  const [isWaiting, setWaiting] = useState(false);
  const newest = useCalmHead();
  // A mined transaction does not change. The simulation of a pending one depends on the latest block.
  const since = isWaiting ? newest : null;
  const asked = useRead<TransactionFacts | null>('eth_getTransactionByHash', [hash], [since]);
  const transactionBlock = asked.value?.blockNumber;
  useEffect(() => setWaiting(transactionBlock === null), [transactionBlock]);
  const outcome = useReadState(() => outcomeOf(hash), [hash, transactionBlock]);
  const block = useRead<{ readonly timestamp: string } | null>('eth_getBlockByNumber', [
    asked.value?.blockNumber ?? 'latest',
    false,
  ]);
  // Requesting the execution runs the transaction again, so wait until it is known whether it is mined.
  const found = asked.value ?? null;
  const execution = useReadState<Execution | null>(async () => {
    if (found === null) return null;
    return found.blockNumber === null ? executionAhead(found) : executionOf(found);
  }, [hash, found === null, transactionBlock, since]);
  const inspection = execution.value?.inspection ?? null;
  return (
    <Loaded asked={asked}>
      {(transaction) => {
        if (transaction === null)
          return (
            <>
              <h1>Transaction</h1>
              <Empty>
                Transaction {shown(hash, 80)} not found. A revert may have removed it, or it is on another
                lane.
              </Empty>
            </>
          );
        const mined = outcome.value ?? null;
        const created = mined?.contractAddress ?? null;
        return (
          <>
            <h1>
              Transaction{' '}
              {mined === null ? (
                // If the transaction is mined, its outcome is still loading.
                transaction.blockNumber === null && <span class="tag">pending</span>
              ) : mined.failed ? (
                <span class="tag bad">failed</span>
              ) : (
                <span class="tag good">succeeded</span>
              )}
            </h1>
            {inspection === null ? null : (
              <WhyItFailed
                inspection={inspection}
                target={execution.value?.target ?? null}
                again={pathTo('tx', transaction.hash, { show: 'again' })}
                label={mined === null ? 'Predicted failure' : 'Failure'}
                above={mined === null ? <h2>Would fail</h2> : null}
              />
            )}
            <Facts
              rows={[
                ['Hash', <Hex key="hash" hex={transaction.hash} />],
                [
                  'Block',
                  transaction.blockNumber === null ? (
                    'not mined yet'
                  ) : (
                    <span key="block">
                      <BlockNumber number={numberOf(transaction.blockNumber)} />{' '}
                      {block.value == null ? null : (
                        <Age
                          block={numberOf(transaction.blockNumber)}
                          seconds={numberOf(block.value.timestamp)}
                          isWhole
                        />
                      )}
                    </span>
                  ),
                ],
                ['From', <Address key="from" address={transaction.from} isWhole />],
                transaction.to === null
                  ? [
                      'Created',
                      created === null ? (
                        'contract'
                      ) : (
                        <Address
                          key="created"
                          address={created}
                          name={inspection?.call.to.name ?? null}
                          isWhole
                        />
                      ),
                    ]
                  : [
                      'To',
                      <Address
                        key="to"
                        address={transaction.to}
                        name={inspection?.call.to.name ?? null}
                        isWhole
                      />,
                    ],
                ...(inspection?.call.call == null
                  ? []
                  : [
                      [
                        'Call',
                        <CalledFunction
                          key="call"
                          entry={inspection.call.call}
                          to={inspection.call.to.address}
                        />,
                      ] as const,
                    ]),
                ['Value', <Amount key="value" wei={BigInt(transaction.value)} />],
                [
                  'Gas',
                  mined === null
                    ? `limit ${grouped(numberOf(transaction.gas))} gas`
                    : `${grouped(numberOf(mined.gasUsed))} of ${grouped(numberOf(transaction.gas))} gas`,
                ],
                ...feeRows(transaction),
                ['Nonce', grouped(numberOf(transaction.nonce))],
                ['Input', <Hex key="input" hex={transaction.input} digits={30} />],
              ]}
            />
            {inspection === null ? null : <BridgeReport lines={inspection.lines} />}
            {mined !== null || execution.value == null ? null : <Ahead execution={execution.value} />}
            <TransactionTabs transaction={transaction} execution={execution} />
          </>
        );
      }}
    </Loaded>
  );
}
