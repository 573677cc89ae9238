// Recognizes requests of the Beacon API by their path.

import { BEACON_KEY } from '../../rpc/lanes/lane.ts';
import { decoded, pathOf } from '../access-control.ts';

/** The target of a request of the Beacon API. */
export interface BeaconTarget {
  /** The key of a lane, or an API key; absent for the base chain. */
  readonly key: string | undefined;
  /** The decoded segments after `/eth/v1`. */
  readonly path: readonly string[];
}

const VERSION = 'v1';

/** Returns the target of `/eth/v1/…` or `/<key>/eth/v1/…`; `null` for other targets. */
export function beaconTargetOf(url: string): BeaconTarget | null {
  if (!url.includes(`/${BEACON_KEY}/`)) return null;
  const segments = pathOf(url).split('/').filter(Boolean);
  const [first, second, third] = segments;
  if (first === BEACON_KEY && second === VERSION)
    return { key: undefined, path: segments.slice(2).map(decoded) };
  if (first === undefined || second !== BEACON_KEY || third !== VERSION) return null;
  return { key: decoded(first), path: segments.slice(3).map(decoded) };
}
