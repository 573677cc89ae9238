// Runs a tool of the project: `npm run tool -- <name> [argument...]`. Without a name, lists all tools.
import { spawnSync } from 'node:child_process';
import { commandOf, listOfTools, TOOLS } from './tool-list.ts';

const [name, ...options] = process.argv.slice(2);
const tool = name === undefined ? undefined : TOOLS[name];
const run = (...command: string[]): number =>
  spawnSync(process.execPath, command, { stdio: 'inherit' }).status ?? 1;
if (tool !== undefined) {
  const built = tool.needsBuild ? run('src/build/build.mjs', '--if-changed') : 0;
  process.exitCode = built === 0 ? run(...commandOf(tool, options)) : built;
} else if (name === undefined) {
  process.stdout.write(listOfTools());
} else {
  process.stderr.write(`unknown tool "${name}"\n\n${listOfTools()}`);
  process.exitCode = 1;
}
