/** A project on Windows that has installed the package with npm. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach } from 'node:test';

const { TESTED_PACKAGE = '', TESTED_NPM = '', TESTED_PROJECTS = '', TESTED_CACHE = '' } = process.env;

/** The build outputs of real tools, `fixtures/projects`. Under Wine, they are on another drive. */
export const PROJECTS = TESTED_PROJECTS;

const scratch = mkdtempSync(join(tmpdir(), 'node-cli-'));
after(() => rmSync(scratch, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));

/** The programs of the current test. A failed test leaves them running. */
const running = new Set<Program>();
afterEach(async () => {
  for (const program of running) program.kill();
  await Promise.all(Array.from(running, ({ ended }) => ended));
});

/** A folder with a space and a letter outside ASCII in its name. */
export const PROJECT = join(scratch, 'My Projekt ü');
mkdirSync(PROJECT);
writeFileSync(join(PROJECT, 'package.json'), '{"name":"app","private":true}');
execFileSync(
  process.execPath,
  [
    TESTED_NPM,
    'install',
    TESTED_PACKAGE,
    '--cache',
    TESTED_CACHE,
    '--offline',
    '--ignore-scripts',
    '--no-audit',
  ],
  { cwd: PROJECT, stdio: 'pipe' },
);

/** The script that npm's commands run. */
export const SCRIPT = join(PROJECT, 'node_modules', 'node-cli', 'bin', 'node-cli.js');

/** Milliseconds until a program that hangs ends, so that its test fails. */
const PATIENCE = 300_000;

let folders = 0;

/** Returns an empty folder in the project. */
export function emptyFolder(): string {
  const folder = join(PROJECT, `folder ${++folders}`);
  mkdirSync(folder);
  return folder;
}

export interface Ran {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

export interface RunOptions {
  readonly folder?: string;
  readonly variables?: Readonly<Record<string, string>>;
}

/** A program with pipes for its input and output. */
export class Program {
  readonly ended: Promise<Ran>;
  readonly #child;
  #output = '';
  #errors = '';
  #changed: () => void = () => undefined;

  constructor(
    program: string,
    parameters: readonly string[],
    { folder = PROJECT, variables = {} }: RunOptions = {},
  ) {
    const child = spawn(program, parameters, {
      cwd: folder,
      env: { ...process.env, ...variables },
      stdio: 'pipe',
    });
    this.#child = child;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#output += text;
      this.#changed();
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#errors += text;
    });
    this.ended = new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => {
        running.delete(this);
        resolve({ code, output: this.#output, errors: this.#errors });
      });
    });
    running.add(this);
    const patience = setTimeout(() => child.kill(), PATIENCE);
    void this.ended.finally(() => clearTimeout(patience)).catch(() => undefined);
  }

  get processId(): number {
    return this.#child.pid ?? 0;
  }

  write(text: string): void {
    this.#child.stdin.write(text);
  }

  endInput(): void {
    this.#child.stdin.end();
  }

  kill(): void {
    this.#child.kill();
  }

  /** Resolves to the first match in the output. Rejects if the program ends before. */
  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    const found = new Promise<RegExpExecArray>((resolve) => {
      this.#changed = () => {
        const match = pattern.exec(this.#output);
        if (match !== null) resolve(match);
      };
      this.#changed();
    });
    const ended = this.ended.then(({ code, output, errors }) => {
      throw new Error(`ended with ${code} before it printed ${pattern}: ${output}${errors}`);
    });
    return Promise.race([found, ended]);
  }
}

/** Runs node-cli until it ends. */
export function run(parameters: readonly string[], options?: RunOptions): Promise<Ran> {
  const program = new Program(process.execPath, [SCRIPT, ...parameters], options);
  program.endInput();
  return program.ended;
}

/** A node in its own process. */
export interface RunningNode {
  readonly url: string;
  readonly program: Program;
  /** Calls a method. Rejects with the error of the node. */
  call(method: string, ...params: readonly unknown[]): Promise<unknown>;
  /** Closes the node, which saves its chain. Rejects unless it exits with code 0. */
  stop(): Promise<Ran>;
}

/** Starts a node on a free port. It closes when its input ends, because Windows has no SIGTERM. */
export async function startNode(
  parameters: readonly string[] = [],
  options?: RunOptions,
): Promise<RunningNode> {
  const words = [SCRIPT, 'start', '--port', '0', '--end-with-stdin', ...parameters];
  const program = new Program(process.execPath, words, options);
  const [, url = ''] = await program.printed(/Listening on (http:\S+)/);
  return {
    url,
    program,
    call: (method, ...params) => callAt(url, method, params),
    async stop() {
      program.endInput();
      const ended = await program.ended;
      if (ended.code !== 0) throw new Error(`the node ended with ${ended.code}: ${ended.errors}`);
      return ended;
    },
  };
}

export interface Response {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/**
 * Sends a GET request, or a POST request with a JSON body. Wine cannot connect a socket with keep-alive, so the tests do
 * not use `fetch`.
 */
export function respond(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  body?: unknown,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const sent = request(url, { method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.once('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
    });
    sent.once('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Calls a method of the node at the URL. Rejects with the error of the node. */
export async function callAt(url: string, method: string, params: readonly unknown[] = []): Promise<unknown> {
  const body = { jsonrpc: '2.0', id: 1, method, params };
  const { text } = await respond(url, { 'content-type': 'application/json' }, body);
  const { result, error } = JSON.parse(text) as { result?: unknown; error?: unknown };
  if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
  return result;
}
