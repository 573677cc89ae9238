import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { counted } from '../format.ts';
import { go } from '../router.ts';
import { type Found, search } from '../search.ts';
import { useKey } from './keys.tsx';
import { announcement, Empty } from './values.tsx';

/** The search box; `/` focuses it from every view. */
export function Search(): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  const [found, setFound] = useState<readonly Found[] | null>(null);
  const [chosen, setChosen] = useState(0);
  const asked = useRef(0);
  const hiding = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useKey('/', () => input.current?.focus());

  const look = async (text: string): Promise<readonly Found[]> => {
    const question = ++asked.current;
    const results = text.trim() === '' ? null : await search(text).catch(() => []);
    if (question === asked.current) {
      setFound(results);
      setChosen(0);
      if (results !== null) announcement.value = counted(results.length, 'result');
    }
    return results ?? [];
  };
  const open = (target: Found | undefined): void => {
    if (target === undefined) return;
    setFound(null);
    if (input.current !== null) input.current.value = '';
    input.current?.blur();
    go(target.path);
  };
  const onKey = async (event: KeyboardEvent): Promise<void> => {
    const count = found?.length ?? 0;
    if (event.key === 'Escape') {
      setFound(null);
      input.current?.blur();
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      if (count > 0) setChosen((chosen + (event.key === 'ArrowDown' ? 1 : count - 1)) % count);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      const results = await look(input.current?.value ?? '');
      open(results[Math.min(chosen, results.length - 1)]);
    }
  };
  return (
    <search class="search">
      <input
        ref={input}
        type="text"
        placeholder="Hash, block, address, contract, function (press / to search)"
        aria-label="Search"
        role="combobox"
        aria-expanded={found !== null && found.length > 0}
        aria-controls="found"
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => void look(event.currentTarget.value)}
        onKeyDown={(event) => void onKey(event)}
        onFocus={() => clearTimeout(hiding.current)}
        onBlur={() => {
          hiding.current = setTimeout(() => setFound(null), 150);
        }}
      />
      {found === null ? null : found.length === 0 ? (
        <div class="found">
          <Empty>No results</Empty>
        </div>
      ) : (
        <div id="found" class="found" role="listbox" aria-label="Search results">
          {found.map((one, index) => (
            <button
              key={one.path}
              type="button"
              role="option"
              tabIndex={-1}
              aria-selected={index === chosen}
              onMouseDown={(event) => {
                event.preventDefault();
                open(one);
              }}
            >
              <b>
                <bdi>{one.title}</bdi>
              </b>{' '}
              <span class="mono faint">
                <bdi>{one.detail}</bdi>
              </span>
            </button>
          ))}
        </div>
      )}
    </search>
  );
}
