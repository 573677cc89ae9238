// A built node in its own process, for measurements.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const executable = fileURLToPath(new URL('../../bin/node-cli.js', import.meta.url));
const project = fileURLToPath(new URL('../../fixtures/projects/hardhat-2/artifacts', import.meta.url));

/**
 * Starts a node. Default options: a project's artifacts and no log. Returns its process, its address and a
 * stop function.
 */
export async function startNode(options = ['--quiet', '--artifacts', project]) {
  const child = spawn(process.execPath, [executable, 'start', '--port', '0', ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  const url = await new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      if (printed.length < 100_000) printed += chunk;
      const address = /^Listening on (\S+)\n/m.exec(printed)?.[1];
      if (address !== undefined) resolve(address);
    });
    child.once('exit', () => reject(new Error(`the node did not start: ${printed}`)));
  });
  return {
    child,
    url,
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}
