import { createHash } from 'node:crypto';
import { address } from 'bitcoinjs-lib';
import { dataLength, decodeRlp, encodeRlp, getBytes } from 'ethers';
import { describe, expect, it } from 'vitest';
import type { Engine, ExecutionResult } from '../../../src/evm/engine.ts';
import type { ExecutionObserver } from '../../../src/evm/observer.ts';
import { numberToBytes } from '../../../src/primitives/bytes.ts';
import { toHex } from '../../../src/primitives/hex.ts';
import { ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import { NO_BLOBS } from '../../../src/protocol/transaction.ts';
import { withoutSignature } from '../../../src/protocol/transaction-encoding.ts';
import { namedSlot } from '../../../src/rootstock/bridge/bridge-storage.ts';
import { Overlay } from '../../../src/state/overlay.ts';
import { WorldState } from '../../../src/state/world-state.ts';
import { RemoteOverlay } from '../../evm/interpreter/remote-overlay.ts';
import { callOpcode, callOperands } from '../../evm/rootstock/rootstock-scene.ts';
import { COINBASE, CONTRACT, code, ETHER, environmentOf, SENDER } from '../../reference/scene.ts';
import { createReferenceEngine, createWasmEngine } from '../../support/evm/engines.ts';
import {
  ABI,
  addressOfSeed,
  BRIDGE,
  BRIDGE_BALANCE,
  callData,
  publicKeyOfSeed,
  setBridgeScene,
  signedMessage,
} from './bridge-scene.ts';

const ROOTSTOCK = ruleSetNamed('rootstock');
const OPTIONS = { chainId: 33, codeSizeLimit: 24_576 };
const SATOSHI = 10n ** 10n;
const LEAST = 250_000n * SATOSHI;

function logsOf({ logs }: ExecutionResult): unknown[] {
  return logs.map(({ topics, data, address: emitter }) => {
    expect(emitter).toEqual(BRIDGE);
    const parsed = ABI.parseLog({ topics: topics.map(toHex), data: toHex(data) });
    return [parsed?.name, ...(parsed?.args.toArray() ?? [])];
  });
}

/** Hash of a seed's public key in the format of the parent chain. */
function keyHash(seed: string): string {
  const key = Buffer.from(publicKeyOfSeed(seed).slice(2), 'hex');
  const inner = createHash('sha256').update(key).digest();
  return `0x${createHash('ripemd160').update(inner).digest('hex')}`;
}

/** Address of a seed's public key on a local parent chain. */
function keyAddress(seed: string): string {
  return address.toBase58Check(getBytes(keyHash(seed)), 0x6f);
}

const cow = toHex(addressOfSeed('cow'));
const checksummed = (address: string) =>
  ABI.getAbiCoder().decode(['address'], `0x${'0'.repeat(24)}${address.slice(2)}`)[0];

describe('releaseBtc', () => {
  it('queues coins for the signing key', async () => {
    const { transact, ask, pair } = await setBridgeScene();
    const result = await transact('cow', { value: LEAST });
    expect(result.gasUsed).toBe(21_000n + 23_000n);
    expect(logsOf(result)).toEqual([
      ['release_request_received', checksummed(cow), keyAddress('cow'), LEAST],
    ]);
    expect(pair.state.account(BRIDGE)?.balance).toBe(BRIDGE_BALANCE + LEAST);
    expect(await ask('getQueuedPegoutsCount')).toBe(1n);
    await transact('cow', { value: 2n * LEAST, data: callData('releaseBtc') });
    expect(await ask('getQueuedPegoutsCount')).toBe(2n);
  });

  it('returns an amount below the minimum, with an event', async () => {
    const { transact, ask, pair } = await setBridgeScene();
    const result = await transact('cow', { value: LEAST - 1n });
    expect(logsOf(result)).toEqual([['release_request_rejected', checksummed(cow), LEAST - 1n, 1n]]);
    expect(pair.state.account(BRIDGE)?.balance).toBe(BRIDGE_BALANCE);
    expect(pair.state.account(addressOfSeed('cow'))?.balance).toBe(ETHER);
    expect(await ask('getQueuedPegoutsCount')).toBe(0n);
  });

  it('returns an amount that the fee would consume', async () => {
    const { transact, send } = await setBridgeScene();
    expect(await send('auth-fee-per-kb', 'voteFeePerKbChange', 5_000_000)).toBe(1n);
    const result = await transact('cow', { value: 3_923_999n * SATOSHI });
    expect(logsOf(result)).toEqual([
      ['release_request_rejected', checksummed(cow), 3_923_999n * SATOSHI, 3n],
    ]);
    expect(logsOf(await transact('cow', { value: 3_924_000n * SATOSHI }))[0]).toContain(
      'release_request_received',
    );
  });

  it('keeps the coins of contracts, which have no key', async () => {
    const { transact, pair, ask } = await setBridgeScene();
    pair.state.setAccount(CONTRACT, { nonce: 1n, balance: ETHER });
    pair.state.setCode(
      CONTRACT,
      code(`${callOperands('CALL', BRIDGE, { value: LEAST })} ${callOpcode('CALL')} 00`),
    );
    const result = await transact('cow', { to: CONTRACT });
    expect(logsOf(result)).toEqual([['release_request_rejected', checksummed(toHex(CONTRACT)), LEAST, 2n]]);
    expect(pair.state.account(BRIDGE)?.balance).toBe(BRIDGE_BALANCE + LEAST);
    expect(await ask('getQueuedPegoutsCount')).toBe(0n);
  });

  it('returns no estimate for an amount that is too low or without federation coins', async () => {
    const { ask, succeedsFor } = await setBridgeScene();
    for (const amount of [LEAST - 1n, LEAST, 10n * ETHER]) {
      expect(await ask('getEstimatedFeesForPegOutAmount', amount)).toBe('failure');
      expect(await succeedsFor(CONTRACT, 'getEstimatedFeesForPegOutAmount', amount)).toBe(false);
    }
    expect(await succeedsFor(CONTRACT, 'getEstimatedFeesForNextPegOutEvent')).toBe(true);
  });

  it('rejects a request without a signature', async () => {
    const { pair } = await setBridgeScene();
    const request = {
      type: 0,
      chainId: 33n,
      nonce: 0n,
      gasLimit: 100_000n,
      to: BRIDGE,
      value: LEAST,
    } as const;
    const fees = { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n };
    const rest = { data: new Uint8Array(0), accessList: [], authorizationList: [], ...NO_BLOBS };
    const result = await pair.transact(withoutSignature({ ...request, ...fees, ...rest }, SENDER));
    expect([result.logs, result.gasUsed]).toEqual([[], 44_000n]);
    expect(pair.state.account(SENDER)?.balance).toBe(ETHER);
  });
});

describe('the release queue', () => {
  it('processes the queue for members only, who have no coins to pay with', async () => {
    const { send, transact, ask } = await setBridgeScene({ number: 70 });
    const update = { data: callData('updateCollections') };
    expect(logsOf(await transact('somebody', update))).toEqual([]);
    const member = checksummed(toHex(addressOfSeed('federator2')));
    expect(logsOf(await transact('federator2', update))).toEqual([['update_collections', member]]);
    expect(await ask('getNextPegoutCreationBlockNumber')).toBe(120n);
    await transact('cow', { value: LEAST });
    await send('federator2', 'updateCollections');
    expect(await ask('getQueuedPegoutsCount')).toBe(1n);
    expect(await ask('getNextPegoutCreationBlockNumber')).toBe(120n);
  });

  it('keeps the requests of a queue that is not empty', async () => {
    const { transact, send, ask } = await setBridgeScene();
    await transact('cow', { value: LEAST });
    await send('federator1', 'updateCollections');
    expect(await ask('getNextPegoutCreationBlockNumber')).toBe(0n);
  });

  it('increases the size and the fee of the next peg-out per request', async () => {
    const { transact, ask } = await setBridgeScene();
    expect(await ask('getEstimatedFeesForNextPegOutEvent')).toBe(65_400n);
    await transact('cow', { value: LEAST });
    expect(await ask('getEstimatedFeesForNextPegOutEvent')).toBe(68_600n);
  });

  // Version, counts of inputs and outputs, lock time: 10 bytes. Each of two inputs: 36 + 1 + 4 bytes, a redeem
  // script of 105 bytes and two signatures of 72 bytes. Each output: 8 + 1 + 23 bytes. From 253 outputs, their
  // count takes 3 bytes. The fee is 100,000 satoshi per 1,000 bytes.
  it.each([
    [0, 10 + 2 * (41 + 105 + 144) + 2 * 32],
    [250, 10 + 2 * (41 + 105 + 144) + 252 * 32],
    [251, 12 + 2 * (41 + 105 + 144) + 253 * 32],
    [65_533, 12 + 2 * (41 + 105 + 144) + 65_535 * 32],
    [65_534, 14 + 2 * (41 + 105 + 144) + 65_536 * 32],
  ])('estimates the peg-out of %s queued requests at %s bytes', async (requests, bytes) => {
    const { pair, ask } = await setBridgeScene();
    pair.state.setStorage(BRIDGE, namedSlot('releaseRequestQueue'), numberToBytes(requests));
    expect(await ask('getQueuedPegoutsCount')).toBe(BigInt(requests));
    expect(await ask('getEstimatedFeesForNextPegOutEvent')).toBe(BigInt(bytes) * 100n);
  });

  it('returns the queue in the debug state', async () => {
    const { transact, ask } = await setBridgeScene();
    expect(await ask('getStateForBtcReleaseClient')).toBe('0xc1c0');
    expect(await ask('getStateForSvpClient')).toBe('0xc1c0');
    const nothing = encodeRlp([]);
    const before = decodeRlp(String(await ask('getStateForDebugging')));
    expect(before).toEqual(['0x', nothing, nothing, nothing, nothing, '0x80']);
    await transact('cow', { value: LEAST });
    const [, , , queue = '0x'] = decodeRlp(String(await ask('getStateForDebugging'))) as string[];
    const [destination, amount, hash] = decodeRlp(queue) as string[];
    expect(destination).toBe(keyHash('cow'));
    expect(BigInt(amount ?? 0)).toBe(250_000n);
    expect(dataLength(hash ?? '0x')).toBe(32);
  });
});

describe('releaseBtc with an observer', () => {
  const ENGINES: readonly [string, () => Promise<Engine>][] = [
    ['wasm', async () => createWasmEngine(ROOTSTOCK, OPTIONS)],
    ['reference', () => createReferenceEngine(ROOTSTOCK, OPTIONS)],
  ];

  it.each(ENGINES)('reports its log within its frame on the %s engine', async (_name, create) => {
    const seen: string[] = [];
    const observer: ExecutionObserver = {
      frameStart: ({ isPrecompile }) => void seen.push(isPrecompile ? 'precompile' : 'code'),
      frameEnd: ({ outcome }) => void seen.push(outcome),
      log: ({ address: emitter, topics }) => void seen.push(`${toHex(emitter)} ${topics.length}`),
    };
    const state = new Overlay(WorldState.empty());
    state.setAccount(addressOfSeed('cow'), { nonce: 0n, balance: ETHER });
    const engine = await create();
    await engine.transact(
      environmentOf('rootstock'),
      state,
      signedMessage('cow', { value: LEAST }),
      observer,
    );
    expect(seen).toEqual(['precompile', `${toHex(BRIDGE)} 2`, 'success']);
  });

  it.each(ENGINES)('starts with an empty queue on a fork on the %s engine', async (_name, create) => {
    const base = new Overlay(WorldState.empty());
    base.setAccount(addressOfSeed('cow'), { nonce: 0n, balance: ETHER });
    const known = new Set<string>();
    for (const seed of [toHex(addressOfSeed('cow')), toHex(BRIDGE), toHex(COINBASE)]) {
      known.add(`account ${seed.slice(2)}`).add(`code ${seed.slice(2)}`);
    }
    const state = new RemoteOverlay(base.toWorldState(), known);
    const engine = await create();
    const result = await engine.transact(
      environmentOf('rootstock'),
      state,
      signedMessage('cow', { value: LEAST }),
    );
    expect(result.logs).toHaveLength(1);
    expect(state.fetched.filter((key) => key.startsWith('slot'))).toEqual([]);
  });
});
