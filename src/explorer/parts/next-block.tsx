/** The panel that says what the next block is to be like, and when it is made. */

import type { JSX } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { client, head } from '../chain.ts';
import { absoluteTime, errorText, grouped, numberOf, shown } from '../format.ts';
import { useAsked } from './use-read.ts';
import { announcement, Loaded } from './values.tsx';

/** The node's settings for the blocks to come. */
interface Coming {
  /** Seconds since 1970. */
  readonly timestamp: number;
  /** Wei per gas; `null` under rule sets whose blocks have none. */
  readonly baseFee: bigint | null;
  readonly gasLimit: bigint;
  readonly coinbase: string;
  readonly automine: boolean;
  /** Milliseconds between blocks on a timer, or the bounds of the distance; `null` without a timer. */
  readonly interval: number | readonly [number, number] | null;
}

async function readComing(): Promise<Coming> {
  const [latest, info, coinbase, automine, interval] = await Promise.all([
    client.read<{ readonly timestamp: string; readonly baseFeePerGas?: string }>('eth_getBlockByNumber', [
      'latest',
      false,
    ]),
    client.read<{ readonly environment: { readonly baseFee: string; readonly gasLimit: string } }>(
      'anvil_nodeInfo',
    ),
    client.read<string>('eth_coinbase'),
    client.read<boolean>('hardhat_getAutomine'),
    client.read<Coming['interval']>('hardhat_getIntervalMining'),
  ]);
  return {
    timestamp: numberOf(latest.timestamp),
    baseFee: latest.baseFeePerGas === undefined ? null : BigInt(info.environment.baseFee),
    gasLimit: BigInt(info.environment.gasLimit),
    coinbase,
    automine,
    interval,
  };
}

/** Returns a whole number as a QUANTITY. Throws an `Error` in words, which begins with `name`, for what is none. */
function quantityOf(text: string, name: string): string {
  const digits = text.trim().replace(/[\s_]/g, '');
  if (!/^\d{1,78}$/.test(digits))
    throw new Error(`${name}: a whole number is expected, not “${text.slice(0, 40)}”`);
  return `0x${BigInt(digits).toString(16)}`;
}

/** A value of the next block: a field, the button that sets it, and what came of it. */
function Setting({
  label,
  placeholder,
  set,
}: {
  readonly label: string;
  /** The value that it has now. */
  readonly placeholder: string;
  /** Sets it to the text of the field; resolves to what is said then. Rejects with what is wrong, in words. */
  readonly set: (text: string) => Promise<string>;
}): JSX.Element {
  const [text, setText] = useState('');
  const [done, setDone] = useState('');
  const [error, setError] = useState('');
  const id = useId();
  const submit = async (): Promise<void> => {
    try {
      const words = await set(text);
      setText('');
      setError('');
      setDone(words);
      announcement.value = words;
    } catch (cause) {
      setDone('');
      setError(errorText(cause));
    }
  };
  return (
    <form
      class="setting"
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <label for={id}>{label}</label>
      <input
        id={id}
        type="text"
        value={text}
        placeholder={placeholder}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button type="submit" aria-label={`Set: ${label}`}>
        Set
      </button>
      {done === '' ? null : <p class="faint">{shown(done, 200)}</p>}
      {error === '' ? null : (
        <p class="reason" role="alert">
          {shown(error, 400)}
        </p>
      )}
    </form>
  );
}

/** The switch of instant mining. */
function Automine({ isOn, onDone }: { readonly isOn: boolean; readonly onDone: () => void }): JSX.Element {
  const [error, setError] = useState('');
  const toggle = async (): Promise<void> => {
    try {
      await client.act('evm_setAutomine', [!isOn]);
      setError('');
      announcement.value = isOn ? 'Transactions wait in the pool' : 'Each transaction is mined at once';
    } catch (cause) {
      setError(errorText(cause));
    }
    onDone();
  };
  return (
    <p>
      <label>
        <input type="checkbox" checked={isOn} onChange={() => void toggle()} /> Mine each transaction at once
      </label>
      {error === '' ? null : (
        <span class="reason" role="alert">
          {' '}
          {shown(error, 400)}
        </span>
      )}
    </p>
  );
}

