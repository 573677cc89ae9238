import type { ComponentChildren, JSX } from 'preact';
import { grouped, shown } from '../format.ts';
import type { Inspection, StackFrame } from '../inspection.ts';
import { Value } from './decoded.tsx';
import { Text } from './values.tsx';

function place({ source, line, column }: StackFrame): string {
  return source === null ? '' : `${source}:${line}:${column}`;
}

/** Why an execution failed, and where, between what is given to stand above and below; nothing for one that did not. */
export function WhyItFailed({
  inspection,
  label = 'Failure',
  above = null,
  below = null,
}: {
  readonly inspection: Inspection;
  readonly label?: string;
  readonly above?: ComponentChildren;
  readonly below?: ComponentChildren;
}): JSX.Element | null {
  const { failure, stackTrace, omitted } = inspection;
  if (failure === null) return null;
  return (
    <section class="newest-failure" aria-label={label}>
      {above}
      <p class="reason">
        <Text text={failure.message} longest={2_000} />
      </p>
      {failure.error === null || failure.error.parameters.length === 0 ? null : (
        <dl class="facts">
          {failure.error.parameters.map(({ name, value }, index) => (
            <div key={`${index}${name}`}>
              <dt>{shown(name === '' ? String(index) : name, 40)}</dt>
              <dd>
                <Value value={value} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {stackTrace.length === 0 ? null : (
        <ol class="stack">
          {stackTrace.map((frame, index) => (
            <li key={`${index}${place(frame)}`}>
              <b>{shown(frame.contract ?? 'unknown contract', 60)}</b>
              {frame.function === null ? null : `.${shown(frame.function, 80)}`}{' '}
              <span class="mono faint">{shown(place(frame), 200)}</span>
            </li>
          ))}
          {omitted.stackTrace === undefined ? null : (
            <li class="faint">and {grouped(omitted.stackTrace)} more</li>
          )}
        </ol>
      )}
      {below}
    </section>
  );
}
