import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { helpText } from '../../src/cli/help.ts';
import { runCommand } from '../../src/cli/main.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { fakeHost } from './support/fake-host.ts';
import { start } from './support/started-node.ts';

describe('runCommand', () => {
  it('--help prints the help and exits with code 0', async () => {
    const host = fakeHost({ commandLine: ['--help'] });
    await runCommand(host);
    expect(host.written).toEqual({ output: helpText(), errors: '' });
    expect(host.exitCodes).toEqual([0]);
  });

  it.each([
    [['start'], 'start'],
    [['accounts'], 'accounts'],
    [['state'], 'state'],
    [['cache', '--json'], 'cache'],
    [['state', 'inspect'], 'state inspect'],
    [['state', 'diff', 'one.json'], 'state diff'],
    [['cache', 'ls'], 'cache ls'],
  ] as const)('%j with --help prints the help of the command', async (words, topic) => {
    const host = fakeHost({ commandLine: [...words, '--help'] });
    await runCommand(host);
    expect(host.written).toEqual({ output: helpText(topic), errors: '' });
    expect(host.exitCodes).toEqual([0]);
  });

  it.each([
    [['help'], 'start'],
    [['help', 'start'], 'start'],
    [['help', 'accounts'], 'accounts'],
    [['help', 'state'], 'state'],
    [['help', 'state', 'diff'], 'state diff'],
    [['help', 'help'], 'help'],
    [['help', '--help'], 'help'],
    [['completion', '--help'], 'completion'],
  ] as const)('%j prints the help of its topic', async (words, topic) => {
    const host = fakeHost({ commandLine: words });
    await runCommand(host);
    expect(host.written).toEqual({ output: helpText(topic), errors: '' });
    expect(host.exitCodes).toEqual([0]);
  });

  it('unknown NODE_CLI variables print one warning', async () => {
    const { host } = await start([], {
      environment: { NODE_CLI_PROT: '1', NODE_CLI_QUIET: 'true', NODE_CLI_XYZZYX: '2', NODE_CLIENT: '3' },
    });
    expect(host.exitCodes).toEqual([]);
    expect(host.written.errors).toBe(
      'node-cli: warning: unknown variables NODE_CLI_PROT (did you mean NODE_CLI_PORT?), NODE_CLI_XYZZYX; node-cli ignores them\n',
    );
    const one = await start([], { environment: { NODE_CLI_BLOCKTIME: '1' } });
    expect(one.host.written.errors).toBe(
      'node-cli: warning: unknown variable NODE_CLI_BLOCKTIME (did you mean NODE_CLI_BLOCK_TIME?); node-cli ignores it\n',
    );
    const none = await start([], { environment: { NODE_CLI_BLOCK_TIME: '1', NODE_CLI_HELP: '1' } });
    expect(none.host.written.errors).toBe('');
  });

  it('help with an unknown topic suggests a topic', async () => {
    const host = fakeHost({ commandLine: ['help', 'acounts'] });
    await runCommand(host);
    expect(host.written.errors).toBe(
      'node-cli: unknown command or topic "acounts"; did you mean accounts?\n',
    );
    expect(host.exitCodes).toEqual([2]);
  });

  it('the command version prints the version and exits with code 0', async () => {
    const host = fakeHost({ commandLine: ['version'] });
    await runCommand(host);
    expect(host.written).toEqual({ output: `${packageJson.version}\n`, errors: '' });
    expect(host.exitCodes).toEqual([0]);
  });

  it('--version prints the version and exits with code 0', async () => {
    const host = fakeHost({ commandLine: ['--version'] });
    await runCommand(host);
    expect(host.written).toEqual({ output: `${packageJson.version}\n`, errors: '' });
    expect(host.exitCodes).toEqual([0]);
  });

  it.each([
    [['--prot', '1'], 'node-cli: unknown option --prot; did you mean --port '],
    [['--port', 'x'], 'node-cli: --port: expected a whole number from 0 to 65535, got "x"'],
    [['--mnemonic', `${'abandon '.repeat(12)}`], 'the last word does not match the checksum of the words'],
    [['--mnemonic', `${'abandon '.repeat(11)}abuot`], 'word 12 is not in the English BIP-39 list'],
  ])('%j exits with code 2 and one line', async (commandLine, message) => {
    const host = fakeHost({ commandLine });
    await runCommand(host);
    expect(host.written.output).toBe('');
    expect(host.written.errors).toContain(message);
    expect(host.written.errors).toMatch(/^node-cli: [^\n]+\n$/);
    expect(host.exitCodes).toEqual([2]);
  });

  it('an unusable data directory exits with code 1 and one line', async () => {
    const directory = await temporaryDirectory();
    await writeFile(join(directory, 'two\nlines'), '');
    const host = fakeHost({ commandLine: ['--data-dir', join(directory, 'two\nlines')] });
    await runCommand(host);
    expect(host.written.errors).toMatch(/^node-cli: --data-dir: .*two\\u000alines.*it is a file; .*\n$/);
    expect(host.exitCodes).toEqual([1]);
  });

  it('a signal during the start exits immediately with code 130', async () => {
    const upstream = createServer(() => undefined);
    await once(upstream.listen(0, '127.0.0.1'), 'listening');
    const { port } = upstream.address() as AddressInfo;
    const asked = once(upstream, 'connection');
    const host = fakeHost({ commandLine: ['--fork-url', `http://127.0.0.1:${port}`] });
    // The upstream never responds, and the clock for retries does not advance.
    void runCommand(host);
    const [socket] = await asked;
    host.sendSignal('SIGINT');
    expect(host.exitCodes).toEqual([130]);
    socket.destroy();
    upstream.close();
  });
});
