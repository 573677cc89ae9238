/** Finds the token balances that an execution changed, from standard events and mappings in storage. */

import type { DecodedEntry, DecodedParameter } from '../artifacts/decoding.ts';
import { wellKnown } from '../artifacts/well-known.ts';
import { bytesToBigInt, concatBytes, padLeft } from '../primitives/bytes.ts';
import { fromHex, toHex } from '../primitives/hex.ts';
import type { Log } from '../protocol/receipt.ts';
import type { TimeSlice } from '../scheduling/time-slice.ts';
import type { StorageChange } from './storage/storage-changes.ts';

/** The standard of the event or mapping that identified the token. */
export type TokenStandard = 'ERC-20' | 'ERC-721' | 'ERC-1155';

export interface TokenChange {
  /** `0x` and 40 lower-case digits. */
  readonly token: string;
  readonly standard: TokenStandard;
  /** The result of the token's `symbol()`; `null` if it has none. */
  readonly symbol: string | null;
  readonly decimals: number | null;
  /** `0x` and 40 lower-case digits. */
  readonly account: string;
  /** The id within the contract; `null` for ERC-20. */
  readonly id: bigint | null;
  /** In the smallest unit. */
  readonly change: bigint;
  /** The balances from storage or `balanceOf`; `null` if not queried, or if the call failed. */
  readonly before: bigint | null;
  readonly after: bigint | null;
}

/** Calls a contract before or after the execution. Resolves to the return data; `null` if it fails. */
export type ReadContract = (
  state: 'before' | 'after',
  to: Uint8Array,
  data: Uint8Array,
) => Promise<Uint8Array | null>;

/** Maximum tokens to query for symbol and decimals. */
const MAX_TOKENS = 16;
/** Maximum balances to query. */
const MAX_BALANCES = 32;
/** Maximum changes to report. */
const MAX_CHANGES = 1000;
const WORD = 32;

const NAME = fromHex('0x06fdde03');
const SYMBOL = fromHex('0x95d89b41');
const DECIMALS = fromHex('0x313ce567');
const BALANCE_OF = fromHex('0x70a08231');

const NOBODY = `0x${'0'.repeat(40)}`;
/** Text that is safe to print: letters, digits and signs. */
const PRINTABLE = /^[\p{L}\p{N}\p{P}\p{S} ]{1,32}$/u;
/** Matches a mapping of balances, in its common spellings. */
const BALANCES = /^(?:\w+\.)?_?balances?(?:Of)?\[0x[0-9a-fA-F]{40}\]$/i;
const MAX_DECIMALS = 255n;

interface Moved {
  readonly token: string;
  readonly standard: TokenStandard;
  readonly account: string;
  readonly id: bigint | null;
  change: bigint;
  before: bigint | null;
  after: bigint | null;
}

/** Sums transfers by token, account and id. */
class Movements {
  readonly all = new Map<string, Moved>();

  of(standard: TokenStandard, token: string, account: string, id: bigint | null): Moved {
    const key = `${token}:${account}:${id}`;
    const known = this.all.get(key);
    if (known !== undefined) return known;
    const moved: Moved = { token, standard, account, id, change: 0n, before: null, after: null };
    this.all.set(key, moved);
    return moved;
  }

  move(
    standard: TokenStandard,
    token: string,
    [from, to]: readonly [string, string],
    id: bigint | null,
    amount: bigint,
  ): void {
    if (from !== NOBODY) this.of(standard, token, from, id).change -= amount;
    if (to !== NOBODY) this.of(standard, token, to, id).change += amount;
  }
}

function textOf({ parameters }: DecodedEntry, name: string): string | null {
  const value = parameters.find((parameter) => parameter.name === name)?.value;
  return typeof value === 'string' ? value : null;
}

function numbersOf({ parameters }: DecodedEntry, name: string): bigint[] {
  const value: DecodedParameter['value'] = parameters.find((each) => each.name === name)?.value ?? [];
  if (!Array.isArray(value)) return typeof value === 'string' ? [BigInt(value)] : [];
  return (value as readonly DecodedParameter[]).map((item) => BigInt(String(item.value)));
}

/** Units of work to check a log, and to decode a token's log. */
const LOG_WORK = 200;
const TOKEN_LOG_WORK = 2_000;

/** Adds a log. Returns the units of work. */
function addLog(movements: Movements, log: Log): number {
  const entry = wellKnown.table.event(log);
  if (entry === null) return LOG_WORK;
  const token = toHex(log.address);
  for (const { standard, from, to, id, amount } of transfersIn(entry))
    movements.move(standard, token, [from, to], id, amount);
  return TOKEN_LOG_WORK;
}

/** A transfer of a token. Accounts are `0x` and 40 lower-case digits; zero for the other side of a mint or burn. */
export interface TokenTransfer {
  readonly standard: TokenStandard;
  readonly from: string;
  readonly to: string;
  /** The id within the contract; `null` for ERC-20. */
  readonly id: bigint | null;
  /** In the smallest unit. */
  readonly amount: bigint;
}

/** Returns the transfers that a log reports in a standard event. */
export function transfersOf(log: Log): TokenTransfer[] {
  const entry = wellKnown.table.event(log);
  return entry === null ? [] : transfersIn(entry);
}

