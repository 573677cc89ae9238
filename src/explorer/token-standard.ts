/** Finds out which token standard a contract follows. */

import { client } from './chain.ts';
import type { TokenStandard } from './token-events.ts';
import { numberIn } from './token-facts.ts';

const TOTAL_SUPPLY = '0x18160ddd';
const DECIMALS = '0x313ce567';
const BALANCE_OF_NOBODY = `0x70a08231${'0'.repeat(63)}1`;

function supports(interfaceId: string): string {
  return `0x01ffc9a7${interfaceId.slice(2).padEnd(64, '0')}`;
}

/** The interface ids of ERC-721 and ERC-1155, and an id that no contract supports (ERC-165). */
const QUESTIONS = [
  supports('0x80ac58cd'),
  supports('0xd9b67a26'),
  supports('0xffffffff'),
  TOTAL_SUPPLY,
  DECIMALS,
  BALANCE_OF_NOBODY,
] as const;

/** Gas limit of a call to a token: enough for proxies, and a bound for endless loops. */
const GAS = '0x493e0';
/** Contracts per request. */
const AT_ONCE = 50;

type Answers = readonly (bigint | null)[];

function standardOf(answers: Answers): TokenStandard | null {
  const [is721, is1155, isAnything, supply, decimals, balance] = answers.map((answer) => answer ?? null);
  const isTrusted = isAnything !== 1n;
  if (isTrusted && is1155 === 1n) return 'ERC-1155';
  if (isTrusted && is721 === 1n) return 'ERC-721';
  // A fallback function that answers everything is not a token.
  const answersAll = isAnything != null && [supply, decimals, balance].every((each) => each === isAnything);
  const isToken = supply != null && balance != null && !answersAll;
  return isToken && (decimals != null || balance === 0n) ? 'ERC-20' : null;
}

/** Resolves to the standards of contracts, in order; `null` for contracts that are no tokens. */
export async function tokenStandards(addresses: readonly string[]): Promise<(TokenStandard | null)[]> {
  const found: (TokenStandard | null)[] = [];
  for (let start = 0; start < addresses.length; start += AT_ONCE) {
    const part = addresses.slice(start, start + AT_ONCE);
    const transactions = part.flatMap((to) => QUESTIONS.map((data) => ({ to, data, gas: GAS })));
    const [answers = []] = await client.read<readonly (readonly { readonly value?: string }[])[]>(
      'eth_callMany',
      [[{ transactions }], { blockNumber: 'latest' }],
    );
    for (const index of part.keys()) {
      const own = answers.slice(index * QUESTIONS.length, (index + 1) * QUESTIONS.length);
      found.push(standardOf(own.map(({ value }) => numberIn(value ?? null))));
    }
  }
  return found;
}

/** Resolves to the standard of a contract; `null` if it is no token. */
export async function tokenStandard(address: string): Promise<TokenStandard | null> {
  const [standard = null] = await tokenStandards([address]);
  return standard;
}
