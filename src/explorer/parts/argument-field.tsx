import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { shown } from '../format.ts';
import { checksummed, nameOf } from '../names.ts';

/** Suggested accounts. A node can have thousands. */
const MAX_OPTIONS = 100;

/** The accounts of the node as suggestions of a field, with their names. */
export function AccountOptions({
  id,
  accounts,
}: {
  readonly id: string;
  readonly accounts: readonly string[];
}): JSX.Element {
  return (
    <datalist id={id}>
      {accounts.slice(0, MAX_OPTIONS).map((account) => (
        <option key={account} value={checksummed(account)} label={shown(nameOf(account)?.text ?? '', 60)} />
      ))}
    </datalist>
  );
}

/** A field for one argument or for the value of a call, with its expected input. */
export function ArgumentField({
  label,
  type = '',
  expected,
  value,
  onInput,
}: {
  readonly label: string;
  readonly type?: string;
  readonly expected: string;
  readonly value: string;
  readonly onInput: (text: string) => void;
}): JSX.Element {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>
        {shown(label, 60)} <span class="faint mono">{shown(type, 60)}</span>
      </label>
      <input
        id={id}
        type="text"
        value={value}
        placeholder={expected}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </div>
  );
}
