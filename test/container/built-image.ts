import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { REPOSITORY } from '../support/repository.ts';
import { BASE_DOCKERFILE, writeBaseRoot } from './base-image.ts';

const MISSING =
  'buildah or busybox is not installed. Debian, Ubuntu: apt-get install --no-install-recommends buildah busybox-static';
const BASE = 'localhost/node-base';
const IMAGE = 'localhost/node-cli';

/** The configuration of an image for its containers. */
const inspection = z.object({
  Docker: z.object({
    config: z.object({
      User: z.string(),
      Entrypoint: z.array(z.string()),
      Cmd: z.array(z.string()),
      WorkingDir: z.string(),
      StopSignal: z.string(),
      Healthcheck: z.object({ Test: z.array(z.string()) }),
    }),
  }),
});

export type ImageConfig = z.infer<typeof inspection>['Docker']['config'];

/** The image that fixtures/container/Dockerfile describes. */
export interface BuiltImage {
  readonly config: ImageConfig;
  /** The folder with the files of the image. */
  readonly root: string;
  /** Removes the image and all its layers. */
  remove(): void;
}

/** Builds the image with buildah from the current sources, on a base image with the Node of this machine. */
export function buildImage(): BuiltImage {
  const isInstalled = spawnSync('buildah', ['--version']).status === 0 && existsSync('/bin/busybox');
  if (!isInstalled) throw new Error(MISSING);
  const folder = mkdtempSync(join(tmpdir(), 'node-cli-image-'));
  const store = ['--root', join(folder, 'store'), '--runroot', join(folder, 'run')];
  const buildah = (...options: readonly string[]): string =>
    execFileSync('buildah', [...store, ...options], {
      cwd: REPOSITORY,
      encoding: 'utf8',
      // Uses no namespaces per command, because a container cannot create them.
      env: { ...process.env, BUILDAH_ISOLATION: 'chroot' },
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 2 ** 26,
    });
  // Only the Docker format supports the health check.
  const build = ['build', '--format', 'docker', '--layers=false'];
  writeBaseRoot(join(folder, 'base', 'root'));
  writeFileSync(join(folder, 'base', 'Dockerfile'), BASE_DOCKERFILE);
  buildah(...build, '-t', BASE, join(folder, 'base'));
  const ignored = ['--ignorefile', 'fixtures/container/Dockerfile.dockerignore'];
  buildah(
    ...build,
    ...ignored,
    '--build-arg',
    `NODE_IMAGE=${BASE}`,
    '-f',
    'fixtures/container/Dockerfile',
    '-t',
    IMAGE,
    '.',
  );
  const container = buildah('from', '--pull-never', IMAGE).trim();
  return {
    config: inspection.parse(JSON.parse(buildah('inspect', '--type', 'container', container))).Docker.config,
    root: buildah('mount', container).trim(),
    remove() {
      buildah('rm', '--all');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A container of the image, as with `docker run --read-only --cap-drop ALL`. */
export interface RunningContainer {
  /** Runs a command; resolves to its exit code and output. */
  run(...command: readonly string[]): Promise<{ readonly code: number | null; readonly output: string }>;
  /** Sends a signal to process 1; resolves to its exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/**
 * Mounts the root $1 read-only, then runs the other arguments in the folder $3 as the user $2 without
 * capabilities.
 */
const CONTAINED = `set -e
root=$1; user=$2; folder=$3; shift 3
mount --bind "$root" "$root"
mount -o remount,ro,bind "$root"
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
chroot "$root" /bin/ip link set lo up
exec setpriv --no-new-privs chroot --userspec="$user" "$root" /bin/sh -c 'cd "$0" && exec "$@"' "$folder" "$@"`;

const NAMESPACES = ['--mount', '--pid', '--net', '--fork', '--kill-child'];
/** The user and group `node` of the image. */
const USER = '1000';

/**
 * Starts a container until the test ends, with separate namespaces for mounts, processes and the network.
 * Resolves when the node listens. Rejects with its output if it ends before.
 */
export async function startContainer({ root, config }: BuiltImage): Promise<RunningContainer> {
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', HOME: '/home/node' };
  const command = [...config.Entrypoint, ...config.Cmd];
  const inside = [root, `${USER}:${USER}`, config.WorkingDir, ...command];
  const child = spawn('unshare', [...NAMESPACES, 'sh', '-c', CONTAINED, 'sh', ...inside], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // Ends the child of `unshare`: a process with another user receives no signal when its parent ends.
  onTestFinished(() => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim();
    for (const pid of children === '' ? [] : children.split(' ')) process.kill(Number(pid), 'SIGKILL');
  });
  const closed = once(child, 'close');
  let printed = '';
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        printed += chunk;
        if (printed.includes('Listening on ')) resolve();
      });
    closed.then(() => reject(new Error(`it ended: ${printed}`)), reject);
  });
  const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8');
  const process1 = Number.parseInt(children, 10);

  async function run(...words: readonly string[]): Promise<{ code: number | null; output: string }> {
    const target = ['--target', String(process1), '--mount', '--pid', '--net', '--root', '--wd'];
    const other = spawn('nsenter', [...target, '--setuid', USER, '--setgid', USER, ...words], { env });
    let output = '';
    for (const stream of [other.stdout, other.stderr])
      stream.on('data', (chunk) => {
        output += chunk;
      });
    const [code] = await once(other, 'close');
    return { code, output };
  }

  async function end(signal: NodeJS.Signals): Promise<number | null> {
    process.kill(process1, signal);
    const [code] = await closed;
    return code;
  }

  return { run, end };
}
