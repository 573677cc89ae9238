// The transfers of coins and tokens of a simulation in the form of Tenderly (`assetChanges`, `balanceChanges`).

import type { DecodedEntry } from '../../artifacts/decoding.ts';
import type { InspectedCall } from '../../inspect/inspection.ts';
import {
  NO_TOKEN_METADATA,
  type TokenMetadata,
  type TokenStandard,
  tokenMetadata,
  transfersOf,
} from '../../inspect/token-changes.ts';
import { toHex, toQuantity } from '../../primitives/hex.ts';
import type { Log } from '../../protocol/receipt.ts';
import type { TimeSlice } from '../../scheduling/time-slice.ts';

/** The effects of an execution that move coins or tokens. */
export interface AssetFacts {
  readonly logs: readonly { readonly log: Log; readonly event: DecodedEntry | null }[];
  /** The calls with a value. */
  readonly paid: readonly InspectedCall[];
  readonly isRootstock: boolean;
  /** Calls a token before the execution. Resolves to the return data; `null` if the call fails. */
  readonly readToken: (token: Uint8Array, data: Uint8Array) => Promise<Uint8Array | null>;
  readonly slice: TimeSlice;
}

/** Maximum tokens to query for symbol, name and decimals. */
const MAX_TOKENS = 16;

/** Work units per transfer. */
const TRANSFER_WORK = 2_000;

const NOBODY = `0x${'0'.repeat(40)}`;
const COIN_DECIMALS = 18;

const STANDARDS: Readonly<Record<TokenStandard, { readonly standard: string; readonly type: string }>> = {
  'ERC-20': { standard: 'ERC20', type: 'Fungible' },
  'ERC-721': { standard: 'ERC721', type: 'NonFungible' },
  'ERC-1155': { standard: 'ERC1155', type: 'NonFungible' },
};

/** Returns an amount in whole units, without trailing zeros: `1.5` for 15 and one decimal. */
function amountText(amount: bigint, decimals: number): string {
  const digits = amount.toString().padStart(decimals + 1, '0');
  const end = digits.length - decimals;
  const fraction = digits.slice(end).replace(/0+$/, '');
  return fraction === '' ? digits.slice(0, end) : `${digits.slice(0, end)}.${fraction}`;
}

interface Moved {
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
}

function changeView({ from, to, amount }: Moved, assetInfo: object, decimals: number | null): object {
  const type = from === NOBODY ? 'Mint' : to === NOBODY ? 'Burn' : 'Transfer';
  return {
    assetInfo,
    type,
    ...(from === NOBODY ? {} : { from }),
    ...(to === NOBODY ? {} : { to }),
    rawAmount: toQuantity(amount),
    ...(decimals === null ? {} : { amount: amountText(amount, decimals) }),
  };
}

function tokenInfo(token: string, standard: TokenStandard, metadata: TokenMetadata): object {
  const { symbol, name, decimals } = metadata;
  return {
    ...STANDARDS[standard],
    contractAddress: token,
    ...(symbol === null ? {} : { symbol }),
    ...(name === null ? {} : { name }),
    ...(decimals === null ? {} : { decimals }),
  };
}

/** The indexes of the transfers of each account, in the order of the first transfer. */
function balanceViews(moves: readonly Moved[]): object[] {
  const transfers = new Map<string, number[]>();
  for (const [index, { from, to }] of moves.entries()) {
    for (const account of new Set([from, to])) {
      if (account === NOBODY) continue;
      const known = transfers.get(account);
      if (known === undefined) transfers.set(account, [index]);
      else known.push(index);
    }
  }
  return Array.from(transfers, ([address, indexes]) => ({ address, dollarValue: '0', transfers: indexes }));
}

/** Resolves to the transfers of coins, then of tokens, and to the accounts that they concern. */
export async function tenderlyAssets(
  facts: AssetFacts,
): Promise<{ readonly assetChanges: readonly object[]; readonly balanceChanges: readonly object[] }> {
  const { logs, paid, isRootstock, readToken, slice } = facts;
  const coin = {
    standard: 'NativeCurrency',
    type: 'Native',
    symbol: isRootstock ? 'rbtc' : 'eth',
    name: isRootstock ? 'RBTC' : 'Ether',
    decimals: COIN_DECIMALS,
  };
  const moves: Moved[] = [];
  const assetChanges: object[] = [];
  for (const { from, to, value: amount } of paid) {
    const moved = { from: from.address, to: to.address, amount };
    moves.push(moved);
    assetChanges.push(changeView(moved, coin, COIN_DECIMALS));
    await slice.spend(TRANSFER_WORK);
  }
  const known = new Map<string, TokenMetadata>();
  for (const { log } of logs) {
    for (const { standard, from, to, amount } of transfersOf(log)) {
      const token = toHex(log.address);
      const found =
        known.get(token) ??
        (known.size < MAX_TOKENS
          ? await tokenMetadata(standard, (data) => readToken(log.address, data))
          : NO_TOKEN_METADATA);
      known.set(token, found);
      const moved = { from, to, amount };
      moves.push(moved);
      assetChanges.push(changeView(moved, tokenInfo(token, standard, found), found.decimals));
    }
    await slice.spend(TRANSFER_WORK);
  }
  return { assetChanges, balanceChanges: balanceViews(moves) };
}
