/** Actions on an account: set its balance, impersonate it, show its private key. */

import type { ComponentChildren, JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { client } from '../chain.ts';
import { errorText, shown, weiOf } from '../format.ts';
import { announcement, Copy } from './values.tsx';

/** A button that runs an action and shows its error. */
export function ActButton({
  act,
  done,
  label,
  children,
}: {
  readonly act: () => Promise<unknown>;
  readonly done: string;
  /** The accessible name, if the text does not name the action and its account. */
  readonly label?: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  const [error, setError] = useState('');
  const run = async (): Promise<void> => {
    try {
      await act();
      setError('');
      announcement.value = done;
    } catch (cause) {
      setError(errorText(cause));
    }
  };
  return (
    <>
      <button type="button" aria-label={label} onClick={() => void run()}>
        {children}
      </button>
      {error === '' ? null : (
        <span class="reason" role="alert">
          {' '}
          {shown(error, 300)}
        </span>
      )}
    </>
  );
}

/** Sets the balance of an account. `onDone` is called afterwards. */
export function Fund({
  address,
  onDone,
}: {
  readonly address: string;
  readonly onDone: () => void;
}): JSX.Element {
  const [text, setText] = useState('1000');
  const [error, setError] = useState('');
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const fund = async (): Promise<void> => {
    try {
      await client.act('anvil_setBalance', [address, `0x${weiOf(text, 'Balance').toString(16)}`]);
      setError('');
      setOpen(false);
      announcement.value = 'Balance set';
      onDone();
    } catch (cause) {
      setError(errorText(cause));
    }
  };
  return (
    <details class="act" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Set balance</summary>
      <form
        aria-label={`Balance of ${address}`}
        onSubmit={(event) => {
          event.preventDefault();
          void fund();
        }}
      >
        <label for={id}>New balance in ether</label>
        <input
          id={id}
          type="text"
          inputMode="decimal"
          value={text}
          autocomplete="off"
          onInput={(event) => setText(event.currentTarget.value)}
        />{' '}
        <button type="submit">Set</button>
        {error === '' ? null : (
          <p class="failure" role="alert">
            {shown(error, 300)}
          </p>
        )}
      </form>
    </details>
  );
}

/** The private key of an account, shown on request. */
export function PrivateKey({ address }: { readonly address: string }): JSX.Element {
  const [key, setKey] = useState<string | null>(null);
  if (key !== null)
    return (
      <span class="key">
        <code>{key}</code>
        <Copy text={key} label="Copy private key" />{' '}
        <button type="button" onClick={() => setKey(null)}>
          Hide
        </button>
      </span>
    );
  return (
    <ActButton
      act={async () => setKey(await client.read<string>('personal_dumpRawKey', [address]))}
      done="Key shown"
      label={`Show key of ${address}`}
    >
      Show key
    </ActButton>
  );
}
