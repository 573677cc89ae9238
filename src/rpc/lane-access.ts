import { LanesOffError, OtherLaneError } from './errors.ts';
import type { LaneAccess, RpcContext } from './rpc-context.ts';

/** The lanes of the node. Throws a {@link LanesOffError} where it has none. */
export function requireLanes({ lanes }: RpcContext): LaneAccess {
  if (lanes === null) throw new LanesOffError();
  return lanes;
}

/**
 * The key of the lane that the caller means: the one it names, or the one that it calls. Throws an
 * {@link OtherLaneError} where that is another's, or it calls the base chain.
 */
export function requireLaneKey(
  { connection: { key } }: RpcContext,
  access: LaneAccess,
  named: string | null,
): string {
  if (named === null && key === undefined) throw OtherLaneError.none();
  if (access.areKeysSecret && named !== null && named !== key) throw OtherLaneError.secret();
  return named ?? key ?? '';
}
