/**
 * The plugin for Hardhat 3. The network `nodeCli` is a node with the artifacts of the project. Each
 * connection of a test gets its own lane.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { LaneAnswerError, TestRunError } from './answers.ts';
import { ConnectionLanes, type HardhatGlobals } from './hardhat-lanes.ts';
import {
  forgetDeployments,
  type HardhatPaths,
  NETWORK,
  SETUP_PROGRAM,
  startProjectRun,
} from './hardhat-project.ts';
import { localLane } from './local-nodes.ts';
import type { TestRun } from './run.ts';
import { announcedFacts, isRunAnnounced, type RunFacts, type RunOptions } from './run-facts.ts';

export type { Isolation, RunOptions, StartOptions } from './run-facts.ts';

/** A module with hooks of one kind. Hardhat loads it on demand. */
type HookHandlers = () => Promise<{ default: () => Promise<object> }>;

/** A plugin that is active if another plugin is installed. */
interface ConditionalPlugin {
  condition: () => Promise<{ default: { id: string } }>[];
  plugin: () => Promise<{ default: { id: string; npmPackage: string } }>;
}

/** A plugin for `plugins` in the configuration of Hardhat 3. */
export interface NodeCliHardhatPlugin {
  readonly id: string;
  readonly npmPackage: string;
  readonly hookHandlers: { config: HookHandlers; network: HookHandlers; test: HookHandlers };
  readonly conditionalDependencies: ConditionalPlugin[];
}

/** The used part of Hardhat's configuration. */
interface HardhatConfig {
  readonly paths: HardhatPaths & {
    readonly config: string;
    /** The folder of Ignition, if the project uses it. */
    readonly ignition?: string;
    readonly tests?: { readonly nodejs?: string };
  };
  readonly networks: Record<string, { url?: { getUrl(): Promise<string> } } | undefined>;
  readonly test?: { readonly mocha?: { rootHooks?: object; parallel?: boolean } };
}

interface UserConfig {
  readonly networks?: Readonly<Record<string, object>>;
}

interface Context {
  readonly config: HardhatConfig;
  readonly globalOptions: { readonly network?: string };
  readonly hooks: HookManager;
}

/** The used part of Hardhat's hooks. */
interface HookManager {
  registerHandlers(category: 'network', handlers: { readonly onRequest: RequestHook }): void;
  runHandlerChain(
    category: 'network',
    name: 'onRequest',
    values: readonly [Connection, JsonRpcRequest],
    answer: RequestHandler,
  ): Promise<JsonRpcResponse>;
}

interface JsonRpcRequest {
  readonly id: number | string;
  readonly method: string;
  readonly params?: unknown;
}

type JsonRpcResponse = { readonly jsonrpc: '2.0'; readonly id: number | string } & (
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data: unknown } }
);

type RequestHandler = (
  context: Context,
  connection: Connection,
  request: JsonRpcRequest,
) => Promise<JsonRpcResponse>;

type RequestHook = (
  ...given: readonly [...Parameters<RequestHandler>, next: RequestHandler]
) => Promise<JsonRpcResponse>;

interface Connection {
  readonly networkName: string;
}

/** The used part of a Mocha test in hooks. */
interface MochaContext {
  readonly currentTest?: { readonly state?: string; titlePath(): string[] };
}

type Next<Result> = (...nextArguments: unknown[]) => Promise<Result>;

/** Maximum stack frames that are searched for the connecting file. */
const MAX_FRAMES = 50;

/** Returns the nearest file of the project in the call stack; `null` if there is none. */
function callingFile(root: string): string | null {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = MAX_FRAMES;
  const { stack = '' } = new Error('for its callers');
  Error.stackTraceLimit = stackTraceLimit;
  const paths = Array.from(
    stack.matchAll(/(?:\(|at (?:async )?)(file:\/\/[^\s()]+?|\/[^()]+?):\d+:\d+\)?$/gm),
  ).map(([, place = '']) => (place.startsWith('file:') ? fileURLToPath(place.replace(/\?.*$/, '')) : place));
  return (
    paths.find((path) => path.startsWith(join(root, '/')) && !/[\\/]node_modules[\\/]/.test(path)) ?? null
  );
}

const NODE_TEST_RUNNER = '@nomicfoundation/hardhat-node-test-runner';

/** Imports a package of the project, which this package may not be able to resolve. */
async function importOfProject(name: string): Promise<{ default: { id: string } }> {
  const path = createRequire(join(process.cwd(), 'package.json')).resolve(name);
  return import(pathToFileURL(path).href);
}

