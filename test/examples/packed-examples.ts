import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('../..', import.meta.url));

/** The environment of a user's shell: without what npm and the tests of this project add. */
const environment: NodeJS.ProcessEnv = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) =>
      !/^(npm_|NODE_CLI|ETH_RPC_URL|FOUNDRY_|INIT_CWD|NODE_ENV|VITEST|TEST$|DEV$|PROD$|SSR$|MODE$)/i.test(
        name,
      ),
  ),
);

/** The output of a command, without colours, and its exit code. */
export interface Ran {
  readonly code: number | null;
  readonly output: string;
}

/** A copy of the examples, with the packed package beside them. */
export interface PackedExamples {
  /** The path of a folder or file of the copy. */
  path(...names: readonly string[]): string;
  /** Installs the packages of some examples at once, as those of a project with workspaces. */
  install(names: readonly string[], variables?: NodeJS.ProcessEnv): void;
  /** Runs a command in the folder of an example. */
  run(name: string, command: string, args: readonly string[], variables?: NodeJS.ProcessEnv): Promise<Ran>;
  remove(): void;
}

/** Packs what is built, and copies the examples beside it. */
export function packExamples(): PackedExamples {
  const folder = mkdtempSync(join(tmpdir(), 'node-cli-examples-'));
  const npm = (cwd: string, args: readonly string[], variables: NodeJS.ProcessEnv = {}): string =>
    execFileSync('npm', args, {
      cwd,
      env: { ...environment, ...variables },
      encoding: 'utf8',
      stdio: 'pipe',
    });
  cpSync(join(project, 'fixtures', 'examples'), folder, { recursive: true });
  const [packed] = JSON.parse(
    npm(project, ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]),
  );
  cpSync(join(folder, packed.filename), join(folder, 'node-cli.tgz'));
  return {
    path: (...names) => join(folder, ...names),
    install(workspaces, variables) {
      writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, workspaces }));
      npm(folder, ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline'], variables);
    },
    run(name, command, args, variables = {}) {
      const child = spawn(command, args, {
        cwd: join(folder, name),
        env: { ...environment, NO_COLOR: '1', FORCE_COLOR: '0', CI: 'true', ...variables },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => {
          output += text;
        });
      return new Promise((resolve, reject) => {
        child.once('error', reject);
        child.once('close', (code) => resolve({ code, output }));
      });
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
