/** One transaction: what it did, decoded, and code that sends it again. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type AskLines, LINES_AT_ONCE } from '../call-lines.ts';
import { chainUrl, client } from '../chain.ts';
import { grouped, numberOf, shown } from '../format.ts';
import type { DecodedEntry, Inspection } from '../inspection.ts';
import { outcomeOf } from '../outcome.ts';
import { Parameters, WhyItFailed } from '../parts/decoded.tsx';
import { type Asked, useAsked, useRead } from '../parts/use-read.ts';
import {
  Address,
  Amount,
  BlockNumber,
  Code,
  Copy,
  Empty,
  Facts,
  Hex,
  Loaded,
  Time,
} from '../parts/values.tsx';
import { pathTo, place as routed } from '../router.ts';
import { codesOf, type SentFields } from '../sent-again.ts';
import { CallTree } from './transaction/call-tree.tsx';
import { Changes } from './transaction/changes.tsx';
import { FlameGraph } from './transaction/flame-graph.tsx';
import { RunAgain } from './transaction/run-again.tsx';
import { SourceSteps } from './transaction/source-steps.tsx';

/** The transaction for several clients. */
export function CopyAs({ fields }: { readonly fields: SentFields }): JSX.Element {
  const [client, choose] = useState('viem');
  const codes = codesOf(fields, chainUrl);
  const code = codes[client] ?? '';
  return (
    <>
      <div class="filters" role="toolbar" aria-label="Client">
        {Object.keys(codes).map((name) => (
          <button key={name} type="button" aria-pressed={name === client} onClick={() => choose(name)}>
            {name}
          </button>
        ))}
        <Copy text={code} label="Copy the code" />
      </div>
      <Code label="The code" text={code.length > 4_000 ? `${code.slice(0, 4_000)}…` : code} />
    </>
  );
}

interface TransactionFacts {
  readonly hash: string;
  readonly from: string;
  readonly to: string | null;
  readonly value: string;
  readonly gas: string;
  readonly gasPrice?: string;
  readonly nonce: string;
  readonly input: string;
  readonly type?: string;
  readonly blockNumber: string | null;
}

/** The tabs of a transaction, by their names in the address. */
const TABS = {
  calls: 'Calls',
  changes: 'Changes',
  source: 'Source',
  gas: 'Gas',
  again: 'Run again',
  copy: 'Copy as',
} as const;

/** Returns what asks for lines of the calls of a transaction. */
function linesOf(hash: string): AskLines {
  return (page) => client.read<Inspection>('inspect_transaction', [hash, page]);
}

function TransactionTabs({
  transaction,
  inspection,
}: {
  readonly transaction: TransactionFacts;
  readonly inspection: Asked<Inspection | null>;
}): JSX.Element {
  const tab = routed.value.query.get('show') ?? 'calls';
  const ask = linesOf(transaction.hash);
  return (
    <>
      <nav class="tabs inner" aria-label="What happened">
        {Object.entries(TABS).map(([name, title]) => (
          <a
            key={name}
            href={pathTo('tx', transaction.hash, { show: name })}
            aria-current={tab === name ? 'page' : undefined}
          >
            {title}
          </a>
        ))}
      </nav>
      {tab === 'source' ? (
        <SourceSteps hash={transaction.hash} />
      ) : tab === 'copy' ? (
        <CopyAs fields={transaction} />
      ) : (
        <Loaded asked={inspection}>
          {(run) =>
            run === null ? null : tab === 'gas' ? (
              <FlameGraph hash={transaction.hash} ask={ask} />
            ) : tab === 'again' ? (
              <RunAgain first={transaction} inspection={run} ask={ask} />
            ) : tab === 'changes' ? (
              run.changes == null ? (
                <Empty>Nothing is told of changes.</Empty>
              ) : (
                <Changes changes={run.changes} omitted={run.omitted} />
              )
            ) : (
              <CallTree first={run} ask={ask} />
            )
          }
        </Loaded>
      )}
    </>
  );
}

/** A call, or the constructor of a creation, with its arguments. */
function Called({ entry: { name, parameters } }: { readonly entry: DecodedEntry }): JSX.Element {
  return (
    <span>
      <b>{shown(name, 80)}</b>
      <Parameters parameters={parameters} />
    </span>
  );
}

/** The view of a transaction by its hash. */
export function Transaction({ subject: hash }: { readonly subject: string }): JSX.Element {
  const asked = useRead<TransactionFacts | null>('eth_getTransactionByHash', [hash]);
  const outcome = useAsked(() => outcomeOf(hash), [hash]);
  const block = useRead<{ readonly timestamp: string } | null>('eth_getBlockByNumber', [
    asked.value?.blockNumber ?? 'latest',
    false,
  ]);
  // The transaction is run again for it: it is asked for once, when it is known to be mined.
  const status = outcome.value?.failed;
  const inspection = useAsked<Inspection | null>(
    async () => (status === undefined ? null : linesOf(hash)({ first: 0, count: LINES_AT_ONCE })),
    [hash, status],
  );
  return (
    <Loaded asked={asked}>
      {(transaction) => {
        if (transaction === null)
          return (
            <>
              <h1>Transaction</h1>
              <Empty>
                There is no transaction {shown(hash, 80)} on this chain. Where there was one, it left the
                chain with its block, or it is on another lane.
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
                <span class="tag">pending</span>
              ) : mined.failed ? (
                <span class="tag bad">failed</span>
              ) : (
                <span class="tag good">succeeded</span>
              )}
            </h1>
            {inspection.value == null ? null : <WhyItFailed inspection={inspection.value} />}
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
                        <Time seconds={numberOf(block.value.timestamp)} isWhole />
                      )}
                    </span>
                  ),
                ],
                ['From', <Address key="from" address={transaction.from} isWhole />],
                transaction.to === null
                  ? [
                      'Created',
                      created === null ? 'a contract' : <Address key="created" address={created} isWhole />,
                    ]
                  : [
                      'To',
                      <Address
                        key="to"
                        address={transaction.to}
                        name={inspection.value?.call.to.name ?? null}
                        isWhole
                      />,
                    ],
                ...(inspection.value?.call.call == null
                  ? []
                  : [['Call', <Called key="call" entry={inspection.value.call.call} />] as const]),
                ['Value', <Amount key="value" wei={BigInt(transaction.value)} />],
                [
                  'Gas',
                  mined === null
                    ? `limit ${grouped(numberOf(transaction.gas))}`
                    : `${grouped(numberOf(mined.gasUsed))} of ${grouped(numberOf(transaction.gas))}`,
                ],
                ['Nonce', String(numberOf(transaction.nonce))],
                ['Input', <Hex key="input" hex={transaction.input} />],
              ]}
            />
            {mined === null ? null : <TransactionTabs transaction={transaction} inspection={inspection} />}
          </>
        );
      }}
    </Loaded>
  );
}
