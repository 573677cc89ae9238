import type { AbiParameter } from 'abitype';
import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { expectedOf } from '../abi-input.ts';
import { shown } from '../format.ts';

/** A field for one argument of a function, which says of which type it is and what that type takes. */
export function ArgumentField({
  parameter,
  label,
  value,
  onInput,
}: {
  readonly parameter: AbiParameter;
  readonly label: string;
  readonly value: string;
  readonly onInput: (text: string) => void;
}): JSX.Element {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>
        {shown(label, 60)} <span class="faint mono">{shown(parameter.type, 60)}</span>
      </label>
      <input
        id={id}
        type="text"
        value={value}
        placeholder={expectedOf(parameter)}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </div>
  );
}
