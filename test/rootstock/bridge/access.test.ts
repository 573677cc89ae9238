import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes } from '../../../src/primitives/bytes.ts';
import { toHex } from '../../../src/primitives/hex.ts';
import { BRIDGE_METHODS } from '../../../src/rootstock/bridge/bridge-contract.ts';
import {
  type CallKind,
  type CallOperands,
  callOpcode,
  callOperands,
  digits,
  RETURN_TOP,
} from '../../evm/rootstock/rootstock-scene.ts';
import { CONTRACT, code, ETHER } from '../../reference/scene.ts';
import { ABI, BRIDGE, callData, setBridgeScene } from './bridge-scene.ts';

/** Gas of each method with a fixed price, without its data, as listed in Rootstock's Bridge. */
const GAS: Readonly<Record<string, number>> = {
  addFederatorPublicKeyMultikey: 13_000,
  addOneOffLockWhitelistAddress: 25_000,
  addUnlimitedLockWhitelistAddress: 25_000,
  addSignature: 70_000,
  commitFederation: 38_000,
  createFederation: 11_000,
  getBtcBlockchainBestChainHeight: 19_000,
  getBtcBlockchainInitialBlockHeight: 20_000,
  getBtcBlockchainBlockHashAtDepth: 20_000,
  getBtcTxHashProcessedHeight: 22_000,
  getFederationAddress: 11_000,
  getFederationCreationBlockNumber: 10_000,
  getFederationCreationTime: 10_000,
  getFederationSize: 10_000,
  getFederationThreshold: 11_000,
  getFederatorPublicKeyOfType: 10_000,
  getFeePerKb: 2_000,
  getLockWhitelistAddress: 16_000,
  getLockWhitelistEntryByAddress: 16_000,
  getLockWhitelistSize: 16_000,
  getMinimumLockTxValue: 2_000,
  getPendingFederationHash: 3_000,
  getPendingFederationSize: 3_000,
  getPendingFederatorPublicKeyOfType: 3_000,
  getRetiringFederationAddress: 3_000,
  getRetiringFederationCreationBlockNumber: 3_000,
  getRetiringFederationCreationTime: 3_000,
  getRetiringFederationSize: 3_000,
  getRetiringFederationThreshold: 3_000,
  getRetiringFederatorPublicKeyOfType: 3_000,
  getProposedFederationAddress: 3_000,
  getProposedFederationSize: 3_000,
  getProposedFederationCreationTime: 3_000,
  getProposedFederationCreationBlockNumber: 3_000,
  getProposedFederatorPublicKeyOfType: 3_000,
  getStateForBtcReleaseClient: 4_000,
  getStateForSvpClient: 4_000,
  getStateForDebugging: 3_000_000,
  getLockingCap: 3_000,
  getActivePowpegRedeemScript: 30_000,
  getActiveFederationCreationBlockHeight: 3_000,
  increaseLockingCap: 8_000,
  isBtcTxHashAlreadyProcessed: 23_000,
  receiveHeader: 10_600,
  registerBtcTransaction: 22_000,
  releaseBtc: 23_000,
  removeLockWhitelistAddress: 24_000,
  rollbackFederation: 12_000,
  setLockWhitelistDisableBlockDelay: 24_000,
  updateCollections: 48_000,
  voteFeePerKbChange: 10_000,
  registerBtcCoinbaseTransaction: 10_000,
  hasBtcBlockCoinbaseTransactionInformation: 5_000,
  registerFastBridgeBtcTransaction: 25_000,
  getBtcBlockchainBestBlockHeader: 3_800,
  getBtcBlockchainBlockHeaderByHash: 4_600,
  getBtcBlockchainBlockHeaderByHeight: 5_000,
  getBtcBlockchainParentBlockHeaderByHash: 4_900,
  getNextPegoutCreationBlockNumber: 3_000,
  getQueuedPegoutsCount: 3_000,
  getEstimatedFeesForNextPegOutEvent: 10_000,
  getEstimatedFeesForPegOutAmount: 10_000,
  setUnionBridgeContractAddressForTestnet: 8_000,
  getUnionBridgeContractAddress: 3_000,
  getUnionBridgeLockingCap: 3_000,
  increaseUnionBridgeLockingCap: 8_000,
  requestUnionBridgeRbtc: 8_000,
  releaseUnionBridgeRbtc: 8_000,
  setUnionBridgeTransferPermissions: 8_000,
  getSuperEvent: 3_000,
  setSuperEvent: 8_000,
  clearSuperEvent: 8_000,
  getBaseEvent: 3_000,
  setBaseEvent: 8_000,
  clearBaseEvent: 8_000,
};

