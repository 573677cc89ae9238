import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Commands that npm, its scripts and the Dockerfile run. */
const COMMANDS = ['sh', 'env', 'ls', 'cat', 'cp', 'mv', 'rm', 'mkdir', 'chmod', 'chown', 'uname', 'ip'];
/** The libraries that glibc loads by name, for names of hosts and for native packages. */
const LOADED_LATER = /^lib(?:rt|resolv|nss_dns|nss_files|util)\.so\.\d+$/;
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

/** Copies a file to the same path below a root, with what a link leads to in place of the link. */
function copyInto(root: string, path: string): void {
  mkdirSync(join(root, dirname(path)), { recursive: true });
  cpSync(realpathSync(path), join(root, path), { recursive: true, dereference: true });
}

/**
 * Writes what stands in for `node:22-bookworm-slim`, where no registry of images can be reached: Node and npm of this machine with the
 * libraries they load, a shell, and the user `node`. Needs the package busybox-static of Debian.
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
  // Scripts begin with this path.
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

/** The Dockerfile that makes an image of that root. */
export const BASE_DOCKERFILE = `FROM scratch
COPY root /
ENV PATH=/usr/local/bin:/usr/bin:/bin NODE_EXTRA_CA_CERTS=${CERTIFICATES}
`;
