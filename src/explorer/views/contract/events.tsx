/** The events of a contract, the newest first. */

import type { Abi } from 'abitype';
import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { decodeEventLog } from 'viem/utils';
import { epoch, headNumber, moment } from '../../chain.ts';
import { EventReader } from '../../contract-events.ts';
import { grouped, numberOf, shown } from '../../format.ts';
import type { FoundLog } from '../../log-search.ts';
import { ActButton } from '../../parts/account-actions.tsx';
import { Value } from '../../parts/decoded.tsx';
import { useCalmHead } from '../../parts/use-calm-head.ts';
import { useAsked } from '../../parts/use-read.ts';
import { BlockNumber, Empty, Hex, Loaded, TransactionHash } from '../../parts/values.tsx';

/** Events that are drawn at once. */
const PAGE = 50;

interface Event {
  readonly name: string;
  readonly arguments: readonly (readonly [string, unknown])[];
}

/** Returns what the ABI makes of a log; `null` for nothing. */
function eventOf(abi: Abi, { topics, data }: FoundLog): Event | null {
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

function Line({ log, abi }: { readonly log: FoundLog; readonly abi: Abi }): JSX.Element {
  const event = eventOf(abi, log);
  return (
    <li>
      <span class="block">
        <BlockNumber number={numberOf(log.blockNumber)} />
      </span>{' '}
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
        in <TransactionHash hash={log.transactionHash} />
      </span>
    </li>
  );
}

/** The events of the blocks up to the moment that is shown, the older ones on request. */
export function Events({ abi, address }: { readonly abi: Abi; readonly address: string }): JSX.Element {
  const reader = useRef(new EventReader(address));
  const [count, setCount] = useState(PAGE);
  const [older, setOlder] = useState(0);
  const asked = useAsked(
    () => reader.current.read(epoch.peek(), moment.peek() ?? headNumber.peek()),
    [address, moment.value, useCalmHead(), older],
  );
  const showOlder = async (shownCount: number, known: number): Promise<void> => {
    // Events that are read and not drawn yet come first.
    if (known < shownCount + PAGE) await reader.current.older();
    setCount(shownCount + PAGE);
    setOlder((times) => times + 1);
  };
  return (
    <Loaded asked={asked}>
      {({ logs, first }) => (
        <>
          {logs.length === 0 ? (
            <Empty>It logged nothing{first === 0 ? '' : ` from block ${grouped(first)} on`}.</Empty>
          ) : (
            <ol class="events">
              {logs.slice(0, count).map((log) => (
                <Line key={`${log.transactionHash}${log.logIndex}`} log={log} abi={abi} />
              ))}
            </ol>
          )}
          {first === 0 && logs.length <= count ? null : (
            <p>
              <ActButton act={() => showOlder(count, logs.length)} done="Older events shown">
                Older
              </ActButton>{' '}
              <span class="faint">
                {logs.length > count ? `${grouped(logs.length - count)} more since` : 'since'} block{' '}
                {grouped(first)}
              </span>
            </p>
          )}
        </>
      )}
    </Loaded>
  );
}
