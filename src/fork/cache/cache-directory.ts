import { join } from 'node:path';

/** What the place of a user's caches depends on. */
export interface UserSurroundings {
  readonly platform: NodeJS.Platform;
  /** Environment variables. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The user's home directory. */
  readonly home: string;
}

/**
 * Where answers of upstreams are kept by default: in the directory that the platform has for caches of the user (XDG
 * Base Directory Specification, where XDG_CACHE_HOME is set or the platform has no custom of its own).
 */
export function forkCacheDirectory({ platform, environment, home }: UserSurroundings): string {
  const xdg = environment.XDG_CACHE_HOME;
  const local = environment.LOCALAPPDATA;
  const caches =
    xdg !== undefined && xdg !== ''
      ? xdg
      : platform === 'darwin'
        ? join(home, 'Library', 'Caches')
        : platform === 'win32' && local !== undefined
          ? local
          : join(home, '.cache');
  return join(caches, 'node-cli', 'fork');
}
