import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { EMPTY_BYTES } from '../../src/primitives/bytes.ts';
import { fromHex, toHex } from '../../src/primitives/hex.ts';
import { keccak256 } from '../../src/primitives/keccak.ts';
import { encodeRlp, type RlpItem } from '../../src/primitives/rlp.ts';

export type Json = Record<string, unknown>;

interface FileBlock {
  header: Json;
  transactions: { transaction: Json; impersonated_sender: string | null }[] | Json[];
  ommers: Json[];
  withdrawals?: unknown;
}

/** A state file of Anvil, as JSON. */
export interface AnvilFile {
  block?: Json;
  accounts: Record<string, Json>;
  best_block_number?: number | string;
  blocks?: FileBlock[];
  transactions?: { info: Json; receipt: Json; block_hash: string; block_number: number }[];
  historical_states?: [string, { accounts: Record<string, Json> }][] | null;
}

/** The file that Anvil 1.7.1 wrote (`fixtures/anvil`). */
export function recordedFile(): AnvilFile {
  const bytes = fromHex(readFileSync('fixtures/anvil/dump-state.hex', 'utf8').trim());
  return JSON.parse(gunzipSync(bytes).toString()) as AnvilFile;
}

/** Bytes of a QUANTITY; empty for zero. */
function integer(quantity: unknown): Uint8Array {
  const digits = String(quantity).slice(2).replace(/^0+/, '');
  return fromHex(`0x${digits.length % 2 === 0 ? '' : '0'}${digits}`);
}

const BYTE_FIELDS = [
  'parentHash',
  'sha3Uncles',
  'miner',
  'stateRoot',
  'transactionsRoot',
  'receiptsRoot',
  'logsBloom',
] as const;
const INTEGER_FIELDS = ['difficulty', 'number', 'gasLimit', 'gasUsed', 'timestamp'] as const;

/** Header hash of Anvil in 2024: blob fields, but no withdrawals root. */
export function paddedHeaderHash(header: Json): string {
  const items: RlpItem[] = [
    ...BYTE_FIELDS.map((name) => fromHex(String(header[name]))),
    ...INTEGER_FIELDS.map((name) => integer(header[name])),
    ...['extraData', 'mixHash', 'nonce'].map((name) => fromHex(String(header[name]))),
    integer(header.baseFeePerGas),
    EMPTY_BYTES,
    integer(header.blobGasUsed),
    integer(header.excessBlobGas),
  ];
  return toHex(keccak256(encodeRlp(items)));
}

/**
 * Blocks with the headers of 2024: no fields after the blob fields, no withdrawals root, and matching hashes.
 */
function withPaddedHeaders(file: AnvilFile): AnvilFile {
  const renamed = new Map<unknown, string>();
  const ascending = (file.blocks ?? []).toSorted(
    (one, other) => Number(one.header.number) - Number(other.header.number),
  );
  const blocks = ascending.map(({ header, transactions, ommers }) => {
    const { withdrawalsRoot: _, parentBeaconBlockRoot: __, requestsHash: ___, ...old } = header;
    Object.assign(old, { parentHash: renamed.get(header.parentHash) ?? header.parentHash });
    const child = ascending.find((other) => Number(other.header.number) === Number(header.number) + 1);
    const mined = file.transactions?.find((other) => other.block_number === Number(header.number));
    const hash = paddedHeaderHash(old);
    for (const name of [child?.header.parentHash, mined?.block_hash])
      if (name !== undefined) renamed.set(name, hash);
    return { header: old, transactions, ommers };
  });
  const states = file.historical_states?.map(([hash, state]) => [renamed.get(hash) ?? hash, state] as const);
  return {
    ...file,
    blocks: blocks.reverse(),
    transactions: (file.transactions ?? []).map((mined) => ({
      ...mined,
      block_hash: renamed.get(mined.block_hash) ?? mined.block_hash,
    })),
    historical_states: states === undefined ? null : states.map(([hash, state]) => [hash, state]),
  };
}

const NAMES: Readonly<Record<string, string>> = {
  '0x0': 'Legacy',
  '0x1': 'EIP2930',
  '0x2': 'EIP1559',
  '0x4': 'EIP7702',
};

type Wrapped = { transaction: Json; impersonated_sender: string | null };

function mapTransactions(file: AnvilFile, map: (item: Wrapped) => Json): AnvilFile {
  const blocks = (file.blocks ?? []).map((block) => ({
    ...block,
    transactions: block.transactions.map((item) => map(item as Wrapped)),
  }));
  return { ...file, blocks };
}

/** Transactions with their type as the only key, and signatures with the parity only. */
function withNamedTypes(file: AnvilFile): AnvilFile {
  return mapTransactions(file, ({ transaction, impersonated_sender }) => {
    const { type, v, yParity, ...rest } = transaction;
    const isLegacy = type === '0x0';
    const parity = isLegacy ? `0x${((Number(v) + 1) % 2).toString(16)}` : yParity;
    const signature = isLegacy ? { v: parity, yParity: parity } : { yParity: parity };
    return { transaction: { [NAMES[String(type)] ?? '']: { ...rest, ...signature } }, impersonated_sender };
  });
}

