import { PARENT_KEY } from '../../rpc/lanes/lane.ts';
import { decoded, pathOf } from '../access-control.ts';

/** The target of a request to a parent chain. */
export interface ParentTarget {
  /** The key of a lane, or an API key; absent for the base chain. */
  readonly key: string | undefined;
  /** The segments after `/parent`, not decoded. */
  readonly rest: readonly string[];
}

/** Returns the target if it is `/parent` or `/<key>/parent`, or a path below; `null` for other targets. */
export function parentTargetOf(url: string): ParentTarget | null {
  if (!url.includes(PARENT_KEY)) return null;
  const [first, second, ...rest] = pathOf(url).split('/').filter(Boolean);
  if (first === PARENT_KEY) return { key: undefined, rest: second === undefined ? [] : [second, ...rest] };
  return first !== undefined && second === PARENT_KEY ? { key: decoded(first), rest } : null;
}

/** Returns the target on the own port of the parent chain. */
export function ownPortTarget(url: string): ParentTarget {
  return { key: undefined, rest: pathOf(url).split('/').filter(Boolean) };
}

/** Returns the wallet of the path, as on bitcoind: `null` without one; `undefined` for an unknown path. */
export function walletOf(rest: readonly string[]): string | null | undefined {
  const [first, name = '', ...deeper] = rest;
  if (first === undefined) return null;
  return first === 'wallet' && deeper.length === 0 ? decoded(name) : undefined;
}
