import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { emptyFolder, Program, run, SCRIPT, startNode } from './installed-package.ts';

/** Prints the arguments and the URL as JSON, and exits with code 3. */
const SHOW = `console.log(JSON.stringify([process.argv.slice(2), process.env.NODE_CLI_URL]));
process.exitCode = 3;
`;

/** Texts that cmd.exe or a C program would change. */
const TEXTS = [
  'a b',
  '"quoted"',
  'C:\\my folder\\',
  '100%',
  '%PATH%',
  'a&b|c>d<e^f',
  '!x!',
  '(y)',
  'ü',
  '',
  'a\\"b',
];

/** Returns a folder with a script and its command, as npm creates them. */
function folderWithCommand(): string {
  const folder = emptyFolder();
  writeFileSync(join(folder, 'show.js'), SHOW);
  writeFileSync(join(folder, 'show.cmd'), '@ECHO off\r\nSETLOCAL\r\nnode "%~dp0\\show.js" %*\r\n');
  return folder;
}

describe('exec', () => {
  it('passes arguments to a program unchanged, and exits with its code', async () => {
    const folder = folderWithCommand();

    const { code, output } = await run(['exec', '--quiet', '--', 'node', 'show.js', ...TEXTS], { folder });

    const [words, url] = JSON.parse(output) as [string[], string];
    assert.deepEqual(words, TEXTS);
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.equal(code, 3);
  });

  it('runs a .cmd file from the path, with its arguments', async () => {
    const folder = folderWithCommand();
    const bin = join(folder, 'my bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'shown.cmd'), '@ECHO off\r\nSETLOCAL\r\nnode "%~dp0\\..\\show.js" %*\r\n');
    const variables = { PATH: `${bin};${process.env.PATH ?? ''}` };

    const { code, output } = await run(['exec', '--quiet', '--', 'shown', 'a b', 'c&d'], {
      folder,
      variables,
    });

    assert.deepEqual((JSON.parse(output) as [string[], string])[0], ['a b', 'c&d']);
    assert.equal(code, 3);
  });

  it('runs a program by its path', async () => {
    const folder = folderWithCommand();

    const { output } = await run(['exec', '--quiet', '--', process.execPath, 'show.js', 'x'], { folder });
    const relative = await run(['exec', '--quiet', '--', '.\\show.cmd', 'x'], { folder });

    assert.deepEqual((JSON.parse(output) as [string[], string])[0], ['x']);
    assert.deepEqual((JSON.parse(relative.output) as [string[], string])[0], ['x']);
  });

  it('exits with code 127 if there is no such command', async () => {
    const { code, errors } = await run(['exec', '--', 'no-such-command']);

    assert.equal(code, 127);
    assert.match(errors, /exec: cannot run no-such-command: command not found/);
  });
});

describe('mcp', () => {
  it('serves its tools on standard input and output', async () => {
    const program = new Program(process.execPath, [SCRIPT, 'mcp']);
    const client = { name: 'test', version: '1' };
    const initialize = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: client };
    program.write(
      `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize })}\r\n`,
    );
    await program.printed(/"id":1/);
    program.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
    program.write(`${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' })}\n`);

    await program.printed(/"tools":\[\{/);

    program.endInput();
    const { code } = await program.ended;
    assert.equal(code, 0);
  });
});

describe('status', () => {
  it('prints the chain of a running node', async () => {
    const node = await startNode();

    const { code, output } = await run(['status', '--url', node.url]);

    assert.equal(code, 0);
    assert.match(output, /33/);
    await node.stop();
  });
});
