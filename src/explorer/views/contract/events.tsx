/** The events of a contract, the newest first. */

import type { Abi } from 'abitype';
import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { decodeEventLog } from 'viem/utils';
import { client, epoch, headNumber, moment } from '../../chain.ts';
import { grouped, numberOf, shown } from '../../format.ts';
import type { DecodedEntry } from '../../inspection.ts';
import { type FoundLog, forkBlock, logsInParts } from '../../log-search.ts';
import { ActButton } from '../../parts/account-actions.tsx';
import { Parameters } from '../../parts/decoded.tsx';
import { useAsked, useCalmHead } from '../../parts/use-read.ts';
import { BlockNumber, Empty, Hex, Loaded, TransactionHash } from '../../parts/values.tsx';

/** A log with what the node makes of it; logs of the chain that was forked have no more than the log. */
interface ContractEvent extends FoundLog {
  readonly event?: DecodedEntry | null;
  readonly isGuess?: boolean;
}

interface ContractEvents {
  /** The newest first. */
  readonly logs: readonly ContractEvent[];
  /** The oldest block that was looked into. */
  readonly first: number;
  /** True when there may be older ones. */
  readonly hasOlder: boolean;
}

/** The place from which on a page goes: `logIndex` is absent for a whole block. */
interface Place {
  readonly blockNumber: string;
  readonly logIndex?: string;
}

interface Page {
  readonly events: readonly ContractEvent[];
  readonly next: Place | null;
}

/** Events of one page of the node, and of one reading of what is new. */
const PAGE_OF_NODE = 50;
const MOST_NEW = 1_000;
/** Questions until a reading ends without events. */
const MOST_QUESTIONS = 25;
/** Blocks of the chain that was forked which a question is for, at first and at most. */
const FEWEST_BLOCKS = 100;
const MOST_BLOCKS = 2_000;
/** Events that are kept. */
const MOST_LOGS = 5_000;

function quantity(number: number): string {
  return `0x${number.toString(16)}`;
}

/** Reads what is new, and what is older when it is asked for. */
class EventReader {
  readonly #address: string;
  #logs: ContractEvent[] = [];
  #branch = -1;
  #last = -1;
  /** The place of older events of the node's own blocks; `null` when there are none. */
  #next: Place | null = null;
  /** The first block of the upstream that was looked through; 0 without fork. */
  #upstream = 0;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(address: string) {
    this.#address = address;
  }

  /**
   * Resolves to the events up to the block `last`: at first to some of the newest, then to those and new ones. `branch` is another one
   * after blocks have left the chain. Rejects as the node does.
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

  /** Resolves to the events with some older ones. Rejects as the node does. */
  older(): Promise<ContractEvents> {
    return this.#inTurn(async () => {
      await (this.#next === null ? this.#readUpstream() : this.#readOlder());
      return this.#found();
    });
  }

  /** One after the other: each goes on where the last one stopped. */
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

  /** Reads the blocks above those that are known; resolves to false where they have too many events. */
  async #readNew(last: number): Promise<boolean> {
    const found: ContractEvent[] = [];
    let from: Place | null = last > this.#last ? { blockNumber: quantity(last) } : null;
    while (from !== null && numberOf(from.blockNumber) > this.#last) {
      if (found.length >= MOST_NEW) return false;
      const { events, next }: Page = await this.#page(from);
      found.push(...events.filter(({ blockNumber }) => numberOf(blockNumber) > this.#last));
      from = next;
    }
    this.#logs.unshift(...found);
    return true;
  }

  async #readOlder(): Promise<void> {
    const before = this.#logs.length;
    for (let question = 0; question < MOST_QUESTIONS; question++) {
      if (this.#next === null || this.#logs.length > before) return;
      const { events, next } = await this.#page(this.#next);
      this.#logs.push(...events);
      this.#next = next;
    }
  }

  /** Looks through blocks of the chain that was forked, whose logs are found by ranges of blocks only. */
  async #readUpstream(): Promise<void> {
    const wanted = this.#logs.length + PAGE_OF_NODE;
    let blocks = FEWEST_BLOCKS;
    for (let question = 0; question < MOST_QUESTIONS; question++) {
      if (this.#upstream === 0 || this.#logs.length >= wanted) return;
      const from = Math.max(0, this.#upstream - blocks);
      const logs = await logsInParts({ address: this.#address }, from, this.#upstream - 1);
      this.#logs.push(...logs.reverse());
      this.#upstream = from;
      blocks = Math.min(2 * blocks, MOST_BLOCKS);
    }
  }

  /** Forgets the oldest events beyond the limit; {@link older} reads them again. */
  #forget(): void {
    const beyond = this.#logs[MOST_LOGS];
    if (beyond === undefined) return;
    this.#logs.length = MOST_LOGS;
    this.#next = { blockNumber: beyond.blockNumber, logIndex: beyond.logIndex };
  }
}

/** Events that are drawn at once. */
const PAGE = 50;

/** Returns what the node makes of a log, or the ABI where the node was not asked; `null` for nothing. */
function eventOf(
  abi: Abi,
  { event, topics, data }: ContractEvent,
): Pick<DecodedEntry, 'name' | 'parameters'> | null {
  if (event != null) return event;
  const [topic, ...indexed] = topics;
  if (topic === undefined) return null;
  try {
    const { eventName, args } = decodeEventLog({ abi, topics: [topic, ...indexed], data });
    const values: object = args ?? {};
    const parameters = Object.entries(values).map(([name, value]) => ({ name, type: '', value }));
    return { name: eventName ?? '', parameters };
  } catch {
    // A log of code that was called by this contract, or of another version of it.
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
          <Parameters parameters={event.parameters} />
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
      {({ logs, first, hasOlder }) => (
        <>
          {logs.length === 0 ? (
            <Empty>No events{first === 0 ? '' : ` since block #${first}`}</Empty>
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
                {logs.length > count ? `${grouped(logs.length - count)} more since` : 'since'} block #{first}
              </span>
            </p>
          )}
        </>
      )}
    </Loaded>
  );
}