/** Returns the path of the project's Hardhat program. */
function hardhatProgram(root: string): string {
  const manifest = createRequire(join(root, 'package.json')).resolve('hardhat/package.json');
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as {
    readonly bin: { readonly hardhat: string };
  };
  return join(dirname(manifest), bin.hardhat);
}

/** A connection that is being opened. */
interface Opening {
  /** The connecting file; `null` if unknown. */
  readonly caller: string | null;
  /** The URL of its lane; `null` before the lane is open. */
  url: string | null;
}

/** Returns a hook that answers the requests of connections to a node in this process, without HTTP. */
function localRequests(urls: WeakMap<Connection, string>): RequestHook {
  /** The ids of requests in the chain of Hardhat's handlers. A handler may replace a request by a copy. */
  const pending = new WeakMap<Connection, Set<JsonRpcRequest['id']>>();
  return (context, connection, request, next) => {
    const url = urls.get(connection);
    const local = url === undefined ? null : localLane(url);
    const ids = pending.get(connection) ?? new Set();
    if (local === null || ids.delete(request.id)) return next(context, connection, request);
    // Hardhat's own handlers run last, for example for accounts and fees. After them, HTTP would follow.
    pending.set(connection, ids.add(request.id));
    return context.hooks.runHandlerChain(
      'network',
      'onRequest',
      [connection, request],
      async (_context, _connection, { id, method, params }) => {
        try {
          return { jsonrpc: '2.0', id, result: (await local(method, params)) ?? null };
        } catch (error) {
          if (!(error instanceof LaneAnswerError)) throw error;
          const { code, message, data } = error;
          return { jsonrpc: '2.0', id, error: { code, message, data } };
        }
      },
    );
  };
}

/** The node of a Hardhat process, and the lanes of its connections. */
class HardhatRun {
  readonly lanes = new ConnectionLanes();
  readonly openings = new AsyncLocalStorage<Opening>();
  readonly #options: RunOptions;
  #config: HardhatConfig | null = null;
  #run: Promise<TestRun> | null = null;
  #isOfTests = false;

  constructor(options: RunOptions) {
    this.#options = options;
  }

  use(config: HardhatConfig): void {
    this.#config = config;
  }

  /** Called before the tests of this process. They close the run. */
  beginTests(): void {
    // The workers of a parallel run connect over HTTP.
    this.#isOfTests = this.#config?.test?.mocha?.parallel !== true;
  }

