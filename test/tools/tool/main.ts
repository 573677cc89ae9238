// Runs a tool of the project: `npm run tool -- <name> [argument...]`. Without a name, lists all tools.
import { spawnSync } from 'node:child_process';
import { commandOf, listOfTools, TOOLS } from './tool-list.ts';

const [name, ...options] = process.argv.slice(2);
const tool = name === undefined ? undefined : TOOLS[name];
if (tool !== undefined) {
  const { status } = spawnSync(process.execPath, commandOf(tool, options), { stdio: 'inherit' });
  process.exitCode = status ?? 1;
} else if (name === undefined) {
  process.stdout.write(listOfTools());
} else {
  process.stderr.write(`unknown tool "${name}"\n\n${listOfTools()}`);
  process.exitCode = 1;
}
