// The values of all marked variables of Variables.sol, evaluated by name.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compiled, sceneOf } from './scene.ts';

const SOURCE = readFileSync(new URL('../variables/Variables.sol', import.meta.url), 'utf8');

type Shown = string | boolean | readonly { readonly name: string; readonly value: Shown }[];

/** Formats values like the marks of the source. */
function textOf(value: Shown): string {
  if (typeof value !== 'object') return String(value).replaceAll(' ', '~');
  return `[${value.map(({ name, value: inner }) => `${name === '' ? '' : `${name}:`}${textOf(inner)}`).join(',')}]`;
}

const CALLS: readonly (readonly [string, readonly unknown[]])[] = [
  ['values', [5n, -3, true, '0x000000000000000000000000000000000000dEaD', '0x12345678']],
  ['references', ['text', '0xabcdef', [1n, 2n, 3n]]],
  ['blocks', [3n]],
  ['modified', [9n]],
  ['attached', [4n]],
  ['caught', []],
];

describe('marked variables', () => {
  it.each([...CALLS, ['constructor', []] as const])('are evaluated in %s', async (name, args) => {
    const scene = await sceneOf(compiled('Variables.sol', SOURCE));
    const { address, hash: creation } = await scene.deploy('Variables', [7n, 'hello']);
    const hash = name === 'constructor' ? creation : await scene.invoke('Variables', address, name, args);
    const seen: string[] = [];
    const expected: string[] = [];
    for (const [first, , file, line] of await scene.statementsOf(hash)) {
      const mark = /\/\/ @see (.*)$/.exec(scene.lines[line - 1] ?? '')?.[1];
      if (file < 0 || mark === undefined) continue;
      for (const part of mark.split(' ')) {
        const [variable = '', value = ''] = part.split('=');
        // A storage pointer has the value that it points to.
        if (value.startsWith('storage~')) continue;
        const found = await scene.evaluate(hash, first, variable).then(
          (result) => textOf(result.value as Shown),
          (error: Error) =>
            /has no value at this step|unknown name/.test(error.message) ? 'none' : error.message,
        );
        seen.push(`${line}: ${variable}=${found}`);
        expected.push(`${line}: ${part}`);
      }
    }
    expect(expected.length).toBeGreaterThan(0);
    expect(seen).toEqual(expected);
  });
});
