/** Bounds of an artifact. If an artifact exceeds a bound, all of it is ignored. */

/** Maximum entries, parameters and struct members in the ABI of one contract. */
export const MAX_ABI_NODES = 100_000;
/** Maximum nesting of structs in an ABI. */
export const DEEPEST_ABI = 64;
/** Maximum characters of a parameter's type, including array brackets. */
export const MAX_ABI_TYPE_LENGTH = 256;
/** Maximum ranges of one code that are filled in at deployment. */
export const MAX_HOLES = 20_000;

export class ArtifactBoundError extends Error {
  override readonly name = 'ArtifactBoundError';
  /** The member of the artifact: `abi`, `storageLayout`. */
  readonly member: string;
  readonly expected: string;
  readonly received: string;
  /** File and name of the contract in the compiler output; `null` if it has its own artifact file. */
  readonly contract: readonly [sourceName: string, name: string] | null;

  constructor(
    member: string,
    expected: string,
    received: string,
    contract: ArtifactBoundError['contract'] = null,
  ) {
    const place = contract === null ? member : `${member} of ${contract.join(':')}`;
    super(`${place}: expected ${expected}, got ${received}`);
    this.member = member;
    this.expected = expected;
    this.received = received;
    this.contract = contract;
  }

  /** Returns the same error for a contract of a compiler output. */
  of(sourceName: string, name: string): ArtifactBoundError {
    return new ArtifactBoundError(this.member, this.expected, this.received, [sourceName, name]);
  }
}
