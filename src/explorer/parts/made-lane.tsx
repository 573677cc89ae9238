import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { shown } from '../format.ts';
import { pathOn } from '../router.ts';

/** A lane that was made out of this chain. */
export interface LaneMade {
  readonly key: string;
  /** The block that it goes on from. */
  readonly block: number;
}

/** The lane that was made last; `null` where there is none, or it was dismissed. */
export const laneMade = signal<LaneMade | null>(null);

/** Leads to the lane that was made. The focus goes to the link, so that Enter opens the lane and Tab leads on from there. */
export function MadeLane({ lane: { key, block } }: { readonly lane: LaneMade }): JSX.Element {
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => link.current?.focus(), [key]);
  return (
    <section class="banner moment" role="status" aria-label="New lane">
      Lane <bdi>{shown(key, 60)}</bdi> goes on from block #{block}, on its own.{' '}
      <a ref={link} href={pathOn(key, 'feed')}>
        Open the lane
      </a>{' '}
      <button
        type="button"
        onClick={() => {
          laneMade.value = null;
        }}
      >
        Stay here
      </button>
    </section>
  );
}
