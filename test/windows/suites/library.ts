import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { emptyFolder, Program, startNode } from './installed-package.ts';

/** Runs a script in an empty folder. Resolves to its output. */
async function outputOf(name: string, code: string): Promise<string> {
  const folder = emptyFolder();
  writeFileSync(join(folder, name), code.replaceAll('\n', '\r\n'));
  const program = new Program(process.execPath, [name], { folder });
  program.endInput();
  const { code: status, output, errors } = await program.ended;
  assert.equal(status, 0, errors);
  return output;
}

const QUESTION = `createNode({ chainId: 44 })
  .then(async (node) => {
    console.log(await node.request({ method: 'eth_chainId' }));
    await node.close();
  });`;

describe('the library', () => {
  it('is imported', async () => {
    assert.equal(await outputOf('a.mjs', `import { createNode } from 'node-cli';\n${QUESTION}`), '0x2c\n');
  });

  it('is required', async () => {
    assert.equal(
      await outputOf('a.cjs', `const { createNode } = require('node-cli');\n${QUESTION}`),
      '0x2c\n',
    );
  });

  it('listens at a URL', async () => {
    const code = `import { createNode } from 'node-cli';
const node = await createNode();
const { url, close } = await node.listen();
console.log(url);
await close();
await node.close();`;

    assert.match(await outputOf('a.mjs', code), /^http:\/\/127\.0\.0\.1:\d+\n$/);
  });
});

describe('the configuration file', () => {
  for (const [name, text] of [
    ['node-cli.config.json', '{ "chainId": 45 }\n'],
    ['node-cli.config.mjs', 'export default { chainId: 45 };\n'],
    ['node-cli.config.ts', 'const chainId: number = 45;\nexport default { chainId };\n'],
  ] as const) {
    it(`${name} sets options`, async () => {
      const folder = emptyFolder();
      writeFileSync(join(folder, name), text.replaceAll('\n', '\r\n'));

      const node = await startNode([], { folder });

      assert.equal(await node.call('eth_chainId'), '0x2d');
      await node.stop();
    });
  }
});
