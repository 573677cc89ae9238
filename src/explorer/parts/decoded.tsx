/** Renders decoded calls, events and values. */

import type { JSX } from 'preact';
import type { ScaledAmount } from '../argument-units.ts';
import { decimal, grouped, itemCount, shortHex, shown } from '../format.ts';
import type { DecodedParameter, Failure, InspectedCall } from '../inspection.ts';
import { Text, useLinks } from './values.tsx';

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

/** Integers with more digits are hard to read. */
const LONG_INTEGER = /^-?\d{13,40}$/;
const COIN_DIGITS = 18;

/** Returns a readable form of a long integer, without a unit; `undefined` for other values. */
function largeText(value: unknown, type: string): string | undefined {
  if (typeof value !== 'string' || type === 'string' || !LONG_INTEGER.test(value)) return undefined;
  return `${grouped(value)} = ${decimal(BigInt(value), COIN_DIGITS)} × 10^18`;
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
      title={largeText(value, type ?? '')}
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

/** The parameters of a call, event or error, in brackets. `scale` returns the amount of a parameter, if known. */
export function Parameters({
  parameters,
  scale = () => null,
}: {
  readonly parameters: readonly DecodedParameter[];
  readonly scale?: (parameter: DecodedParameter) => ScaledAmount | null;
}): JSX.Element {
  return (
    <span class="parameters">
      (
      {parameters.map((parameter, index) => {
        const { name, type, value } = parameter;
        const amount = scale(parameter);
        return (
          <span key={`${index}${name}`}>
            {index === 0 ? '' : ', '}
            {name === '' ? null : <span class="faint">{shown(name, 40)}: </span>}
            <Value value={value} type={type} />
            {amount === null ? null : (
              <span class="scaled" title={`${shown(amount.text, 120)} ${shown(amount.reason, 200)}`}>
                {' '}
                ({shown(amount.text, 120)})
              </span>
            )}
          </span>
        );
      })}
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