/** Gas as `gasLimit`, and legacy signatures with the `v` of EIP-155. */
function withOldFieldNames(file: AnvilFile): AnvilFile {
  const originals = recordedFile().blocks?.flatMap(({ transactions }) => transactions as Wrapped[]) ?? [];
  const renamed = mapTransactions(file, ({ transaction, impersonated_sender }) => {
    const [[name, fields] = ['', {}]] = Object.entries(transaction) as [string, Json][];
    const { gas, v, yParity, ...rest } = fields;
    const original = originals.find((other) => other.transaction.hash === fields.hash)?.transaction;
    const signature = name === 'Legacy' ? { v: original?.v } : { yParity };
    return { transaction: { [name]: { ...rest, gasLimit: gas, ...signature } }, impersonated_sender };
  });
  for (const { header } of renamed.blocks ?? []) {
    const { sha3Uncles, miner } = header;
    Object.assign(header, { ommersHash: sha3Uncles, beneficiary: miner });
    delete header.sha3Uncles;
    delete header.miner;
  }
  return renamed;
}

/** The environment of the last block with `coinbase`, all values as hexadecimal text. */
function withOldEnvironment(file: AnvilFile): AnvilFile {
  const { beneficiary, slot_num: _, ...block } = file.block ?? {};
  const best = `0x${Number(file.best_block_number).toString(16)}`;
  for (const name of ['gas_limit', 'basefee', 'number', 'timestamp']) {
    if (typeof block[name] === 'number') block[name] = `0x${(block[name] as number).toString(16)}`;
  }
  return { ...file, block: { ...block, coinbase: beneficiary }, best_block_number: best };
}

function without(file: AnvilFile, ...names: readonly (keyof AnvilFile)[]): AnvilFile {
  return Object.fromEntries(
    Object.entries(file).filter(([name]) => !names.includes(name as keyof AnvilFile)),
  ) as unknown as AnvilFile;
}

function withoutWithdrawals(file: AnvilFile): AnvilFile {
  return {
    ...file,
    blocks: (file.blocks ?? []).map(({ header, transactions, ommers }) => ({ header, transactions, ommers })),
  };
}

function withHexSlots(file: AnvilFile): AnvilFile {
  const short = (word: string) => `0x${word.slice(2).replace(/^0+(?=.)/, '')}`;
  const accounts = Object.entries(file.accounts).map(([address, account]) => {
    const storage = Object.entries((account.storage ?? {}) as Record<string, string>);
    return [
      address,
      {
        ...account,
        storage: Object.fromEntries(storage.map(([slot, value]) => [short(slot), short(value)])),
      },
    ];
  });
  return { ...file, accounts: Object.fromEntries(accounts) as Record<string, Json> };
}

/** Each transaction without the receipts of its block and without its impersonated sender. */
function withBareTransactions(file: AnvilFile): AnvilFile {
  return without(
    mapTransactions(file, ({ transaction }) => transaction),
    'transactions',
    'historical_states',
  );
}

/** Historical states with the code format of revm before 2024. */
function withRawCode(file: AnvilFile): AnvilFile {
  for (const [, { accounts }] of file.historical_states ?? []) {
    for (const account of Object.values(accounts)) {
      const analyzed = (
        account.code as { LegacyAnalyzed?: { bytecode: string; original_len: number } } | null
      )?.LegacyAnalyzed;
      if (analyzed === undefined) continue;
      account.code = { LegacyRaw: analyzed.bytecode.slice(0, 2 + 2 * analyzed.original_len) };
    }
  }
  return file;
}

/** One format of Anvil's state files: its first date, and the same chain in this format. */
export interface AnvilEra {
  readonly since: string;
  readonly file: () => AnvilFile;
}

const namedTypes = () => withNamedTypes(withoutWithdrawals(recordedFile()));
const paddedHeaders = () => withPaddedHeaders(namedTypes());
const oldNames = () => withOldEnvironment(withOldFieldNames(paddedHeaders()));

/** The formats in order of their dates, each with the recorded chain in that format. */
export const ANVIL_ERAS: Readonly<Record<string, AnvilEra>> = {
  accounts: {
    since: '0.2.0, July 2022',
    file: () => ({ accounts: withHexSlots(recordedFile()).accounts }),
  },
  environment: {
    since: '0.2.0, January 2024',
    file: () =>
      withHexSlots(
        without(
          withOldEnvironment(recordedFile()),
          'blocks',
          'transactions',
          'historical_states',
          'best_block_number',
        ),
      ),
  },
  bareBlocks: { since: '0.2.0, June 2024', file: () => withBareTransactions(withHexSlots(oldNames())) },
  minedTransactions: { since: '0.2.0, July 2024', file: () => without(oldNames(), 'historical_states') },
  historicalStates: { since: '0.2.0, September 2024', file: () => withRawCode(oldNames()) },
  paddedHeaders: { since: '0.2.0, October 2024', file: () => withOldEnvironment(paddedHeaders()) },
  namedTypes: { since: '0.3.0, December 2024', file: () => withOldEnvironment(namedTypes()) },
  numbers: { since: '1.3.0, July 2025', file: namedTypes },
  typeFields: { since: '1.5.1, December 2025', file: () => withoutWithdrawals(recordedFile()) },
  recorded: { since: '1.7.1, May 2026', file: recordedFile },
};
