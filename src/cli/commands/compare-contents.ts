import type { DumpContent } from '../../node/dump/read-content.ts';
import { bytesToBigInt } from '../../primitives/bytes.ts';
import { keyOf, toHex } from '../../primitives/hex.ts';
import type { WorldState } from '../../state/world-state.ts';

/** A value on both sides; `null` where there is none. */
export interface Pair<Value> {
  readonly left: Value | null;
  readonly right: Value | null;
}

/** An account that differs; of what is the same there is nothing. Addresses, hashes and slots are DATA. */
export interface AccountComparison {
  readonly address: string;
  /** The side that has it; `both` where both have. */
  readonly isIn: 'left' | 'right' | 'both';
  /** Wei. */
  readonly balance?: Pair<bigint>;
  readonly nonce?: Pair<bigint>;
  /** Hashes of code. */
  readonly codeHash?: Pair<string>;
  readonly storage: readonly (Pair<string> & { readonly slot: string })[];
}

/** How two chains differ. */
export interface Comparison {
  /** What differs by name, in words. */
  readonly chain: readonly (Pair<string> & { readonly name: string })[];
  readonly accounts: readonly AccountComparison[];
}

function chainFacts({ ruleSet, chainId, head }: DumpContent): Readonly<Record<string, string | null>> {
  return {
    rules: ruleSet,
    'chain id': chainId === null ? null : `${chainId}`,
    head: head === null ? null : `#${head.number} ${head.hash}`,
  };
}

function word(bytes: Uint8Array): string {
  return `0x${bytesToBigInt(bytes).toString(16).padStart(64, '0')}`;
}

function pairOf<Value, Name extends string>(
  name: Name,
  left: Value | null,
  right: Value | null,
): Partial<Record<Name, Pair<Value>>> {
  return left === right ? {} : ({ [name]: { left, right } } as Record<Name, Pair<Value>>);
}

function* comparedAccounts(left: WorldState, right: WorldState): Generator<AccountComparison> {
  for (const { address, becomes } of right.differencesFrom(left)) {
    const [before, after] = [left.account(address), right.account(address)];
    const hashOf = (code: Uint8Array | undefined): string | null => (code === undefined ? null : toHex(code));
    yield {
      address: `0x${keyOf(address)}`,
      isIn: before === undefined ? 'right' : after === undefined ? 'left' : 'both',
      ...pairOf('balance', before?.balance ?? null, after?.balance ?? null),
      ...pairOf('nonce', before?.nonce ?? null, after?.nonce ?? null),
      ...pairOf('codeHash', hashOf(before?.code.hash), hashOf(after?.code.hash)),
      storage: (becomes?.storage ?? []).map(({ slot, value }) => ({
        slot: toHex(slot),
        left: word(left.storageAt(address, slot)),
        right: word(value),
      })),
    };
  }
}

/** How the right chain differs from the left one: in rules, chain id and head, and in the accounts at its head. */
export function compareContents(left: DumpContent, right: DumpContent): Comparison {
  const [before, after] = [chainFacts(left), chainFacts(right)];
  const names = Object.keys(before).filter((name) => before[name] !== after[name]);
  return {
    chain: names.map((name) => ({ name, left: before[name] ?? null, right: after[name] ?? null })),
    accounts: [...comparedAccounts(left.state, right.state)],
  };
}
