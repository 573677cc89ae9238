import type { Mutant } from './mutants.ts';

/** A change of a source file after which it does the same, so that no test can notice it. */
export interface EquivalentChange {
  readonly path: string;
  /** The line as it stands in the file, without the spaces around it. */
  readonly code: string;
  readonly original: string;
  readonly replacement: string;
  readonly reason: string;
}

/** The changes that were found to be equivalent, each by reading the code around it. */
export const EQUIVALENT_CHANGES: readonly EquivalentChange[] = [
  {
    path: 'src/evm/kzg/kzg.ts',
    code: 'const points = this.#mcl._malloc((CELLS + 3) * g1.size);',
    original: '3',
    replacement: '(3 + 1)',
    reason: 'One point more is allocated, and freed, than is used.',
  },
  {
    path: 'src/fork/answer-store.ts',
    code: 'return new Map([...answers].sort(([left], [right]) => (left < right ? -1 : 1)));',
    original: '1',
    replacement: '(1 + 1)',
    reason: 'A comparison returns a number above 0, whichever it is.',
  },
  {
    path: 'src/inspect/storage/slot-finder.ts',
    code: 'for (let index = 0n; index < type.count && this.#constants.size < MAX_CONSTANT_HASHES; index++) {',
    original: '&&',
    replacement: '||',
    reason: 'Hashes of slots behind an array lead to no variable, or to one whose hash is wanted.',
  },
  {
    path: 'src/explorer/gas-history.ts',
    code: "if (selector !== '0x' && account !== '') counts.set(account, (counts.get(account) ?? 0) + 1);",
    original: '0',
    replacement: '(0 + 1)',
    reason: 'All counts are one higher, and only their order matters.',
  },
  {
    path: 'src/evm/precompiles/modular-exponentiation.ts',
    code: 'const costs = exponent < SHORT_EXPONENT ? 2 : 5;',
    original: '2',
    replacement: '(2 + 1)',
    reason: 'It decides how long the pieces of the work are, and no result.',
  },
  {
    path: 'src/explorer/contract-facts.ts',
    code: "if (isNamed && (typeof name !== 'string' || !Array.isArray(inputs))) return false;",
    original: '||',
    replacement: '&&',
    reason: 'The node leaves entries without inputs out of the ABI that it gives to the page.',
  },
  {
    path: 'src/evm/kzg/blob-polynomial.ts',
    code: 'for (let block = 0; block < BLOB_NUMBERS / CELL_NUMBERS; block++) {',
    original: '<',
    replacement: '<=',
    reason: 'There are no coefficients behind the last block, so that zeros are added.',
  },
  {
    path: 'src/reports/gas/gas-meter.ts',
    code: 'if (record !== undefined && record.frames.length > 1) this.#waiting.push({ record, on, next: 1 });',
    original: '&&',
    replacement: '||',
    reason: 'Chains that are measured record all frames, and of one frame alone nothing is left to sum up.',
  },
  {
    path: 'src/evm/revert-reason.ts',
    code: 'if (offset > BigInt(bytes.length - WORD)) return undefined;',
    original: '-',
    replacement: '+',
    reason: 'Behind such an offset fewer than no bytes are left, and each length is more than that.',
  },
  {
    path: 'src/inspect/storage/storage-changes.ts',
    code: 'this.#finders[kind].set(contract, finder);',
    original: 'this.#finders[kind].set(contract, finder);',
    replacement: ';',
    reason: 'A finder is made anew for each slot then, which takes longer and finds the same.',
  },
  {
    path: 'src/json/json-writer.ts',
    code: 'if (value instanceof JsonList) return limit + 1;',
    original: '1',
    replacement: '(1 + 1)',
    reason: 'Any weight above the limit ends the counting.',
  },
  {
    path: 'src/artifacts/json-document.ts',
    code: 'const CHUNK = 256 * 1024;',
    original: '256',
    replacement: '(256 + 1)',
    reason: 'It decides how much is read in one go, and no result.',
  },
  {
    path: 'src/state/trie/trie.ts',
    code: 'while (shared < path.length && path[shared] === nibbleAt(key, depth + shared)) shared++;',
    original: '<',
    replacement: '<=',
    reason: 'Behind the end of the path there is nothing that equals a nibble.',
  },
  {
    path: 'src/evm/interpreter/linear-memory.ts',
    code: 'for (let index = 0; index < length; index++) bytes[length - 1 - index] = source[pointer + index] ?? 0;',
    original: '<',
    replacement: '<=',
    reason: 'What is written before the first byte of an array is dropped.',
  },
  {
    path: 'src/storage/key-value-store.ts',
    code: 'let hash = 0x811c9dc5 ^ key.charCodeAt(0);',
    original: '0x811c9dc5',
    replacement: '(2166136261 + 1)',
    reason: 'Records are found by any hash of their keys.',
  },
  {
    path: 'src/storage/key-value-store.ts',
    code: 'hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);',
    original: '0x2c1b3c6d',
    replacement: '(739982445 + 1)',
    reason: 'Records are found by any hash of their keys.',
  },
];

/** Returns the entry for a change of a file, where it has one. */
export function equivalentChange(path: string, source: string, mutant: Mutant): EquivalentChange | undefined {
  const line = source.split('\n')[mutant.line - 1]?.trim();
  return EQUIVALENT_CHANGES.find(
    ({ code, original, replacement, ...entry }) =>
      entry.path === path &&
      code === line &&
      original === mutant.original &&
      replacement === mutant.replacement,
  );
}
