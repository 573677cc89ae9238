import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';

const required = createRequire(import.meta.url)('../../../dist/runners/vitest-plugin.cjs');

describe('node-cli/vitest in a CommonJS configuration', () => {
  it('the plugin is loaded by require, and adds its files before the files of the configuration', () => {
    const config = { test: { globalSetup: './deploy.ts' } };
    required.nodeCli({ isolate: 'test' }).config(config);
    expect(config.test).toEqual({
      globalSetup: [expect.stringMatching(/dist\/runners\/vitest-global-setup\.js$/), './deploy.ts'],
      setupFiles: [expect.stringMatching(/dist\/runners\/vitest-setup\.js$/)],
      provide: { nodeCliOptions: { isolate: 'test' } },
    });
  });

  it('test throws with the place where it can be imported', () => {
    const where = /import it in a test file that Vitest runs/;
    expect(() => required.test('a test', () => undefined)).toThrow(where);
    expect(() => required.test.skip('a test', () => undefined)).toThrow(where);
    expect(() => required.test.extend({})).toThrow(where);
  });

  it('the module exports the names of its type declarations', () => {
    const types = readFileSync(new URL('../../../dist/runners/vitest.d.cts', import.meta.url), 'utf8');
    const names = Array.from(types.matchAll(/^export \{(.*)\};$/gm), ([, list = '']) =>
      list.split(','),
    ).flat();
    expect(names.map((name) => name.trim()).sort()).toEqual(Object.keys(required).sort());
  });
});
