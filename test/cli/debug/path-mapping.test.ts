import { describe, expect, it } from 'vitest';
import {
  adapterPath,
  candidatePaths,
  comparable,
  editorPath,
  nameOfPath,
  normalized,
  type PathSettings,
  styleOf,
} from '../../../src/cli/debug/path-mapping.ts';

function settings(changes: Partial<PathSettings> = {}): PathSettings {
  return { projectRoot: '/home/me/app', pathMap: [], host: 'posix', ...changes };
}

const CONTAINER = settings({ projectRoot: 'C:\\code\\app', pathMap: [['/app', 'C:\\code\\app']] });
const WSL = settings({ projectRoot: '\\\\wsl$\\Ubuntu\\home\\me\\app' });
const WSL_LOCALHOST = settings({ projectRoot: '\\\\wsl.localhost\\Ubuntu\\home\\me\\app' });
const DRIVE_IN_WSL = settings({ projectRoot: 'C:\\code\\app' });
const WINDOWS = settings({ projectRoot: 'C:\\code\\app', host: 'windows' });
const EDITOR_IN_WSL = settings({ projectRoot: '/mnt/c/code/app', host: 'windows' });

describe('editorPath and adapterPath', () => {
  it.each<[string, PathSettings, string, string]>([
    ['the same system', settings(), '/home/me/app/src/A.sol', '/home/me/app/src/A.sol'],
    ['a container', CONTAINER, '/app/src/A.sol', 'C:\\code\\app\\src\\A.sol'],
    ['the root of a container', CONTAINER, '/app', 'C:\\code\\app'],
    [
      'a container on a Linux host',
      settings({ pathMap: [['/app', '/srv/x']] }),
      '/app/A.sol',
      '/srv/x/A.sol',
    ],
    [
      'the longest prefix',
      settings({
        pathMap: [
          ['/app', '/one'],
          ['/app/lib', '/two'],
        ],
      }),
      '/app/lib/A.sol',
      '/two/A.sol',
    ],
    ['a share of WSL', WSL, '/home/me/app/A.sol', '\\\\wsl$\\Ubuntu\\home\\me\\app\\A.sol'],
    [
      'the new share of WSL',
      WSL_LOCALHOST,
      '/home/me/app/A.sol',
      '\\\\wsl.localhost\\Ubuntu\\home\\me\\app\\A.sol',
    ],
    ['a drive in WSL', DRIVE_IN_WSL, '/mnt/c/code/app/A.sol', 'C:\\code\\app\\A.sol'],
    ['Windows', WINDOWS, 'C:\\code\\app\\A.sol', 'C:\\code\\app\\A.sol'],
    ['an editor in WSL', EDITOR_IN_WSL, 'C:\\code\\app\\A.sol', '/mnt/c/code/app/A.sol'],
  ])('map %s in both directions', (_, given, adapter, editor) => {
    expect(editorPath(adapter, given)).toBe(editor);
    expect(adapterPath(editor, given)).toBe(adapter);
  });

  it.each([
    ['c:\\code\\app\\A.sol', '/app/A.sol'],
    ['C:/Code/App/A.sol', '/app/A.sol'],
    ['C:\\code\\application\\A.sol', '/mnt/c/code/application/A.sol'],
  ])('compare %s with a prefix without the case', (editor, adapter) => {
    expect(adapterPath(editor, CONTAINER)).toBe(adapter);
  });
});

