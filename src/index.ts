import { writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { LazyArtifacts } from './artifacts/lazy-artifacts.ts';
import { openForkConfig, optionsOnFork, ownChainsOf } from './config/forking.ts';
import { settleLocalOptions } from './config/local-options.ts';
import { chainOptionsOf, devAccountsOf } from './config/node-settings.ts';
import { VERSION } from './config/options.ts';
import { chooseCompat, LIBRARY_MODES } from './config/project-compat.ts';
import { keyName } from './config/usage-messages.ts';
import type { Coverage } from './inspect/coverage/coverage.ts';
import { InProcessNode, type Presentation, throwLater } from './library/in-process-node.ts';
import type { LocalNode, LocalNodeOptions } from './library/local-node.ts';
import { measuringOf } from './library/measuring.ts';
import { createNode as createChainNode } from './node/create-node.ts';
import { systemClock, systemTimers } from './primitives/clock.ts';
import { makeDirectories } from './primitives/file-system.ts';
import { systemRandom } from './primitives/random.ts';
import { compatNamed, compatNameFor } from './rpc/compat.ts';
import { listedAccounts } from './rpc/methods/eth/accounts.ts';
import { createRpcServiceFactory } from './rpc/rpc-service.ts';
import { DiskError } from './storage/errors.ts';

export type {
  ConsoleLog,
  ForkOptions,
  ListenOptions,
  LocalNode,
  LocalNodeEvents,
  LocalNodeListener,
  LocalNodeOptions,
  LocalServer,
  LocalSnapshot,
  ProviderConnectInfo,
  ProviderMessage,
  ProviderRpcError,
  RequestArguments,
} from './library/local-node.ts';

/**
 * Starts a chain in this process. Rejects with `UsageError` for options that the command line would refuse too.
 *
 * @example
 * const node = await createNode({ accounts: 2, balance: 50, blockTime: 2, mixedMining: true });
 * const [first] = await node.request({ method: 'eth_accounts' });
 * const balance = await node.request({ method: 'eth_getBalance', params: [first, 'latest'] });
 * await node.close();
 */
export async function createNode(options: LocalNodeOptions = {}): Promise<LocalNode> {
  const settings = settleLocalOptions(options);
  const system = { clock: systemClock, timers: systemTimers, random: systemRandom };
  const accounts = await devAccountsOf(settings, keyName);
  const forking = await openForkConfig(settings, { ...system, environment: process.env });
  const artifacts = new LazyArtifacts(
    { timers: systemTimers, onWarning: (text) => process.emitWarning(text) },
    settings.artifacts.map((folder) => resolve(folder)),
  );
  const coverage = await coverageOf(settings.coverage, artifacts, settings.coverageExclude);
  const measuring = await measuringOf(settings, {
    // A measure that is not whole must not end the tests that it measures.
    onError: (error) => process.emitWarning(error instanceof Error ? error : String(error)),
    onWarning: (text) => process.emitWarning(text),
  });
  const dependencies = {
    ...system,
    artifacts,
    coverage,
    measurements: measuring.measurements,
    onMiningError: (error: unknown) => {
      // Each request that a failing disk concerns is answered with this error.
      if (!(error instanceof DiskError)) throwLater(error);
    },
    // The caller gets it as the error of the request.
    onEngineDifference: () => {},
  };
  const chainOptions = optionsOnFork(chainOptionsOf(settings, accounts), forking, settings);
  const node = await createChainNode(chainOptions, dependencies, forking);
  const { hosted, erc7562, fieldNames, callTimeout, given } = settings;
  const compat = given.has('compat') ? chooseCompat(settings.compat, process.cwd()).choice : LIBRARY_MODES;
  const logLimits = { blocks: settings.logBlockLimit, logs: settings.logLimit };
  const serviceOptions = { compat, hosted, erc7562, fieldNames, logLimits, callTimeout, version: VERSION };
  const presentation: Presentation = {
    accountsOf: (chain) =>
      listedAccounts({
        node: { chain },
        settings: { hosted, compat: compatNamed(compatNameFor(compat, undefined)) },
      }),
    serviceOf: createRpcServiceFactory(serviceOptions, systemRandom, system),
    openOwn: ownChainsOf(settings, chainOptions, forking),
  };
  return new InProcessNode(node, presentation, async () => {
    try {
      await endCoverage(coverage, settings.coverage);
    } finally {
      await measuring.finish(node.inspector);
      await forking.finish();
    }
  });
}

/** Returns the coverage of the node; `null` where the options ask for none. */
async function coverageOf(
  path: string | null,
  artifacts: LazyArtifacts,
  excluded: readonly string[],
): Promise<Coverage | null> {
  if (path === null) return null;
  const { Coverage } = await import('./inspect/coverage/coverage.ts');
  return new Coverage(artifacts, excluded);
}

/** Writes the coverage, if one was asked for. */
async function endCoverage(coverage: Coverage | null, given: string | null): Promise<void> {
  if (coverage === null || given === null) return;
  const { coveragePath, writeCoverage } = await import('./inspect/coverage/coverage-reports.ts');
  await writeCoverage(coverage, resolve(coveragePath(given, process.pid)), async (path, text) => {
    makeDirectories(dirname(path));
    await writeFile(path, text);
  });
}
