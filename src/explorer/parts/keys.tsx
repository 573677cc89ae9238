/** The list of keyboard shortcuts. */

import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** Keys and their effects, grouped by view. */
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
  'Debug view': [
    ['F10 n', 'step over'],
    ['F11 i', 'step into'],
    ['⇧F11 o', 'step out'],
    ['F5 c', 'run to breakpoint, failure or end'],
    ['⇧F10 p', 'step back over'],
    ['⇧I', 'step back into'],
    ['⇧O', 'step back to the call'],
    ['⇧F5 ⇧C', 'run back to breakpoint or start'],
    ['F9 b', 'breakpoint on this line'],
    ['f', 'failure'],
    ['Esc', 'leave input field'],
  ],
  'Transaction steps': [
    ['← →', 'previous step, next step'],
    ['Home End', 'first step, last step'],
  ],
};

/** Calls `action` for the key outside input fields. A layout effect, to work from the first paint. */
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

/** The button for the list (also opened by `?`), and the list. */
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
