/** The tabs of the explorer, and the inner tabs of a transaction or contract. */

import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** A tab: its name in the URL, its title, and its link. */
interface Tab {
  readonly name: string;
  readonly title: string;
  readonly path: string;
}

/** A row of tabs. The current one is scrolled into view, because a phone does not fit all of them. */
export function Tabs({
  label,
  tabs,
  current,
  isInner = false,
}: {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly current: string;
  readonly isInner?: boolean;
}): JSX.Element {
  const frame = useRef<HTMLElement>(null);
  useEffect(() => {
    const tab = frame.current?.querySelector<HTMLElement>('[aria-current]');
    // Scroll only the tabs, not the page.
    if (frame.current !== null && tab != null)
      frame.current.scrollLeft = tab.offsetLeft - (frame.current.clientWidth - tab.offsetWidth) / 2;
  }, [current]);
  return (
    <nav class={isInner ? 'tabs inner' : 'tabs'} aria-label={label} ref={frame}>
      {tabs.map(({ name, title, path }) => (
        <a key={name} href={path} aria-current={current === name ? 'page' : undefined}>
          {title}
        </a>
      ))}
    </nav>
  );
}
