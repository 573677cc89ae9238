/** One box for everything: hashes, numbers, addresses, names, selectors. */

import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { client } from '../chain.ts';
import { shortHex, shown } from '../format.ts';
import { go, pathTo } from '../router.ts';
import { announcement } from './values.tsx';

/** Something that was found. */
export interface Found {
  readonly title: string;
  readonly detail: string;
  readonly path: string;
}

interface KnownContract {
  readonly name: string;
  readonly sourceName: string;
}

interface Deployment {
  readonly address: string;
  readonly contract: string | null;
  readonly implementation: { readonly contract: string | null } | null;
}

const MOST_FOUND = 12;

async function byHash(hash: string): Promise<Found[]> {
  const [transaction, block] = await Promise.all([
    client.read<object | null>('eth_getTransactionByHash', [hash]),
    client.read<{ readonly number: string } | null>('eth_getBlockByHash', [hash, false]),
  ]);
  return [
    ...(transaction === null
      ? []
      : [{ title: 'Transaction', detail: shortHex(hash, 8), path: pathTo('tx', hash) }]),
    ...(block === null ? [] : [{ title: 'Block', detail: shortHex(hash, 8), path: pathTo('block', hash) }]),
  ];
}

async function byNumber(text: string): Promise<Found[]> {
  const number = Number(text);
  const block = await client.read<object | null>('eth_getBlockByNumber', [`0x${number.toString(16)}`, false]);
  return block === null
    ? []
    : [{ title: 'Block', detail: `#${number}`, path: pathTo('block', String(number)) }];
}

/** Returns how well a name fits a text in lower case: the lower the better; `null` where it does not. */
function misfitOf(name: string, text: string): number | null {
  const place = name.toLowerCase().indexOf(text);
  return place < 0 ? null : place === 0 ? name.length - text.length : 1_000 + place;
}

/** Contracts of that name on this chain before those that are only described by artifacts; of each, the names that fit best. */
async function byName(text: string): Promise<Found[]> {
  const wanted = text.toLowerCase();
  const [{ contracts: deployed }, described] = await Promise.all([
    client.read<{ readonly contracts: readonly Deployment[] }>('inspect_deployments'),
    client.read<readonly KnownContract[]>('inspect_contracts'),
  ]);
  const found: { readonly order: number; readonly one: Found }[] = [];
  const seen = new Set<string>();
  for (const { address, contract, implementation } of deployed) {
    const name = [contract, implementation?.contract].filter((each) => each != null).join(' → ');
    const order = misfitOf(name, wanted);
    if (order === null) continue;
    seen.add(contract ?? '');
    const one = { title: shown(name, 60), detail: shortHex(address), path: pathTo('address', address) };
    found.push({ order, one });
  }
  for (const { name, sourceName } of described) {
    const order = seen.has(name) ? null : misfitOf(`${name} ${sourceName}`, wanted);
    if (order === null) continue;
    const path = pathTo('contracts', '', { search: name });
    found.push({
      order: 10_000 + order,
      one: { title: shown(name, 60), detail: shown(sourceName, 80), path },
    });
  }
  return found
    .sort((one, other) => one.order - other.order)
    .slice(0, MOST_FOUND)
    .map(({ one }) => one);
}

/** Resolves to what a text can mean on this chain. */
export async function search(text: string): Promise<readonly Found[]> {
  const wanted = text.trim();
  if (/^0x[0-9a-f]{64}$/i.test(wanted)) return byHash(wanted.toLowerCase());
  if (/^0x[0-9a-f]{40}$/i.test(wanted))
    return [{ title: 'Account', detail: wanted, path: pathTo('address', wanted.toLowerCase()) }];
  if (/^0x[0-9a-f]{8}$/i.test(wanted))
    return [
      { title: 'Selector', detail: wanted, path: pathTo('feed', '', { search: wanted.toLowerCase() }) },
    ];
  if (/^#?\d{1,15}$/.test(wanted)) return byNumber(wanted.replace('#', ''));
  return wanted === '' ? [] : byName(wanted);
}

/** The box; `/` leads to it from everywhere. */
export function Search(): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  const [found, setFound] = useState<readonly Found[] | null>(null);
  const [chosen, setChosen] = useState(0);
  const asked = useRef(0);
  const hiding = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  // Keys are heard from the first picture on, not only when the browser has time.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      input.current?.focus();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);

  const look = async (text: string): Promise<readonly Found[]> => {
    const question = ++asked.current;
    const results = text.trim() === '' ? null : await search(text).catch(() => []);
    if (question === asked.current) {
      setFound(results);
      setChosen(0);
      if (results !== null) announcement.value = `${results.length} found`;
    }
    return results ?? [];
  };
  const open = (target: Found | undefined): void => {
    if (target === undefined) return;
    setFound(null);
    if (input.current !== null) input.current.value = '';
    input.current?.blur();
    go(target.path);
  };
  const onKey = async (event: KeyboardEvent): Promise<void> => {
    const count = found?.length ?? 0;
    if (event.key === 'Escape') {
      setFound(null);
      input.current?.blur();
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      if (count > 0) setChosen((chosen + (event.key === 'ArrowDown' ? 1 : count - 1)) % count);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      const results = await look(input.current?.value ?? '');
      open(results[Math.min(chosen, results.length - 1)]);
    }
  };
  return (
    <search class="search">
      <input
        ref={input}
        type="text"
        placeholder="Hash, block, address, name, selector  /"
        aria-label="Search"
        role="combobox"
        aria-expanded={found !== null}
        aria-controls="found"
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => void look(event.currentTarget.value)}
        onKeyDown={(event) => void onKey(event)}
        onFocus={() => clearTimeout(hiding.current)}
        onBlur={() => {
          hiding.current = setTimeout(() => setFound(null), 150);
        }}
      />
      {found === null ? null : (
        <div id="found" class="found" role="listbox" aria-label="Found">
          {found.length === 0 ? <p class="empty">Nothing of that kind is on this chain.</p> : null}
          {found.map((one, index) => (
            <button
              key={one.path}
              type="button"
              role="option"
              tabIndex={-1}
              aria-selected={index === chosen}
              onMouseDown={(event) => {
                event.preventDefault();
                open(one);
              }}
            >
              <b>
                <bdi>{one.title}</bdi>
              </b>{' '}
              <span class="mono faint">{one.detail}</span>
            </button>
          ))}
        </div>
      )}
    </search>
  );
}