function transfersIn(entry: DecodedEntry): TokenTransfer[] {
  const [from, to] = [textOf(entry, 'from')?.toLowerCase(), textOf(entry, 'to')?.toLowerCase()];
  if (from === undefined || to === undefined) return [];
  if (entry.name === 'Transfer') {
    const [id] = numbersOf(entry, 'tokenId');
    const [value] = numbersOf(entry, 'value');
    if (id !== undefined) return [{ standard: 'ERC-721', from, to, id, amount: 1n }];
    return value === undefined ? [] : [{ standard: 'ERC-20', from, to, id: null, amount: value }];
  }
  if (entry.name !== 'TransferSingle' && entry.name !== 'TransferBatch') return [];
  const isBatch = entry.name === 'TransferBatch';
  const values = numbersOf(entry, isBatch ? 'values' : 'value');
  return numbersOf(entry, isBatch ? 'ids' : 'id').map((id, index) => ({
    standard: 'ERC-1155',
    from,
    to,
    id,
    amount: values[index] ?? 0n,
  }));
}

/** Adds the changed balances from storage, for contracts with `balanceOf`. */
function addBalance(
  movements: Movements,
  change: StorageChange,
  isToken: (account: Uint8Array) => boolean,
): void {
  const { account, variable, type, keys, before, after } = change;
  const [holder, ...others] = keys;
  if (variable === null || typeof holder !== 'string' || others.length > 0 || !BALANCES.test(variable))
    return;
  if (type === null || !type.startsWith('uint') || !isToken(account)) return;
  const moved = movements.of('ERC-20', toHex(account), holder.toLowerCase(), null);
  if (moved.standard !== 'ERC-20') return;
  moved.before = BigInt(String(before));
  moved.after = BigInt(String(after));
}

/** The data of an execution that show its token changes. */
export interface TokenFacts {
  /** The logs that were not reverted. */
  readonly logs: readonly Log[];
  readonly storage: readonly StorageChange[];
  /** True for an account whose contract has `balanceOf(address)`. */
  readonly isToken: (account: Uint8Array) => boolean;
  readonly ask: ReadContract;
  /** There may be many logs. */
  readonly slice: TimeSlice;
}

/**
 * Resolves to the token changes, in the order of the events. Balances come from storage if the layout names
 * them, otherwise from `balanceOf`, within bounds. Beyond the bounds, the change is the sum of the events.
 */
export async function tokenChanges(facts: TokenFacts): Promise<TokenChange[]> {
  const { logs, storage, isToken, ask, slice } = facts;
  const movements = new Movements();
  for (const log of logs) {
    await slice.spend(addLog(movements, log));
  }
  for (const change of storage) addBalance(movements, change, isToken);
  let asked = 0;
  const metadata = new Map<string, Pick<TokenMetadata, 'symbol' | 'decimals'>>();
  const changes: TokenChange[] = [];
  for (const moved of movements.all.values()) {
    if (changes.length >= MAX_CHANGES) break;
    const { token, standard, account } = moved;
    if (standard === 'ERC-20' && moved.before === null && asked < MAX_BALANCES) {
      asked++;
      const data = concatBytes(BALANCE_OF, padLeft(fromHex(account), WORD));
      moved.before = numberIn(await ask('before', fromHex(token), data));
      moved.after = numberIn(await ask('after', fromHex(token), data));
    }
    const { before, after } = moved;
    if (before !== null && after !== null) moved.change = after - before;
    if (moved.change === 0n) continue;
    const known =
      metadata.get(token) ??
      (metadata.size < MAX_TOKENS
        ? await unitOf(standard, (data) => ask('after', fromHex(token), data))
        : NO_TOKEN_METADATA);
    metadata.set(token, known);
    changes.push({ ...moved, symbol: known.symbol, decimals: known.decimals });
  }
  return changes;
}

/** The name, symbol and decimals of a token; `null` if it has none. */
export interface TokenMetadata {
  readonly name: string | null;
  readonly symbol: string | null;
  readonly decimals: number | null;
}

export const NO_TOKEN_METADATA: TokenMetadata = { name: null, symbol: null, decimals: null };

/** Resolves to the name, symbol and decimals. `read` calls the token; it resolves to `null` if the call fails. */
export async function tokenMetadata(
  standard: TokenStandard,
  read: (data: Uint8Array) => Promise<Uint8Array | null>,
): Promise<TokenMetadata> {
  if (standard === 'ERC-1155') return NO_TOKEN_METADATA;
  const name = symbolIn(await read(NAME));
  return { name, ...(await unitOf(standard, read)) };
}

async function unitOf(
  standard: TokenStandard,
  read: (data: Uint8Array) => Promise<Uint8Array | null>,
): Promise<Pick<TokenMetadata, 'symbol' | 'decimals'>> {
  const symbol = standard === 'ERC-1155' ? null : symbolIn(await read(SYMBOL));
  const decimals = standard === 'ERC-20' ? numberIn(await read(DECIMALS)) : null;
  return { symbol, decimals: decimals === null || decimals > MAX_DECIMALS ? null : Number(decimals) };
}

function numberIn(returned: Uint8Array | null): bigint | null {
  return returned === null || returned.length !== WORD ? null : bytesToBigInt(returned);
}

/** Reads a symbol; some old tokens return it in one word. */
function symbolIn(returned: Uint8Array | null): string | null {
  if (returned === null) return null;
  const decoded = wellKnown.table.result(SYMBOL, returned)?.[0]?.value;
  const text =
    typeof decoded === 'string' ? decoded : Buffer.from(returned).toString('utf8').replace(/\0+$/, '');
  return PRINTABLE.test(text) ? text : null;
}
