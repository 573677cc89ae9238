import type { PrecompileAccount } from '../../../src/evm/precompiles/precompiled-contract.ts';
import { hexKey } from '../../../src/primitives/hex.ts';
import type { RootstockUpgrade } from '../../../src/protocol/hardforks/rootstock.ts';
import { bridgeConstants } from '../../../src/rootstock/bridge/bridge-constants.ts';
import { BridgeState } from '../../../src/rootstock/bridge/bridge-state.ts';
import type { Federation } from '../../../src/rootstock/bridge/federation.ts';
import type { PegoutCall } from '../../../src/rootstock/peg/add-release.ts';
import { environmentOf } from '../../reference/scene.ts';

/** A log of the Bridge. */
export interface BridgeLog {
  readonly topics: readonly Uint8Array[];
  readonly data: Uint8Array;
}

/** A call of the Bridge with its storage in a map, and its effects. */
export interface TestCall {
  readonly call: PegoutCall;
  readonly logs: BridgeLog[];
  readonly sent: { readonly to: string; readonly value: bigint }[];
}

/** The parts of a call that a test sets. */
export interface TestCallParts {
  /** 30: mainnet, 33: regtest. */
  readonly chainId?: number;
  readonly federation?: Federation;
  readonly feePerKilobyte?: bigint;
  readonly blockNumber?: number;
  readonly transactionHash?: Uint8Array;
  readonly upgrades?: readonly RootstockUpgrade[];
}

function memoryAccount(logs: BridgeLog[], sent: { to: string; value: bigint }[]): PrecompileAccount {
  const slots = new Map<string, Uint8Array>();
  return {
    slot: (key) => slots.get(hexKey(key)) ?? new Uint8Array(32),
    setSlot: (key, value) => void slots.set(hexKey(key), value),
    balance: () => 0n,
    send: (to, value) => void sent.push({ to: hexKey(to), value }),
    refund: (to, value) => void sent.push({ to: hexKey(to), value }),
    log: (topics, data) => void logs.push({ topics, data }),
    remark: () => undefined,
    upstream: () => null,
  };
}

export function testCall(parts: TestCallParts = {}): TestCall {
  const { chainId = 33, feePerKilobyte, blockNumber = 1_000, transactionHash = new Uint8Array(32) } = parts;
  const base = bridgeConstants(chainId, 'legacy');
  const constants = { ...base, federation: parts.federation ?? base.federation };
  const [logs, sent]: [BridgeLog[], { to: string; value: bigint }[]] = [[], []];
  const account = memoryAccount(logs, sent);
  const state = new BridgeState(account, constants);
  if (feePerKilobyte !== undefined) state.feePerKilobyte = feePerKilobyte;
  const call: PegoutCall = {
    account,
    state,
    constants,
    upgrades: new Set(parts.upgrades ?? []),
    environment: environmentOf('rootstock', { number: blockNumber }),
    transaction: { hash: transactionHash, publicKey: () => undefined },
  };
  return { call, logs, sent };
}

/** The same storage in another block, or in another transaction. */
export function later({ call, ...effects }: TestCall, blockNumber: number, hash?: Uint8Array): TestCall {
  const transaction = hash === undefined ? call.transaction : { hash, publicKey: () => undefined };
  const environment = environmentOf('rootstock', { number: blockNumber });
  return { ...effects, call: { ...call, environment, transaction } };
}
