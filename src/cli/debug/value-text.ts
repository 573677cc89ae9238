/** Writes values as an editor shows them. */

import type { NamedValue } from './outline.ts';

type Value = NamedValue['value'];

/** Maximum characters of a struct or an array on one line. */
const MAX_PREVIEW = 120;
const MORE = /^… (?<count>\d+) more$/;

/** The items of an array, the members of a struct, or the known entries of a mapping. */
export interface ValueItems {
  readonly items: readonly NamedValue[];
  readonly kind: 'array' | 'members' | 'mapping';
  /** The number of items that are not in `items`; `null` if there are more, and their number is unknown. */
  readonly missing: number | null;
}

/** Returns the parts of a value; `null` for a single value. */
export function itemsOf({ type, value, hasMore }: Omit<NamedValue, 'name'>): ValueItems | null {
  if (!Array.isArray(value)) return null;
  const all = value as readonly NamedValue[];
  const last = all.at(-1);
  const marked =
    last?.type === '' && typeof last.value === 'string' ? MORE.exec(last.value)?.groups : undefined;
  const items = marked === undefined ? all : all.slice(0, -1);
  const isMapping = type.startsWith('mapping') || type.startsWith('HashMap');
  const isArray = !isMapping && items.every(({ name }) => name === '') && isArrayType(type);
  const kind = isMapping ? 'mapping' : isArray ? 'array' : 'members';
  if (marked !== undefined) return { items, kind, missing: Number(marked.count) };
  return { items, kind, missing: hasMore === true && kind === 'array' ? null : 0 };
}

/** `uint256[]`, `struct Part[3] storage ref`, `DynArray[uint256, 5]`, `uint256[3]` of Vyper. */
function isArrayType(type: string): boolean {
  return /\](?:\s|$)/.test(type);
}

/** Returns a value on one line. Texts are in quotes. */
export function valueText(value: Omit<NamedValue, 'name'>): string {
  const { type, value: content } = value;
  const parts = itemsOf(value);
  if (parts === null) return singleText(type, content);
  const { items, kind, missing } = parts;
  const shown: string[] = [];
  let length = 0;
  for (const [index, item] of items.entries()) {
    const text = item.name === '' ? valueText(item) : `${item.name}: ${valueText(item)}`;
    length += text.length + 2;
    if (length > MAX_PREVIEW && index > 0) {
      shown.push('…');
      break;
    }
    shown.push(text);
  }
  const isPartial = missing !== 0 || value.hasUnknownKeys === true;
  if (isPartial && shown.at(-1) !== '…') shown.push('…');
  const [open, close] = kind === 'array' ? ['[', ']'] : kind === 'mapping' ? ['{', '}'] : ['(', ')'];
  return `${open}${shown.join(', ')}${close}`;
}

function singleText(type: string, value: Value): string {
  if (typeof value !== 'string') return String(value);
  const isText = /^string\b|^String\[/.test(type) && !value.startsWith('<not available');
  return isText ? JSON.stringify(value) : value;
}

const NAME = /^[A-Za-z_$][\w$]*$/;

/** Returns the expression of a part of a value; `null` if the expression of the value is unknown. */
export function partExpression(
  parent: string | null,
  { name }: NamedValue,
  index: number,
  kind: ValueItems['kind'],
): string | null {
  if (parent === null) return null;
  if (kind === 'array') return `${parent}[${index}]`;
  if (name.startsWith('[')) return `${parent}${name}`;
  return NAME.test(name) ? `${parent}.${name}` : null;
}
