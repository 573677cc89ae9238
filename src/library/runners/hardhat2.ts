/**
 * The plugin for Hardhat 2. The network `nodeCli` is a node with the artifacts of the project. Each test file
 * gets its own lane.
 */

import { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lane } from './environment-lane.ts';
import {
  forgetDeployments,
  type HardhatPaths,
  NETWORK,
  type RunPlace,
  SETUP_PROGRAM,
  startProjectRun,
} from './hardhat-project.ts';
import { type MochaHooks, mochaHooksOf } from './mocha-hooks.ts';
import type { TestRun } from './run.ts';
import { isRunAnnounced, type RunOptions } from './run-facts.ts';

export { lane } from './environment-lane.ts';
export type { Isolation, RunOptions, StartOptions } from './run-facts.ts';
export type { LaneCall, TestLane } from './test-lane.ts';

/** The used part of the Mocha configuration in Hardhat. */
interface MochaConfig {
  parallel?: boolean;
  require?: string[];
  rootHooks?: Readonly<Record<string, unknown>>;
}

/** The used part of Hardhat's configuration. */
interface HardhatConfig {
  readonly paths: HardhatPaths & {
    readonly configFile: string;
    /** The folder of Ignition, if the project uses it. */
    readonly ignition?: string;
  };
  mocha: MochaConfig;
}

interface UserConfig {
  networks?: Record<string, object | undefined>;
}

/** The part of Hardhat's runtime environment that the plugin reads. */
interface HardhatEnvironment {
  readonly config: HardhatConfig;
  readonly network: { readonly name: string };
}

/** The used part of `hardhat/config`. */
interface HardhatConfigModule {
  extendConfig(
    extend: (config: HardhatConfig & { networks: Record<string, object> }, user: UserConfig) => void,
  ): void;
  extendEnvironment(extend: (hre: HardhatEnvironment) => void): void;
  extendProvider(extend: (provider: object, config: HardhatConfig, network: string) => Promise<object>): void;
  subtask(name: string): {
    setAction(
      action: (
        given: { readonly parallel?: boolean },
        hre: HardhatEnvironment,
        runSuper: (given: object) => Promise<unknown>,
      ) => Promise<unknown>,
    ): void;
  };
}

/** The name of Hardhat's subtask that runs Mocha. */
const RUN_MOCHA = 'test:run-mocha-tests';

/** Hardhat requires a URL before the node is started. Requests do not use it. */
const UNUSED_URL = 'http://127.0.0.1:8545';

/** Returns root hooks that call the added hooks and the hooks of the project. */
function withHooks(own: MochaConfig['rootHooks'], added: MochaHooks): Readonly<Record<string, unknown>> {
  const ownHooks = own ?? {};
  const entries = Object.entries(added).map(([name, hook]) => [name, [hook, ownHooks[name] ?? []].flat()]);
  return { ...ownHooks, ...Object.fromEntries(entries) };
}

/**
 * Adds the network `nodeCli` to the Hardhat 2 configuration. It starts a node on first use. The node has the
 * artifacts of the project and a base chain from `setup`, a script for `hardhat run`. It closes after the
 * tests.
 *
 * @example
 * // hardhat.config.js
 * require('node-cli/hardhat2').nodeCli({ setup: './scripts/deploy.js' });
 * module.exports = { solidity: '0.8.30' };
 * // then: npx hardhat test --network nodeCli
 */
export function nodeCli(options: RunOptions = {}): void {
  // The project's module, because its functions apply to the configuration that is being loaded.
  const projectRequire = createRequire(join(process.cwd(), 'package.json'));
  const { extendConfig, extendEnvironment, extendProvider, subtask } = projectRequire(
    'hardhat/config',
  ) as HardhatConfigModule;
  let run: Promise<TestRun> | null = null;
  /** Starts the node, unless another process has started the run. */
  const start = async (config: HardhatConfig, place: RunPlace): Promise<void> => {
    if (run === null && isRunAnnounced(process.env)) return;
    run ??= startProjectRun(
      options,
      config.paths,
      () => ['--require', projectRequire.resolve('hardhat/register'), SETUP_PROGRAM],
      { HARDHAT_NETWORK: NETWORK, HARDHAT_CONFIG: config.paths.configFile },
      place,
    );
    await run;
  };

  extendConfig((config, user) => {
    const defaults = {
      accounts: 'remote',
      gas: 'auto',
      gasPrice: 'auto',
      gasMultiplier: 1,
      httpHeaders: {},
      timeout: 40_000,
      // Ignition has already set this in the networks that existed when it was loaded.
      ignition: {},
    };
    config.networks[NETWORK] = { ...defaults, url: UNUSED_URL, ...user.networks?.[NETWORK] };
  });

  extendEnvironment((hre) => {
    const { ignition } = hre.config.paths;
    if (hre.network.name === NETWORK && ignition !== undefined) forgetDeployments(hre, ignition);
  });

  extendProvider(async (provider, config, network) => {
    if (network !== NETWORK) return provider;
    await start(config, 'own-process');
    return Object.assign(new EventEmitter(), { request: lane.request });
  });

  subtask(RUN_MOCHA).setAction(async (given, { config, network }, runSuper) => {
    if (network.name !== NETWORK) return runSuper(given);
    const isParallel = given.parallel === true || config.mocha.parallel === true;
    await start(config, isParallel ? 'own-process' : 'in-process');
    const facts = (await run)?.facts;
    if (isParallel) {
      // The workers read the network only from the environment.
      process.env.HARDHAT_NETWORK = NETWORK;
      const workerHooks = fileURLToPath(new URL('mocha-setup.js', import.meta.url));
      config.mocha = { ...config.mocha, require: [...(config.mocha.require ?? []), workerHooks] };
    } else if (facts !== undefined)
      config.mocha = {
        ...config.mocha,
        rootHooks: withHooks(config.mocha.rootHooks, mochaHooksOf(facts, process.env)),
      };
    try {
      return await runSuper(given);
    } finally {
      const ended = run;
      run = null;
      await (await ended)?.close();
    }
  });
}
