import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningNode, startNode } from '../support/node-process.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));
const recipes =
  readFileSync(join(project, 'README.md'), 'utf8').split('## Recipes')[1]?.split('\n## ')[0] ?? '';

/** The code block of a kind that follows a bold word in the recipes. */
function codeAfter(title: string, language: string): string {
  const [, section = ''] = recipes.split(`**${title}`);
  return new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(section)?.[1] ?? '';
}

describe('the recipes of the README', () => {
  let node: RunningNode;
  let folder = '';

  beforeAll(async () => {
    node = await startNode();
    // Inside the project, so that the recipes find the packages they import, this one among them.
    mkdirSync(join(project, '.cache'), { recursive: true });
    folder = mkdtempSync(join(project, '.cache', 'recipes-'));
  });

  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await node.stop();
  });

  /** Runs a program with the address of the README replaced by the node's; gives what it printed. */
  async function run(command: string, ...options: readonly string[]): Promise<string> {
    const child = spawn(command, options, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
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
    writeFileSync(path, code.replaceAll('http://127.0.0.1:8545', node.url));
    return path;
  }

  it.each([
    ['ethers 6', '1\nended with 0'],
    ['viem 2', 'success\nended with 0'],
    ['web3.js 4', '1n\nended with 0'],
    ['In the same process', "[\n  '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',\n"],
  ])('%s works as it stands there', async (title, expected) => {
    const path = writeRecipe(codeAfter(title, 'js'), `${title.replaceAll(' ', '-')}.mjs`);
    expect(await run(process.execPath, path)).toContain(expected);
  });

  it('curl works as it stands there', async () => {
    const path = writeRecipe(codeAfter('curl', 'sh'), 'curl.sh');
    expect(await run('sh', path)).toMatch(/^\{"jsonrpc":"2\.0","id":1,"result":"0x[0-9a-f]+"\}ended with 0$/);
  });
});
