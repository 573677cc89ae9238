/** Reads the decimals and the symbol of a token. */

import type { TokenUnit } from '../../argument-units.ts';
import { client } from '../../chain.ts';
import type { Inspection } from '../../inspection.ts';
import { RpcError } from '../../rpc/client.ts';

const DECIMALS = '0x313ce567';
const SYMBOL = '0x95d89b41';
const TOTAL_SUPPLY = '0x18160ddd';
/** Gas limit of a call to a token: enough for proxies, and a bound for endless loops. */
const GAS = '0x493e0';
const MAX_DECIMALS = 77n;
/** Hexadecimal digits of a word. */
const DIGITS = 64;
const WORD_LENGTH = DIGITS + 2;
/** Maximum bytes of a symbol. */
const MAX_SYMBOL_LENGTH = 32;

/** Resolves to the return data of a call; `null` if it fails or returns nothing. */
async function returned(to: string, data: string): Promise<string | null> {
  try {
    // eth_call would add its failure to the failures of the chain.
    const params = [{ to, data, gas: GAS }, 'latest', {}, null, { count: 0, changes: false }];
    const { call } = await client.read<Inspection>('inspect_call', params);
    return call.outcome !== 'success' || call.output.length < WORD_LENGTH ? null : call.output;
  } catch (error) {
    if (error instanceof RpcError) return null;
    throw error;
  }
}

/** Returns the text of hexadecimal bytes, without zero bytes at the end. */
function textOf(hex: string): string {
  const bytes = hex.match(/../g)?.map((pair) => Number.parseInt(pair, 16)) ?? [];
  return new TextDecoder().decode(Uint8Array.from(bytes)).replace(/\0+$/, '');
}

/** Returns the symbol in return data: an ABI string, or one word for some old tokens. */
function symbolIn(data: string): string {
  const words = data.slice(2);
  if (words.length === DIGITS) return textOf(words);
  const start = Number(`0x${words.slice(0, DIGITS)}`) * 2;
  const length = Number(`0x${words.slice(start, start + DIGITS)}`) * 2;
  return textOf(words.slice(start + DIGITS, start + DIGITS + Math.min(length || 0, 2 * MAX_SYMBOL_LENGTH)));
}

/** Resolves to the unit of an ERC-20 token; `null` if the account is no token with decimals. */
export async function readTokenUnit(address: string): Promise<TokenUnit | null> {
  const decimals = await returned(address, DECIMALS);
  if (decimals === null || (await returned(address, TOTAL_SUPPLY)) === null) return null;
  const digits = BigInt(decimals.slice(0, WORD_LENGTH));
  if (digits > MAX_DECIMALS) return null;
  const symbol = await returned(address, SYMBOL);
  return { decimals: Number(digits), symbol: symbol === null ? '' : symbolIn(symbol) };
}
