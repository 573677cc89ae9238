/** Searches for a text as hash, number, address, contract, function, event, error or selector. */

import { client } from './chain.ts';
import { blockText, shortHex, shown } from './format.ts';
import { checksummed } from './names.ts';
import { pathTo } from './router.ts';

export interface Found {
  readonly title: string;
  readonly detail: string;
  readonly path: string;
}

/** An entry of the artifacts in the result of `inspect_find`. */
interface Entry {
  readonly kind: 'contract' | 'function' | 'event' | 'error';
  readonly signature: string;
  readonly selector: string | null;
  readonly contracts: readonly { readonly name: string; readonly sourceName: string }[];
}

interface Deployment {
  readonly address: string;
  /** Several names joined with `or` if the contracts are indistinguishable. */
  readonly contract: string | null;
  readonly implementation: { readonly contract: string | null } | null;
}

const MAX_FOUND = 12;
/** Entries per request. Entries of deployed contracts come first here, but may be last in the response. */
const ENTRIES = 50;

/** The contract tab for each kind of entry. */
const TABS = { contract: '', function: 'interface', event: 'events', error: 'source' } as const;

async function byHash(hash: string): Promise<Found[]> {
  const [transaction, block, events] = await Promise.all([
    client.read<object | null>('eth_getTransactionByHash', [hash]),
    client.read<{ readonly number: string } | null>('eth_getBlockByHash', [hash, false]),
    byName(hash),
  ]);
  return [
    ...(transaction === null
      ? []
      : [{ title: 'Transaction', detail: shortHex(hash, 8), path: pathTo('tx', hash) }]),
    ...(block === null ? [] : [{ title: 'Block', detail: shortHex(hash, 8), path: pathTo('block', hash) }]),
    ...events,
  ];
}

async function byNumber(text: string): Promise<Found[]> {
  const number = Number(text);
  const block = await client.read<object | null>('eth_getBlockByNumber', [`0x${number.toString(16)}`, false]);
  return block === null
    ? []
    : [{ title: 'Block', detail: blockText(number), path: pathTo('block', String(number)) }];
}

/** Returns true if the deployment is the contract of that name, or a proxy of it. */
function isOf({ contract, implementation }: Deployment, name: string): boolean {
  return [contract, implementation?.contract].some((each) => each?.split(' or ').includes(name) === true);
}

function nameOf({ contract, implementation }: Deployment): string {
  return [contract, implementation?.contract].filter((each) => each != null).join(' → ');
}

function entryAt({ kind, signature, selector }: Entry, deployment: Deployment): Found {
  const { address } = deployment;
  const name = shown(nameOf(deployment), 60);
  if (kind === 'contract')
    return { title: name, detail: shortHex(checksummed(address)), path: pathTo('address', address) };
  const query = { show: TABS[kind], ...(selector === null ? {} : { entry: selector }) };
  return {
    title: shown(signature, 80),
    detail: `${kind} of ${name} ${shortHex(checksummed(address))}`,
    path: pathTo('address', address, query),
  };
}

function entryInSource({ kind, signature }: Entry, name: string, sourceName: string): Found {
  const path = pathTo('contracts', '', { search: name });
  const place = shown(sourceName, 80);
  return kind === 'contract'
    ? { title: shown(name, 60), detail: place, path }
    : { title: shown(signature, 80), detail: `${kind} of ${shown(name, 60)}, ${place}`, path };
}

/** Finds entries by name: entries of deployed contracts first, then others; best matches first in each. */
async function byName(text: string): Promise<Found[]> {
  const [entries, { contracts: deployed }] = await Promise.all([
    client.read<readonly Entry[]>('inspect_find', [text.slice(0, 200), ENTRIES]),
    client.read<{ readonly contracts: readonly Deployment[] }>('inspect_deployments'),
  ]);
  const onChain = new Map<string, Found>();
  const inSources: Found[] = [];
  for (const entry of entries) {
    for (const { name, sourceName } of entry.contracts) {
      const places = deployed.filter((deployment) => isOf(deployment, name));
      for (const place of places) onChain.set(`${entry.signature} ${place.address}`, entryAt(entry, place));
      if (places.length === 0) inSources.push(entryInSource(entry, name, sourceName));
    }
  }
  return [...onChain.values(), ...inSources];
}

async function bySelector(selector: string): Promise<Found[]> {
  const path = pathTo('feed', '', { search: selector });
  return [...(await byName(selector)), { title: 'Transactions with this selector', detail: selector, path }];
}

async function allOf(wanted: string): Promise<readonly Found[]> {
  if (/^0x[0-9a-f]{64}$/i.test(wanted)) return byHash(wanted.toLowerCase());
  if (/^0x[0-9a-f]{40}$/i.test(wanted))
    return [{ title: 'Account', detail: checksummed(wanted), path: pathTo('address', wanted.toLowerCase()) }];
  if (/^0x[0-9a-f]{8}$/i.test(wanted)) return bySelector(wanted.toLowerCase());
  if (/^#?\d{1,15}$/.test(wanted)) return byNumber(wanted.replace('#', ''));
  return wanted === '' ? [] : byName(wanted);
}

/** Resolves to the matches of a text on this chain. */
export async function search(text: string): Promise<readonly Found[]> {
  return (await allOf(text.trim())).slice(0, MAX_FOUND);
}
