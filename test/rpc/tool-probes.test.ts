import { describe, expect, it } from 'vitest';
import type { CompatName } from '../../src/rpc/compat.ts';
import { createRpcHarness } from './rpc-harness.ts';

/** The probes that tools use to recognize a development node, with the result of each tool. */
interface Findings {
  /** `@nomicfoundation/hardhat-network-helpers` 1 rejects the node otherwise. */
  readonly networkHelpers1: boolean;
  /** `@nomicfoundation/hardhat-network-helpers` 3 rejects the node otherwise. */
  readonly networkHelpers3: boolean;
  /** `isDevelopmentNetwork` of `@openzeppelin/upgrades-core` for an unknown chain id. */
  readonly isForUpgradesDevelopment: boolean;
  /** `@openzeppelin/test-helpers` warns otherwise, because it expects revert reasons. */
  readonly hasReasonsForTestHelpers: boolean;
  /** `@openzeppelin/upgrades-core` uses a temporary manifest for this instance. */
  readonly hasTemporaryManifest: boolean;
  /** Hardhat Ignition waits for one confirmation instead of five. */
  readonly ignitionConfirmations: 1 | 5;
  /** `getMode` of hardhat-viem 3, which sets the unit of intervals. */
  readonly hardhatViemMode: string;
  /** The version always contains the node's own name. */
  readonly namesItself: boolean;
}

const TEST_HELPERS =
  /TestRPC\/v.+\/ethereum-js|HardhatNetwork\/.+\/((@nomicfoundation\/)?ethereumjs-vm|@ethereumjs\/vm)/;

async function probe(compat: CompatName): Promise<Findings> {
  const { call } = await createRpcHarness({ compat });
  const version = String(await call('web3_clientVersion'));
  const lowerCase = version.toLowerCase();
  const startsWith = (...names: readonly string[]) => names.some((name) => lowerCase.startsWith(name));
  const metadata = (await call('anvil_metadata')) as { chainId?: unknown };
  const hardhat = (await call('hardhat_metadata')) as { chainId?: unknown; forkedNetwork?: unknown };
  const chainId = Number(await call('eth_chainId'));
  return {
    networkHelpers1: startsWith('hardhatnetwork', 'zksync', 'anvil'),
    networkHelpers3: startsWith('hardhat', 'zksync', 'anvil'),
    isForUpgradesDevelopment: ['HardhatNetwork', 'EthereumJS TestRPC', 'anvil'].includes(
      version.split('/')[0] ?? '',
    ),
    hasReasonsForTestHelpers: TEST_HELPERS.test(version),
    hasTemporaryManifest: metadata.chainId === chainId,
    ignitionConfirmations: (await call('hardhat_getAutomine')) === true ? 1 : 5,
    hardhatViemMode: hardhat.chainId === chainId && hardhat.forkedNetwork === undefined ? 'hardhat' : 'anvil',
    namesItself: version.includes('node-cli/'),
  };
}

describe('tool probes', () => {
  it('tools recognize Hardhat in compat mode hardhat', async () => {
    expect(await probe('hardhat')).toEqual({
      networkHelpers1: true,
      networkHelpers3: true,
      isForUpgradesDevelopment: true,
      hasReasonsForTestHelpers: true,
      hasTemporaryManifest: true,
      ignitionConfirmations: 1,
      hardhatViemMode: 'hardhat',
      namesItself: true,
    });
  });

  it.each(['service', 'anvil'] as const)(
    'tools recognize Anvil in compat mode %s, except for revert reasons of test-helpers',
    async (compat) => {
      expect(await probe(compat)).toEqual({
        networkHelpers1: true,
        networkHelpers3: true,
        isForUpgradesDevelopment: true,
        hasReasonsForTestHelpers: false,
        hasTemporaryManifest: true,
        ignitionConfirmations: 1,
        hardhatViemMode: 'anvil',
        namesItself: true,
      });
    },
  );

  it('a hosted node has its own client version', async () => {
    const { call } = await createRpcHarness({ hosted: true });
    expect(await call('web3_clientVersion')).toMatch(/^node-cli\/1\.2\.3\//);
  });
});
