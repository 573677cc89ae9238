import type { RuntimeState } from '../../chain/chain-core.ts';
import type { ParentChainForms } from '../../chain/live-parent-chain.ts';
import { PoolEntry } from '../../chain/pool/entries.ts';
import type { PoolSnapshot } from '../../chain/pool/pool.ts';
import type { BlockSettings, NextBlockSettings } from '../../chain/settings/block-settings.ts';
import type { ClockSetting } from '../../chain/settings/chain-clock.ts';
import type { ImpersonationRecord } from '../../chain/settings/impersonation.ts';
import type { BlockTime, MiningMode } from '../../chain/settings/miner.ts';
import { equalBytes } from '../../primitives/bytes.ts';
import { hexKey, toHex } from '../../primitives/hex.ts';
import { addressOfPrivateKey, curve } from '../../primitives/secp256k1/curve.ts';
import type { Steps } from '../../primitives/steps.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import type { KeyAtRest, Keystore, StoredKey } from '../../wallet/keystore.ts';
import { FILED_WORK, readTransaction, transactionJson } from '../../wire/block-file.ts';
import type { StrictValue } from '../../wire/strict-value.ts';
import {
  address,
  bytes,
  count,
  type FileCodec,
  fileObjectOf,
  hash,
  integer,
  type Json,
  nullOr,
  type ValueCodec,
} from '../../wire/values.ts';
import type { StoredParentBlocks } from './stored-parent-blocks.ts';

/** Returns a wallet account as JSON. A keystore keeps its key encrypted; other keys are in plain text. */
export function keyJson({ address, isInitial, stored }: StoredKey): Readonly<Record<string, unknown>> {
  const secret =
    'keystore' in stored ? { keystore: stored.keystore } : { privateKey: toHex(stored.privateKey) };
  return { address: toHex(address), isInitial, ...secret };
}

/** Inverse of {@link keyJson}. Throws an `InvalidDumpError`. */
export function readKey(value: StrictValue): StoredKey {
  const address = value.field('address').bytes(20);
  return { address, isInitial: value.field('isInitial').flag(), stored: readStored(value, address) };
}

function readStored(value: StrictValue, address: Uint8Array): KeyAtRest {
  const keystore = value.field('keystore');
  if (!keystore.isNothing) return { keystore: readKeystore(keystore) };
  // The value is secret, so no error shows it.
  const place = value.field('privateKey');
  if (!place.isData(32))
    value.field('address').refuse('an address with its private key (32 bytes) in "privateKey"');
  const privateKey = place.bytes(32);
  const isOwn = curve.isPrivateKey(privateKey) && equalBytes(addressOfPrivateKey(privateKey), address);
  return isOwn
    ? { privateKey }
    : value.field('address').refuse('the address of the private key in the same object');
}

/** Limits the scrypt cost of a foreign keystore to 256 MiB of memory. */
const MAX_COST = 2 ** 18;

function readKeystore(value: StrictValue): Keystore {
  const crypto = value.field('crypto');
  const parameters = crypto.field('kdfparams');
  const parameter = (name: string, most: number): number => {
    const place = parameters.field(name);
    const number = place.count();
    return number >= 1 && number <= most ? number : place.refuse(`a number from 1 to ${most}`);
  };
  return {
    version: exactly(value.field('version'), 3),
    id: value.field('id').text(),
    address: digits(value.field('address'), 20),
    crypto: {
      cipher: exactly(crypto.field('cipher'), 'aes-128-ctr'),
      cipherparams: { iv: digits(crypto.field('cipherparams').field('iv'), 16) },
      ciphertext: digits(crypto.field('ciphertext'), 32),
      kdf: exactly(crypto.field('kdf'), 'scrypt'),
      kdfparams: {
        n: parameter('n', MAX_COST),
        r: parameter('r', 8),
        p: parameter('p', 8),
        dklen: exactly(parameters.field('dklen'), 32),
        salt: digits(parameters.field('salt'), 32),
      },
      mac: digits(crypto.field('mac'), 32),
    },
  };
}

function exactly<const T>(value: StrictValue, wanted: T): T {
  return value.json === wanted ? wanted : value.refuse(JSON.stringify(wanted));
}

function digits(value: StrictValue, size: number): string {
  const text = value.text();
  return /^[0-9a-f]*$/.test(text) && text.length === 2 * size
    ? text
    : value.refuse(`${2 * size} hexadecimal digits`);
}

/** The state of a chain without its blocks and accounts. */
export interface PersistedState extends RuntimeState {
  readonly pool: PoolSnapshot;
}

/** A count or seconds, as a JSON number. */
export const number: ValueCodec<number> = { ...count, write: (value) => value };

/** Gas, at most 64 bits. */
export const gas: ValueCodec<bigint> = { ...integer, read: (value) => value.quantity(64) };

