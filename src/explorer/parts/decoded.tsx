/** Draws decoded calls, events and values. */

import type { JSX } from 'preact';
import { itemCount, shortHex, shown } from '../format.ts';
import type { DecodedParameter } from '../inspection.ts';
import { pathTo } from '../router.ts';

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const LONGEST_VALUE = 120;
const MOST_MEMBERS = 12;

/** Returns what a member of a list or struct is: the node gives those that it decodes with their names and types. */
function memberText(member: unknown): string {
  if (typeof member !== 'object' || member === null || !('type' in member) || !('value' in member))
    return valueText(member);
  const name = 'name' in member && typeof member.name === 'string' ? member.name : '';
  return `${name === '' ? '' : `${shown(name, LONGEST_VALUE)}: `}${valueText(member.value)}`;
}

/** Returns a decoded value as text: lists and structs with their members, long ones cut. */
export function valueText(value: unknown): string {
  if (Array.isArray(value)) {
    const first = value.slice(0, MOST_MEMBERS).map(memberText).join(', ');
    const count = itemCount(value);
    return `[${first}${count > MOST_MEMBERS ? `, … ${count - MOST_MEMBERS} more` : ''}]`;
  }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).slice(0, MOST_MEMBERS);
    return `{${members.map(([name, member]) => `${name}: ${valueText(member)}`).join(', ')}}`;
  }
  const text = String(value);
  return /^0x[0-9a-fA-F]{41,}$/.test(text) ? shortHex(text, 8) : shown(text, LONGEST_VALUE);
}

/** One value; an address leads to its account. */
export function Value({ value }: { readonly value: unknown }): JSX.Element {
  if (typeof value === 'string' && ADDRESS.test(value))
    return (
      <a class="mono" href={pathTo('address', value.toLowerCase())} title={value}>
        {shortHex(value)}
      </a>
    );
  return (
    <bdi
      class={
        typeof value === 'string' && !/^-?\d+$/.test(value) && !value.startsWith('0x') ? 'string' : 'mono'
      }
    >
      {valueText(value)}
    </bdi>
  );
}

/** The parameters of a call, an event or an error, in brackets. */
export function Parameters({
  parameters,
}: {
  readonly parameters: readonly DecodedParameter[];
}): JSX.Element {
  return (
    <span class="parameters">
      (
      {parameters.map(({ name, value }, index) => (
        <span key={`${index}${name}`}>
          {index === 0 ? '' : ', '}
          {name === '' ? null : <span class="faint">{shown(name, 40)}: </span>}
          <Value value={value} />
        </span>
      ))}
      )
    </span>
  );
}
