/** The events of a contract, newest first. */

import type { Abi } from 'abitype';
import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { decodeEventLog } from 'viem/utils';
import { client, epoch, headNumber, moment } from '../../chain.ts';
import { blockText, grouped, numberOf, shown } from '../../format.ts';
import type { DecodedEntry } from '../../inspection.ts';
import { type FoundLog, forkBlock, logsInParts } from '../../log-search.ts';
import { ActButton } from '../../parts/account-actions.tsx';
import { Parameters } from '../../parts/decoded.tsx';
import { useCalmHead, useReadState } from '../../parts/use-read.ts';
import { BlockNumber, Empty, Hex, Loaded, TransactionHash } from '../../parts/values.tsx';

/** A log, decoded by the node. Logs of the upstream chain are not decoded. */
interface ContractEvent extends FoundLog {
  readonly event?: DecodedEntry | null;
  readonly isGuess?: boolean;
}

interface ContractEvents {
  /** Newest first. */
  readonly logs: readonly ContractEvent[];
  /** The oldest searched block. */
  readonly first: number;
  readonly hasOlder: boolean;
}

/** The position where a page starts; `logIndex` is absent for a whole block. */
interface Place {
  readonly blockNumber: string;
  readonly logIndex?: string;
}

interface Page {
  readonly events: readonly ContractEvent[];
  readonly next: Place | null;
}

/** Events per page of the node, and maximum new events per read. */
const PAGE_OF_NODE = 50;
const MAX_NEW = 1_000;
/** Maximum requests of one read without events. */
const MAX_QUESTIONS = 25;
/** Blocks per request for upstream logs: at first, and at most. */
const MIN_BLOCKS = 100;
const MAX_BLOCKS = 2_000;
/** Maximum cached events. */
const MAX_LOGS = 5_000;

function quantity(number: number): string {
  return `0x${number.toString(16)}`;
}

