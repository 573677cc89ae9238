import { execFileSync } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { systemHost, writeOwnFile } from '../../src/cli/host.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

it.skipIf(process.platform === 'win32')(
  'writes files for their owner alone, since keys stand in that of --config-out',
  async () => {
    const path = join(await temporaryDirectory(), 'node.json');
    await systemHost(
      (url) => import(url),
      () => undefined,
    ).writeFile(path, '{}');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  },
);

it.skipIf(process.platform === 'win32')(
  'writes to a named pipe when it has a reader, however much it takes at once, without blocking before',
  async () => {
    const path = join(await temporaryDirectory(), 'pipe');
    execFileSync('mkfifo', [path]);
    const pauses = new EventEmitter();
    const timers = {
      after(_: number, action: () => void) {
        pauses.emit('pause', action);
        return { cancel: () => undefined };
      },
    };
    const firstPause = once(pauses, 'pause');
    const text = 'x'.repeat(1_000_000);
    const written = writeOwnFile(path, text, timers);
    const [goOn] = await firstPause;
    const read = readFile(path, 'utf8');
    pauses.on('pause', (action) => void setImmediate(action));
    goOn();
    await written;
    expect(await read).toBe(text);
  },
);
