/** The events of a contract, the newest first. */

import type { Abi } from 'abitype';
import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { decodeEventLog } from 'viem/utils';
import { epoch, headNumber, moment } from '../../chain.ts';
import { grouped, numberOf, shown } from '../../format.ts';
import { type FoundLog, forkBlock, logsInParts } from '../../log-search.ts';
import { ActButton } from '../../parts/account-actions.tsx';
import { Value } from '../../parts/decoded.tsx';
import { useAsked, useCalmHead } from '../../parts/use-read.ts';
import { BlockNumber, Empty, Hex, Loaded, TransactionHash } from '../../parts/values.tsx';

export interface ContractEvents {
  /** The newest first. */
  readonly logs: readonly FoundLog[];
  /** The oldest block that was looked through. */
  readonly first: number;
}

/** Blocks of a first question, and of the largest: the node looks through so many however many events are in them. */
const FEWEST_BLOCKS = 100;
const MOST_BLOCKS = 2_000;
/** Events that one reading is for, and questions until it ends without them. */
const ENOUGH = 50;
const MOST_QUESTIONS = 25;
/** Events that are kept. */
const MOST_LOGS = 5_000;

/** Reads what is new, and what is older when it is asked for. */
class EventReader {
  readonly #address: string;
  #logs: FoundLog[] = [];
  #branch = -1;
  #first = 0;
  #last = -1;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(address: string) {
    this.#address = address;
  }

  /**
   * Resolves to the events up to the block `last`: at first to some of the newest, then to those and new ones. `branch` is another one
   * after blocks have left the chain. Rejects as the node does.
   */
  read(branch: number, last: number): Promise<ContractEvents> {
    return this.#next(async () => {
      if (branch !== this.#branch || last < this.#last) {
        this.#branch = branch;
        this.#logs = [];
        this.#last = last;
        this.#first = last + 1;
        await this.#readOlder(await forkBlock());
      }
      for (let from = this.#last + 1; from <= last; from = this.#last + 1) {
        const to = Math.min(last, from + MOST_BLOCKS - 1);
        this.#logs.unshift(...(await this.#between(from, to)));
        this.#last = to;
      }
      this.#forget();
      return this.#found();
    });
  }

  /** Resolves to the events with some older ones. Rejects as the node does. */
  older(): Promise<ContractEvents> {
    return this.#next(async () => {
      await this.#readOlder(0);
      return this.#found();
    });
  }

  /** One after the other: each goes on where the last one stopped. */
  #next<Result>(read: () => Promise<Result>): Promise<Result> {
    const reading = this.#turn.then(read);
    this.#turn = reading.catch(() => undefined);
    return reading;
  }

  #found(): ContractEvents {
    return { logs: [...this.#logs], first: this.#first };
  }

  /** Reads backwards until there are enough, but not beyond the block `floor`. */
  async #readOlder(floor: number): Promise<void> {
    const wanted = this.#logs.length + ENOUGH;
    let blocks = FEWEST_BLOCKS;
    for (let question = 0; question < MOST_QUESTIONS; question++) {
      if (this.#first <= floor || this.#logs.length >= wanted) return;
      const from = Math.max(floor, this.#first - blocks);
      this.#logs.push(...(await this.#between(from, this.#first - 1)));
      this.#first = from;
      blocks = Math.min(2 * blocks, MOST_BLOCKS);
    }
  }

  async #between(from: number, to: number): Promise<FoundLog[]> {
    return (await logsInParts({ address: this.#address }, from, to)).reverse();
  }

  /** Forgets the oldest blocks with events beyond the limit; {@link older} reads them again. */
  #forget(): void {
    const beyond = this.#logs[MOST_LOGS];
    if (beyond === undefined) return;
    const block = numberOf(beyond.blockNumber);
    this.#logs = this.#logs.filter(({ blockNumber }) => numberOf(blockNumber) > block);
    this.#first = block + 1;
  }
}

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
