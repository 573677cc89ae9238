/** Adds compiler input and output from clients. */

import { ArtifactBoundError } from '../artifacts/artifact-bound.ts';
import type { LazyInspector } from '../inspect/lazy-inspector.ts';
import { describeValue } from './codecs/codec.ts';
import { InvalidParamsError } from './errors.ts';

/** Returns the path of the contracts in a compiler output, which may be the `output` of build info. */
export function pathOfContracts(output: object): string {
  const inner: unknown = 'output' in output ? output.output : null;
  const isWrapped = typeof inner === 'object' && inner !== null && !Array.isArray(inner);
  return isWrapped ? 'output.output.contracts' : 'output.contracts';
}

/**
 * Adds the contracts of a compilation and resolves to their number. Rejects with {@link InvalidParamsError},
 * and adds nothing, if a contract exceeds a limit.
 */
export async function addUserArtifacts(
  inspector: LazyInspector,
  input: object,
  output: object,
  version: string | null,
): Promise<number> {
  const artifacts = await inspector.artifacts.load();
  try {
    return await artifacts.addCompilation(input, output, version);
  } catch (error) {
    if (!(error instanceof ArtifactBoundError)) throw error;
    const { contract, member, expected, received } = error;
    const place = (contract ?? []).map((name) => `[${describeValue(name)}]`).join('');
    throw new InvalidParamsError(`${pathOfContracts(output)}${place}.${member}`, expected, received);
  }
}
