import type { Lanes } from '../node/lanes.ts';
import { LanesOffError, OtherLaneError } from './errors.ts';
import type { RpcContext } from './rpc-context.ts';

/** How a service has its lanes. */
export interface LaneAccess {
  readonly lanes: Lanes;
  /** True where a key is a secret of who has it: nobody sees or changes another's lane. */
  readonly areKeysSecret: boolean;
}

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