  /** Starts the run, unless this or the parent process has started it. */
  async facts(): Promise<RunFacts> {
    if (this.#run !== null) return (await this.#run).facts;
    if (isRunAnnounced(process.env)) return announcedFacts(process.env);
    const config = this.#config;
    if (config === null) throw new TestRunError("Hardhat's configuration is not resolved yet");
    const { paths } = config;
    const words = (): string[] => [
      hardhatProgram(paths.root),
      ...['--config', paths.config, '--network', NETWORK, 'run', '--no-compile', SETUP_PROGRAM],
    ];
    // The setup is not a test: its connections use the base chain.
    this.#run = startProjectRun(
      this.#options,
      paths,
      words,
      { HH_TEST: undefined },
      this.#isOfTests ? 'in-process' : 'own-process',
    );
    return (await this.#run).facts;
  }

  /** Resolves to the URL of a connection: a lane in tests, the base chain in scripts and the console. */
  async connectionUrl(): Promise<string> {
    const facts = await this.facts();
    const opening = this.openings.getStore();
    const isLane = process.env.HH_TEST === 'true';
    const url = isLane ? await this.lanes.open(facts, opening?.caller ?? null) : facts.url;
    if (opening !== undefined) opening.url = url;
    return url;
  }

  /** Closes the node if this process started it. Rejects if its reports failed. */
  async close(): Promise<void> {
    const run = this.#run;
    this.#run = null;
    await this.lanes.close();
    await (await run)?.close(this.lanes.hasLanesLink);
  }
}

/** Returns root hooks of Mocha that report failed tests. */
function mochaHooks(lanes: ConnectionLanes): object {
  return {
    async beforeEach(this: MochaContext): Promise<void> {
      await lanes.beforeTest(this.currentTest?.titlePath().join(' > ') ?? '');
    },
    async afterEach(this: MochaContext): Promise<void> {
      const { currentTest: test } = this;
      const isFailed = test?.state === 'failed';
      const texts = await lanes.afterTest(test?.titlePath().join(' > ') ?? '', isFailed);
      for (const text of texts) process.stderr.write(`${text}\n`);
    },
  };
}

/** The plugin that overrides the task of Node's runner. */
interface NodeTestPlugin {
  id: string;
  npmPackage: string;
  tasks: object[];
}

/** Returns the plugin that puts the file with the hooks before the test files of Node's runner. */
function nodeTestPlugin(): NodeTestPlugin {
  const action = async (
    given: { readonly testFiles: readonly string[] },
    { config }: { readonly config: HardhatConfig },
    runSuper: (given: object) => Promise<unknown>,
  ): Promise<unknown> => {
    const files =
      given.testFiles.length > 0 ? given.testFiles : await testFilesIn(config.paths.tests?.nodejs);
    const [first, ...others] = files;
    if (first === undefined) return runSuper(given);
    (globalThis as HardhatGlobals).nodeCliFirstTests = resolve(first);
    const hooks = fileURLToPath(new URL('hardhat-node-test.js', import.meta.url));
    return runSuper({ ...given, testFiles: [hooks, ...others] });
  };
  return {
    id: 'node-cli:nodejs',
    npmPackage: 'node-cli',
    tasks: [
      {
        type: 'TASK_OVERRIDE',
        id: ['test', 'nodejs'],
        options: {},
        action: async () => ({ default: action }),
      },
    ],
  };
}

/** Resolves to the test files in a folder, selected like in Hardhat. */
async function testFilesIn(folder: string | undefined): Promise<string[]> {
  if (folder === undefined) return [];
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  return names
    .filter((name) => /\.[cm]?[jt]s$/i.test(name))
    .sort()
    .map((name) => resolve(folder, name));
}

/**
 * Returns the plugin. Its network `nodeCli` starts a node on first use. The node has the artifacts of the
 * project and a base chain from `setup`, a script for `hardhat run`. It closes after the tests.
 *
 * @example
 * // hardhat.config.ts
 * export default defineConfig({ plugins: [nodeCli({ setup: './scripts/deploy.ts' })] });
 * // then: npx hardhat test --network nodeCli
 */
export function nodeCli(options: RunOptions = {}): NodeCliHardhatPlugin {
  const run = new HardhatRun(options);
  (globalThis as HardhatGlobals).nodeCliLanes = run.lanes;
  const config = {
    extendUserConfig: async (user: UserConfig, next: Next<UserConfig>) => {
      const own = { type: 'http', url: 'http://127.0.0.1:8545', ...user.networks?.[NETWORK] };
      return next({ ...user, networks: { ...user.networks, [NETWORK]: own } });
    },
    resolveUserConfig: async (user: UserConfig, resolveVariable: unknown, next: Next<HardhatConfig>) => {
      const resolved = await next(user, resolveVariable);
      run.use(resolved);
      const network = resolved.networks[NETWORK];
      if (network?.url !== undefined) network.url = { ...network.url, getUrl: () => run.connectionUrl() };
      const mocha = resolved.test?.mocha;
      // The workers of a parallel run cannot receive hooks.
      if (mocha !== undefined && mocha.parallel !== true) mocha.rootHooks ??= mochaHooks(run.lanes);
      return resolved;
    },
  };
  const urls = new WeakMap<Connection, string>();
  const known = new WeakSet<HookManager>();
  const network = {
    newConnection: async (context: Context, next: Next<Connection>) => {
      const { hooks } = context;
      const { paths } = context.config;
      // A registered handler runs before the handlers of plugins, so each handler of a plugin runs once.
      if (!known.has(hooks)) hooks.registerHandlers('network', { onRequest: localRequests(urls) });
      known.add(hooks);
      const opening: Opening = { caller: callingFile(paths.root), url: null };
      const connection = await run.openings.run(opening, () => next(context));
      if (opening.url !== null) urls.set(connection, opening.url);
      if (connection.networkName === NETWORK && paths.ignition !== undefined)
        forgetDeployments(connection, paths.ignition);
      return connection;
    },
  };
  const test = {
    onTestRunStart: async (context: Context, runner: string, next: Next<void>) => {
      run.beginTests();
      // The run starts before the workers, which join it.
      if (context.globalOptions.network === NETWORK) await run.facts();
      return next(context, runner);
    },
    onTestRunDone: async (context: Context, runner: string, next: Next<void>) => {
      await next(context, runner);
      await run.close();
    },
  };
  // Hardhat resolves plugins more than once, and rejects two objects with the same id.
  const nodeTests = { default: nodeTestPlugin() };
  const handlers = (hooks: object) => async () => ({ default: async () => hooks });
  return {
    id: 'node-cli',
    npmPackage: 'node-cli',
    hookHandlers: { config: handlers(config), network: handlers(network), test: handlers(test) },
    conditionalDependencies: [
      { condition: () => [importOfProject(NODE_TEST_RUNNER)], plugin: async () => nodeTests },
    ],
  };
}
