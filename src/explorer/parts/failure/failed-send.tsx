/** A mined transaction that failed, below the form that sent it. */

import type { JSX } from 'preact';
import type { Failure } from '../../inspection.ts';
import { pathTo } from '../../router.ts';
import { WhyItFailed } from './why-it-failed.tsx';

/** The reason of the failure, with links to the transaction and to another run. */
export function FailedSend({
  title,
  hash,
  failure,
}: {
  readonly title: string;
  readonly hash: string;
  readonly failure: Failure;
}): JSX.Element {
  return (
    <WhyItFailed
      inspection={{ failure, stackTrace: [], omitted: {} }}
      target={hash}
      again={pathTo('tx', hash, { show: 'again' })}
      above={<h3>{title}</h3>}
      below={
        <p class="more-about">
          <a href={pathTo('tx', hash)}>View transaction</a>
        </p>
      }
    />
  );
}
