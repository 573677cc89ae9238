import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Commands that npm, its scripts and the Dockerfile run. */
const COMMANDS = ['sh', 'env', 'ls', 'cat', 'cp', 'mv', 'rm', 'mkdir', 'chmod', 'chown', 'uname', 'ip'];
/** Libraries that glibc loads by name, for host names and native packages. */
const LOADED_LATER = /^lib(?:rt|resolv|nss_dns|nss_files|util)\.so\.\d+$/;
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

/** Copies a file to the same path below a root. A link is replaced with its target. */
function copyInto(root: string, path: string): void {
  mkdirSync(join(root, dirname(path)), { recursive: true });
  cpSync(realpathSync(path), join(root, path), { recursive: true, dereference: true });
}

/**
 * Writes a substitute for `node:22-bookworm-slim` for machines without an image registry. It contains Node
 * and npm of this machine with their libraries, a shell, and the user `node`. Requires the Debian package
 * busybox-static.
 */
export function writeBaseRoot(root: string): void {
  for (const folder of [
    'bin',
    'usr/bin',
    'usr/local/bin',
    'usr/local/lib/node_modules',
    'etc',
    'opt',
    'root',
    'proc',
    'dev',
  ])
    mkdirSync(join(root, folder), { recursive: true });
  for (const folder of ['tmp', 'home/node']) mkdirSync(join(root, folder), { recursive: true, mode: 0o777 });
  cpSync('/bin/busybox', join(root, 'bin/busybox'));
  for (const command of COMMANDS) symlinkSync('busybox', join(root, 'bin', command));
  // Scripts start with this path.
  symlinkSync('/bin/env', join(root, 'usr/bin/env'));

  const libraries =
    execFileSync('ldd', [process.execPath], { encoding: 'utf8' }).match(/\/\S+\.so\S*/g) ?? [];
  for (const library of libraries) copyInto(root, library);
  const [libc = ''] = libraries.filter((path) => basename(path) === 'libc.so.6');
  for (const name of readdirSync(dirname(libc)).filter((one) => LOADED_LATER.test(one)))
    copyInto(root, join(dirname(libc), name));
  cpSync(process.execPath, join(root, 'usr/local/bin/node'));

  const npm = realpathSync(execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim());
  cpSync(dirname(dirname(npm)), join(root, 'usr/local/lib/node_modules/npm'), { recursive: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'));

  copyInto(root, CERTIFICATES);
  writeFileSync(
    join(root, 'etc/passwd'),
    'root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n',
  );
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\nnode:x:1000:\n');
}

/** The Dockerfile of the base image. */
export const BASE_DOCKERFILE = `FROM scratch
COPY root /
ENV PATH=/usr/local/bin:/usr/bin:/bin NODE_EXTRA_CA_CERTS=${CERTIFICATES}
`;
