import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { deploy } from './client.mjs';

const executable = fileURLToPath(new URL('../../../bin/node-cli.js', import.meta.url));

async function startNode(...options) {
  const child = spawn(process.execPath, [executable, 'start', '--port', '0', '--quiet', ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
  const stop = async () => {
    child.kill('SIGTERM');
    await once(child, 'close');
  };
  return { url: /http:\S+/.exec(line)?.[0], stop };
}

/** Starts the nodes of the mode: one node with lanes, or a node per worker. */
export async function setup(project) {
  const { SUITE_MODE: mode, SUITE_WORKERS: workers } = process.env;
  const nodes =
    mode === 'lanes'
      ? [await startNode('--lanes')]
      : await Promise.all(Array.from({ length: Number(workers) }, () => startNode()));
  // Tests that deploy their own contracts need no setup.
  const [contracts = []] =
    mode === 'deployments' ? [] : await Promise.all(nodes.map(({ url }) => deploy(url)));
  project.provide('contracts', contracts);
  project.provide(
    'urls',
    nodes.map(({ url }) => url),
  );
  return () => Promise.all(nodes.map(({ stop }) => stop()));
}
