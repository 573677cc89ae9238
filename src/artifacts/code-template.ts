/** Compares on-chain code with compiled code. Some bytes of compiled code are filled in at deployment. */

import type { CodeHole, CodeTemplate } from './artifact.ts';
import { ArtifactBoundError, MAX_HOLES } from './artifact-bound.ts';
import { metadataHashes } from './code-fingerprint.ts';

/** Libraries start with `PUSH20 0 ADDRESS EQ`. Solidity fills in the library's own address at deployment. */
const LIBRARY_GUARD = 0x73;
const ADDRESS_SIZE = 20;
const ADDRESS_OPCODE = 0x30;

/** solc's placeholder of a missing address in hex: `__$…$__` or `__File.sol:Library____`, 40 characters. */
const PLACEHOLDER = /__[\s\S]{38}/g;

/** The ranges that solc lists to be filled in: by file and library, or by the id of the variable. */
export interface ReferenceList {
  readonly [name: string]: readonly { readonly start: number; readonly length: number }[];
}

/** The fields of a compiler output for one code. */
export interface CodeFields {
  /** Hex, with or without `0x`, with placeholders of libraries. */
  readonly object: string;
  readonly linkReferences?: { readonly [file: string]: ReferenceList } | null | undefined;
  readonly immutableReferences?: ReferenceList | null | undefined;
  readonly sourceMap?: string | null | undefined;
}

/**
 * Returns the code with its holes; `null` for an interface, or if the text is not code. Throws {@link
 * ArtifactBoundError} for too many holes.
 */
export function codeTemplate(fields: CodeFields): CodeTemplate | null {
  const digits = fields.object.startsWith('0x') ? fields.object.slice(2) : fields.object;
  if (digits.length === 0 || digits.length % 2 !== 0) return null;
  const holes: CodeHole[] = [];
  const known = new Set<number>();
  for (const [file, libraries] of Object.entries(fields.linkReferences ?? {})) {
    for (const [library, places] of Object.entries(libraries)) {
      for (const { start, length } of places) {
        known.add(start);
        holes.push({ start, length, kind: 'library', name: `${file}:${library}` });
      }
    }
  }
  // Truffle and old compilers have placeholders without a list of them.
  const filled = digits.replace(PLACEHOLDER, (placeholder, offset: number) => {
    const start = offset / 2;
    if (Number.isInteger(start) && !known.has(start)) {
      const name = placeholder.replaceAll(/^_+|_+$/g, '');
      holes.push({ start, length: ADDRESS_SIZE, kind: 'library', name });
    }
    return '0'.repeat(placeholder.length);
  });
  const bytes = new Uint8Array(Buffer.from(filled, 'hex'));
  if (2 * bytes.length !== filled.length) return null;
  for (const [name, places] of Object.entries(fields.immutableReferences ?? {})) {
    for (const { start, length } of places) holes.push({ start, length, kind: 'immutable', name });
  }
  for (const { start, length } of metadataHashes(bytes))
    holes.push({ start, length, kind: 'metadata', name: '' });
  if (isGuardedLibrary(bytes)) holes.push({ start: 1, length: ADDRESS_SIZE, kind: 'library', name: '' });
  const inside = holes.filter(
    ({ start, length }) => start >= 0 && length >= 0 && start + length <= bytes.length,
  );
  checkHoles(inside, bytes.length);
  inside.sort((left, right) => left.start - right.start);
  return { bytes, holes: inside, sourceMap: fields.sourceMap || null, variables: null };
}

/** Throws {@link ArtifactBoundError} if there are too many holes, or if they cover the code several times. */
function checkHoles(holes: readonly CodeHole[], codeSize: number): void {
  const filled = holes.filter(({ kind }) => kind !== 'metadata');
  const covered = filled.reduce((sum, { length }) => sum + length, 0);
  if (filled.length <= MAX_HOLES && covered <= 2 * codeSize) return;
  throw new ArtifactBoundError(
    'linkReferences and immutableReferences',
    `at most ${MAX_HOLES} ranges with a total length of at most twice the code's size`,
    `${filled.length} ranges with a total length of ${covered} bytes in code of ${codeSize} bytes`,
  );
}

function isGuardedLibrary(code: Uint8Array): boolean {
  return (
    code[0] === LIBRARY_GUARD &&
    code[ADDRESS_SIZE + 1] === ADDRESS_OPCODE &&
    code.subarray(1, ADDRESS_SIZE + 1).every((byte) => byte === 0)
  );
}

/** `exact`: same metadata. `similar`: only the metadata differ, for example after a changed comment. */
export type Fit = 'exact' | 'similar';

/**
 * Returns how the start of the code fits the template; `null` if it does not. Code may be longer than the
 * template: constructor arguments follow initcode, and Vyper's immutable variables follow deployed code.
 */
export function fitOf({ bytes, holes }: CodeTemplate, code: Uint8Array): Fit | null {
  if (code.length < bytes.length) return null;
  let offset = 0;
  let fit: Fit = 'exact';
  for (const { start, length, kind } of holes) {
    if (!equalRange(bytes, code, offset, start)) return null;
    if (kind === 'metadata' && !equalRange(bytes, code, start, start + length)) fit = 'similar';
    offset = Math.max(offset, start + length);
  }
  return equalRange(bytes, code, offset, bytes.length) ? fit : null;
}

function equalRange(left: Uint8Array, right: Uint8Array, start: number, end: number): boolean {
  if (start >= end) return true;
  return Buffer.compare(left.subarray(start, end), right.subarray(start, end)) === 0;
}
