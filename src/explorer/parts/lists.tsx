/** Virtual lists, which only render visible rows, and scrollable regions with keyboard support. */

import type { ComponentChildren, JSX, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Makes an element focusable while it overflows, so that the arrow keys scroll it. */
function useKeyboardScroll(frame: RefObject<HTMLElement | null>): void {
  const look = (): void => {
    const element = frame.current;
    if (element === null) return;
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = element;
    if (scrollWidth > clientWidth || scrollHeight > clientHeight) element.tabIndex = 0;
    else element.removeAttribute('tabindex');
  };
  // The content may change with each render, and the size with the window.
  useLayoutEffect(look);
  useEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(look);
    for (const each of [element, ...element.children]) observer.observe(each);
    return () => observer.disconnect();
  }, []);
}

/** A region that scrolls if its content overflows. */
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

/** The part of the height at each edge without a shown row, so that the lines around the row are visible. */
const EDGE = 0.2;

/** Rows rendered above and below the visible part. */
const MARGIN = 10;

/** Browsers limit an element's height to about 30 million pixels. Above this value, positions are scaled. */
const HIGHEST = 8_000_000;

/** A virtual list of rows of equal height. `row` renders one row. A change of `shows` scrolls to that row. */
export function VirtualList({
  count,
  rowHeight,
  row,
  label,
  shows = null,
  class: className = '',
}: {
  readonly count: number;
  /** In pixels. */
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
    const margin = element.clientHeight * EDGE;
    if (place < seen + margin || place + rowHeight > seen + element.clientHeight - margin)
      element.scrollTop = Math.max(0, place - (element.clientHeight - rowHeight) / 2) / scale;
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
