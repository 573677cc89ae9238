import { execFileSync } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkCreation, readAll, systemFileSystem, systemHost, writeOwnFile } from '../../src/cli/host.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { fakeHost } from './support/fake-host.ts';

it.skipIf(process.platform === 'win32')(
  'writeFile creates files only readable by their owner, because they may contain keys',
  async () => {
    const path = join(await temporaryDirectory(), 'node.json');
    const { start } = fakeHost();
    await systemHost(start, (url) => import(url)).writeFile(path, '{}');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  },
);

it.skipIf(process.platform === 'win32')(
  'writeFile waits for the reader of a named pipe without blocking, and writes all data',
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

it.skipIf(process.platform === 'win32')(
  'read returns all data of a named pipe, and limits an endless device',
  async () => {
    const path = join(await temporaryDirectory(), 'pipe');
    execFileSync('mkfifo', [path]);
    const text = 'x'.repeat(300_000);
    const reading = systemFileSystem.read(path);
    await writeFile(path, text);
    expect(Buffer.from((await reading) ?? []).toString()).toBe(text);
    await expect(readAll('/dev/zero', 1_000_000)).rejects.toThrow(
      'it is a pipe or device and has more than 1000000 bytes; use a regular file',
    );
    await expect(systemFileSystem.read(join(path, '..'))).rejects.toThrow('EISDIR');
  },
);

it('checkCreation leaves no file, and rejects a missing directory', async () => {
  const directory = await temporaryDirectory();

  await checkCreation(directory);

  expect(await readdir(directory)).toEqual([]);
  await expect(checkCreation(join(directory, 'absent'))).rejects.toMatchObject({ code: 'ENOENT' });
});