describe('normalized and comparable', () => {
  it.each([
    ['/a/./b/../c/', '/a/c'],
    ['C:\\a\\..\\b', 'C:/b'],
    ['\\\\wsl$\\Ubuntu\\home', '//wsl$/Ubuntu/home'],
    ['a//b', 'a/b'],
    ['../a', '../a'],
    ['/../a', '/a'],
    ['/', '/'],
  ])('normalize %s', (path, expected) => {
    expect(normalized(path)).toBe(expected);
  });

  it.each([
    ['C:\\Code\\A.sol', 'c:/code/a.sol', true],
    ['/Code/A.sol', '/code/a.sol', false],
    ['\\\\wsl$\\Ubuntu\\home\\A.sol', '\\\\wsl.localhost\\ubuntu\\home\\A.sol', true],
    ['\\\\wsl$\\Ubuntu\\home\\A.sol', '\\\\wsl$\\Ubuntu\\home\\a.sol', false],
  ])('compare %s with %s', (one, other, isSame) => {
    expect(comparable(one) === comparable(other)).toBe(isSame);
  });

  it.each([
    ['/a', 'posix'],
    ['C:\\a', 'windows'],
    ['\\\\server\\share', 'windows'],
    ['\\\\WSL$\\Debian\\a', 'wsl'],
    ['src/A.sol', null],
  ])('find the style of %s', (path, style) => {
    expect(styleOf(path)).toBe(style);
  });
});

describe('candidatePaths', () => {
  it.each<[string, PathSettings, string]>([
    ['src/A.sol', settings(), '/home/me/app/src/A.sol'],
    [
      '@openzeppelin/contracts/token/ERC20.sol',
      settings(),
      '/home/me/app/node_modules/@openzeppelin/contracts/token/ERC20.sol',
    ],
    ['lib/forge-std/src/Test.sol', settings(), '/home/me/app/lib/forge-std/src/Test.sol'],
    ['A.sol', settings(), '/home/me/app/contracts/A.sol'],
    ['project/contracts/A.sol', settings(), '/home/me/app/contracts/A.sol'],
    ['project:/contracts/A.sol', settings(), '/home/me/app/contracts/A.sol'],
    [
      'npm/@openzeppelin/contracts@5.0.2/token/ERC20.sol',
      settings(),
      '/home/me/app/node_modules/@openzeppelin/contracts/token/ERC20.sol',
    ],
    ['npm/solady@0.1.0/src/A.sol', settings(), '/home/me/app/node_modules/solady/src/A.sol'],
    ['/app/src/A.sol', CONTAINER, '/app/src/A.sol'],
    ['src/A.sol', CONTAINER, '/app/src/A.sol'],
    ['src/A.sol', WSL, '/home/me/app/src/A.sol'],
    ['src/A.sol', WINDOWS, 'C:\\code\\app\\src\\A.sol'],
  ])('of %s include the path', (name, given, path) => {
    expect(candidatePaths(name, given)).toContain(path);
  });
});

describe('nameOfPath', () => {
  const NAMES = [
    'src/A.sol',
    'lib/x/src/A.sol',
    '@openzeppelin/contracts/token/ERC20.sol',
    'project/contracts/B.sol',
  ];

  it.each<[string, PathSettings, string | null]>([
    ['/home/me/app/src/A.sol', settings(), 'src/A.sol'],
    ['/home/me/app/lib/x/src/A.sol', settings(), 'lib/x/src/A.sol'],
    [
      '/home/me/app/node_modules/@openzeppelin/contracts/token/ERC20.sol',
      settings(),
      '@openzeppelin/contracts/token/ERC20.sol',
    ],
    ['/home/me/app/contracts/B.sol', settings(), 'project/contracts/B.sol'],
    ['/elsewhere/lib/x/src/A.sol', settings(), 'lib/x/src/A.sol'],
    ['c:\\WORK\\app\\src\\A.sol', WINDOWS, 'src/A.sol'],
    ['c:\\WORK\\app\\src\\a.sol', WINDOWS, 'src/A.sol'],
    ['C:\\code\\app\\src\\A.sol', CONTAINER, 'src/A.sol'],
    ['\\\\wsl.localhost\\Ubuntu\\home\\me\\app\\src\\A.sol', WSL, 'src/A.sol'],
    ['/home/me/app/src/C.sol', settings(), null],
  ])('of %s is the name in the build output', (path, given, name) => {
    expect(nameOfPath(path, NAMES, given)).toBe(name);
  });
});
