import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { headNumber, moment } from '../chain.ts';
import { blockText, shown } from '../format.ts';
import { go, pathOn, place } from '../router.ts';

/** A lane that was created from this chain. */
export interface CreatedLane {
  readonly key: string;
  /** The latest block that it shares with this chain. */
  readonly block: number;
}

/** The last created lane; `null` if there is none, or if it was dismissed. */
export const createdLane = signal<CreatedLane | null>(null);

/** A link to the new lane. It gets the focus, so that Enter opens the lane. */
export function CreatedLaneBar({ lane: { key, block } }: { readonly lane: CreatedLane }): JSX.Element {
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => link.current?.focus(), [key]);
  return (
    <section class="banner moment" role="status" aria-label="New lane">
      Lane <bdi>{shown(key, 60)}</bdi> created at block {blockText(block)}.{' '}
      <a ref={link} href={pathOn(key, 'feed')}>
        Open lane
      </a>{' '}
      <button
        type="button"
        onClick={() => {
          createdLane.value = null;
        }}
      >
        Stay here
      </button>
    </section>
  );
}

/** Returns the URL of the current view at another block; `null` for the latest. */
export function atBlock(number: number | null): string {
  const url = new URL(location.href);
  if (number === null) url.searchParams.delete('at');
  else url.searchParams.set('at', String(number));
  return url.pathname + url.search;
}

/** The notice that a view shows the state after an older block. */
export function MomentBar(): JSX.Element {
  const number = moment.value ?? 0;
  // Read the signal, so that the bar renders again after navigation.
  const { view } = place.value;
  return (
    <section class="banner moment" aria-label="Historical state" data-view={view}>
      Showing the state after block {blockText(number)} of {blockText(headNumber.value)}.{' '}
      <button type="button" onClick={() => go(atBlock(null))}>
        Back to latest
      </button>
    </section>
  );
}
