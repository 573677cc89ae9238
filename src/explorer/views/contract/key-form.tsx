/** A form for the keys of a mapping that the node does not know. */

import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { errorText, shown } from '../../format.ts';
import { type Key, keyOf, keyTypesOf } from '../../mapping-keys.ts';
import { announcement } from '../../parts/values.tsx';

export function KeyForm({
  name,
  type,
  onAdd,
}: {
  /** The displayed name of the mapping. */
  readonly name: string;
  readonly type: string;
  /** Adds an entry; rejects with a readable error if a key does not fit the mapping. */
  readonly onAdd: (path: readonly Key[]) => Promise<void>;
}): JSX.Element | null {
  const types = keyTypesOf(type);
  const [texts, setTexts] = useState<readonly string[]>(types.map(() => ''));
  const [error, setError] = useState('');
  const id = useId();
  if (types.length === 0) return null;
  const submit = async (): Promise<void> => {
    try {
      await onAdd(types.map((each, index) => keyOf(each, texts[index] ?? '')));
      setTexts(types.map(() => ''));
      setError('');
      announcement.value = 'Entry shown';
    } catch (cause) {
      setError(errorText(cause));
    }
  };
  return (
    <form
      class="mapping-keys"
      aria-label={`Keys of ${name}`}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      {types.map((each, index) => (
        <input
          key={`${id}${index}`}
          type="text"
          class="mono"
          aria-label={`Key ${index + 1} of ${name}: ${shown(each, 80)}`}
          placeholder={`${types.length === 1 ? 'key' : `key ${index + 1}`}: ${shown(each, 80)}`}
          value={texts[index] ?? ''}
          autocomplete="off"
          spellcheck={false}
          onInput={({ currentTarget: { value } }) =>
            setTexts(texts.map((old, place) => (place === index ? value : old)))
          }
        />
      ))}
      <button type="submit">Show entry</button>
      {error === '' ? null : (
        <p class="reason" role="alert">
          {shown(error, 400)}
        </p>
      )}
    </form>
  );
}
