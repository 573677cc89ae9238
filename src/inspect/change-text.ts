/** Formats state changes as a few readable lines: variables, balances and tokens. */

import { formatUnits } from 'viem/utils';
import { readableAmount } from '../primitives/ether.ts';
import type {
  InspectedBalanceChange,
  InspectedStorageChange,
  InspectedTokenChange,
  StateChanges,
} from './state-changes.ts';
import type { ShownValue } from './storage/storage-value.ts';
import { AS_IT_IS, type TreeStyle } from './tree-text.ts';
import { named } from './value-text.ts';

/** Maximum lines of each kind. */
const MAX_LINES = 20;
/** Maximum characters of one value. */
const MAX_VALUE_LENGTH = 100;

/** Returns a line for each change, and the number of omitted changes. Empty without recorded changes. */
export function changeLines(changes: StateChanges | null, style: TreeStyle = AS_IT_IS): string[] {
  if (changes === null) return [];
  const { storage, transientStorage, omittedSlots, balances, tokens } = changes;
  return [
    ...linesOf('storage', storage.map(storageText), omittedSlots, style),
    ...linesOf('transient', transientStorage.map(storageText), 0, style),
    ...linesOf('balance', balances.map(balanceText), 0, style),
    ...linesOf('token', tokens.map(tokenText), 0, style),
  ];
}

function linesOf(kind: string, texts: readonly string[], omitted: number, style: TreeStyle): string[] {
  const lines = texts.slice(0, MAX_LINES).map((text) => `${style.dim(kind)} ${style.plain(text)}`);
  const left = texts.length - lines.length + omitted;
  return left === 0 ? lines : [...lines, style.dim(`${kind} … and ${left} more`)];
}

/** Returns `Token.balances[0x70…]: 5 → 10`. */
function storageText(change: InspectedStorageChange): string {
  const { account, contract, variable, type, slot, before, after } = change;
  // For a proxy, the implementation names the variable.
  const behind = contract === null || contract === account.name ? '' : ` (${contract})`;
  const place = variable === null ? `[slot 0x${slot.toString(16)}]` : `.${variable}`;
  return `${named(account)}${behind}${place}: ${valueText(before, type)} → ${valueText(after, type)}`;
}

function valueText(value: ShownValue, type: string | null): string {
  const isText = type === 'string' || type?.startsWith('String[') === true;
  const text = isText ? JSON.stringify(value) : String(value);
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
}

/** Returns `alice: -1.5 ether (gas: 0.000021 ether)`, or `miner: +21 gwei (fees: 21 gwei)`. */
function balanceText({ account, before, after, feePaid, feeReceived }: InspectedBalanceChange): string {
  const [kind, fee] = feePaid > 0n ? ['gas', feePaid] : ['fees', feeReceived];
  const note = fee === 0n ? '' : ` (${kind}: ${readableAmount(fee)})`;
  const change = after - before;
  const amount = change < 0n ? `-${readableAmount(-change)}` : `+${readableAmount(change)}`;
  return `${named(account)}: ${amount}${note}`;
}

function signed(amount: bigint, decimals: number): string {
  return `${amount > 0n ? '+' : ''}${formatUnits(amount, decimals)}`;
}

/** Returns `alice: -5 TKN`, or `alice: +1 NFT #7`. */
function tokenText({ account, token, symbol, decimals, id, change }: InspectedTokenChange): string {
  const which = id === null ? '' : ` #${id}`;
  return `${named(account)}: ${signed(change, decimals ?? 0)} ${symbol ?? named(token)}${which}`;
}
