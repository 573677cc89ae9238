/** The names of addresses: labels, numbers of the node's accounts, and contract names. */

import { effect, signal } from '@preact/signals';
import { client, epoch, facts } from './chain.ts';
import { RpcError } from './rpc/client.ts';

/** The names that the node knows of an address (`inspect_names`). */
interface NamesOfAddress {
  readonly address: string;
  readonly label: string | null;
  readonly contract: string | null;
  readonly implementation: { readonly address: string; readonly contract: string | null } | null;
}

type ReadNames = Omit<NamesOfAddress, 'address'>;

/** Names read from the node, by address in lower case. */
const read = signal<ReadonlyMap<string, ReadNames>>(new Map());
/** The time of each read, in milliseconds of `performance.now`. */
const times = new Map<string, number>();
/** The index of each account of the node, by address in lower case. */
const accounts = signal<ReadonlyMap<string, number>>(new Map());
/** The number of addresses with the same name, by name in lower case. */
const shared = signal<ReadonlyMap<string, number>>(new Map());

/** Addresses per request, and maximum cached names. */
const AT_ONCE = 100;
const MAX_NAMES = 5_000;
/** Milliseconds between requests. */
const PAUSE = 250;
/** Milliseconds until a name is read again: other clients can label an address, or create a contract there. */
const MAX_AGE = 15_000;
const MAX_AGE_WITHOUT_NAME = 3_000;

const wanted = new Set<string>();
let timer: ReturnType<typeof setTimeout> | null = null;
let isReading = false;

const ADDRESS = /^0x[0-9a-f]{40}$/i;

const checksums = new Map<string, string>();

/** Adds the checksum. It is loaded after the first rendering, because it needs a hash function. */
const withChecksum = signal<((address: string) => string) | null>(null);

/** Returns an address with its EIP-55 checksum. Other texts stay unchanged. */
export function checksummed(address: string): string {
  const add = withChecksum.value;
  const known = checksums.get(address);
  if (known !== undefined) return known;
  if (add === null || !ADDRESS.test(address)) return address;
  if (checksums.size >= MAX_NAMES) checksums.clear();
  const text = add(address.toLowerCase());
  checksums.set(address, text);
  return text;
}

function textOf(names: ReadNames | undefined): string | null {
  if (names === undefined) return null;
  const { label, contract, implementation } = names;
  if (label !== null) return label;
  const behind = implementation?.contract ?? null;
  return contract !== null && behind !== null ? `${contract} → ${behind}` : (contract ?? behind);
}

/** The number is the index in `eth_accounts`, as in the list of accounts that the node prints at its start. */
function accountText(index: number): string {
  return `Account ${index}`;
}

function countShared(): void {
  const counts = new Map<string, number>();
  const addresses = new Set([...read.peek().keys(), ...accounts.peek().keys()]);
  for (const address of addresses) {
    const name = knownName(address)?.toLowerCase();
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  shared.value = counts;
}

/** Returns the name without a request: the label, the number of the account, or the contract. */
function knownName(address: string): string | null {
  const names = read.value.get(address);
  if (names?.label != null) return names.label;
  const index = accounts.value.get(address);
  return index === undefined ? textOf(names) : accountText(index);
}

async function readWanted(): Promise<void> {
  timer = null;
  isReading = true;
  const asked = [...wanted].slice(0, AT_ONCE);
  for (const address of asked) wanted.delete(address);
  const branch = epoch.peek();
  try {
    const found = await client.read<readonly NamesOfAddress[]>('inspect_names', [asked]);
    if (branch === epoch.peek()) take(found);
  } catch (error) {
    // After a broken connection, the next rendering requests the names again.
    if (error instanceof RpcError)
      take(asked.map((address) => ({ address, label: null, contract: null, implementation: null })));
  }
  isReading = false;
  if (wanted.size > 0) schedule(PAUSE);
}

function take(found: readonly NamesOfAddress[]): void {
  const before = read.peek();
  const names = new Map(before.size + found.length > MAX_NAMES ? [] : before);
  let isChanged = names.size < before.size;
  if (times.size > MAX_NAMES) times.clear();
  for (const { address, ...each } of found) {
    isChanged ||= textOf(names.get(address)) !== textOf(each);
    names.set(address, each);
    times.set(address, performance.now());
  }
  // Without a changed name, nothing is rendered again.
  if (!isChanged) return;
  read.value = names;
  countShared();
}

function schedule(pause: number): void {
  if (timer === null && !isReading) timer = setTimeout(() => void readWanted(), pause);
}

function request(address: string): void {
  const maxAge = textOf(read.peek().get(address)) === null ? MAX_AGE_WITHOUT_NAME : MAX_AGE;
  const readAt = times.get(address);
  if (readAt !== undefined && performance.now() - readAt < maxAge) return;
  wanted.add(address);
  schedule(times.size === 0 ? 0 : PAUSE);
}

/** A name, and whether other known addresses have the same name. */
export interface ShownName {
  readonly text: string;
  readonly isShared: boolean;
}

/**
 * Returns the name of an address, and requests it from the node if necessary; `null` for none. `otherwise` is
 * the name from the result that contains the address. On another chain (`isHere` is false), contracts differ.
 */
export function nameOf(address: string, otherwise: string | null = null, isHere = true): ShownName | null {
  const key = address.toLowerCase();
  if (!ADDRESS.test(key)) return otherwise === null ? null : { text: otherwise, isShared: false };
  request(key);
  const label = read.value.get(key)?.label ?? null;
  const index = accounts.value.get(key);
  const own = isHere ? textOf(read.value.get(key)) : label;
  const text = label ?? (index === undefined ? (own ?? otherwise) : accountText(index));
  if (text === null || text === '') return null;
  return { text, isShared: (shared.value.get(text.toLowerCase()) ?? 0) > 1 };
}

/** Returns the index of an account in `eth_accounts`; `null` for other addresses. */
export function accountNumber(address: string): number | null {
  return accounts.value.get(address.toLowerCase()) ?? null;
}

/** Returns the label of an address; empty without a label. */
export function labelOf(address: string): string {
  return read.value.get(address.toLowerCase())?.label ?? '';
}

/** Names an address on the node, for all clients. An empty name removes it. Rejects with the node's error. */
export async function setLabel(address: string, label: string): Promise<void> {
  await client.act('inspect_label', [address, label]);
  take(await client.read<readonly NamesOfAddress[]>('inspect_names', [[address.toLowerCase()]]));
}

/** Reads the accounts of the node, and again for another chain. After removed blocks, contracts are named again. */
export function followNames(): void {
  void import('./checksum.ts').then(
    ({ eip55 }) => {
      withChecksum.value = eip55;
    },
    // Without the file, addresses stay in lower case.
    () => undefined,
  );
  let chain: string | undefined;
  effect(() => {
    const genesis = facts.value?.genesisHash;
    if (genesis === undefined || genesis === chain) return;
    chain = genesis;
    void client
      .read<readonly string[]>('eth_accounts')
      .then((all) => {
        accounts.value = new Map(all.map((address, index) => [address.toLowerCase(), index]));
        countShared();
      })
      // Without a connection, the next chain facts request the accounts again.
      .catch(() => {
        chain = undefined;
      });
  });
  let branch = epoch.peek();
  effect(() => {
    if (epoch.value === branch) return;
    branch = epoch.value;
    // The names stay visible until they are read again.
    times.clear();
  });
}
