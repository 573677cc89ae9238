import { describe, expect, it } from 'vitest';
import type { CompatName } from '../../src/rpc/compat.ts';
import { createRpcHarness } from './rpc-harness.ts';

/** The probes by which tools recognize a node that serves development, each as that tool judges. */
interface Findings {
  /** `@nomicfoundation/hardhat-network-helpers` 1: else it refuses the node. */
  readonly networkHelpers1: boolean;
  /** `@nomicfoundation/hardhat-network-helpers` 3: else it refuses the node. */
  readonly networkHelpers3: boolean;
  /** `isDevelopmentNetwork` of `@openzeppelin/upgrades-core` on a chain id that it does not know. */
  readonly isForUpgradesDevelopment: boolean;
  /** Reasons of reverts in `@openzeppelin/test-helpers`: else it warns. */
  readonly hasReasonsForTestHelpers: boolean;
  /** The manifest of `@openzeppelin/upgrades-core`: a temporary one for this instance. */
  readonly hasTemporaryManifest: boolean;
  /** Hardhat Ignition waits for one confirmation instead of five. */
  readonly ignitionConfirmations: 1 | 5;
  /** `getMode` of hardhat-viem 3: the units in which it sets intervals. */
  readonly hardhatViemMode: string;
  /** The node's own name stands in the version in any case. */
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

describe('the probes of tools', () => {
  it('find Hardhat with its dialect', async () => {
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
    'find Anvil with %s, all but the reasons that test-helpers looks for',
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

  it('find a node of its own name where it plays the hosted service', async () => {
    const { call } = await createRpcHarness({ hosted: true });
    expect(await call('web3_clientVersion')).toMatch(/^node-cli\/1\.2\.3\//);
  });
});
