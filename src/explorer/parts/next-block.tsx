/** The panel with the settings of the next block. */

import type { JSX } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { client, head } from '../chain.ts';
import { absoluteTime, amount, errorText, grouped, numberOf, shown, wholeNumberOf } from '../format.ts';
import { useReadState } from './use-read.ts';
import { announcement, Loaded } from './values.tsx';

/** The node's settings for the next blocks. */
interface Coming {
  /** Seconds since 1970. */
  readonly timestamp: number;
  /** Wei per gas; `null` under rule sets without a base fee. */
  readonly baseFee: bigint | null;
  readonly gasLimit: bigint;
  readonly coinbase: string;
  readonly automine: boolean;
  /** Interval mining in milliseconds, or its bounds; `null` if it is off. */
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

/** A setting of the next block: a field, its button, and the result. */
function Setting({
  label,
  placeholder,
  set,
}: {
  readonly label: string;
  readonly placeholder: string;
  /** Applies the input; resolves to the confirmation text. Rejects with a readable error. */
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

function Automine({ isOn, onDone }: { readonly isOn: boolean; readonly onDone: () => void }): JSX.Element {
  const [error, setError] = useState('');
  const toggle = async (): Promise<void> => {
    try {
      await client.act('evm_setAutomine', [!isOn]);
      setError('');
      announcement.value = isOn ? 'Automine off: transactions stay in the pool' : 'Automine on';
    } catch (cause) {
      setError(errorText(cause));
    }
    onDone();
  };
  return (
    <p>
      <label>
        <input type="checkbox" checked={isOn} onChange={() => void toggle()} /> Automine (one block per
        transaction)
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

/** Returns a price of gas in wei, the unit of the field, and in gwei. */
function feeText(wei: bigint): string {
  return `${grouped(wei)} wei (${amount(wei, 'gwei')} gwei)`;
}

function intervalText(interval: Coming['interval']): string {
  if (interval === null) return 'off';
  return typeof interval === 'number'
    ? grouped(interval)
    : `${grouped(interval[0])} to ${grouped(interval[1])}`;
}

function Settings({ coming, onDone }: { readonly coming: Coming; readonly onDone: () => void }): JSX.Element {
  const { timestamp, baseFee, gasLimit, coinbase, automine, interval } = coming;
  const setNumber =
    (name: string, method: string, words: (value: bigint) => string) =>
    async (text: string): Promise<string> => {
      const value = wholeNumberOf(text, name);
      await client.act(method, [`0x${value.toString(16)}`]);
      onDone();
      return words(value);
    };
  return (
    <>
      <Setting
        label="Timestamp (Unix seconds)"
        placeholder={`after ${timestamp}`}
        set={setNumber(
          'Timestamp',
          'evm_setNextBlockTimestamp',
          (value) => `Next block: ${absoluteTime(Number(value))}`,
        )}
      />
      <Setting
        label="Block gas limit"
        placeholder={`${grouped(gasLimit)} gas`}
        set={setNumber(
          'Gas limit',
          'evm_setBlockGasLimit',
          (value) => `Block gas limit: ${grouped(value)} gas`,
        )}
      />
      {baseFee === null ? null : (
        <Setting
          label="Base fee (wei per gas)"
          placeholder={feeText(baseFee)}
          set={setNumber(
            'Base fee',
            'hardhat_setNextBlockBaseFeePerGas',
            (value) => `Base fee of the next block: ${feeText(value)}`,
          )}
        />
      )}
      <Setting
        label="Coinbase (fee recipient)"
        placeholder={coinbase}
        set={async (text) => {
          const address = text.trim();
          await client.act('hardhat_setCoinbase', [address]);
          onDone();
          return `Fee recipient: ${address}`;
        }}
      />
      <Automine isOn={automine} onDone={onDone} />
      <Setting
        label="Interval mining (ms, 0 = off)"
        placeholder={intervalText(interval)}
        // The method takes an interval only as a number. This name uses milliseconds in every compat mode.
        set={async (text) => {
          const milliseconds = Number(wholeNumberOf(text, 'Interval'));
          await client.act('hardhat_setIntervalMining', [milliseconds]);
          onDone();
          return milliseconds === 0
            ? 'Interval mining off'
            : `Interval mining: one block every ${grouped(milliseconds)} ms`;
        }}
      />
    </>
  );
}

function Panel(): JSX.Element {
  const [changes, setChanges] = useState(0);
  const asked = useReadState(readComing, [changes, head.value?.hash]);
  return (
    <Loaded asked={asked}>
      {(coming) => <Settings coming={coming} onDone={() => setChanges((count) => count + 1)} />}
    </Loaded>
  );
}

/** Pixels between the button and the panel. */
const GAP = 8;

/** Places the panel below its button. On a phone, the style sheet places it at the bottom of the screen. */
function placeBelow(button: HTMLElement | null, panel: HTMLElement): void {
  const { bottom = 0 } = button?.getBoundingClientRect() ?? {};
  panel.style.setProperty('--below', `${Math.max(0, bottom) + GAP}px`);
}

/** The button and its panel. The panel only renders while it is open. */
export function NextBlock(): JSX.Element {
  // Counts the openings; 0 while closed. Each opening reads the node's settings again, even if a browser
  // merges a close and an open into one event.
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
