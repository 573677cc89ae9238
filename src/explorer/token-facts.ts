/** Symbols and decimals of tokens, and the amounts in their calls and events. */

import { effect, signal } from '@preact/signals';
import type { TokenUnit } from './argument-units.ts';
import { client, epoch } from './chain.ts';
import { decimal, grouped, shown } from './format.ts';
import { RpcError } from './rpc/client.ts';

/** The facts that a token returns. A token can return anything. */
export interface TokenFacts {
  /** `null` if unreadable. */
  readonly symbol: string | null;
  /** `null` if the token has no decimals, or an impossible number of them. */
  readonly decimals: number | null;
}

const SYMBOL = '0x95d89b41';
const DECIMALS = '0x313ce567';
const TOTAL_SUPPLY = '0x18160ddd';
/** Gas limit of a call to a token: enough for proxies, and a bound for endless loops. */
const GAS = '0x493e0';
const WORD = 32;
/** Maximum bytes to read of a returned text, and maximum bytes of a symbol. */
const MAX_BYTES = 1_024;
const MAX_SYMBOL_LENGTH = 64;
const MAX_DECIMALS = 77n;

/** Resolves to the return data of a call; `null` if it fails. Without `gas`, the limit of the node applies. */
export async function askToken(
  to: string,
  data: string,
  tag: string,
  gas: string | null = GAS,
): Promise<string | null> {
  try {
    // eth_call would add its failure to the failures of the chain.
    const [answers = []] = await client.read<readonly (readonly { readonly value?: string }[])[]>(
      'eth_callMany',
      [[{ transactions: [{ to, data, ...(gas === null ? {} : { gas }) }] }], { blockNumber: tag }],
    );
    return answers[0]?.value ?? null;
  } catch (error) {
    if (error instanceof RpcError) return null;
    throw error;
  }
}

/** Returns the number in return data; `null` if the data are too short. */
export function numberIn(returned: string | null): bigint | null {
  return returned === null || returned.length < 66 ? null : BigInt(returned.slice(0, 66));
}

/**
 * Returns the text in return data: an ABI string, or one word for some old tokens; `null` for none. Bytes
 * after `longest` are cut.
 */
export function textIn(returned: string | null, longest = MAX_SYMBOL_LENGTH): string | null {
  if (returned === null) return null;
  const pairs = returned.slice(2, 2 + 2 * Math.max(MAX_BYTES, longest + 2 * WORD)).match(/../g) ?? [];
  const bytes = Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16));
  if (bytes.length === WORD) return decoded(bytes.subarray(0, (bytes.indexOf(0) + WORD + 1) % (WORD + 1)));
  const wordAt = (start: number): number => Number(`0x${pairs.slice(start, start + WORD).join('')}`);
  const start = wordAt(0);
  if (!(start <= bytes.length - WORD)) return null;
  const length = Math.min(wordAt(start), longest);
  return decoded(bytes.subarray(start + WORD, start + WORD + length));
}

function decoded(bytes: Uint8Array): string | null {
  const text = new TextDecoder().decode(bytes);
  return text === '' ? null : text;
}

/** Resolves to the facts of a token after a block. Rejects if the connection breaks. */
export async function readTokenFacts(token: string, tag: string): Promise<TokenFacts> {
  const [symbol, decimals] = await Promise.all([
    askToken(token, SYMBOL, tag),
    askToken(token, DECIMALS, tag),
  ]);
  const number = numberIn(decimals);
  return {
    symbol: textIn(symbol),
    decimals: number === null || number > MAX_DECIMALS ? null : Number(number),
  };
}

/** Resolves to the unit of an ERC-20 token; `null` if the account is no token with decimals. */
export async function readTokenUnit(account: string): Promise<TokenUnit | null> {
  const [{ symbol, decimals }, supply] = await Promise.all([
    readTokenFacts(account, 'latest'),
    askToken(account, TOTAL_SUPPLY, 'latest'),
  ]);
  return decimals === null || numberIn(supply) === null ? null : { decimals, symbol: symbol ?? '' };
}

/** Facts by address in lower case; `null` while they are read. */
const known = signal<ReadonlyMap<string, TokenFacts | null>>(new Map());
const MAX_TOKENS = 2_000;

