/** Renders decoded calls, events and values. */

import type { ComponentChildren, JSX } from 'preact';
import { grouped, itemCount, shortHex, shown } from '../format.ts';
import type { DecodedParameter, Failure, InspectedCall, Inspection, StackFrame } from '../inspection.ts';
import { Address, Text, useLinks } from './values.tsx';

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const MAX_VALUE_LENGTH = 120;
const MAX_MEMBERS = 12;

/** Formats a member of a list or struct. The node adds names and types to members that it decodes. */
function memberText(member: unknown): string {
  if (typeof member !== 'object' || member === null || !('type' in member) || !('value' in member))
    return valueText(member, '');
  const name = 'name' in member && typeof member.name === 'string' ? member.name : '';
  const type = typeof member.type === 'string' ? member.type : '';
  return `${name === '' ? '' : `${shown(name, MAX_VALUE_LENGTH)}: `}${valueText(member.value, type)}`;
}

/** Formats a decoded value of an ABI type. Lists and structs include their members; long ones are cut. */
function valueText(value: unknown, type: string): string {
  if (Array.isArray(value)) {
    const [open, close] = type === 'tuple' ? ['{ ', ' }'] : ['[', ']'];
    const first = value.slice(0, MAX_MEMBERS).map(memberText).join(', ');
    const count = itemCount(value);
    return `${open}${first}${count > MAX_MEMBERS ? `, … ${grouped(count - MAX_MEMBERS)} more` : ''}${close}`;
  }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).slice(0, MAX_MEMBERS);
    return `{ ${members.map(([name, member]) => `${name}: ${valueText(member, '')}`).join(', ')} }`;
  }
  const text = String(value);
  if (type === 'string') return `"${shown(text, MAX_VALUE_LENGTH)}"`;
  return /^0x[0-9a-fA-F]{41,}$/.test(text) ? shortHex(text, 8) : shown(text, MAX_VALUE_LENGTH);
}

/** One value. An address links to its account; a `string` has quotation marks. */
export function Value({
  value,
  type = '',
}: {
  readonly value: unknown;
  readonly type?: string | null | undefined;
}): JSX.Element {
  const pathOf = useLinks();
  if (type !== 'string' && typeof value === 'string' && ADDRESS.test(value))
    return (
      <a class="mono" href={pathOf('address', value.toLowerCase())} title={value}>
        {shortHex(value)}
      </a>
    );
  return (
    <bdi
      class={
        type === 'string' || (typeof value === 'string' && !/^-?\d+$/.test(value) && !value.startsWith('0x'))
          ? 'string'
          : 'mono'
      }
    >
      {valueText(value, type ?? '')}
    </bdi>
  );
}

/** The parameters of a call, event or error, in brackets. */
export function Parameters({
  parameters,
}: {
  readonly parameters: readonly DecodedParameter[];
}): JSX.Element {
  return (
    <span class="parameters">
      (
      {parameters.map(({ name, type, value }, index) => (
        <span key={`${index}${name}`}>
          {index === 0 ? '' : ', '}
          {name === '' ? null : <span class="faint">{shown(name, 40)}: </span>}
          <Value value={value} type={type} />
        </span>
      ))}
      )
    </span>
  );
}

/** The called contract with its implementation, and the function. The name links to the account. */
export function Callee({ call }: { readonly call: InspectedCall }): JSX.Element {
  const pathOf = useLinks();
  const { to, implementation } = call;
  const isCreation = call.type.startsWith('CREATE');
  const name = call.call?.name ?? call.meant;
  return (
    <span>
      <a class={to.name === null ? 'mono' : ''} href={pathOf('address', to.address)} title={to.address}>
        <bdi>{to.name === null ? shortHex(to.address) : shown(to.name, 60)}</bdi>
      </a>
      {implementation === null ? null : (
        <span class="faint"> → {shown(implementation.name ?? shortHex(implementation.address), 60)}</span>
      )}
      {isCreation || name === null ? null : (
        <>
          .<b>{shown(name, 80)}</b>
        </>
      )}
    </span>
  );
}

function place({ source, line, column }: StackFrame): string {
  return source === null ? '' : `${source}:${line}:${column}`;
}

/** The contract of a frame, or its address if unknown. */
function FrameContract({ frame: { contract, address } }: { readonly frame: StackFrame }): JSX.Element {
  if (contract !== null) return <b>{shown(contract, 60)}</b>;
  return address === undefined ? <b>unknown contract</b> : <Address address={address} isWhole />;
}

/** Matches the text before a custom error, and the name of the error. */
const CUSTOM_ERROR = /^(.{0,60}custom error) '([^('\n]{1,80})\(/;

/** The reason of a failure. Addresses in the arguments of a custom error link to their accounts. */
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

/** The short reason: the custom error with its arguments, otherwise the message. */
export function ShortReason({ failure: { message, error } }: { readonly failure: Failure }): JSX.Element {
  if (error === null) return <Text text={message} longest={500} />;
  return (
    <>
      <bdi>{shown(error.name, 80)}</bdi>
      <Parameters parameters={error.parameters} />
    </>
  );
}

/** The reason and stack trace of a failure, between `above` and `below`; empty if the execution succeeded. */
export function WhyItFailed({
  inspection,
  label = 'Failure',
  above = null,
  below = null,
}: {
  readonly inspection: Pick<Inspection, 'failure' | 'stackTrace' | 'omitted'>;
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
