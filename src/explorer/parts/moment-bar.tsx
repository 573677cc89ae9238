import type { JSX } from 'preact';
import { headNumber, moment } from '../chain.ts';
import { go, place } from '../router.ts';

/** Returns the address of the place that is shown, at another block; `null` for the newest. */
export function atBlock(number: number | null): string {
  const url = new URL(location.href);
  if (number === null) url.searchParams.delete('at');
  else url.searchParams.set('at', String(number));
  return url.pathname + url.search;
}

/** Says that the state is shown as it was after an older block. */
export function MomentBar(): JSX.Element {
  const number = moment.value ?? 0;
  // Read, so that the bar is drawn again when the place changes.
  const { view } = place.value;
  return (
    <section class="banner moment" aria-label="Moment that is shown" data-view={view}>
      The state is shown as it was after block #{number} of {headNumber.value}.{' '}
      <button type="button" onClick={() => go(atBlock(null))}>
        Back to the newest
      </button>
    </section>
  );
}