/** Methods whose price depends on their arguments. */
const PRICED_BY_ARGUMENTS = ['getBtcTransactionConfirmations', 'receiveHeaders'];

/** The minimum arguments of a method. */
function anyValues(method: string): unknown[] {
  const least = (type: string): unknown => {
    if (type.endsWith('[]')) return [];
    if (type === 'string') return '';
    if (type === 'bool') return false;
    if (type === 'address') return `0x${'00'.repeat(20)}`;
    const size = /^bytes(\d*)$/.exec(type)?.[1];
    return size === undefined ? 0 : `0x${'00'.repeat(Number(size))}`;
  };
  return (ABI.getFunction(method)?.inputs ?? []).map(({ type }) => least(type));
}

/** Bytecode (as digits) that copies input of at most 32 bytes to memory and calls the Bridge with it. */
function callingBridge(kind: CallKind, input: Uint8Array, operands: CallOperands = {}): string {
  const word = new Uint8Array(32);
  word.set(input);
  const inputSize = input.length;
  return `7f${digits(word)} 6000 52 ${callOperands(kind, BRIDGE, { inputSize, ...operands })} ${callOpcode(kind)}`;
}

/** True if a call of the Bridge by a contract succeeds. */
async function reached(kind: CallKind, method: string, purpose: 'call' | 'transact'): Promise<boolean> {
  const { pair } = await setBridgeScene();
  pair.state.setAccount(CONTRACT, { nonce: 1n, balance: 0n });
  pair.state.setCode(CONTRACT, code(`${callingBridge(kind, callData(method))} ${RETURN_TOP}`));
  const { returnData } = await pair[purpose]({});
  return returnData[31] === 1;
}

describe('the methods of the Bridge', () => {
  it("have the names and selectors of Rootstock's Bridge", () => {
    const ours = BRIDGE_METHODS.map(({ name, selector }) => [name, toHex(selector)]).sort();
    const theirs: [string, string][] = [];
    ABI.forEachFunction(({ name, selector }) => theirs.push([name, selector]));
    expect(ours).toEqual(theirs.sort());
    expect(new Set(ours.map(([, selector]) => selector)).size).toBe(ours.length);
  });

  it.each(Object.entries(GAS))('price %s at %d gas, plus 2 for each byte', async (method, gas) => {
    const { pair } = await setBridgeScene();
    const data = callData(method, ...anyValues(method));
    const { gasUsed } = await pair.call({ to: BRIDGE, data, gasLimit: 5_000_000n });
    const zeros = data.filter((byte) => byte === 0).length;
    expect(gasUsed).toBe(BigInt(21_000 + 16 * (data.length - zeros) + 4 * zeros + gas + 2 * data.length));
  });

  it('have a price in this test', () => {
    const priced = [...Object.keys(GAS), ...PRICED_BY_ARGUMENTS];
    expect(BRIDGE_METHODS.map(({ name }) => name).sort()).toEqual(priced.sort());
  });

  it.each([
    [0, 25_000n],
    [1, 25_000n],
    [3, 32_000n],
  ])('price %d headers at %d gas', async (count, gas) => {
    const { pair } = await setBridgeScene();
    const data = callData('receiveHeaders', Array<Uint8Array>(count).fill(new Uint8Array(80)));
    const { gasUsed } = await pair.call({ to: BRIDGE, data });
    expect(gasUsed).toBe(21_000n + gas + data.reduce((sum, byte) => sum + (byte === 0 ? 6n : 18n), 0n));
  });

  it('fail in transactions if the methods are for calls only', async () => {
    expect(await reached('CALL', 'getFederationAddress', 'call')).toBe(true);
    expect(await reached('STATICCALL', 'getFederationAddress', 'call')).toBe(true);
    expect(await reached('CALL', 'getFederationAddress', 'transact')).toBe(false);
  });

  it('allow reads by everybody, even in a static call', async () => {
    expect(await reached('CALL', 'getQueuedPegoutsCount', 'transact')).toBe(true);
    expect(await reached('STATICCALL', 'getQueuedPegoutsCount', 'transact')).toBe(true);
  });

  it('reject writes in a static call', async () => {
    expect(await reached('CALL', 'createFederation', 'transact')).toBe(true);
    expect(await reached('STATICCALL', 'createFederation', 'transact')).toBe(false);
  });

  it('fail in DELEGATECALL and CALLCODE', async () => {
    expect(await reached('DELEGATECALL', 'getQueuedPegoutsCount', 'call')).toBe(false);
    expect(await reached('CALLCODE', 'getQueuedPegoutsCount', 'call')).toBe(false);
  });

  it('have no effect if their caller reverts', async () => {
    const { pair, transact, ask } = await setBridgeScene();
    pair.state.setAccount(CONTRACT, { nonce: 1n, balance: ETHER });
    pair.state.setCode(CONTRACT, code(`${callOperands('CALL', BRIDGE, { value: ETHER })} f1 6000 6000 fd`));
    const result = await transact('cow', { to: CONTRACT });
    expect([result.outcome, result.logs]).toEqual(['revert', []]);
    expect(await ask('getQueuedPegoutsCount')).toBe(0n);
  });

  it('use all gas of a call that cannot pay for them, and their price if they fail', async () => {
    const { pair } = await setBridgeScene();
    const run = (input: Uint8Array, gas: number) =>
      pair.call({
        to: null,
        data: code(`${callingBridge('CALL', input, { gas })} 00`),
        gasLimit: 500_000n,
      });
    const base = (await run(callData('getFeePerKb'), 0)).gasUsed;
    expect((await run(callData('getFeePerKb'), 2_007)).gasUsed - base).toBeGreaterThan(2_000n);
    const unknown = code('01020304');
    const refused = await run(unknown, 100_000);
    const poor = await run(unknown, 22_999);
    expect(refused.gasUsed - poor.gasUsed).toBeLessThan(100n);
  });
});

