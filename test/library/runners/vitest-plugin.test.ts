import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';

const required = createRequire(import.meta.url)('../../../dist/runners/vitest-plugin.cjs');

describe('node-cli/vitest in a configuration that Vite reads as CommonJS', () => {
  it('is loaded by require, and puts its files before those of the configuration', () => {
    const config = { test: { globalSetup: './deploy.ts' } };
    required.nodeCli({ isolate: 'test' }).config(config);
    expect(config.test).toEqual({
      globalSetup: [expect.stringMatching(/dist\/runners\/vitest-global-setup\.js$/), './deploy.ts'],
      setupFiles: [expect.stringMatching(/dist\/runners\/vitest-setup\.js$/)],
      provide: { nodeCliOptions: { isolate: 'test' } },
    });
  });

  it('says of the test of Vitest, which no require loads, where it can be had', () => {
    expect(() => required.test('a test', () => undefined)).toThrow(
      /import it in a test file that Vitest runs/,
    );
  });
});
