/** The bounds of what an artifact describes. An artifact that exceeds one is not taken: no part of it is used. */

/** The maximum number of entries, parameters and members of structs in the ABI of one contract. */
export const MOST_ABI_NODES = 100_000;
/** The maximum nesting of structs in an ABI. */
export const DEEPEST_ABI = 64;
/** The longest type of a parameter, in characters, with the brackets of its arrays. */
export const LONGEST_ABI_TYPE = 256;
/** The maximum number of places in one code that are filled in at deployment. */
export const MOST_HOLES = 20_000;

/** An artifact exceeds a bound. */
export class ArtifactBoundError extends Error {
  override readonly name = 'ArtifactBoundError';
  /** The member of the contract: `abi`, `storageLayout`. */
  readonly member: string;
  readonly expected: string;
  readonly received: string;
  /** The contract, as the file and the name in the output of the compiler; `null` if its own file describes it. */
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

  /** Returns the same error for a contract of a compiler's output. */
  of(sourceName: string, name: string): ArtifactBoundError {
    return new ArtifactBoundError(this.member, this.expected, this.received, [sourceName, name]);
  }
}