describe('Bridge methods of some Rootstock chains only', () => {
  const LATER = [
    'getUnionBridgeContractAddress',
    'getUnionBridgeLockingCap',
    'releaseUnionBridgeRbtc',
    'getSuperEvent',
    'getBaseEvent',
  ];

  it.each(LATER)('%s succeeds on the testnet and the local chain', async (method) => {
    for (const chainId of [31, 33, 1337]) {
      const { pair } = await setBridgeScene({}, chainId);
      const { returnData } = await pair.call({ to: BRIDGE, data: callData(method) });
      expect(returnData.length).toBeGreaterThan(0);
    }
  });

  it.each(LATER)('%s is unknown on the mainnet and the devnet', async (method) => {
    for (const chainId of [30, 32]) {
      const { pair } = await setBridgeScene({}, chainId);
      const data = callData(method);
      const { gasUsed, returnData } = await pair.call({ to: BRIDGE, data });
      expect([gasUsed, returnData.length]).toEqual([44_000n + 16n * BigInt(data.length), 0]);
    }
  });

  it('exclude the methods of RSKIP-540, which all chains have', async () => {
    for (const chainId of [30, 31, 32, 33]) {
      const { pair } = await setBridgeScene({}, chainId);
      const data = callData('getEstimatedFeesForPegOutAmount', 0);
      const { gasUsed } = await pair.call({ to: BRIDGE, data });
      expect(gasUsed).toBe(21_000n + 10_000n + 4n * 16n + 32n * 4n + 2n * 36n);
    }
  });
});

describe('invalid input of the Bridge', () => {
  const selectors = BRIDGE_METHODS.map(({ selector }) => selector);
  const garbage = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc
      .tuple(fc.constantFrom(...selectors), fc.uint8Array({ maxLength: 200 }))
      .map((parts) => concatBytes(...parts)),
    fc
      .tuple(fc.constantFrom(...selectors), fc.array(fc.bigInt(0n, 300n), { maxLength: 8 }))
      .map(([selector, words]) =>
        concatBytes(selector, ...words.map((value) => code(value.toString(16).padStart(64, '0')))),
      ),
  );

  it('fails on both engines for each sender', async () => {
    const { pair, transact } = await setBridgeScene();
    const seeds = ['somebody', 'federator1', 'auth-a', 'auth-lock-whitelist'];
    await fc.assert(
      fc.asyncProperty(garbage, fc.constantFrom(...seeds), async (data, seed) => {
        expect((await pair.call({ to: BRIDGE, data, gasLimit: 5_000_000n })).outcome).toBe('success');
        expect((await transact(seed, { data })).outcome).toMatch(/success|halt/);
      }),
      { numRuns: 150 },
    );
  });

  it.each(['01', '0102', '010203', '01020304', 'ffffffff00'])(
    'costs as much as releaseBtc: %s',
    async (input) => {
      const { pair } = await setBridgeScene();
      const data = code(input);
      const { gasUsed, returnData } = await pair.call({ to: BRIDGE, data });
      const dataGas = data.reduce((sum, byte) => sum + (byte === 0 ? 4n : 16n), 0n);
      expect([gasUsed, returnData.length]).toEqual([44_000n + dataGas, 0]);
    },
  );
});
