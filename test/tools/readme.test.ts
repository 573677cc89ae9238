import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { flagsOf } from '../../src/cli/help.ts';
import { OPTION_ENTRIES } from '../../src/config/options.ts';
import { METHODS } from '../../src/rpc/method-table.ts';
import { REPOSITORY } from '../support/repository.ts';
import { dialectTables, methodTable, optionTable, PAGES, withTables } from './readme-tables.ts';

function pageText(page: string): string {
  return readFileSync(join(REPOSITORY, page), 'utf8');
}

/** Returns the paths of all pages of the repository, relative to its folder. */
function allPages(): string[] {
  // Skips packages that tests have installed, because they have tens of thousands of files.
  const pagesIn = (folder: string): string[] =>
    readdirSync(join(REPOSITORY, folder), { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : pagesIn(path);
      return path.endsWith('.md') ? [path] : [];
    });
  return [
    ...['README.md', 'fixtures/README.md', 'test/README.md'],
    ...['src', 'test/clients', '.github'].flatMap(pagesIn),
  ];
}

/** Returns the anchors of a page's headings, as on GitHub. */
function anchorsOf(text: string): string[] {
  const headings = text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.+)$/gm);
  return Array.from(headings, ([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^a-z0-9 _-]/g, '')
      .replaceAll(' ', '-'),
  );
}

describe('README.md', () => {
  const readme = pageText('README.md');

  it('stays short enough for a start page', () => {
    expect(readme.split('\n').length).toBeLessThanOrEqual(181);
    const [, use = ''] = /^## Recipes\n([\s\S]*?)^## /m.exec(readme) ?? [];
    const blocks = Array.from(use.matchAll(/^```\w+\n([\s\S]*?)^```$/gm), ([, code = '']) => code.trimEnd());
    expect(blocks).toHaveLength(7);
    for (const code of blocks) expect(code.split('\n').length, code).toBeLessThanOrEqual(8);
  });

  it('contains the start command and the test command', () => {
    expect(readme).toContain('npm ci && npx node-cli start');
    expect(readme).toContain('npm ci && npm test');
  });
});

describe('the reference pages', () => {
  it.each(Object.keys(PAGES))(
    '%s contains the generated tables; npm run generate:readme updates them',
    (page) => {
      expect(pageText(page)).toBe(withTables(page, pageText(page)));
    },
  );

  it('exist for each module', () => {
    const rooms = readdirSync(join(REPOSITORY, 'src'), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    const missing = rooms.filter(
      ({ name }) => name !== 'build' && !allPages().includes(`src/${name}/README.md`),
    );
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  it.each(allPages())('%s contains only valid links', (page) => {
    const text = pageText(page).replaceAll(/^```[\s\S]*?^```/gm, '');
    for (const [, target = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue;
      const [path = '', anchor] = target.split('#');
      const linked = path === '' ? page : join(dirname(page), path);
      expect(existsSync(join(REPOSITORY, linked)), `${target} in ${page}`).toBe(true);
      if (anchor !== undefined) expect(anchorsOf(pageText(linked)), `${target} in ${page}`).toContain(anchor);
    }
  });

  it('state the purpose of each package that the bundle or its user loads', () => {
    const tools =
      /^(@types\/|@biomejs|dependency-cruiser|typescript|vitest|esbuild|fast-check|solc|ethers|viem|web3|@openzeppelin)/;
    const names = [
      ...Object.keys(packageJson.devDependencies),
      ...Object.keys(packageJson.optionalDependencies),
    ];
    for (const name of names.filter((candidate) => !tools.test(candidate)))
      expect(pageText('.github/decisions/0022-packages.md')).toContain(`\`${name}\``);
  });

  it('quote the tested nginx configuration', () => {
    expect(pageText('src/node/README.md')).toContain(
      `\`\`\`nginx\n${pageText('fixtures/nginx/lanes.conf')}\`\`\``,
    );
  });
});

describe('fixtures/README.md', () => {
  const rows = Array.from(
    pageText('fixtures/README.md').matchAll(/^\| `([^`]+)` \|/gm),
    ([, path = '']) => path,
  );

  it('lists each file and folder of fixtures', () => {
    const entries = readdirSync(join(REPOSITORY, 'fixtures'), { withFileTypes: true });
    const paths = entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
    expect(rows).toEqual(paths.filter((path) => path !== 'README.md').sort());
  });
});

describe('test/README.md', () => {
  it('lists each folder of test', () => {
    const entries = readdirSync(join(REPOSITORY, 'test'), { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    const listed = pageText('test/README.md').matchAll(/`([a-z]+)\/`/g);
    expect(Array.from(listed, ([, name = '']) => name).sort()).toEqual(folders.sort());
  });
});

describe('the generated tables', () => {
  it('contain each option and each method', () => {
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

  it('describe each alias with its result and its difference from the peer', () => {
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

  it('describe differences only for the names of existing methods', () => {
    for (const { name, aliases, differences } of METHODS) {
      expect([name, ...aliases], name).toEqual(expect.arrayContaining(Object.keys(differences)));
    }
  });

  it('require both markers', () => {
    expect(() => withTables('src/config/README.md', 'no markers')).toThrow(
      'src/config/README.md lacks the markers of options',
    );
  });
});
