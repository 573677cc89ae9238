/** Parts of the page that scroll by themselves, as tables on a phone do, and can then be scrolled by the keyboard too. */

import type { ComponentChildren, JSX, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

/**
 * Lets an element have the focus while not all of it is seen, so that the arrow keys scroll it; else the keyboard passes it by, as there
 * is nothing to do in it.
 */
export function useKeyboardScroll(frame: RefObject<HTMLElement | null>): void {
  const look = (): void => {
    const element = frame.current;
    if (element === null) return;
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = element;
    if (scrollWidth > clientWidth || scrollHeight > clientHeight) element.tabIndex = 0;
    else element.removeAttribute('tabindex');
  };
  // The contents may change with each render, and the size with that of the window.
  useLayoutEffect(look);
  useEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(look);
    for (const each of [element, ...element.children]) observer.observe(each);
    return () => observer.disconnect();
  }, []);
}

/** A region that scrolls where what is in it has no room. */
export function Scrolled({
  label,
  class: className = 'scrolled',
  children,
}: {
  readonly label: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  const frame = useRef<HTMLElement>(null);
  useKeyboardScroll(frame);
  return (
    <section ref={frame} class={className} aria-label={label}>
      {children}
    </section>
  );
}
