import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { FeedItem } from '../../chain.ts';
import { Text } from '../../parts/values.tsx';
import { pathTo } from '../../router.ts';
import { failureOf, textOf } from './rows.tsx';

/** The newest failure with its stack trace. */
export function NewestFailure({ items }: { readonly items: readonly FeedItem[] }): JSX.Element | null {
  const [dismissed, dismiss] = useState(0);
  const found = items.find(({ activity }) => activity.kind === 'transaction' && failureOf(activity) !== null);
  if (found === undefined || found.id <= dismissed) return null;
  const { activity } = found;
  const stack = Array.isArray(activity.stack)
    ? activity.stack.map(String)
    : textOf(activity.stack).split('\n');
  return (
    <section class="newest-failure" aria-label="Newest failure">
      <h2>
        {activity.subject == null ? 'A transaction failed' : <Text text={textOf(activity.subject)} />}
        <button type="button" class="close" aria-label="Dismiss" onClick={() => dismiss(found.id)}>
          ×
        </button>
      </h2>
      <p class="reason">
        <Text text={failureOf(activity) ?? ''} longest={1_000} />
      </p>
      {stack.join('') === '' ? null : (
        <pre class="stack">
          <Text text={stack.join('\n')} longest={4_000} />
        </pre>
      )}
      <a href={pathTo('tx', textOf(activity.hash))}>Open the transaction</a>
    </section>
  );
}
