import type { ChainOptions } from '../../src/chain/settings/chain-options.ts';
import type { Fork } from '../../src/fork/fork.ts';
import type { OpenFork, OpenRecordedFork } from '../../src/fork/fork-handle.ts';
import type { ForkRecord } from '../../src/fork/fork-options.ts';
import { DEFAULT_FORK_REQUESTS, type ForkOptions } from '../../src/fork/fork-options.ts';
import { type ForkDependencies, openFork } from '../../src/fork/open-fork.ts';
import { openRecordedFork, recordedForkOptions } from '../../src/fork/open-recorded-fork.ts';
import type { UpstreamTraffic } from '../../src/fork/upstream/upstream-call.ts';
import type { RpcServiceOptions } from '../../src/rpc/rpc-service.ts';
import { harnessOn, type RpcHarness } from '../rpc/rpc-harness.ts';
import { countingRandom } from '../support/counting-random.ts';
import { createFakeTime, type FakeTime } from '../support/fake-time.ts';
import { createChainWith, TEST_DEFAULTS, TEST_START, testDependencies } from '../support/test-chain.ts';
import type { ScriptedUpstream } from './scripted-upstream.ts';

/** URL of the scripted upstream; the key in its path is a secret. */
export const UPSTREAM_URL = 'https://node.example/v2/0123456789abcdefghij';

export interface ForkScene extends RpcHarness {
  readonly fork: Fork;
}

/** Options of a fork under test; by default a fork of the newest block without a cache. */
export interface ForkSceneOptions {
  readonly fork?: Partial<ForkOptions>;
  /** Opens this fork of a dump instead. */
  readonly record?: ForkRecord;
  readonly chain?: Partial<ChainOptions>;
  readonly rpc?: Partial<RpcServiceOptions>;
  readonly time?: FakeTime;
  /** Creates the traffic listener of each opened fork. */
  readonly traffic?: () => UpstreamTraffic;
}

function testForkOptions(options: Partial<ForkOptions> = {}): ForkOptions {
  return {
    ...DEFAULT_FORK_REQUESTS,
    urls: [UPSTREAM_URL],
    blockNumber: null,
    transaction: null,
    chainId: null,
    cacheDirectory: null,
    ...options,
  };
}

/** Opens an RPC harness on a chain that forks the upstream. */
export async function createForkScene(
  upstream: Pick<ScriptedUpstream, 'post'>,
  {
    fork: forkOptions = {},
    record,
    chain: chainOptions = {},
    rpc = {},
    time = createFakeTime(TEST_START),
    traffic,
  }: ForkSceneOptions = {},
): Promise<ForkScene> {
  const dependencies = (): ForkDependencies => ({
    post: upstream.post,
    clock: time.clock,
    timers: time.timers,
    random: countingRandom(),
    heads: {
      openSocket: () => {
        throw new Error('the scripted upstream has no WebSocket');
      },
      timers: time.timers,
    },
    ...(traffic === undefined ? {} : { traffic: traffic() }),
  });
  const open: OpenFork = ({ url, blockNumber }, present) => {
    const urls = url === null ? (present?.upstream.secretUrls ?? [UPSTREAM_URL]) : [url];
    return openFork(
      testForkOptions({ ...present?.options, ...forkOptions, blockNumber, isOffline: false, urls }),
      dependencies(),
    );
  };
  const openRecorded: OpenRecordedFork = (record) => {
    const recorded = recordedForkOptions(record, testForkOptions(forkOptions));
    return openRecordedFork(record, recorded, dependencies());
  };
  const opening =
    record === undefined ? openFork(testForkOptions(forkOptions), dependencies()) : openRecorded(record);
  const fork = await opening;
  fork.hold();
  const fixed = { chainId: false, gasLimit: false, minimumGasPrice: false };
  const options = fork.settingsOn({ ...TEST_DEFAULTS, ruleSet: fork.ruleSet, ...chainOptions }, fixed);
  const chain = await createChainWith(options, testDependencies(time), {
    fork,
    unforked: { ...TEST_DEFAULTS, ...chainOptions, ruleSet: options.ruleSet },
    fixed,
    open,
    openRecorded,
    finish: async () => undefined,
  });
  fork.release();
  return { ...harnessOn(chain, time, rpc), fork };
}