effect(() => {
  // Removed blocks can contain the token.
  if (epoch.value > 0) known.value = new Map();
});

function keep(key: string, facts: TokenFacts | null): void {
  known.value = new Map(known.peek().size >= MAX_TOKENS ? [] : known.peek()).set(key, facts);
}

const asked = new Set<string>();

async function read(key: string): Promise<void> {
  try {
    keep(key, await readTokenFacts(key, 'latest'));
  } catch {
    // After a broken connection, the next rendering reads the facts again.
  } finally {
    asked.delete(key);
  }
}

/** Returns the facts of a token, and reads them if necessary; `null` until they are known. */
export function tokenFacts(token: string): TokenFacts | null {
  const key = token.toLowerCase();
  const found = known.value.get(key);
  if (found === undefined && !asked.has(key)) {
    asked.add(key);
    // Several amounts in one rendering share the request.
    void read(key);
  }
  return found ?? null;
}

/** The side of an entry: the parameters of a call or event, or the results of a call. */
export type AmountSide = 'inputs' | 'outputs';

/** The indexes of the amounts, by signature. The last amounts of ERC-721 are ids; its tokens have no decimals. */
const AMOUNTS: Readonly<Record<AmountSide, Readonly<Record<string, readonly number[]>>>> = {
  inputs: {
    'transfer(address,uint256)': [1],
    'approve(address,uint256)': [1],
    'transferFrom(address,address,uint256)': [2],
    'increaseAllowance(address,uint256)': [1],
    'decreaseAllowance(address,uint256)': [1],
    'mint(address,uint256)': [1],
    'burn(address,uint256)': [1],
    'burn(uint256)': [0],
    'burnFrom(address,uint256)': [1],
    'permit(address,address,uint256,uint256,uint8,bytes32,bytes32)': [2],
    'Transfer(address,address,uint256)': [2],
    'Approval(address,address,uint256)': [2],
  },
  outputs: {
    'balanceOf(address)': [0],
    'totalSupply()': [0],
    'cap()': [0],
    'allowance(address,address)': [0],
  },
};

/** Returns the indexes of the token amounts in an entry. */
export function amountIndexes(signature: string, side: AmountSide): readonly number[] {
  const ofSide = AMOUNTS[side];
  return Object.hasOwn(ofSide, signature) ? (ofSide[signature] ?? []) : [];
}

const MAX_AMOUNT_LENGTH = 48;
const MAX_SYMBOL_SHOWN = 24;

/** Returns the amount in whole tokens; `null` for a token without decimals. */
export function tokenAmount(value: bigint, { symbol, decimals }: TokenFacts): string | null {
  if (decimals === null) return null;
  const text = decimal(value, decimals);
  const short = text.length > MAX_AMOUNT_LENGTH ? `${text.slice(0, MAX_AMOUNT_LENGTH)}…` : text;
  return symbol === null ? short : `${short} ${shown(symbol, MAX_SYMBOL_SHOWN)}`;
}

/** Returns the exact number for a tooltip. */
export function exactAmount(value: bigint): string {
  return `${grouped(value)} in the smallest unit`;
}

/** Matches the text of a call or event with an amount at its end: `Token.transfer(to: Alice (cold), amount: 5)`. */
const WITH_AMOUNT =
  /^(?<head>.{0,200}?(?:^|\.)(?:transfer|approve|transferFrom|mint|burnFrom|Transfer|Approval)\((?:[^"]{0,300}, )?[^()":,]{1,60}: )(?<amount>\d{1,78})(?<tail>\).{0,40})$/s;

/** The parts of a text with a token amount. */
export interface TextAmount {
  readonly head: string;
  readonly amount: bigint;
  readonly tail: string;
}

/** Returns the parts of the text of a call or event of a token; `null` without an amount. */
export function amountIn(text: string): TextAmount | null {
  const { head, amount, tail } = WITH_AMOUNT.exec(text)?.groups ?? {};
  if (head === undefined || amount === undefined || tail === undefined) return null;
  return { head, amount: BigInt(amount), tail };
}
