/** What a contract logged, the newest first. */

import type { Abi } from 'abitype';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { decodeEventLog } from 'viem/utils';
import { client, head, headNumber, moment } from '../../chain.ts';
import { grouped, numberOf, shown } from '../../format.ts';
import { Value } from '../../parts/decoded.tsx';
import { useAsked } from '../../parts/use-read.ts';
import { BlockNumber, Empty, Hex, Loaded, TransactionHash } from '../../parts/values.tsx';

interface Log {
  readonly topics: readonly `0x${string}`[];
  readonly data: `0x${string}`;
  readonly blockNumber: string;
  readonly transactionHash: string;
  readonly logIndex: string;
}

/** Blocks that are looked through at once, and logs that are shown at once. */
const BLOCKS = 2_000;
const PAGE = 50;

interface Event {
  readonly name: string;
  readonly arguments: readonly (readonly [string, unknown])[];
}

/** Returns what the ABI makes of a log; `null` for nothing. */
function eventOf(abi: Abi, { topics, data }: Log): Event | null {
  const [topic, ...indexed] = topics;
  if (topic === undefined) return null;
  try {
    const { eventName, args } = decodeEventLog({ abi, topics: [topic, ...indexed], data });
    const values: object = args ?? {};
    return { name: eventName ?? '', arguments: Object.entries(values) };
  } catch {
    // A log of code that was called by this contract, or of another version of it.
    return null;
  }
}

/** The logs of the blocks up to the moment that is shown. */
export function Events({ abi, address }: { readonly abi: Abi; readonly address: string }): JSX.Element {
  const last = moment.value ?? headNumber.value;
  const [pages, setPages] = useState(1);
  const first = Math.max(0, last - BLOCKS + 1);
  const asked = useAsked(
    () =>
      client.read<readonly Log[]>('eth_getLogs', [
        { address, fromBlock: `0x${first.toString(16)}`, toBlock: `0x${last.toString(16)}` },
      ]),
    [address, first, last, head.value?.hash],
  );
  return (
    <Loaded asked={asked}>
      {(logs) => {
        if (logs.length === 0)
          return (
            <Empty>It logged nothing{first === 0 ? '' : ` in the last ${grouped(BLOCKS)} blocks`}.</Empty>
          );
        const newest = logs.toReversed().slice(0, pages * PAGE);
        return (
          <>
            <ol class="events">
              {newest.map((log) => {
                const event = eventOf(abi, log);
                return (
                  <li key={`${log.transactionHash}${log.logIndex}`}>
                    {event === null ? (
                      <>
                        <span class="faint">unknown</span> <Hex hex={log.topics[0] ?? log.data} digits={8} />
                      </>
                    ) : (
                      <>
                        <b class="mono">{shown(event.name, 80)}</b>{' '}
                        {event.arguments.map(([name, value], index) => (
                          <span key={name}>
                            {index === 0 ? '' : ', '}
                            <span class="faint">{shown(name, 40)}: </span>
                            <Value value={value} />
                          </span>
                        ))}
                      </>
                    )}{' '}
                    <span class="faint">
                      in <TransactionHash hash={log.transactionHash} />{' '}
                      <BlockNumber number={numberOf(log.blockNumber)} />
                    </span>
                  </li>
                );
              })}
            </ol>
            {logs.length > newest.length ? (
              <button type="button" onClick={() => setPages(pages + 1)}>
                {grouped(logs.length - newest.length)} older
              </button>
            ) : null}
          </>
        );
      }}
    </Loaded>
  );
}
