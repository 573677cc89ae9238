import type { ComponentChildren, JSX } from 'preact';
import { grouped, shown } from '../format.ts';
import type { Failure, Inspection, StackFrame } from '../inspection.ts';
import { Parameters } from './decoded.tsx';
import { Address, Text } from './values.tsx';

function place({ source, line, column }: StackFrame): string {
  return source === null ? '' : `${source}:${line}:${column}`;
}

/** The contract of a frame, or the address of one that is unknown. */
function FrameContract({ frame: { contract, address } }: { readonly frame: StackFrame }): JSX.Element {
  if (contract !== null) return <b>{shown(contract, 60)}</b>;
  return address === undefined ? <b>unknown contract</b> : <Address address={address} isWhole />;
}

/** The words before the custom error that a contract reverted with, and its name. */
const CUSTOM_ERROR = /^(.{0,60}custom error) '([^('\n]{1,80})\(/;

/** The reason. The arguments of a custom error are values, so that addresses among them lead to their accounts. */
function Reason({ failure: { message, error } }: { readonly failure: Failure }): JSX.Element {
  const [, words, name] = CUSTOM_ERROR.exec(message) ?? [];
  if (words === undefined || name === undefined || error === null || error.parameters.length === 0)
    return <Text text={message} longest={2_000} />;
  return (
    <>
      {shown(words, 80)} <bdi>{shown(name, 80)}</bdi>
      <Parameters parameters={error.parameters} />
    </>
  );
}

/** The reason why an execution failed, and the place, between what is given to stand above and below; nothing for one that did not fail. */
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
        <Reason failure={failure} />
      </p>
      {stackTrace.length === 0 ? null : (
        <ol class="stack">
          {stackTrace.map((frame, index) => (
            <li key={`${index}${place(frame)}`}>
              <FrameContract frame={frame} />
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
