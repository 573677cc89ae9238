import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { client, type FeedItem } from '../../chain.ts';
import type { Inspection } from '../../inspection.ts';
import { failureOf, textOf } from '../../parts/activity.tsx';
import { useAsked } from '../../parts/use-read.ts';
import { Text } from '../../parts/values.tsx';
import { WhyItFailed } from '../../parts/why-it-failed.tsx';
import { pathTo } from '../../router.ts';

/** A failed transaction from before the page was opened. */
interface EarlierFailure {
  readonly hash: string;
  readonly subject?: unknown;
  readonly inspection: Inspection;
}

/** Resolves to the newest failed transaction of the chain, `null` where none is found among the newest thousands. */
async function newestEarlier(): Promise<EarlierFailure | null> {
  const { transactions } = await client.read<{
    readonly transactions: readonly { readonly hash: string; readonly subject?: unknown }[];
  }>('inspect_transactions', [{ failed: true }, null, 1]);
  const [failed] = transactions;
  if (failed === undefined) return null;
  const inspection = await client.read<Inspection>('inspect_transaction', [
    failed.hash,
    { count: 0, changes: false },
  ]);
  return { ...failed, inspection };
}

function Heading({
  subject,
  onDismiss,
}: {
  readonly subject: unknown;
  readonly onDismiss: () => void;
}): JSX.Element {
  return (
    <h2>
      {subject == null ? 'A transaction failed' : <Text text={textOf(subject)} />}
      <button type="button" class="close" aria-label="Dismiss" onClick={onDismiss}>
        ×
      </button>
    </h2>
  );
}

/** The newest failure from before the page was opened; nothing where there is none. */
function Earlier(): JSX.Element | null {
  const { value } = useAsked(newestEarlier, ['newest failure']);
  const [dismissed, dismiss] = useState<string | null>(null);
  if (value == null || value.hash === dismissed) return null;
  return (
    <WhyItFailed
      inspection={value.inspection}
      label="Newest failure"
      above={<Heading subject={value.subject} onDismiss={() => dismiss(value.hash)} />}
      below={<a href={pathTo('tx', value.hash)}>Open the transaction</a>}
    />
  );
}

/** The newest failure with its stack trace. */
export function NewestFailure({ items }: { readonly items: readonly FeedItem[] }): JSX.Element | null {
  const [dismissed, dismiss] = useState(0);
  const found = items.find(({ activity }) => activity.kind === 'transaction' && failureOf(activity) !== null);
  if (found === undefined) return <Earlier />;
  if (found.id <= dismissed) return null;
  const { activity } = found;
  const stack = Array.isArray(activity.stack)
    ? activity.stack.map(String)
    : textOf(activity.stack).split('\n');
  return (
    <section class="newest-failure" aria-label="Newest failure">
      <Heading subject={activity.subject} onDismiss={() => dismiss(found.id)} />
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
