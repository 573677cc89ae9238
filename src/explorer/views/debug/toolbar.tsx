/** The buttons and the keys of the debug view. */

import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Direction } from './stepping.ts';

/** A movement through the execution, or a breakpoint on the current line. */
export type Action = 'over' | 'into' | 'out' | 'run';

/** The command of a key or a button. */
export type Command =
  | { readonly action: Action; readonly by: Direction }
  | { readonly action: 'breakpoint' }
  | { readonly action: 'failure' };

const forward = (action: Action): Command => ({ action, by: 1 });
const back = (action: Action): Command => ({ action, by: -1 });

/** Commands by key. Editors use the function keys; browsers reserve some of them outside this view. */
const KEYS: Readonly<Record<string, Command>> = {
  F5: forward('run'),
  'Shift+F5': back('run'),
  F9: { action: 'breakpoint' },
  F10: forward('over'),
  'Shift+F10': back('over'),
  F11: forward('into'),
  'Shift+F11': forward('out'),
  c: forward('run'),
  'Shift+C': back('run'),
  n: forward('over'),
  p: back('over'),
  i: forward('into'),
  'Shift+I': back('into'),
  o: forward('out'),
  'Shift+O': back('out'),
  b: { action: 'breakpoint' },
  f: { action: 'failure' },
};

/** Returns the command of a pressed key; `undefined` for other keys and in text fields. */
export function commandOf(
  event: Pick<KeyboardEvent, 'key' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey'>,
  isTyping: boolean,
): Command | undefined {
  const { key, shiftKey, ctrlKey, metaKey, altKey } = event;
  if (ctrlKey || metaKey || altKey || (isTyping && !/^F\d+$/.test(key))) return undefined;
  return KEYS[shiftKey ? `Shift+${key}` : key];
}

/** Calls `onCommand` for the keys while the view is open. */
export function useCommands(onCommand: (command: Command) => void): void {
  const latest = useRef(onCommand);
  latest.current = onCommand;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const field =
        event.target instanceof HTMLElement && event.target.matches('input, textarea, select')
          ? event.target
          : null;
      // Letters are commands again after Escape.
      if (event.key === 'Escape') field?.blur();
      const command = commandOf(event, field !== null);
      if (command === undefined || event.defaultPrevented) return;
      event.preventDefault();
      latest.current(command);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

const ICONS: Readonly<Record<Action, JSX.Element>> = {
  run: <path d="M3.5 3v10l6.5-5zM12.5 3v10" />,
  over: <path d="M2.5 9a5.5 5.5 0 0 1 10.6-1.5M13.5 3.5v4h-4M8 12.5h.01" />,
  into: <path d="M8 2v7M5 6.5 8 9.5l3-3M8 13h.01" />,
  out: <path d="M8 10V3M5 5.5l3-3 3 3M8 13h.01" />,
};

interface Button {
  readonly action: Action;
  readonly by: Direction;
  readonly title: string;
  readonly keys: string;
}

const BUTTONS: readonly Button[] = [
  { action: 'run', by: -1, title: 'Run back', keys: 'Shift+F5' },
  { action: 'out', by: -1, title: 'Back to call', keys: 'Shift+O' },
  { action: 'into', by: -1, title: 'Back into', keys: 'Shift+I' },
  { action: 'over', by: -1, title: 'Back', keys: 'Shift+F10 or p' },
  { action: 'over', by: 1, title: 'Over', keys: 'F10 or n' },
  { action: 'into', by: 1, title: 'Into', keys: 'F11 or i' },
  { action: 'out', by: 1, title: 'Out', keys: 'Shift+F11 or o' },
  { action: 'run', by: 1, title: 'Run', keys: 'F5 or c' },
];

export function Toolbar({ onCommand }: { readonly onCommand: (command: Command) => void }): JSX.Element {
  return (
    <div class="step-buttons" role="toolbar" aria-label="Steps">
      {BUTTONS.map(({ action, by, title, keys }) => (
        <button
          key={`${action}${by}`}
          type="button"
          class={by === -1 ? 'back' : 'forward'}
          aria-label={title}
          title={`${title} (${keys})`}
          onClick={() => onCommand({ action, by })}
        >
          <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
            {ICONS[action]}
          </svg>
          <span class="words">{title}</span>
        </button>
      ))}
    </div>
  );
}
