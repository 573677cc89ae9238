import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fromHex, type Hex } from '../../src/primitives/hex.ts';
import type { BlobSidecar } from '../../src/protocol/blobs.ts';

const NUMBERS = 4_096;

/**
 * A blob with its commitment and proofs by c-kzg-4844, the library of Ethereum clients
 * (fixtures/blob-proofs.json).
 */
export interface ProvenBlob {
  readonly blob: Uint8Array;
  readonly commitment: Uint8Array;
  readonly blobProof: Uint8Array;
  readonly cellProofs: readonly Uint8Array[];
}

/** A blob with a short text, 31 bytes per field element, as clients pack it. */
export function textBlob(): Uint8Array {
  const blob = new Uint8Array(32 * NUMBERS);
  const text = new TextEncoder().encode('Blobs are kept beside the chain, for a while.');
  blob.set(text.subarray(0, 31), 1);
  blob.set([...text.subarray(31), 0x80], 33);
  return blob;
}

/** A blob with different field elements. */
export function fullBlob(): Uint8Array {
  const blob = new Uint8Array(32 * NUMBERS);
  for (let index = 0; index < NUMBERS; index++) {
    const number = createHash('sha256').update(String(index)).digest();
    number[0] = (number[0] ?? 0) & 0x3f;
    blob.set(number, 32 * index);
  }
  return blob;
}

interface RecordedProofs {
  readonly commitment: Hex;
  readonly blobProof: Hex;
  readonly cellProofs: readonly Hex[];
}

/** The two blobs with their commitments and proofs. */
export function provenBlobs(): readonly [ProvenBlob, ProvenBlob] {
  const text = readFileSync(new URL('../../fixtures/blob-proofs.json', import.meta.url), 'utf8');
  const [first, second] = (JSON.parse(text) as RecordedProofs[]).map(
    ({ commitment, blobProof, cellProofs }, index) => ({
      blob: index === 0 ? textBlob() : fullBlob(),
      commitment: fromHex(commitment),
      blobProof: fromHex(blobProof),
      cellProofs: cellProofs.map(fromHex),
    }),
  );
  if (first === undefined || second === undefined) throw new Error('the fixture has no two blobs');
  return [first, second];
}

/** The sidecar of blobs with this kind of proofs. */
export function sidecarOf(proven: readonly ProvenBlob[], proofKind: BlobSidecar['proofKind']): BlobSidecar {
  return {
    proofKind,
    blobs: proven.map(({ blob }) => blob),
    commitments: proven.map(({ commitment }) => commitment),
    proofs: proven.flatMap(({ blobProof, cellProofs }) =>
      proofKind === 'cell proofs' ? cellProofs : [blobProof],
    ),
  };
}
