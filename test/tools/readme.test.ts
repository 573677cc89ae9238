import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { flagsOf } from '../../src/cli/program.ts';
import { OPTION_ENTRIES } from '../../src/config/options.ts';
import { METHODS } from '../../src/rpc/method-table.ts';
import { dialectTables, methodTable, optionTable, PAGES, withTables } from './readme-tables.ts';

function pageOf(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
}

const readme = pageOf('README.md');

describe('README.md', () => {
  it.each(Object.keys(PAGES) as (keyof typeof PAGES)[])(
    '%s holds what the code gives; npm run generate:readme writes it anew',
    (path) => {
      expect(pageOf(path)).toBe(withTables(pageOf(path), path));
    },
  );

  it('says why each package is there that the bundle or its user loads', () => {
    const tools =
      /^(@types\/|@biomejs|dependency-cruiser|typescript|vitest|esbuild|fast-check|solc|ethers|viem|web3|@openzeppelin)/;
    const names = [
      ...Object.keys(packageJson.devDependencies),
      ...Object.keys(packageJson.optionalDependencies),
    ];
    for (const name of names.filter((candidate) => !tools.test(candidate)))
      expect(readme).toContain(`\`${name}\``);
  });

  it('quotes the configuration of nginx that is tested', () => {
    const configuration = readFileSync(new URL('../../fixtures/nginx/lanes.conf', import.meta.url), 'utf8');
    expect(readme).toContain(`\`\`\`nginx\n${configuration}\`\`\``);
  });

  it('begins with the two commands', () => {
    expect(readme).toContain('npm ci && npx node-cli start');
    expect(readme).toContain('npm ci && npm test');
  });
});

describe('the generated tables', () => {
  it('have every option and every method', () => {
    const options = optionTable().replaceAll('\\|', '|');
    for (const [key, definition] of OPTION_ENTRIES)
      expect(options).toContain(`\`${flagsOf(key, definition)}\``);
    const methods = methodTable() + dialectTables();
    for (const { name, summary, aliases } of METHODS) {
      expect(methods).toContain(`\`${name}(`);
      expect(methods).toContain(summary);
      for (const alias of aliases) expect(methods).toContain(`\`${alias}`);
    }
  });

  it('say of each name of a dialect what it answers and how it differs from the peer', () => {
    const lines = dialectTables().replaceAll('\\|', '|').split('\n');
    const named = METHODS.flatMap(({ name, aliases, ...method }) =>
      [name, ...aliases].map((each) => ({ ...method, name: each })),
    );
    const inDialects = named.filter(({ name }) =>
      /^(evm|anvil|hardhat|ganache|miner|tenderly|ots|wallet)_/.test(name),
    );
    for (const { name, shapes, result, differences } of inDialects) {
      const line = lines.find((candidate) => candidate.startsWith(`| \`${name}(`));
      expect(line, name).toContain(
        ` | ${shapes[name]?.words ?? result.description} | ${differences[name] ?? ''}`,
      );
    }
  });

  it('tell differences of names only that their methods have', () => {
    for (const { name, aliases, differences } of METHODS) {
      expect([name, ...aliases], name).toEqual(expect.arrayContaining(Object.keys(differences)));
    }
  });

  it('need both markers', () => {
    expect(() => withTables('no markers')).toThrow('README.md lacks the markers of topics');
  });
});
