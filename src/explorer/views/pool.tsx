import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { client } from '../chain.ts';
import { contractsAt, namesBySelector, selectedContract } from '../contract-facts.ts';
import { counted, grouped, numberOf, shown } from '../format.ts';
import { act } from '../parts/act.ts';
import { Scrolled } from '../parts/lists.tsx';
import { Table } from '../parts/table.tsx';
import { useCalm, useCalmHead, useRead, useReadState } from '../parts/use-read.ts';
import { Address, Amount, Empty, Loaded, TransactionHash } from '../parts/values.tsx';

interface Waiting {
  readonly hash: string;
  readonly from: string;
  readonly to: string | null;
  readonly nonce: string;
  readonly gas: string;
  readonly value: string;
  readonly input: string;
}

/** By sender and nonce: one transaction, or a list of one in Rootstock's format. */
type BySender = Readonly<Record<string, Readonly<Record<string, Waiting | readonly Waiting[]>>>>;

/** The pool's transactions, and the names of their functions by contract and selector. */
interface Content {
  readonly pending: readonly Waiting[];
  readonly queued: readonly Waiting[];
  readonly names: ReadonlyMap<string, string>;
}

const MAX_ROWS = 500;
/** Maximum contracts to request names of. */
const MAX_CONTRACTS = 40;
const SELECTOR = 10;

function listOf(content: BySender): Waiting[] {
  return Object.values(content).flatMap((byNonce) => Object.values(byNonce).flat());
}

/** Resolves to the names of the called functions, by contract and selector. */
async function namesOf(rows: readonly Waiting[]): Promise<ReadonlyMap<string, string>> {
  const called = rows.flatMap(({ to, input }) => (to === null || input.length < SELECTOR ? [] : [to]));
  const names = new Map<string, string>();
  await Promise.all(
    [...new Set(called)].slice(0, MAX_CONTRACTS).map(async (address) => {
      const contract = selectedContract(await contractsAt(address));
      if (contract === null) return;
      for (const [selector, name] of namesBySelector(contract.abi))
        names.set(`${address}${selector}`, `${contract.name}.${name}`);
    }),
  );
  return names;
}

async function readContent(): Promise<Content> {
  const content = await client.read<{ readonly pending: BySender; readonly queued: BySender }>(
    'txpool_content',
  );
  const [pending, queued] = [listOf(content.pending), listOf(content.queued)];
  const names = await namesOf([...pending.slice(0, MAX_ROWS), ...queued.slice(0, MAX_ROWS)]);
  return { pending, queued, names };
}

/** The called function by name, otherwise by selector. */
function Called({
  waiting: { to, input },
  names,
}: {
  readonly waiting: Waiting;
  readonly names: ReadonlyMap<string, string>;
}): JSX.Element {
  if (to === null || input.length < SELECTOR) return <span class="faint">none</span>;
  const selector = input.slice(0, SELECTOR);
  const name = names.get(`${to}${selector}`);
  return name === undefined ? <code>{selector}</code> : <bdi>{shown(name, 80)}</bdi>;
}

function WaitingTable({
  rows,
  names,
  title,
  note,
  onDropped,
}: {
  readonly rows: readonly Waiting[];
  readonly names: ReadonlyMap<string, string>;
  readonly title: string;
  readonly note: string;
  readonly onDropped: () => void;
}): JSX.Element {
  return (
    <>
      <h2>
        {title}{' '}
        <span class="faint note">
          {grouped(rows.length)}, {note}
        </span>
      </h2>
      {rows.length === 0 ? (
        <Empty>No transactions</Empty>
      ) : (
        <Scrolled label={title}>
          <Table
            columns={[
              'Transaction',
              'Function',
              'From',
              'To',
              { number: 'Nonce' },
              { number: 'Gas limit' },
              { number: 'Value' },
              'Actions',
            ]}
          >
            {rows.slice(0, MAX_ROWS).map((waiting) => (
              <tr key={waiting.hash}>
                <td>
                  <TransactionHash hash={waiting.hash} />
                </td>
                <td>
                  <Called waiting={waiting} names={names} />
                </td>
                <td>
                  <Address address={waiting.from} />
                </td>
                <td>{waiting.to === null ? 'creation' : <Address address={waiting.to} />}</td>
                <td class="number">{grouped(numberOf(waiting.nonce))}</td>
                <td class="number">{grouped(numberOf(waiting.gas))}</td>
                <td class="number">
                  <Amount wei={BigInt(waiting.value)} />
                </td>
                <td>
                  <button
                    type="button"
                    aria-label={`Drop ${waiting.hash}`}
                    onClick={() =>
                      void act('Transaction dropped', 'hardhat_dropTransaction', [waiting.hash]).then(
                        onDropped,
                      )
                    }
                  >
                    Drop
                  </button>
                </td>
              </tr>
            ))}
          </Table>
          {rows.length > MAX_ROWS ? (
            <p class="faint">{counted(rows.length - MAX_ROWS, 'more transaction')} not shown</p>
          ) : null}
        </Scrolled>
      )}
    </>
  );
}

export function Pool(): JSX.Element {
  const arrivals = useSignal(0);
  const [changes, setChanges] = useState(0);
  useEffect(() => client.subscribe(['newPendingTransactions'], () => void arrivals.value++), []);
  const keys = [useCalmHead(), useCalm(arrivals), changes];
  const content = useReadState(readContent, keys);
  const automine = useRead<boolean>('hardhat_getAutomine', [], keys);
  const onChange = (): void => setChanges((count) => count + 1);
  return (
    <>
      <h1>Pool</h1>
      <p>
        <label>
          <input
            type="checkbox"
            checked={automine.value === true}
            onChange={(event) =>
              void act(
                event.currentTarget.checked ? 'Automine on' : 'Automine off: transactions stay in the pool',
                'evm_setAutomine',
                [event.currentTarget.checked],
              ).then(onChange)
            }
          />{' '}
          Automine (one block per transaction)
        </label>
      </p>
      <Loaded asked={content}>
        {({ pending, queued, names }) => (
          <>
            <WaitingTable
              title="Pending"
              note="ready for the next block"
              rows={pending}
              names={names}
              onDropped={onChange}
            />
            <WaitingTable
              title="Queued"
              note="waiting for an earlier nonce"
              rows={queued}
              names={names}
              onDropped={onChange}
            />
          </>
        )}
      </Loaded>
    </>
  );
}
