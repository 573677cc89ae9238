import { describe, expect, it } from 'vitest';
import { onDriveZ, winePath } from './wine.ts';

describe('winePath', () => {
  const only = (path: string) => (asked: string) => asked === path;

  it('prefers a command in the path', () => {
    expect(
      winePath({ PATH: '/bin:/opt/wine' }, (path) => path.startsWith('/opt/') || path.startsWith('/usr/')),
    ).toBe('/opt/wine/wine64');
  });

  it("finds Debian's program outside the path", () => {
    expect(winePath({ PATH: '/bin' }, only('/usr/lib/wine/wine64'))).toBe('/usr/lib/wine/wine64');
  });

  it('uses WINE', () => {
    expect(winePath({ WINE: '/opt/other' }, () => true)).toBe('/opt/other');
  });

  it('throws an error with the command that installs Wine', () => {
    expect(() => winePath({}, () => false)).toThrow(
      'wine64 is missing; install it with: apt-get install -y --no-install-recommends wine64',
    );
    expect(() => winePath({ WINE: '/opt/other' }, () => false)).toThrow('/opt/other is missing');
  });
});

describe('onDriveZ', () => {
  it('returns a path with a drive letter and backslashes', () => {
    expect(onDriveZ('/tmp/my app/a.js')).toBe('Z:\\tmp\\my app\\a.js');
  });
});
