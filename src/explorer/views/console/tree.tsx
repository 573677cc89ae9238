/** A JSON value as a tree. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { counted, grouped, shown } from '../../format.ts';
import { Hex, useName } from '../../parts/values.tsx';
import { pathTo } from '../../router.ts';

const MEMBERS_AT_ONCE = 100;
/** Levels that are open at first, and the maximum members of an open level. */
const OPEN_DEPTH = 2;
const OPEN_MEMBERS = 30;
const MAX_TEXT = 2_000;
/** Characters of the longest hexadecimal data that are shown whole. */
const MAX_HEX = 140;

const ADDRESS = /^0x[0-9a-f]{40}$/i;
const QUANTITY = /^0x(?:0|[1-9a-f][0-9a-f]{0,31})$/;

function AddressName({ address }: { readonly address: string }): JSX.Element | null {
  const named = useName(address);
  return named === null ? null : <bdi class="faint">{shown(named.text, 60)}</bdi>;
}

function Leaf({ value }: { readonly value: unknown }): JSX.Element {
  if (typeof value !== 'string') return <span class="mono code-keyword">{String(value)}</span>;
  if (ADDRESS.test(value))
    return (
      <>
        <a class="mono" href={pathTo('address', value)}>
          {value}
        </a>{' '}
        <AddressName address={value} />
      </>
    );
  if (value.startsWith('0x') && value.length > MAX_HEX) return <Hex hex={value} />;
  if (QUANTITY.test(value))
    return (
      <span class="mono">
        {value} <span class="faint">{grouped(BigInt(value))}</span>
      </span>
    );
  return <bdi class={value.startsWith('0x') ? 'mono' : 'string'}>{shown(value, MAX_TEXT)}</bdi>;
}

function Name({ name }: { readonly name: string }): JSX.Element {
  return (
    <span class="member-name">
      <bdi>{shown(name, 120)}</bdi>
      {': '}
    </span>
  );
}

/** A value with its name; objects and arrays open and close. */
export function JsonTree({
  value,
  name = null,
  depth = 0,
}: {
  readonly value: unknown;
  readonly name?: string | null;
  readonly depth?: number;
}): JSX.Element {
  const isBranch = typeof value === 'object' && value !== null;
  const members = isBranch ? Object.entries(value) : [];
  const [isOpen, setOpen] = useState(depth < OPEN_DEPTH && (depth === 0 || members.length <= OPEN_MEMBERS));
  const [count, setCount] = useState(MEMBERS_AT_ONCE);
  if (!isBranch || members.length === 0)
    return (
      <div class="leaf">
        {name === null ? null : <Name name={name} />}
        {isBranch ? <span class="mono">{Array.isArray(value) ? '[]' : '{}'}</span> : <Leaf value={value} />}
      </div>
    );
  const left = members.length - count;
  return (
    <details class="branch" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {name === null ? null : <Name name={name} />}
        <span class="faint">
          {Array.isArray(value)
            ? counted(members.length, 'item')
            : `{ ${counted(members.length, 'member')} }`}
        </span>
      </summary>
      {!isOpen ? null : (
        <div class="members">
          {members.slice(0, count).map(([key, member]) => (
            <JsonTree key={key} name={key} value={member} depth={depth + 1} />
          ))}
          {left <= 0 ? null : (
            <button type="button" onClick={() => setCount(count + MEMBERS_AT_ONCE)}>
              Show more ({grouped(left)})
            </button>
          )}
        </div>
      )}
    </details>
  );
}
