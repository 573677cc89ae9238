import { join } from 'node:path';

/** The system properties that determine the default cache directory. */
export interface UserSurroundings {
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The user's home directory. */
  readonly home: string;
}

/**
 * Returns the default cache directory, below the platform's user cache directory. The XDG Base Directory
 * Specification applies if XDG_CACHE_HOME is set or the platform has no such directory.
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
