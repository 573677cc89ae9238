/**
 * Lists of any length of which only what is seen is drawn, and parts of the page that scroll by themselves, as tables on a phone do, and can
 * then be scrolled by the keyboard too.
 */

import type { ComponentChildren, JSX, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/**
 * Lets an element have the focus while not all of it is seen, so that the arrow keys scroll it; else the keyboard passes it by, as there
 * is nothing to do in it.
 */
function useKeyboardScroll(frame: RefObject<HTMLElement | null>): void {
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

/** Rows drawn above and below what is seen. */
const MARGIN = 10;

/** Browsers draw no element that is higher than some 30 million pixels; beyond that, places are scaled. */
const HIGHEST = 8_000_000;

/** Rows of equal height. `row` draws one; `shows` is a row to be scrolled to when it changes. */
export function VirtualList({
  count,
  rowHeight,
  row,
  label,
  shows = null,
  class: className = '',
}: {
  readonly count: number;
  /** Pixels. */
  readonly rowHeight: number;
  readonly row: (index: number) => ComponentChildren;
  readonly label: string;
  readonly shows?: number | null;
  readonly class?: string;
}): JSX.Element {
  const frame = useRef<HTMLElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  const whole = count * rowHeight;
  const drawn = Math.min(whole, HIGHEST);
  const scale = whole > drawn ? (whole - height) / Math.max(1, drawn - height) : 1;
  useEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    setHeight(element.clientHeight);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const element = frame.current;
    if (element === null || shows === null) return;
    const place = shows * rowHeight;
    const seen = element.scrollTop * scale;
    if (place < seen || place + rowHeight > seen + element.clientHeight)
      element.scrollTop = Math.max(0, place - element.clientHeight / 2) / scale;
  }, [shows]);
  useKeyboardScroll(frame);
  const offset = top * scale;
  const first = Math.max(0, Math.floor(offset / rowHeight) - MARGIN);
  const last = Math.min(count, Math.ceil((offset + height) / rowHeight) + MARGIN);
  const rows = [];
  for (let index = first; index < last; index++) {
    rows.push(
      <li key={index} class="row" style={{ height: `${rowHeight}px` }}>
        {row(index)}
      </li>,
    );
  }
  return (
    <section
      ref={frame}
      class={`virtual ${className}`}
      aria-label={label}
      style={{ height: `min(var(--list-height, 60vh), ${whole + 2}px)` }}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <div style={{ height: `${drawn}px` }}>
        <ul style={{ transform: `translateY(${first * rowHeight - offset + top}px)` }}>{rows}</ul>
      </div>
    </section>
  );
}
