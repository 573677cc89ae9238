import type { ComponentChildren, JSX } from 'preact';
import { client, facts, headNumber } from '../chain.ts';
import { blockText, byteSize, counted, grouped, numberOf } from '../format.ts';
import { isRootstock } from '../mined-block.ts';
import { type Outcome, outcomeOfReceipt, type Receipt, receivedOutcome } from '../outcome.ts';
import { Table } from '../parts/table.tsx';
import { useReadState } from '../parts/use-read.ts';
import {
  Address,
  Age,
  Amount,
  BlockNumber,
  Empty,
  Facts,
  Hex,
  Loaded,
  NoBlock,
  Text,
  TransactionHash,
} from '../parts/values.tsx';
import { pathTo } from '../router.ts';

interface BlockTransaction {
  readonly hash: string;
  readonly from: string;
  readonly to: string | null;
  readonly input: string;
}

type FullBlock = Readonly<Record<string, unknown>> & {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: string;
  readonly miner: string;
  readonly difficulty: string;
  readonly gasUsed: string;
  readonly gasLimit: string;
  readonly size: string;
  readonly stateRoot: string;
  readonly transactions: readonly BlockTransaction[];
  readonly uncles: readonly string[];
};

const MAX_SHOWN = 500;
/** Transactions per request of names. */
const NAMED_AT_ONCE = 200;

/** The outcome of a transaction, and its decoded call. */
type Named = Outcome & { readonly subject?: string | null };

interface NamedPage {
  readonly transactions: readonly Named[];
  readonly next: { readonly blockNumber: string; readonly transactionIndex: string } | null;
}

/** Resolves to the outcomes and decoded calls of a block's first transactions, by hash. */
async function namedOf({ number, hash, transactions }: FullBlock): Promise<ReadonlyMap<string, Named>> {
  const named = new Map<string, Named>();
  const last = Math.min(transactions.length, MAX_SHOWN) - 1;
  let place: NamedPage['next'] = {
    blockNumber: number,
    transactionIndex: `0x${Math.max(0, last).toString(16)}`,
  };
  let left = last + 1;
  while (place?.blockNumber === number && left > 0) {
    const count = Math.min(NAMED_AT_ONCE, left);
    const page: NamedPage = await client.read('inspect_transactions', [{}, place, count]);
    for (const transaction of page.transactions) named.set(transaction.hash, transaction);
    place = page.next;
    left -= count;
  }
  // The list omits REMASC payments and blocks from before a fork.
  const missing = transactions.slice(0, MAX_SHOWN).filter((transaction) => !named.has(transaction.hash));
  const [only] = missing;
  if (missing.length === 1 && only !== undefined) {
    const outcome = await receivedOutcome(only.hash);
    if (outcome !== null) named.set(only.hash, outcome);
  } else if (missing.length > 1) {
    const receipts = await client.read<readonly Receipt[] | null>('eth_getBlockReceipts', [hash]);
    for (const outcome of (receipts ?? []).map(outcomeOfReceipt)) named.set(outcome.hash, outcome);
  }
  return named;
}

/** The call of a transaction: decoded if known, otherwise its selector, or `transfer` without data. */
function Called({
  subject,
  transaction: { to, input },
}: {
  readonly subject: string | null | undefined;
  readonly transaction: BlockTransaction;
}): JSX.Element | null {
  if (subject != null) return <Text text={subject} longest={200} />;
  if (to === null) return null;
  return input === '0x' ? <>transfer</> : <code>{input.slice(0, 10)}</code>;
}

function Transactions({ block }: { readonly block: FullBlock }): JSX.Element {
  const { value: named } = useReadState(() => namedOf(block), [block.hash]);
  if (block.transactions.length === 0) return <Empty>No transactions</Empty>;
  return (
    <div class="scrolled">
      <Table columns={['Transaction', 'Call', 'From', 'To', { number: 'Gas used' }, 'Outcome']}>
        {block.transactions.slice(0, MAX_SHOWN).map((transaction) => {
          const { hash, from, to } = transaction;
          const known = named?.get(hash);
          return (
            <tr key={hash}>
              <td>
                <TransactionHash hash={hash} />
              </td>
              <td class="call">
                <Called subject={known?.subject} transaction={transaction} />
              </td>
              <td>
                <Address address={from} />
              </td>
              <td>{to === null ? 'creation' : <Address address={to} />}</td>
              <td class="number">{known === undefined ? '' : grouped(BigInt(known.gasUsed))}</td>
              <td>{known === undefined ? '' : known.failed ? <b class="reason">failed</b> : 'succeeded'}</td>
            </tr>
          );
        })}
      </Table>
      {block.transactions.length > MAX_SHOWN ? (
        <p class="faint">{counted(block.transactions.length - MAX_SHOWN, 'more transaction')} not shown</p>
      ) : null}
    </div>
  );
}

