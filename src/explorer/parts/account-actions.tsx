/** Actions on an account: set its balance, impersonate it, show its private key. */

import type { ComponentChildren, JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { client } from '../chain.ts';
import { errorText, shown, weiOf } from '../format.ts';
import { labelOf, setLabel } from '../names.ts';
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

/** Maximum characters of a name. */
const MAX_NAME_LENGTH = 100;

/** Names an address for all clients of the node. */
export function NameForm({ address }: { readonly address: string }): JSX.Element {
  const known = labelOf(address);
  const [text, setText] = useState<string | null>(null);
  const [error, setError] = useState('');
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const name = async (): Promise<void> => {
    try {
      await setLabel(address, (text ?? known).trim());
      setError('');
      setText(null);
      setOpen(false);
      announcement.value = 'Name set';
    } catch (cause) {
      setError(errorText(cause));
    }
  };
  return (
    <details class="act" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{known === '' ? 'Name' : 'Rename'}</summary>
      <form
        aria-label={`Name of ${address}`}
        onSubmit={(event) => {
          event.preventDefault();
          void name();
        }}
      >
        <label for={id}>Name (empty = none)</label>
        <input
          id={id}
          type="text"
          value={text ?? shown(known, MAX_NAME_LENGTH)}
          maxLength={MAX_NAME_LENGTH}
          autocomplete="off"
          onInput={(event) => setText(event.currentTarget.value)}
        />{' '}
        <button type="submit">Save</button>
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
