/** Reads recorded exchanges (`.io` files) of github.com/ethereum/execution-apis. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Response {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export interface Exchange {
  readonly request: { readonly method: string; readonly params?: readonly unknown[] };
  readonly response: Response;
}

export interface ExchangeFile {
  /** `eth_call/call-contract.io`. */
  readonly file: string;
  readonly exchanges: readonly Exchange[];
  /** True if clients may return other values of the same form. */
  readonly isSpecOnly: boolean;
}

function exchangesIn(text: string): Exchange[] {
  const exchanges: Exchange[] = [];
  let request: Exchange['request'] | null = null;
  for (const line of text.split('\n')) {
    if (line.startsWith('>> ')) request = JSON.parse(line.slice(3)) as Exchange['request'];
    else if (line.startsWith('<< ') && request !== null)
      exchanges.push({ request, response: JSON.parse(line.slice(3)) as Response });
  }
  return exchanges;
}

/** Returns the exchanges of all files in the folders of a folder, in the order of their names. */
export function readExchanges(folder: string): ExchangeFile[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => readdirSync(join(folder, name)).map((file) => `${name}/${file}`))
    .filter((file) => file.endsWith('.io'))
    .sort()
    .map((file) => {
      const text = readFileSync(join(folder, file), 'utf8');
      return { file, exchanges: exchangesIn(text), isSpecOnly: /^\/\/ speconly/m.test(text) };
    });
}
