import { dataLength } from 'ethers';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/primitives/hex.ts';
import { ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import { bridgeGas } from '../../../src/rootstock/bridge/bridge-contract.ts';
import { callData } from '../bridge/bridge-scene.ts';

const { freeCalls } = ruleSetNamed('rootstock').precompiles;
const SETTINGS = { chainId: 33, upgrades: new Set<never>(), federation: 'legacy', freeCalls } as const;

const THREE = '0x000000';

describe('the price of a Bridge call', () => {
  it.each<[string, number, readonly unknown[]]>([
    ['updateCollections', 48_000 + 8, []],
    ['receiveHeaders', 25_000 + 2 * (4 + 2 * 32), [[]]],
    ['registerBtcTransaction', 22_000 + 228 * 2, [THREE, 1, THREE]],
    ['releaseBtc', 23_000 + 8, []],
    ['addSignature', 70_000 + 548 * 2, [THREE, ['0x0000', '0x0000', '0x0000'], THREE]],
    ['getStateForBtcReleaseClient', 4_000 + 8, []],
    ['getStateForDebugging', 3_000_000 + 8, []],
    ['getBtcBlockchainBestChainHeight', 19_000 + 8, []],
    ['getFederationAddress', 11_000 + 8, []],
    ['getMinimumLockTxValue', 2_000 + 8, []],
    ['getQueuedPegoutsCount', 3_000 + 8, []],
    ['getNextPegoutCreationBlockNumber', 3_000 + 8, []],
    ['getEstimatedFeesForNextPegOutEvent', 10_000 + 8, []],
    ['getEstimatedFeesForPegOutAmount', 10_000 + 2 * 36, [1]],
    ['getActivePowpegRedeemScript', 30_000 + 8, []],
  ])('%s costs %i gas', (method, gas, values) => {
    const data = callData(method, ...values);
    expect(bridgeGas(data, undefined, SETTINGS)).toBe(BigInt(gas));
    expect(dataLength(toHex(data))).toBeGreaterThanOrEqual(4);
  });

  it.each([
    ['0x', 23_000n],
    ['0x01', 23_000n],
    ['0x010203', 23_000n],
    ['0x01020304', 23_000n],
  ])('is the price of releaseBtc for the calldata %s', (data, gas) => {
    expect(bridgeGas(Uint8Array.from(Buffer.from(data.slice(2), 'hex')), undefined, SETTINGS)).toBe(gas);
  });
});
