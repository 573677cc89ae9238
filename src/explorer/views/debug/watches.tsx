/** Watch expressions, evaluated at a step. They stay in the browser, by contract. */

import type { JSX } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { client } from '../../chain.ts';
import { type Target, targetParameter } from '../../execution-target.ts';
import { errorText, shown } from '../../format.ts';
import { keepValue, keptValue } from '../../page-storage.ts';
import { Value } from '../../parts/decoded.tsx';
import { useReadState } from '../../parts/use-read.ts';
import { Empty } from '../../parts/values.tsx';
import { RpcError } from '../../rpc/client.ts';

const MAX_WATCHES = 20;
const MAX_LENGTH = 2_000;

interface Evaluated {
  readonly type: string;
  readonly value: unknown;
  readonly hasMore?: boolean;
}

/** The value of an expression, or the reason why it has none. */
type Result = { readonly value: Evaluated } | { readonly reason: string };

function keyOf(contract: string): string {
  return `node-cli watches ${contract}`;
}

function storedWatches(contract: string): readonly string[] {
  const stored = keptValue('always', keyOf(contract));
  if (!Array.isArray(stored)) return [];
  return stored.filter((each) => typeof each === 'string').slice(0, MAX_WATCHES);
}

/** Returns the reason in an error of `inspect_evaluate`. */
function reasonOf(error: unknown): string {
  const data = error instanceof RpcError ? error.data : null;
  const hasReason = typeof data === 'object' && data !== null && 'reason' in data;
  return hasReason && typeof data.reason === 'string' ? data.reason : errorText(error);
}

async function evaluate(target: Target, step: number, expression: string): Promise<Result> {
  try {
    const params = [targetParameter(target), step, expression];
    return { value: await client.read<Evaluated>('inspect_evaluate', params) };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return { reason: reasonOf(error) };
  }
}

function Watch({
  target,
  step,
  expression,
  onRemove,
}: {
  readonly target: Target;
  readonly step: number;
  readonly expression: string;
  readonly onRemove: () => void;
}): JSX.Element {
  const {
    value: result,
    isLoading,
    error,
  } = useReadState(() => evaluate(target, step, expression), [target, step, expression]);
  return (
    <li class={isLoading ? 'watch loading' : 'watch'}>
      <code>
        <bdi title={shown(expression, 400)}>{shown(expression, 80)}</bdi>
      </code>
      <span class="watch-value">
        {error !== null ? (
          <span class="reason">{shown(errorText(error), 200)}</span>
        ) : result === undefined ? (
          '…'
        ) : 'reason' in result ? (
          <span class="faint">
            <bdi>{shown(result.reason, 200)}</bdi>
          </span>
        ) : (
          <span title={shown(result.value.type, 200)}>
            <Value value={result.value.value} type={result.value.type} />
            {result.value.hasMore === true ? <span class="faint"> …</span> : null}
          </span>
        )}
      </span>
      <button type="button" class="close" aria-label={`Remove ${shown(expression, 80)}`} onClick={onRemove}>
        ×
      </button>
    </li>
  );
}

/** The watch expressions of a contract, with a field for another one. */
export function Watches({
  target,
  step,
  contract,
}: {
  readonly target: Target;
  readonly step: number;
  readonly contract: string;
}): JSX.Element {
  const [watches, setWatches] = useState<readonly string[]>(() => storedWatches(contract));
  const [text, setText] = useState('');
  const id = useId();
  useEffect(() => setWatches(storedWatches(contract)), [contract]);
  const keep = (changed: readonly string[]): void => {
    setWatches(changed);
    keepValue('always', keyOf(contract), changed.length === 0 ? undefined : changed);
  };
  const add = (): void => {
    const expression = text.trim();
    if (expression === '') return;
    if (!watches.includes(expression)) keep([...watches, expression].slice(-MAX_WATCHES));
    setText('');
  };
  return (
    <>
      {watches.length === 0 ? (
        <Empty>Example: balances[msg.sender] &gt;= amount</Empty>
      ) : (
        <ul class="plain watches">
          {watches.map((expression) => (
            <Watch
              key={expression}
              target={target}
              step={step}
              expression={expression}
              onRemove={() => keep(watches.filter((each) => each !== expression))}
            />
          ))}
        </ul>
      )}
      <form
        class="add-watch"
        onSubmit={(event) => {
          event.preventDefault();
          add();
        }}
      >
        <label for={id} class="unseen">
          Expression
        </label>
        <input
          id={id}
          type="text"
          class="mono"
          placeholder="Expression"
          value={text}
          maxLength={MAX_LENGTH}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="submit">Watch</button>
      </form>
    </>
  );
}
