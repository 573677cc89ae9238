// The thread that ends a process at a signal whose event loop is blocked. Each program contains the module, and blocks itself.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';

const threadFile = new URL('../../dist/cli/signal-guard-thread.cjs', import.meta.url).href;

/** The module as CommonJS, which programs contain. */
let guard = '';

beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../../src/cli/signal-guard.ts', import.meta.url))],
    define: { SIGNAL_GUARD_THREAD: JSON.stringify(threadFile), 'import.meta.url': '"file:///"' },
    bundle: true,
    format: 'cjs',
    platform: 'node',
    write: false,
  });
  guard = outputFiles[0]?.text ?? '';
});

/** Longer than any test. */
const NEVER = 3_600_000;

const TIMES = { first: NEVER, later: NEVER, pause: 0, same: 0 };

interface GuardedProgram {
  readonly child: ChildProcess;
  readonly errors: () => string;
  /** Resolves to the exit code, or to the signal that ended the process. */
  readonly ended: Promise<unknown>;
}

/** Starts a program that runs `whenGuarded` as soon as the guard runs. Resolves at the first output. */
async function started(times: typeof TIMES, before: string, whenGuarded: string): Promise<GuardedProgram> {
  const program = `
    ${before}
    const module = { exports: {} };
    (() => { ${guard} })();
    const { guardSignals } = module.exports;
    const { writeSync } = require('node:fs');
    const thread = guardSignals(${JSON.stringify(times)});
    thread.once('message', () => { ${whenGuarded} });
    setTimeout(() => undefined, ${NEVER});
  `;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const ended = once(child, 'close').then(([code, signal]: unknown[]) => code ?? signal);
  await once(child.stdout, 'data');
  return { child, errors: () => errors, ended };
}

const BLOCK = `writeSync(1, 'blocked'); for (;;);`;
const READY = `writeSync(1, 'ready');`;

// Windows ends a process at SIGTERM by itself, and Node cannot send Ctrl-C there.
describe.skipIf(process.platform === 'win32')('signal guard', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('ends a blocked process after %s', async (signal) => {
    const listen = `process.on('${signal}', () => process.exit(0));`;
    const program = await started({ ...TIMES, first: 50 }, listen, BLOCK);
    program.child.kill(signal);
    expect(await program.ended).toBe('SIGKILL');
    expect(program.errors()).toBe(
      `node-cli: the event loop was blocked for 0.05 s after ${signal}; the process exits without saving\n`,
    );
  });

  it('ends a blocked process sooner at a second signal', async () => {
    const listen = `for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => undefined);`;
    const program = await started({ ...TIMES, later: 50 }, listen, BLOCK);
    program.child.kill('SIGINT');
    program.child.kill('SIGTERM');
    expect(await program.ended).toBe('SIGKILL');
    expect(program.errors()).toContain('the event loop was blocked for 0.05 s after ');
  });

  it('keeps checking a closing process and lets it exit by itself', async () => {
    const close = `process.on('SIGTERM', () => {
      let questions = 0;
      thread.on('message', () => { if (++questions === 3) process.exit(7); });
    });`;
    const program = await started(TIMES, close, READY);
    program.child.kill('SIGTERM');
    expect(await program.ended).toBe(7);
    expect(program.errors()).toBe('');
  });

  it('ends a process that is blocked after it has responded', async () => {
    const close = `process.on('SIGTERM', () => {
      let questions = 0;
      thread.on('message', () => { if (++questions === 2) setImmediate(() => { for (;;); }); });
    });`;
    const program = await started({ ...TIMES, first: 50 }, close, READY);
    program.child.kill('SIGTERM');
    expect(await program.ended).toBe('SIGKILL');
  });

  it('does not keep a process alive, and prints nothing', async () => {
    const program = await started(TIMES, '', `${READY} process.exit(0);`);
    expect(await program.ended).toBe(0);
    expect(program.errors()).toBe('');
  });
});
