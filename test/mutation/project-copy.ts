import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative, resolve } from 'node:path';

/** The result of one test file. */
export interface TestFileResult {
  readonly path: string;
  readonly seconds: number;
  /** The name of the first failed test, or the reason why no test ran; `undefined` if the file passed. */
  readonly failure: string | undefined;
}

interface JsonReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly startTime: number;
    readonly endTime: number;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** A copy of the project in the working directory, with the same installed packages. Its sources may be changed. */
export class ProjectCopy {
  readonly folder: string;
  /** Whether `dist` is the build of the project's sources. */
  #isBuildOriginal = true;

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'node-cli-mutation-'));
    for (const part of readdirSync('.')) {
      if (part === 'node_modules') symlinkSync(resolve(part), join(this.folder, part));
      else if (part !== '.git') {
        // Packages that tests have installed take longer to copy than the project.
        const filter = (path: string): boolean => basename(path) !== 'node_modules';
        cpSync(part, join(this.folder, part), { recursive: true, filter });
      }
    }
  }

  write(path: string, text: string): void {
    writeFileSync(join(this.folder, path), text);
  }

  /** Builds the package from the sources of the copy, without its types. Resolves to false if the build fails. */
  async build(): Promise<boolean> {
    this.#isBuildOriginal = false;
    const isBundled = await this.#succeeds('node', ['src/build/bundle.mjs'], { seconds: 300 });
    for (const name of readdirSync('dist').filter((file) => /\.d\.c?ts$/.test(file)))
      cpSync(join('dist', name), join(this.folder, 'dist', name));
    return isBundled;
  }

  /** Copies the sources at the paths, and the built program, from the project. */
  restore(paths: readonly string[]): void {
    for (const path of paths) cpSync(path, join(this.folder, path));
    if (this.#isBuildOriginal) return;
    rmSync(join(this.folder, 'dist'), { recursive: true });
    cpSync('dist', join(this.folder, 'dist'), { recursive: true });
    this.#isBuildOriginal = true;
  }

  /**
   * Runs test files of the copy. Resolves to the results of the files that ran, or to `undefined` after a timeout or without a
   * report.
   */
  async runTests(
    files: readonly string[],
    options: readonly string[],
    seconds: number,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<readonly TestFileResult[] | undefined> {
    const report = join(this.folder, 'test-report.json');
    rmSync(report, { force: true });
    const json = ['--reporter=json', `--outputFile=${report}`];
    const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...json, ...options];
    await this.#succeeds('node', [...vitest, ...files], { seconds, environment });
    if (!existsSync(report)) return undefined;
    const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as JsonReport;
    return testResults.map(({ name, status, message, startTime, endTime, assertionResults }) => ({
      path: relative(this.folder, name),
      seconds: (endTime - startTime) / 1000,
      failure:
        status === 'passed'
          ? undefined
          : (assertionResults.find((test) => test.status === 'failed')?.fullName ?? message),
    }));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #succeeds(
    command: string,
    args: readonly string[],
    { seconds, environment = {} }: { seconds: number; environment?: Readonly<Record<string, string>> },
  ): Promise<boolean> {
    return new Promise((done) => {
      const env = { ...process.env, ...environment };
      const child = spawn(command, args, { cwd: this.folder, stdio: 'ignore', detached: true, env });
      // The command has its own process group, so that the timeout also ends its child processes.
      const kill = (): void => {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      };
      const timer = setTimeout(kill, seconds * 1000);
      process.prependOnceListener('exit', kill);
      child.on('close', (code) => {
        clearTimeout(timer);
        process.removeListener('exit', kill);
        done(code === 0);
      });
    });
  }
}
