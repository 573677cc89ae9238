import type { Mutant } from './mutants.ts';

/** A change of a source file without an effect that a test could detect. */
export interface EquivalentChange {
  readonly path: string;
  /** The line in the file, without spaces around it. */
  readonly code: string;
  readonly original: string;
  readonly replacement: string;
  readonly reason: string;
}

/** The known equivalent changes, each found by reading the code. */
export const EQUIVALENT_CHANGES: readonly EquivalentChange[] = [
  {
    path: 'src/evm/kzg/kzg.ts',
    code: 'const points = this.#mcl._malloc((CELLS + 3) * g1.size);',
    original: '3',
    replacement: '(3 + 1)',
    reason: 'The code allocates and frees one unused point.',
  },
  {
    path: 'src/fork/answer-store.ts',
    code: 'return new Map([...answers].sort(([left], [right]) => (left < right ? -1 : 1)));',
    original: '1',
    replacement: '(1 + 1)',
    reason: 'Any number above 0 has the same meaning for a sort.',
  },
  {
    path: 'src/inspect/storage/slot-finder.ts',
    code: 'for (let index = 0n; index < type.count && this.#constants.size < MAX_CONSTANT_HASHES; index++) {',
    original: '&&',
    replacement: '||',
    reason: 'Hashes of slots after an array belong to no variable, or to a variable that needs its hash.',
  },
  {
    path: 'src/explorer/gas-history.ts',
    code: "if (selector !== '0x' && account !== '') counts.set(account, (counts.get(account) ?? 0) + 1);",
    original: '0',
    replacement: '(0 + 1)',
    reason: 'All counts are one higher. Only their order matters.',
  },
  {
    path: 'src/evm/precompiles/modular-exponentiation.ts',
    code: 'const costs = exponent < SHORT_EXPONENT ? 2 : 5;',
    original: '2',
    replacement: '(2 + 1)',
    reason: 'It sets the length of a time slice, and no result.',
  },
  {
    path: 'src/explorer/contract-facts.ts',
    code: "if (isNamed && (typeof name !== 'string' || !Array.isArray(inputs))) return false;",
    original: '||',
    replacement: '&&',
    reason: 'The ABI that the node returns to the explorer has no entries without inputs.',
  },
  {
    path: 'src/evm/kzg/blob-polynomial.ts',
    code: 'for (let block = 0; block < BLOB_NUMBERS / CELL_NUMBERS; block++) {',
    original: '<',
    replacement: '<=',
    reason: 'No coefficients follow the last block, so the loop adds zeros.',
  },
  {
    path: 'src/reports/gas/gas-meter.ts',
    code: 'if (record !== undefined && record.frames.length > 1) this.#waiting.push({ record, on, next: 1 });',
    original: '&&',
    replacement: '||',
    reason: 'Measured chains record all frames. A single frame has nothing to add.',
  },
  {
    path: 'src/evm/revert-reason.ts',
    code: 'if (offset > BigInt(bytes.length - WORD)) return undefined;',
    original: '-',
    replacement: '+',
    reason: 'The remaining length after this offset is negative, and every length is larger.',
  },
  {
    path: 'src/inspect/storage/storage-changes.ts',
    code: 'this.#finders[kind].set(contract, finder);',
    original: 'this.#finders[kind].set(contract, finder);',
    replacement: ';',
    reason: 'The code then creates a finder for each slot. This takes longer and finds the same.',
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
    reason: 'It sets the size of a read, and no result.',
  },
  {
    path: 'src/state/trie/trie.ts',
    code: 'while (shared < path.length && path[shared] === nibbleAt(key, depth + shared)) shared++;',
    original: '<',
    replacement: '<=',
    reason: 'No nibble follows the end of the path.',
  },
  {
    path: 'src/storage/key-value-store.ts',
    code: 'let hash = 0x811c9dc5 ^ key.charCodeAt(0);',
    original: '0x811c9dc5',
    replacement: '(2166136261 + 1)',
    reason: 'Any hash of the keys finds the records.',
  },
  {
    path: 'src/storage/key-value-store.ts',
    code: 'hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);',
    original: '0x2c1b3c6d',
    replacement: '(739982445 + 1)',
    reason: 'Any hash of the keys finds the records.',
  },
];

/** Returns the entry of a change; `undefined` if the list has no entry. */
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
