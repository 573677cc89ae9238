import { describe, expect, it } from 'vitest';
import { endOnDifference } from '../../src/cli/open-chain.ts';
import { EngineDifferenceError } from '../../src/reference/shadow-engine.ts';
import { FAKE_NOW, fakeHost } from './support/fake-host.ts';

const DUMP = {
  difference: 'gasUsed',
  ruleSet: 'rootstock',
  chainId: 33,
  codeSizeLimit: null,
  purpose: 'call',
  environment: {},
  message: { data: '0xab' },
  accounts: {},
  blockHashes: {},
  outcomes: {},
} as const;

describe('endOnDifference', () => {
  it('exits with code 1 after writing the difference to a file', async () => {
    const host = fakeHost();
    const end = endOnDifference(host);
    end(new EngineDifferenceError(DUMP));
    end(new EngineDifferenceError(DUMP));
    expect(await host.exited()).toBe(1);
    const path = `node-cli-difference-${FAKE_NOW}.json`;
    expect([...host.files.keys()]).toEqual([path]);
    expect(JSON.parse(host.files.get(path) ?? '')).toEqual(DUMP);
    expect(host.written.errors).toBe(
      `node-cli: the engines disagree in: gasUsed; the data to reproduce it is in ${path}\n`,
    );
  });

  it('prints the difference if the file cannot be written', async () => {
    const host = fakeHost({ writeFile: () => Promise.reject(new Error('EROFS')) });
    endOnDifference(host)(new EngineDifferenceError(DUMP));
    expect(await host.exited()).toBe(1);
    expect(host.written.errors).toContain('the data to reproduce it:\n{\n  "difference": "gasUsed"');
  });
});