/** Fields that the view already shows, or that are not useful. */
const KNOWN = new Set([
  'number',
  'hash',
  'parentHash',
  'timestamp',
  'miner',
  'gasUsed',
  'gasLimit',
  'size',
  'stateRoot',
  'transactions',
  'uncles',
  'logsBloom',
]);

/** The header fields in wei; true for a price of gas. */
const WEI_FIELDS: Readonly<Record<string, boolean>> = {
  baseFeePerGas: true,
  minimumGasPrice: true,
  paidFees: false,
};

/** Returns the value of a header field: an amount of wei in its unit, other data as hexadecimal digits. */
function fieldValue(name: string, value: unknown): ComponentChildren {
  const text = String(value);
  const isPrice = WEI_FIELDS[name];
  if (!text.startsWith('0x')) return text;
  return isPrice === undefined ? (
    <Hex key={name} hex={text} />
  ) : (
    <Amount key={name} wei={BigInt(text)} isPrice={isPrice} />
  );
}

/** The block of the URL: a hash, a number or a tag. */
const HASH = /^0x[0-9a-fA-F]{64}$/;
const NUMBER = /^\d{1,15}$/;
const TAG = /^(?:earliest|latest)$/;

/** The view of a block: its fields and transactions. */
export function Block({ subject }: { readonly subject: string }): JSX.Element {
  const asked = useReadState<FullBlock | null>(() => {
    if (HASH.test(subject)) return client.read('eth_getBlockByHash', [subject, true]);
    if (NUMBER.test(subject))
      return client.read('eth_getBlockByNumber', [`0x${Number(subject).toString(16)}`, true]);
    if (TAG.test(subject)) return client.read('eth_getBlockByNumber', [subject, true]);
    return Promise.resolve(null);
    // Request a missing block again after the chain has reached it.
  }, [subject, facts.value?.genesisHash, NUMBER.test(subject) && Number(subject) <= headNumber.value]);
  return (
    <Loaded asked={asked}>
      {(block) => {
        if (block === null)
          return (
            <>
              <h1>Block</h1>
              <NoBlock subject={subject} newest={pathTo('block', 'latest')} />
            </>
          );
        const number = numberOf(block.number);
        const more = Object.entries(block).filter(
          ([name, value]) => !KNOWN.has(name) && (typeof value === 'string' || typeof value === 'number'),
        );
        return (
          <>
            <h1>
              Block {blockText(number)}{' '}
              <span class="steps">
                {number === 0 ? null : <a href={pathTo('block', String(number - 1))}>‹ previous</a>}{' '}
                {number >= headNumber.value ? (
                  <span class="faint">next ›</span>
                ) : (
                  <a href={pathTo('block', String(number + 1))}>next ›</a>
                )}
              </span>
            </h1>
            <Facts
              rows={[
                ['Hash', <Hex key="hash" hex={block.hash} />],
                [
                  'Parent',
                  number === 0 ? (
                    <Hex key="parent" hex={block.parentHash} />
                  ) : (
                    <BlockNumber key="parent" number={number - 1} />
                  ),
                ],
                ['Time', <Age key="time" block={number} seconds={numberOf(block.timestamp)} isWhole />],
                ['Miner', <Address key="miner" address={block.miner} isWhole />],
                ['Gas', `${grouped(BigInt(block.gasUsed))} of ${grouped(BigInt(block.gasLimit))} gas`],
                ['Size', byteSize(numberOf(block.size))],
                ['State root', <Hex key="root" hex={block.stateRoot} />],
                ...(!isRootstock(block)
                  ? []
                  : [
                      [
                        'Mining',
                        <span key="mining">
                          <a href={pathTo('mining', String(number))}>proof, uncles and payments</a>{' '}
                          <span class="faint">{counted(block.uncles.length, 'uncle')}</span>
                        </span>,
                      ] as const,
                    ]),
              ]}
            />
            <h2>Transactions</h2>
            <Transactions block={block} />
            <details class="more">
              <summary>All header fields</summary>
              <Facts rows={more.map(([name, value]) => [name, fieldValue(name, value)])} />
            </details>
          </>
        );
      }}
    </Loaded>
  );
}
