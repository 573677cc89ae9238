import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { resultAt } from '../support/json-rpc.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const executable = process.env.NODE_CLI ?? fileURLToPath(new URL('../../bin/node-cli.js', import.meta.url));
const isRoot = process.getuid?.() === 0;

/** Mounts the whole file system read-only at $1 and runs the other arguments there, as nobody if possible. */
const READ_ONLY = `set -e
root=$1; shift
mount --bind / "$root"
mount -o remount,ro,bind "$root"
exec chroot "$root" ${isRoot ? 'setpriv --reuid=65534 --regid=65534 --clear-groups' : ''} "$@"`;

/** Runs a command like a container: as process 1, without privileges, on a read-only file system. */
function contained(root: string, ...command: readonly string[]): [string, string[]] {
  const namespaces = [
    '--mount',
    '--pid',
    '--fork',
    '--kill-child',
    ...(isRoot ? [] : ['--user', '--map-root-user']),
  ];
  return ['unshare', [...namespaces, 'sh', '-c', READ_ONLY, 'sh', root, ...command]];
}

async function canContain(): Promise<boolean> {
  const [command, options] = contained('/mnt', process.execPath, executable, '--version');
  return spawnSync(command, options).status === 0;
}

describe.skipIf(!(await canContain()))('node in a container (needs unshare, mount and setpriv)', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'serves requests, and exits with code 0 at %s',
    async (signal) => {
      const [command, options] = contained(
        await temporaryDirectory(),
        process.execPath,
        executable,
        '--port',
        '0',
      );
      const child = spawn(command, options, {
        env: { PATH: process.env.PATH, HOME: '/nonexistent' },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      // The node is killed with it (--kill-child).
      onTestFinished(() => void child.kill('SIGKILL'));
      let printed = '';
      const closed = once(child, 'close');
      const url = await new Promise<string>((resolve, reject) => {
        for (const stream of [child.stdout, child.stderr])
          stream.on('data', (chunk) => {
            printed += chunk;
            const found = /Listening on (http:\S+)\n/.exec(printed)?.[1];
            if (found !== undefined) resolve(found);
          });
        closed.then(() => reject(new Error(`it ended: ${printed}`)));
      });
      await resultAt(url, 'evm_mine');
      const health = await fetch(`${url}/health`);
      expect(await health.json()).toMatchObject({ status: 'ok', blockNumber: 1 });
      const [node = 0] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
        .trim()
        .split(' ')
        .map(Number);
      process.kill(node, signal);
      const [code] = await closed;
      expect({ code, problems: /node-cli: .*/.exec(printed) }).toEqual({ code: 0, problems: null });
    },
  );
});
