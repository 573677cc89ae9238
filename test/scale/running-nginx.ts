import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { freePort } from './ports.ts';

const CONFIGURATION = fileURLToPath(new URL('../../fixtures/nginx/lanes.conf', import.meta.url));
const WORKERS = 2;
const MISSING = 'nginx is not installed. Debian, Ubuntu: apt-get install --no-install-recommends nginx';

/** Debian's /etc/nginx/nginx.conf, with a directory that any user can write to. */
const SURROUNDINGS = `
daemon off;
pid nginx.pid;
worker_processes ${WORKERS};
error_log stderr notice;
events {}
http {
    access_log off;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    include lanes.conf;
}
`;

/** nginx with the configuration of the README, in front of other ports, until the test ends. */
export interface RunningNginx {
  /** `127.0.0.1:<port>` */
  readonly address: string;
}

/**
 * Starts nginx before the servers on these ports of the loopback address, and waits until it serves. Rejects
 * with the output of an nginx that ends early, or with install instructions if nginx is missing.
 */
export async function startNginx(ports: readonly number[]): Promise<RunningNginx> {
  const directory = await temporaryDirectory();
  // The workers of root's nginx run as another user and write large bodies here.
  await chmod(directory, 0o755);
  const port = await freePort();
  await writeFile(join(directory, 'nginx.conf'), SURROUNDINGS);
  await writeFile(
    join(directory, 'lanes.conf'),
    withPorts(await readFile(CONFIGURATION, 'utf8'), port, ports),
  );
  // Debian installs it outside the PATH of a user.
  const PATH = [process.env.PATH, '/usr/sbin'].join(delimiter);
  const child = spawn('nginx', ['-p', directory, '-c', 'nginx.conf'], {
    env: { ...process.env, PATH },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'close').then(([code, signal]) => `ended with ${signal ?? code}`);
  let printed = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk) => {
      printed += chunk;
      if (printed.split('start worker process ').length > WORKERS) resolve();
    });
    ended.then(
      (how) => reject(new Error(`nginx ${how}: ${printed}`)),
      (error) => reject(error.code === 'ENOENT' ? new Error(MISSING) : error),
    );
  });
  onTestFinished(async () => {
    child.kill('SIGTERM');
    expect(await ended, printed).toBe('ended with 0');
  });
  return { address: `127.0.0.1:${port}` };
}

/** The line of the configuration of one server. */
const SERVER = /^ *server 127\.0\.0\.1:\d+ .*;\n/gm;

/** The configuration of the README with other ports, and one server per port. */
function withPorts(text: string, own: number, ports: readonly number[]): string {
  const [line = '', ...others] = text.match(SERVER) ?? [];
  if (others.length !== 1) throw new Error('the configuration does not name two servers');
  const lines = ports.map((port) => line.replace(/:\d+/, `:${port}`)).join('');
  const listed = text.replace(others[0] ?? '', '').replace(line, lines);
  return listed.replace('listen 127.0.0.1:8545;', `listen 127.0.0.1:${own};`);
}
