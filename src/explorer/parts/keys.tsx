/** The list of the keys that the page knows. */

import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** The keys, and what they do, by where they do it. */
const KEYS: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  'Any page': [
    ['/', 'search'],
    ['?', 'show this list'],
    ['Esc', 'close'],
  ],
  'Search results': [
    ['↑ ↓', 'select'],
    ['Enter', 'open'],
  ],
  Timeline: [
    ['← →', 'previous block, next block'],
    ['Page ↑ ↓', '10 blocks forward, back'],
    ['Home End', 'first block, latest block'],
    ['Enter', 'open block'],
  ],
  'Transaction steps': [
    ['← →', 'previous step, next step'],
    ['Home End', 'first step, last step'],
  ],
};

/** Calls `action` when a key is pressed outside of fields, from the first picture of the page on, not only when the browser has time. */
export function useKey(key: string, action: () => void): void {
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
      if (event.key !== key || isTyping || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      action();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

/** The button of the list, which `?` opens too, and the list. */
export function Keys(): JSX.Element {
  const list = useRef<HTMLElement>(null);
  useKey('?', () => list.current?.togglePopover());
  return (
    <>
      <button
        type="button"
        class="keys-button"
        popovertarget="keys"
        aria-label="Keyboard shortcuts"
        title="Keyboard shortcuts (?)"
      >
        ?
      </button>
      <section id="keys" class="keys" popover="auto" ref={list} aria-label="Keyboard shortcuts">
        {Object.entries(KEYS).map(([place, keys]) => (
          <div key={place}>
            <h2>{place}</h2>
            <dl>
              {keys.map(([key, words]) => (
                <div key={key} class="key-pair">
                  <dt>
                    <kbd>{key}</kbd>
                  </dt>
                  <dd>{words}</dd>
                </div>
              ))}
            </dl>
          </div>
        ))}
      </section>
    </>
  );
}
