import { describe, expect, it } from 'vitest';
import { windowsCommand } from '../../src/cli/windows-command.ts';

const APP = 'C:\\code\\my app';
const NODE = 'C:\\Program Files\\nodejs';

/** A machine with these files. */
function placeWith(...files: readonly string[]) {
  return {
    environment: { Path: `${APP}\\node_modules\\.bin;"${NODE}"`, ComSpec: 'C:\\Windows\\cmd.exe' },
    workingDirectory: APP,
    isFile: (path: string) => files.includes(path),
  };
}

/** Returns the command line that cmd.exe gets for the arguments of npx. */
function lineOf(...parameters: readonly string[]): string | undefined {
  return windowsCommand('npx', parameters, placeWith(`${NODE}\\npx.cmd`))?.parameters[3];
}

describe('windowsCommand', () => {
  it('runs a program without a shell', () => {
    const place = placeWith(`${NODE}\\node.exe`, `${NODE}\\node`);

    expect(windowsCommand('node', ['a b', '"'], place)).toEqual({
      program: `${NODE}\\node.exe`,
      parameters: ['a b', '"'],
      isVerbatim: false,
    });
  });

  it('runs a batch file in cmd.exe', () => {
    const place = placeWith(`${NODE}\\npx`, `${NODE}\\npx.cmd`);

    expect(windowsCommand('npx', ['hardhat', 'test'], place)).toEqual({
      program: 'C:\\Windows\\cmd.exe',
      parameters: ['/d', '/s', '/c', `""${NODE}\\npx.cmd" ^"hardhat^" ^"test^""`],
      isVerbatim: true,
    });
  });

  it('prefers the working directory, then the order of the path and of the endings', () => {
    const shim = `${APP}\\node_modules\\.bin\\tool.cmd`;
    const here = `${APP}\\tool.cmd`;
    const found = (...files: readonly string[]) =>
      windowsCommand('tool', [], placeWith(...files))?.parameters.join(' ');

    expect(found(shim, `${NODE}\\tool.exe`)).toContain(shim);
    expect(found(shim, here)).toContain(here);
    expect(windowsCommand('tool', [], placeWith(shim, shim.replace('.cmd', '.exe')))).toMatchObject({
      program: shim.replace('.cmd', '.exe'),
    });
  });

  it('finds relative and absolute paths, with and without an ending', () => {
    const place = placeWith(`${APP}\\bin\\tool.exe`);

    for (const command of ['bin\\tool', './bin/tool.exe', `${APP}\\bin\\tool.EXE`.replace('.EXE', '.exe')])
      expect(windowsCommand(command, [], place)?.program).toBe(`${APP}\\bin\\tool.exe`);
    expect(windowsCommand('..\\tool', [], place)).toBeNull();
  });

  it('returns null for an unknown command and for a file without an ending', () => {
    expect(windowsCommand('absent', [], placeWith())).toBeNull();
    expect(windowsCommand('npx', [], placeWith(`${NODE}\\npx`))).toBeNull();
  });

  it('uses PATHEXT', () => {
    const place = placeWith(`${APP}\\tool.exe`, `${APP}\\tool.cmd`);
    const environment = { ...place.environment, PATHEXT: '.CMD;.EXE' };

    expect(windowsCommand('tool', [], { ...place, environment })?.isVerbatim).toBe(true);
  });

  it('protects the special characters of cmd.exe', () => {
    expect(lineOf('a b', 'c&d', '100%', '')).toContain(' ^"a^ b^" ^"c^&d^" ^"100^%^" ^"^""');
  });

  it('doubles backslashes before a quote, and protects an argument with a quote twice', () => {
    expect(lineOf('C:\\my\\')).toContain(' ^"C:\\my\\\\^""');
    expect(lineOf('say "x"')).toContain(` ^^^"say^^^ \\^^^"x\\^^^"^^^""`);
  });
});
