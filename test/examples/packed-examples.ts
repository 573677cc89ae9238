import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packedPackage } from '../support/packed-package.ts';
import { REPOSITORY } from '../support/repository.ts';

/** The environment of a user shell, without variables of npm and of the tests. */
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

/** A copy of the examples next to the packed package. */
export interface PackedExamples {
  path(...names: readonly string[]): string;
  /** Installs the packages of several examples as one npm workspace. Rejects with the output of npm. */
  install(names: readonly string[], variables?: NodeJS.ProcessEnv): Promise<void>;
  /** Runs a command in the folder of an example. */
  run(name: string, command: string, args: readonly string[], variables?: NodeJS.ProcessEnv): Promise<Ran>;
  remove(): void;
}

/** Runs a command in a folder. */
function runIn(
  cwd: string,
  command: string,
  args: readonly string[],
  variables: NodeJS.ProcessEnv,
): Promise<Ran> {
  const env = { ...environment, ...variables };
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}

/** Packs the build and copies the examples next to the package. */
export function packExamples(): PackedExamples {
  const folder = mkdtempSync(join(tmpdir(), 'node-cli-examples-'));
  cpSync(join(REPOSITORY, 'fixtures', 'examples'), folder, { recursive: true });
  const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const packed = packedPackage(
    execFileSync('npm', pack, { cwd: REPOSITORY, env: environment, stdio: 'pipe' }).toString(),
  );
  cpSync(join(folder, packed.filename), join(folder, 'node-cli.tgz'));
  return {
    path: (...names) => join(folder, ...names),
    async install(workspaces, variables = {}) {
      writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, workspaces }));
      const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline'];
      const { code, output } = await runIn(folder, 'npm', args, variables);
      if (code !== 0) throw new Error(`npm install ended with ${code}: ${output}`);
    },
    run: (name, command, args, variables = {}) =>
      runIn(join(folder, name), command, args, {
        NO_COLOR: '1',
        FORCE_COLOR: '0',
        CI: 'true',
        ...variables,
      }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
