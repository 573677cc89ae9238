import { settleLocalOptions } from './config/local-options.ts';
import { chooseCompat, LIBRARY_MODES } from './config/project-compat.ts';
import { keyName } from './config/usage-messages.ts';
import { InProcessNode, throwLater } from './library/in-process-node.ts';
import type { LocalNode, LocalNodeOptions } from './library/local-node.ts';
import { localReportFiles, localReportOutput } from './library/report-files.ts';
import type { ChainNode } from './node/create-node.ts';
import { type NodeHost, openNode } from './node/open-node.ts';
import { systemClock, systemTimers } from './primitives/clock.ts';
import { systemRandom } from './primitives/random.ts';
import { compatNamed, compatNameFor } from './rpc/compat.ts';
import { listedAccounts } from './rpc/methods/eth/accounts.ts';
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
 * Starts a chain in this process. Rejects with `UsageError` for options that the command line also rejects.
 *
 * @example
 * const node = await createNode({ accounts: 2, balance: 50, blockTime: 2, mixedMining: true });
 *
 * const [first] = await node.request({ method: 'eth_accounts' });
 * const balance = await node.request({ method: 'eth_getBalance', params: [first, 'latest'] });
 * await node.close();
 */
export async function createNode(options: LocalNodeOptions = {}): Promise<LocalNode> {
  const settings = settleLocalOptions(options);
  const compat = settings.given.has('compat')
    ? chooseCompat(settings.compat, process.cwd()).choice
    : LIBRARY_MODES;
  const host: NodeHost = {
    clock: systemClock,
    timers: systemTimers,
    random: systemRandom,
    environment: process.env,
    nameOf: keyName,
    reportFiles: localReportFiles(),
    onWarning: (text) => process.emitWarning(text),
    onMiningError: (error) => {
      // Each request that needs the failing disk rejects with this error.
      if (!(error instanceof DiskError)) throwLater(error);
    },
    // A bug in a measurement must not fail the tests.
    onInternalError: (error) => process.emitWarning(error instanceof Error ? error : String(error)),
    // The request rejects with the error.
    onEngineDifference: () => {},
  };
  const { node, reports, serviceOf, openLanes, close } = await openNode(settings, host, {
    compat,
    artifactFolders: settings.artifacts,
  });
  const { hosted } = settings;
  const listing = { hosted, compat: compatNamed(compatNameFor(compat, undefined)) };
  const shared = {
    serviceOf,
    openLanes,
    accountsOf: (of: ChainNode) => listedAccounts({ node: of, settings: listing }),
  };
  return new InProcessNode(node, shared, {
    finish: async () => void (await reports.finish(node.inspector, localReportOutput)),
    close,
  });
}
