import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { constants, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { answerAt, resultAt } from '../support/json-rpc.ts';
import { type RunningNode, startNode } from '../support/node-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const executable = fileURLToPath(new URL('../../bin/node-cli.js', import.meta.url));

const nodes: RunningNode[] = [];

afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.stop()));
});

function run(...options: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [executable, ...options], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

/** A currently unused port. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function exitCodeOf(child: ChildProcess): Promise<unknown> {
  const [code, signal] = await once(child, 'close');
  return code ?? signal;
}

describe('node-cli process', () => {
  it('exits with code 2 and one line on stderr for an unknown flag', () => {
    expect(run('--acounts', '3')).toEqual({
      status: 2,
      stdout: '',
      stderr: 'node-cli: unknown option --acounts; did you mean --accounts <number>?\n',
    });
  });

  it('exits with code 2 and one line on stderr for an invalid value', () => {
    expect(run('--block-time', 'often')).toEqual({
      status: 2,
      stdout: '',
      stderr: 'node-cli: --block-time: expected a number of seconds from 0.001 to 86400, got "often"\n',
    });
  });

  it('exits with code 1 and one line on stderr if its port is in use', async () => {
    const node = await startNode();
    nodes.push(node);
    const { port } = new URL(node.url);
    expect(run('--port', port)).toEqual({
      status: 1,
      stdout: '',
      stderr: `node-cli: port ${port} on 127.0.0.1 is already in use; choose another with --port (0 picks a free one)\n`,
    });
  });

  it('exits with code 1 and one line on stderr if --config-out cannot be written', () => {
    const { status, stderr } = run('--port', '0', '--config-out', '/no-such-folder/node.json');
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^node-cli: --config-out: cannot write \/no-such-folder\/node\.json: no such file or directory; [^\n]*\n$/,
    );
  });

  it('reads its options from a module in the working directory', async () => {
    const directory = await temporaryDirectory();
    writeFileSync(join(directory, 'node-cli.config.mjs'), 'export default { accounts: "many" };');
    const { status, stderr } = spawnSync(process.execPath, [executable], {
      cwd: directory,
      encoding: 'utf8',
    });
    expect(stderr).toMatch(/^node-cli: accounts in node-cli\.config\.mjs: expected a whole number [^\n]*\n$/);
    expect(status).toBe(2);
  });

  it.skipIf(process.platform === 'win32')(
    'exits at a signal while it waits for a reader of the --config-out pipe',
    async () => {
      const pipe = join(await temporaryDirectory(), 'pipe');
      spawnSync('mkfifo', [pipe]);
      const port = await freePort();
      const options = ['--port', String(port), '--config-out', pipe];
      const child = spawn(process.execPath, [executable, ...options], { stdio: 'ignore' });
      const ended = exitCodeOf(child);
      await expect
        .poll(() => resultAt(`http://127.0.0.1:${port}`, 'eth_chainId').catch(() => null), {
          timeout: 60_000,
        })
        .toBe('0x21');
      child.kill('SIGTERM');
      expect(await ended).toBe(0);
    },
  );

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'exits with code 0 at %s, without output on stderr',
    async (signal) => {
      const node = await startNode();
      let errors = '';
      node.process.stderr?.on('data', (chunk) => {
        errors += chunk;
      });
      node.process.kill(signal);
      expect(await exitCodeOf(node.process)).toBe(0);
      expect(errors).toBe('');
    },
  );

  it.runIf(process.platform === 'linux')(
    'saves the --state chain when its terminal hangs up, and then ends by that signal',
    async () => {
      const folder = await temporaryDirectory();
      const [state, id] = [join(folder, 'chain.json'), join(folder, 'id')];
      const port = await freePort();
      const command = `echo $$ >${id}; exec ${process.execPath} ${executable} --port ${port} --state ${state}`;
      const terminal = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null']);
      const ended = exitCodeOf(terminal);
      await expect
        .poll(() => resultAt(`http://127.0.0.1:${port}`, 'eth_chainId').catch(() => null), {
          timeout: 60_000,
        })
        .toBe('0x21');
      process.kill(Number(readFileSync(id, 'utf8')), 'SIGHUP');
      expect(await ended).toBe(128 + constants.signals.SIGHUP);
      expect(existsSync(state)).toBe(true);
    },
  );

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'saves the --state chain before it exits at %s, and restores it',
    async (signal) => {
      const path = join(await temporaryDirectory(), 'chain.json.gz');
      const first = await startNode('--state', path);
      await resultAt(first.url, 'evm_mine');
      first.process.kill(signal);
      expect(await exitCodeOf(first.process)).toBe(0);
      expect(readdirSync(join(path, '..'))).toEqual(['chain.json.gz']);
      const second = await startNode('--state', path);
      nodes.push(second);
      expect(await resultAt(second.url, 'eth_blockNumber')).toBe('0x1');
    },
  );

  it.skipIf(process.platform === 'win32').each([
    ['start', ['start', '--port', '0', '--quiet']],
    ['exec', ['exec', '--quiet', '--', process.execPath, '-e', 'process.stdin.resume()']],
    ['mcp', ['mcp']],
  ])('exits at SIGTERM although the event loop of %s is blocked', async (_, parameters) => {
    const preload = join(await temporaryDirectory(), 'block.cjs');
    // Blocks the event loop as soon as the guard of the package runs, and shortens its timeout.
    writeFileSync(
      preload,
      `const threads = require('node:worker_threads');
      const { Worker } = threads;
      threads.Worker = class extends Worker {
        constructor(file, options) {
          const isGuard = String(file).includes('signal-guard');
          super(file, isGuard ? { ...options, workerData: { ...options.workerData, first: 50 } } : options);
          if (isGuard) this.once('message', () => {
            require('node:fs').writeSync(2, 'blocked');
            for (;;);
          });
        }
      };`,
    );
    const child = spawn(process.execPath, ['--require', preload, executable, ...parameters], {
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [ended, closed] = [once(child, 'exit'), once(child, 'close')];
    const [text] = await once(child.stderr, 'data');
    expect(String(text)).toBe('blocked');
    child.kill('SIGTERM');
    expect(await ended).toEqual([null, 'SIGKILL']);
    // The program of exec ends with its input.
    child.stdin.end();
    await closed;
  });

  it('keeps the last complete state file after SIGKILL', async () => {
    const path = join(await temporaryDirectory(), 'chain.json');
    const node = await startNode('--state', path, '--state-interval', '0.02');
    await resultAt(node.url, 'evm_mine');
    await expect.poll(() => existsSync(path) && readFileSync(path, 'utf8').includes('"head":1,')).toBe(true);
    await resultAt(node.url, 'evm_mine');
    node.process.kill('SIGKILL');
    await exitCodeOf(node.process);
    const { status, stdout } = run('state', 'inspect', path);
    expect(status).toBe(0);
    expect(stdout).toMatch(/Head +#[12] 0x/);
  });

  it('state diff exits with the codes of diff', async () => {
    const folder = await temporaryDirectory();
    const paths = [join(folder, 'one.json'), join(folder, 'two.json')] as const;
    for (const [count, path] of paths.entries()) {
      const node = await startNode('--dump-state', path, '--timestamp', '1700000000');
      for (let index = 0; index < count; index++) await resultAt(node.url, 'evm_mine');
      await node.stop();
    }
    expect(run('state', 'diff', paths[0], paths[0]).status).toBe(0);
    expect(run('state', 'diff', ...paths).status).toBe(1);
    expect(run('state', 'diff', paths[0], join(folder, 'none')).status).toBe(2);
  });

  it('continues if the reader of its output closes the pipe', async () => {
    const node = await startNode();
    node.process.stdout?.destroy();
    for (let count = 0; count < 3; count++) {
      expect(await answerAt(node.url, 'eth_chainId')).toEqual({ jsonrpc: '2.0', id: 1, result: '0x21' });
    }
    node.process.kill('SIGINT');
    expect(await exitCodeOf(node.process)).toBe(0);
  });

  it('precompiles with lazily loaded libraries return correct results', async () => {
    const node = await startNode('--hardfork', 'osaka');
    const callTo = (address: number, input: string): Promise<unknown> =>
      resultAt(node.url, 'eth_call', [
        { to: `0x${address.toString(16).padStart(40, '0')}`, data: input },
        'latest',
      ]);
    const generator = `${'1'.padStart(64, '0')}${'2'.padStart(64, '0')}`;
    // Twice the generator of alt_bn128, as in the tests of EIP-196.
    expect(await callTo(6, `0x${generator.repeat(2)}`)).toBe(
      '0x030644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd315ed738c0e0a7c92e7845f96b2ae9c0a68a6a449e3538fc7ff3ebf7a5a18a2c4',
    );
    expect(await callTo(8, '0x')).toBe(`0x${'1'.padStart(64, '0')}`);
    // The sum of two points at infinity of BLS12-381 is the point at infinity.
    expect(await callTo(0x0b, `0x${'00'.repeat(256)}`)).toBe(`0x${'00'.repeat(128)}`);
    await node.stop();
  });

  it('prints a remedy if dist is missing', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'node-cli-'));
    cpSync(dirname(executable), join(folder, 'bin'), { recursive: true });
    const child = spawn(process.execPath, [join(folder, 'bin', 'node-cli.js')], { stdio: 'pipe' });
    let errors = '';
    child.stderr.on('data', (chunk) => {
      errors += chunk;
    });
    expect(await exitCodeOf(child)).toBe(1);
    expect(errors).toBe('node-cli: dist is missing; build it with: npm run build\n');
    rmSync(folder, { recursive: true });
  });
});