function intervalText(interval: Coming['interval']): string {
  if (interval === null) return 'no timer';
  return typeof interval === 'number' ? `${interval}` : `${interval[0]} to ${interval[1]}`;
}

function Settings({ coming, onDone }: { readonly coming: Coming; readonly onDone: () => void }): JSX.Element {
  const { timestamp, baseFee, gasLimit, coinbase, automine, interval } = coming;
  const setNumber =
    (name: string, method: string, words: (value: bigint) => string) =>
    async (text: string): Promise<string> => {
      const quantity = quantityOf(text, name);
      await client.act(method, [quantity]);
      onDone();
      return words(BigInt(quantity));
    };
  return (
    <>
      <Setting
        label="Timestamp, in seconds since 1970"
        placeholder={`later than ${timestamp}`}
        set={setNumber(
          'Timestamp',
          'evm_setNextBlockTimestamp',
          (value) => `The next block is to be of ${absoluteTime(Number(value))}`,
        )}
      />
      <Setting
        label="Gas limit of the blocks"
        placeholder={String(gasLimit)}
        set={setNumber('Gas limit', 'evm_setBlockGasLimit', (value) => `Blocks have ${grouped(value)} gas`)}
      />
      {baseFee === null ? null : (
        <Setting
          label="Base fee, in wei per gas"
          placeholder={String(baseFee)}
          set={setNumber(
            'Base fee',
            'hardhat_setNextBlockBaseFeePerGas',
            (value) => `The next block has a base fee of ${grouped(value)} wei`,
          )}
        />
      )}
      <Setting
        label="Coinbase, to which fees are paid"
        placeholder={coinbase}
        set={async (text) => {
          const address = text.trim();
          await client.act('hardhat_setCoinbase', [address]);
          onDone();
          return `Fees are paid to ${address}`;
        }}
      />
      <Automine isOn={automine} onDone={onDone} />
      <Setting
        label="Milliseconds between blocks on a timer; 0 stops it"
        placeholder={intervalText(interval)}
        // The node takes an interval as a number alone. This name has milliseconds in every dialect.
        set={async (text) => {
          const milliseconds = Number(quantityOf(text, 'Timer'));
          await client.act('hardhat_setIntervalMining', [milliseconds]);
          onDone();
          return milliseconds === 0
            ? 'The timer is stopped'
            : `A block is made every ${grouped(milliseconds)} ms`;
        }}
      />
    </>
  );
}

function Panel(): JSX.Element {
  const [changes, setChanges] = useState(0);
  const asked = useAsked(readComing, [changes, head.value?.hash]);
  return (
    <Loaded asked={asked}>
      {(coming) => <Settings coming={coming} onDone={() => setChanges((count) => count + 1)} />}
    </Loaded>
  );
}

/** Pixels between the button and the panel. */
const GAP = 8;

/** Puts the panel below its button; the style sheet puts it at the end of the screen of a phone. */
function placeBelow(button: HTMLElement | null, panel: HTMLElement): void {
  const { bottom = 0 } = button?.getBoundingClientRect() ?? {};
  panel.style.setProperty('--below', `${Math.max(0, bottom) + GAP}px`);
}

/** The button of the panel, and the panel, which is drawn while it is open. */
export function NextBlock(): JSX.Element {
  // The number of times that it was opened, 0 while it is closed: each time the node is asked anew, also when a browser tells a closing and the
  // opening right after it as one event.
  const [opened, setOpened] = useState(0);
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  return (
    <>
      <button type="button" popovertarget={id} ref={button}>
        Next block…
      </button>
      <section
        id={id}
        class="next-block"
        popover="auto"
        aria-label="Next block"
        onBeforeToggle={({ currentTarget, newState }) => {
          if (newState === 'open') placeBelow(button.current, currentTarget);
        }}
        onToggle={({ newState }) => setOpened((before) => (newState === 'open' ? before + 1 : 0))}
      >
        <h2>Next block</h2>
        {opened === 0 ? null : <Panel key={opened} />}
      </section>
    </>
  );
}
