/** The tabs of the page, and those of a transaction or a contract inside it. */

import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** One tab: its name in the address, its title, and what it links to. */
interface Tab {
  readonly name: string;
  readonly title: string;
  readonly path: string;
}

/** Tabs, of which the one that is shown is always seen: on a phone not all of them fit. */
export function Tabs({
  label,
  tabs,
  current,
  isInner = false,
}: {
  readonly label: string;
  readonly tabs: readonly Tab[];
  /** The name of the tab that is shown. */
  readonly current: string;
  readonly isInner?: boolean;
}): JSX.Element {
  const frame = useRef<HTMLElement>(null);
  useEffect(() => {
    const tab = frame.current?.querySelector<HTMLElement>('[aria-current]');
    // Only the tabs are scrolled, as the page begins at its top.
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
