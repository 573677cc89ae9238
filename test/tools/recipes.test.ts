import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningNode, startNode } from '../support/node-process.ts';
import { REPOSITORY } from '../support/repository.ts';

/** Returns the code block of a language that follows a bold word on a page. */
function codeAfter(page: string, title: string, language: string): string {
  const [, section = ''] = readFileSync(join(REPOSITORY, page), 'utf8').split(`**${title}`);
  return new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(section)?.[1] ?? '';
}

describe('the recipes of the reference pages', () => {
  let node: RunningNode;
  let folder = '';

  beforeAll(async () => {
    node = await startNode();
    // Inside the repository, so that the recipes find their imports, including this package.
    mkdirSync(join(REPOSITORY, '.cache'), { recursive: true });
    folder = mkdtempSync(join(REPOSITORY, '.cache', 'recipes-'));
  });

  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await node.stop();
  });

  /** Runs a program with the node's URL in NODE_CLI_URL. Resolves to its output and exit code. */
  async function run(command: string, ...options: readonly string[]): Promise<string> {
    const env = { ...process.env, NODE_CLI_URL: node.url };
    const child = spawn(command, options, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        printed += chunk;
      });
    }
    const [status] = await once(child, 'close');
    return `${printed}ended with ${status}`;
  }

  function writeRecipe(code: string, name: string): string {
    const path = join(folder, name);
    writeFileSync(path, code);
    return path;
  }

  it.each([
    ['README.md', 'ethers 6', '1\nended with 0'],
    ['README.md', 'viem 2', /^0x[0-9a-f]{64}\nended with 0$/],
    ['README.md', 'In the same process', "[\n  '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',\n"],
    ['test/clients/README.md', 'ethers 6', '1\nended with 0'],
    ['test/clients/README.md', 'viem 2', 'success\nended with 0'],
    ['test/clients/README.md', 'Batches of calls', 'success\nended with 0'],
    ['test/clients/README.md', 'web3.js 4', '1n\nended with 0'],
    ['src/library/README.md', 'In the same process', "[\n  '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',\n"],
  ])('in %s %s works as printed', async (page, title, expected) => {
    const path = writeRecipe(codeAfter(page, title, 'js'), `${title.replaceAll(' ', '-')}.mjs`);
    expect(await run(process.execPath, path)).toEqual(
      typeof expected === 'string' ? expect.stringContaining(expected) : expect.stringMatching(expected),
    );
  });

  it.each(['README.md', 'test/clients/README.md'])('in %s curl works as printed', async (page) => {
    const path = writeRecipe(codeAfter(page, 'curl', 'sh'), 'curl.sh');
    expect(await run('sh', path)).toMatch(/^\{"jsonrpc":"2\.0","id":1,"result":"0x[0-9a-f]+"\}ended with 0$/);
  });
});