const SETTINGS: FileCodec<BlockSettings> = fileObjectOf<BlockSettings>({
  chainId: number,
  coinbase: address,
  gasLimit: gas,
  gasLimitTarget: nullOr(gas),
  minimumGasPrice: integer,
  minimumGasPriceTarget: nullOr(integer),
  gasPrice: nullOr(integer),
  extraData: bytes,
  impersonatedSigners: {
    write: (signers) =>
      Array.from(signers, ([signature, signer]) => ({
        signature: `0x${signature}`,
        address: toHex(signer),
      })),
    read: (value) => new Map(value.items().map(readImpersonatedSigner)),
  },
  next: fileObjectOf<NextBlockSettings>({
    baseFeePerGas: nullOr(integer),
    prevRandao: nullOr(hash),
    // Absent in files of older versions.
    parentBeaconBlockRoot: nullOr(hash),
  }),
});

function readImpersonatedSigner(value: StrictValue): [signature: string, signer: Uint8Array] {
  return [hexKey(value.field('signature').bytes(65)), value.field('address').bytes(20)];
}

/** `forms` writes the parent chain without its blocks; `null` without a parent chain. */
export function persistedStateJson(
  { pool, clock, mining, settings, impersonation, parentChain }: PersistedState,
  forms: ParentChainForms | null,
): Json {
  return {
    ...(parentChain !== null && forms !== null && { parentChain: forms.toJson(parentChain) }),
    clock,
    mining,
    settings: SETTINGS.write(settings),
    impersonation: {
      addresses: Array.from(impersonation.addresses.values(), toHex),
      isAutomatic: impersonation.isAutomatic,
    },
    pool: poolJson(pool),
  };
}

function poolJson({ runs, arrivals }: PoolSnapshot): Json {
  // Without its condition, a transaction could be mined in a wrong block.
  const entries = Array.from(runs.values())
    .flat()
    .filter(({ condition }) => condition === null);
  return {
    arrivals,
    transactions: entries.map(poolEntryJson),
  };
}

export function poolEntryJson({ transaction, arrival }: PoolEntry): Json {
  return { ...transactionJson(transaction), arrival };
}

/**
 * Inverse of {@link persistedStateJson}. `parents` contains the blocks of the parent chain; `null` omits the
 * parent chain. Throws an `InvalidDumpError`.
 */
export function* readPersistedState(
  value: StrictValue,
  ruleSet: RuleSet,
  parents: StoredParentBlocks | null,
): Steps<PersistedState> {
  return {
    parentChain: parents?.state(value.field('parentChain')) ?? null,
    clock: readClock(value.field('clock')),
    mining: readMining(value.field('mining')),
    settings: SETTINGS.read(value.field('settings'), 'dump'),
    impersonation: readImpersonation(value.field('impersonation')),
    pool: yield* readPool(value.field('pool'), ruleSet),
  };
}

function readClock(value: StrictValue): ClockSetting {
  return {
    start: value.field('start').integer(),
    offset: value.field('offset').integer(),
    lead: value.field('lead').integer(),
    nextTimestamp: value.field('nextTimestamp').orNull((timestamp) => timestamp.count()),
    interval: value.field('interval').orNull((seconds) => seconds.count()),
  };
}

function readMining(value: StrictValue): MiningMode {
  return {
    automine: value.field('automine').flag(),
    blockTime: value.field('blockTime').orNull(readBlockTime),
  };
}

function readBlockTime(value: StrictValue): BlockTime {
  if (value.isNumber) return value.positive();
  return { least: value.field('least').positive(), most: value.field('most').positive() };
}

function readImpersonation(value: StrictValue): ImpersonationRecord {
  const addresses = value
    .field('addresses')
    .items()
    .map((item) => item.bytes(20));
  return {
    addresses: new Map(addresses.map((address) => [hexKey(address), address])),
    isAutomatic: value.field('isAutomatic').flag(),
  };
}

function* readPool(value: StrictValue, ruleSet: RuleSet): Steps<PoolSnapshot> {
  const runs = new Map<string, PoolEntry[]>();
  const byHash = new Map<string, PoolEntry>();
  for (const item of value.field('transactions').items()) {
    const transaction = readTransaction(item, ruleSet);
    const arrival = item.field('arrival').count();
    const entry = new PoolEntry(transaction, arrival, ruleSet.fees);
    const run = runs.get(hexKey(transaction.sender));
    const last = run?.at(-1)?.transaction.nonce;
    if (last !== undefined && last >= transaction.nonce)
      item.refuse('a transaction whose nonce is above the previous nonce of its sender');
    if (run === undefined) runs.set(hexKey(transaction.sender), [entry]);
    else run.push(entry);
    byHash.set(hexKey(transaction.hash), entry);
    yield FILED_WORK;
  }
  return { runs, byHash, arrivals: value.field('arrivals').count(), bundles: [] };
}
