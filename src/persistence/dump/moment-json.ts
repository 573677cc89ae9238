import type { ImpersonationRecord } from '../../chain/cheats/impersonation.ts';
import type { BlockTime, MiningMode } from '../../chain/mining/miner.ts';
import { maximumCost } from '../../chain/pool/admission.ts';
import type { PoolSnapshot } from '../../chain/pool/pool.ts';
import type { PoolEntry } from '../../chain/pool/pool-entry.ts';
import type { BlockSettings } from '../../chain/settings/block-settings.ts';
import type { ClockSetting } from '../../chain/settings/chain-clock.ts';
import type { ChainConditions } from '../../chain/settings/chain-conditions.ts';
import { keyOf, toHex, toQuantity } from '../../primitives/hex.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { readTransaction, transactionJson } from './block-json.ts';
import type { DumpValue } from './dump-value.ts';

/** What a chain is at some moment besides its blocks and its state. */
export interface Moment extends ChainConditions {
  readonly pool: PoolSnapshot;
}

type Json = Readonly<Record<string, unknown>>;

const nullOr = <T, R>(value: T | null, convert: (value: T) => R): R | null =>
  value === null ? null : convert(value);

/** A moment as JSON. */
export function momentJson({ pool, clock, mining, settings, impersonation }: Moment): Json {
  return {
    clock,
    mining,
    settings: settingsJson(settings),
    impersonation: {
      addresses: Array.from(impersonation.addresses.values(), toHex),
      isAutomatic: impersonation.isAutomatic,
    },
    pool: poolJson(pool),
  };
}

function settingsJson(settings: BlockSettings): Json {
  const { baseFeePerGas, prevRandao } = settings.next;
  return {
    chainId: settings.chainId,
    coinbase: toHex(settings.coinbase),
    gasLimit: toQuantity(settings.gasLimit),
    gasLimitTarget: nullOr(settings.gasLimitTarget, toQuantity),
    minimumGasPrice: toQuantity(settings.minimumGasPrice),
    minimumGasPriceTarget: nullOr(settings.minimumGasPriceTarget, toQuantity),
    gasPrice: nullOr(settings.gasPrice, toQuantity),
    extraData: toHex(settings.extraData),
    impersonatedSigners: Array.from(settings.impersonatedSigners, ([signature, address]) => ({
      signature: `0x${signature}`,
      address: toHex(address),
    })),
    next: { baseFeePerGas: nullOr(baseFeePerGas, toQuantity), prevRandao: nullOr(prevRandao, toHex) },
  };
}

function poolJson({ runs, arrivals }: PoolSnapshot): Json {
  const entries = Array.from(runs.values()).flat();
  return {
    arrivals,
    transactions: entries.map(poolEntryJson),
  };
}

/** A transaction of a pool as JSON, as it stands among those of a moment. */
export function poolEntryJson({ transaction, arrival }: PoolEntry): Json {
  return { ...transactionJson(transaction), arrival };
}

/** The moment that {@link momentJson} wrote. Throws an `InvalidDumpError`. */
export function readMoment(value: DumpValue, ruleSet: RuleSet): Moment {
  return {
    clock: readClock(value.field('clock')),
    mining: readMining(value.field('mining')),
    settings: readSettings(value.field('settings')),
    impersonation: readImpersonation(value.field('impersonation')),
    pool: readPool(value.field('pool'), ruleSet),
  };
}

function readClock(value: DumpValue): ClockSetting {
  return {
    start: value.field('start').integer(),
    offset: value.field('offset').integer(),
    lead: value.field('lead').integer(),
    nextTimestamp: value.field('nextTimestamp').orNull((timestamp) => timestamp.count()),
    interval: value.field('interval').orNull((seconds) => seconds.count()),
  };
}

function readMining(value: DumpValue): MiningMode {
  return {
    automine: value.field('automine').flag(),
    blockTime: value.field('blockTime').orNull(readBlockTime),
  };
}

function readBlockTime(value: DumpValue): BlockTime {
  if (value.isNumber) return value.positive();
  return { least: value.field('least').positive(), most: value.field('most').positive() };
}

function readSettings(value: DumpValue): BlockSettings {
  const next = value.field('next');
  return {
    chainId: value.field('chainId').count(),
    coinbase: value.field('coinbase').bytes(20),
    gasLimit: value.field('gasLimit').quantity(64),
    gasLimitTarget: value.field('gasLimitTarget').orNull((gas) => gas.quantity(64)),
    minimumGasPrice: value.field('minimumGasPrice').quantity(),
    minimumGasPriceTarget: value.field('minimumGasPriceTarget').orNull((price) => price.quantity()),
    gasPrice: value.field('gasPrice').orNull((price) => price.quantity()),
    extraData: value.field('extraData').bytes(),
    impersonatedSigners: readImpersonatedSigners(value.field('impersonatedSigners')),
    next: {
      baseFeePerGas: next.field('baseFeePerGas').orNull((fee) => fee.quantity()),
      prevRandao: next.field('prevRandao').orNull((bytes) => bytes.bytes(32)),
    },
  };
}

function readImpersonatedSigners(value: DumpValue): ReadonlyMap<string, Uint8Array> {
  const signers = value
    .items()
    .map((item) => [keyOf(item.field('signature').bytes(65)), item.field('address').bytes(20)] as const);
  return new Map(signers);
}

function readImpersonation(value: DumpValue): ImpersonationRecord {
  const addresses = value
    .field('addresses')
    .items()
    .map((item) => item.bytes(20));
  return {
    addresses: new Map(addresses.map((address) => [keyOf(address), address])),
    isAutomatic: value.field('isAutomatic').flag(),
  };
}

function readPool(value: DumpValue, ruleSet: RuleSet): PoolSnapshot {
  const runs = new Map<string, PoolEntry[]>();
  const byHash = new Map<string, PoolEntry>();
  for (const item of value.field('transactions').items()) {
    const transaction = readTransaction(item, ruleSet);
    const arrival = item.field('arrival').count();
    const entry = { transaction, arrival, cost: maximumCost(transaction) };
    const run = runs.get(keyOf(transaction.sender));
    const last = run?.at(-1)?.transaction.nonce;
    if (last !== undefined && last >= transaction.nonce) item.refuse('nonces that rise with each sender');
    if (run === undefined) runs.set(keyOf(transaction.sender), [entry]);
    else run.push(entry);
    byHash.set(keyOf(transaction.hash), entry);
  }
  return { runs, byHash, arrivals: value.field('arrivals').count() };
}