/** Reads new events, and older events on request. */
class EventReader {
  readonly #address: string;
  #logs: ContractEvent[] = [];
  #branch = -1;
  #last = -1;
  /** The position of older events in the node's own blocks; `null` if there are none. */
  #next: Place | null = null;
  /** The first searched block of the upstream chain; 0 without a fork. */
  #upstream = 0;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(address: string) {
    this.#address = address;
  }

  /**
   * Resolves to the events up to block `last`: first some of the latest, later these and the new ones. Use
   * another `branch` after blocks were removed. Rejects with the node's error.
   */
  read(branch: number, last: number): Promise<ContractEvents> {
    return this.#inTurn(async () => {
      const isKnown = branch === this.#branch && last >= this.#last && (await this.#readNew(last));
      if (!isKnown) await this.#startAnew(last);
      this.#branch = branch;
      this.#last = last;
      this.#forget();
      return this.#found();
    });
  }

  /** Resolves to the events with some older ones. Rejects with the node's error. */
  older(): Promise<ContractEvents> {
    return this.#inTurn(async () => {
      await (this.#next === null ? this.#readUpstream() : this.#readOlder());
      return this.#found();
    });
  }

  /** Runs one read after the other, because each continues after the previous one. */
  #inTurn<Result>(read: () => Promise<Result>): Promise<Result> {
    const reading = this.#turn.then(read);
    this.#turn = reading.catch(() => undefined);
    return reading;
  }

  #found(): ContractEvents {
    const next = this.#next;
    const isWhole = next?.logIndex === undefined;
    const first = next === null ? this.#upstream : numberOf(next.blockNumber) + (isWhole ? 1 : 0);
    return { logs: [...this.#logs], first, hasOlder: next !== null || this.#upstream > 0 };
  }

  #page(from: Place): Promise<Page> {
    return client.read<Page>('inspect_events', [{ address: this.#address }, from, quantity(PAGE_OF_NODE)]);
  }

  async #startAnew(last: number): Promise<void> {
    this.#logs = [];
    this.#next = { blockNumber: quantity(last) };
    this.#upstream = await forkBlock();
    await this.#readOlder();
  }

  /** Reads the blocks above the known ones. Resolves to false if they have too many events. */
  async #readNew(last: number): Promise<boolean> {
    const found: ContractEvent[] = [];
    let from: Place | null = last > this.#last ? { blockNumber: quantity(last) } : null;
    while (from !== null && numberOf(from.blockNumber) > this.#last) {
      if (found.length >= MAX_NEW) return false;
      const { events, next }: Page = await this.#page(from);
      found.push(...events.filter(({ blockNumber }) => numberOf(blockNumber) > this.#last));
      from = next;
    }
    this.#logs.unshift(...found);
    return true;
  }

  async #readOlder(): Promise<void> {
    const before = this.#logs.length;
    for (let question = 0; question < MAX_QUESTIONS; question++) {
      if (this.#next === null || this.#logs.length > before) return;
      const { events, next } = await this.#page(this.#next);
      this.#logs.push(...events);
      this.#next = next;
    }
  }

  /** Searches blocks of the upstream chain. Its logs can only be requested by block range. */
  async #readUpstream(): Promise<void> {
    const wanted = this.#logs.length + PAGE_OF_NODE;
    let blocks = MIN_BLOCKS;
    for (let question = 0; question < MAX_QUESTIONS; question++) {
      if (this.#upstream === 0 || this.#logs.length >= wanted) return;
      const from = Math.max(0, this.#upstream - blocks);
      const logs = await logsInParts({ address: this.#address }, from, this.#upstream - 1);
      this.#logs.push(...logs.reverse());
      this.#upstream = from;
      blocks = Math.min(2 * blocks, MAX_BLOCKS);
    }
  }

  /** Removes the oldest events beyond the limit; {@link older} reads them again. */
  #forget(): void {
    const beyond = this.#logs[MAX_LOGS];
    if (beyond === undefined) return;
    this.#logs.length = MAX_LOGS;
    this.#next = { blockNumber: beyond.blockNumber, logIndex: beyond.logIndex };
  }
}

/** Events to render per page. */
const PAGE = 50;

/** Returns the event decoded by the node, otherwise by the ABI; `null` if unknown. */
function eventOf(abi: Abi, { event, topics, data }: ContractEvent): DecodedEntry | null {
  if (event != null) return event;
  const [topic, ...indexed] = topics;
  if (topic === undefined) return null;
  try {
    const { eventName, args } = decodeEventLog({ abi, topics: [topic, ...indexed], data });
    const values: object = args ?? {};
    const parameters = Object.entries(values).map(([name, value]) => ({ name, type: '', value }));
    return { name: eventName ?? '', signature: '', parameters };
  } catch {
    // The log comes from called code, or from another version of the contract.
    return null;
  }
}

function Line({ log, abi }: { readonly log: ContractEvent; readonly abi: Abi }): JSX.Element {
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
          <b>{shown(event.name, 80)}</b>
          <Parameters
            parameters={event.parameters}
            of={{ token: log.address, signature: event.signature, side: 'inputs' }}
          />
        </>
      )}{' '}
      <span class="faint">
        in <TransactionHash hash={log.transactionHash} />
      </span>
    </li>
  );
}

/** The events up to the selected block, with older ones on request. */
export function Events({ abi, address }: { readonly abi: Abi; readonly address: string }): JSX.Element {
  const reader = useRef(new EventReader(address));
  const [count, setCount] = useState(PAGE);
  const [older, setOlder] = useState(0);
  const asked = useReadState(
    () => reader.current.read(epoch.peek(), moment.peek() ?? headNumber.peek()),
    [address, moment.value, useCalmHead(), older],
  );
  const showOlder = async (shownCount: number, known: number): Promise<void> => {
    // Render the loaded events first.
    if (known < shownCount + PAGE) await reader.current.older();
    setCount(shownCount + PAGE);
    setOlder((times) => times + 1);
  };
  return (
    <Loaded asked={asked}>
      {({ logs, first, hasOlder }) => (
        <>
          {logs.length === 0 ? (
            <Empty>No events{first === 0 ? '' : ` since block ${blockText(first)}`}</Empty>
          ) : (
            <ol class="events">
              {logs.slice(0, count).map((log) => (
                <Line key={`${log.transactionHash}${log.logIndex}`} log={log} abi={abi} />
              ))}
            </ol>
          )}
          {!hasOlder && logs.length <= count ? null : (
            <p>
              <ActButton act={() => showOlder(count, logs.length)} done="Older events shown">
                Older
              </ActButton>{' '}
              <span class="faint">
                {logs.length > count ? `${grouped(logs.length - count)} more since` : 'since'} block{' '}
                {blockText(first)}
              </span>
            </p>
          )}
        </>
      )}
    </Loaded>
  );
}
