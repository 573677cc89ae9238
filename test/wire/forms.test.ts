// Each test changes one field of a header, receipt or account. Every form must then differ.
// Transactions make a round trip through the forms that are read again.
import { describe, expect, it } from 'vitest';
import { transactionOfUpstream } from '../../src/fork/upstream-block.ts';
import { toHex } from '../../src/primitives/hex.ts';
import { finish } from '../../src/primitives/steps.ts';
import {
  type Block,
  type BlockHeader,
  ETHEREUM_FIELDS,
  HEADER_FIELDS,
  locatedTransactions,
  MERGED_MINING_FIELDS,
} from '../../src/protocol/block.ts';
import { type FieldKind, type KindValues, listFields } from '../../src/protocol/field-kinds.ts';
import { RECEIPT_FIELDS, type Receipt } from '../../src/protocol/receipt.ts';
import type { Transaction, TransactionType } from '../../src/protocol/transaction.ts';
import { withSignatureValues } from '../../src/protocol/transaction-encoding.ts';
import { runTask } from '../../src/scheduling/task.ts';
import { TimeSlice } from '../../src/scheduling/time-slice.ts';
import {
  ANVIL_ACCOUNT,
  ANVIL_STORAGE,
  accountJson,
  accountsJson,
  DUMP_ACCOUNT,
  DUMP_FORK_STORAGE,
  DUMP_STORAGE,
  GETH_ACCOUNT,
  GETH_STORAGE,
  PROOF_ACCOUNT,
  PROOF_ACCOUNT_PROPERTIES,
  readAccount,
  readAccounts,
  readStorage,
  storageJson,
} from '../../src/wire/account.ts';
import { blockView } from '../../src/wire/block.ts';
import { blockJson } from '../../src/wire/block-file.ts';
import {
  anvilHeaderJson,
  HEADER_PROPERTIES,
  HEADER_QUANTITIES,
  readForeignHeader,
} from '../../src/wire/header.ts';
import { LOG_JSON_SCHEMA, logViews } from '../../src/wire/log.ts';
import { RECEIPT_JSON_SCHEMA, receiptView } from '../../src/wire/receipt.ts';
import { anvilReceiptJson } from '../../src/wire/receipt-file.ts';
import { StrictValue } from '../../src/wire/strict-value.ts';
import {
  anvilTransactionJson,
  type ReadMember,
  readSignatureValues,
  readTransactionRequest,
  transactionView,
} from '../../src/wire/transaction.ts';
import { fixtureBlock, fixtureHeader, fixtureTransaction } from '../rpc/views/fixture-block.ts';
import { encodeBlockRecord } from '../storage/at-once.ts';

const RULES = { network: { encoding: 'network' }, ethereum: { encoding: 'ethereum' } } as const;

/** Values of each kind that differ from all fixtures. */
const OTHERS: { readonly [Kind in FieldKind]: KindValues[Kind] } = {
  hash: new Uint8Array(32).fill(0xe1),
  address: new Uint8Array(20).fill(0xe2),
  bloom: new Uint8Array(256).fill(0xe3),
  bytes: new Uint8Array(7).fill(0xe4),
  integer: 0xe5n,
  gas: 0xe6n,
  byte: 0xe7n,
  count: 0xe8,
  flag: false,
  'optional integer': 0xe9n,
  'optional hash': new Uint8Array(32).fill(0xea),
  'optional root': new Uint8Array(32).fill(0xeb),
  'optional address': new Uint8Array(20).fill(0xec),
};

type Change = { readonly name: string; readonly header: BlockHeader };

function headerChanges(): Change[] {
  const header = fixtureHeader();
  const own = listFields(HEADER_FIELDS).map(({ name, kind }) => ({
    name,
    header: { ...header, [name]: OTHERS[kind] },
  }));
  const merged = listFields(MERGED_MINING_FIELDS).map(({ name, kind }) => ({
    name: `mergedMining.${name}`,
    header: { ...header, mergedMining: { ...header.mergedMining, [name]: OTHERS[kind] } },
  }));
  const ethereum = listFields(ETHEREUM_FIELDS).map(({ name, kind }) => ({
    name: `ethereum.${name}`,
    header: { ...header, ethereum: { ...header.ethereum, [name]: OTHERS[kind] } },
  }));
  return [...own, ...merged, ...ethereum];
}

function view(header: BlockHeader, fieldNames: 'service' | 'native'): unknown {
  const options = { full: false, isPending: false, fieldNames, rules: RULES.network };
  // The hash changes with every field and would hide a missing member.
  const { hashForMergedMining: _, ...members } = blockView(fixtureBlock({ header }), options);
  return members;
}

function foreign(header: BlockHeader): unknown {
  const answer = Object(view(header, 'native')) as Readonly<Record<string, unknown>>;
  return readForeignHeader((name, codec) => codec.tolerate(answer[name]) ?? codec.blank);
}

/** The fields that a form omits. The comments give the reasons. */
const NOT_THERE: Readonly<Record<string, readonly string[]>> = {
  // The length of the list of uncles.
  service: ['uncleCount'],
  native: ['uncleCount'],
  upstream: ['uncleCount'],
  // Anvil has Ethereum's headers.
  anvil: [
    'paidFees',
    'minimumGasPrice',
    'uncleCount',
    'mergedMining.header',
    'mergedMining.coinbaseTransaction',
    'mergedMining.merkleProof',
  ],
};

function expectShown(form: string, names: readonly string[]): void {
  expect(names).toEqual(NOT_THERE[form] ?? []);
}

const HEADER_FORMS: Readonly<Record<string, (header: BlockHeader) => unknown>> = {
  service: (header) => view(header, 'service'),
  native: (header) => view(header, 'native'),
  upstream: foreign,
  anvil: anvilHeaderJson,
  dump: (header) => blockJson(fixtureBlock({ header })),
  record: (header) => toHex(encodeBlockRecord(fixtureBlock({ header }))),
};

describe('header forms', () => {
  it.each(Object.entries(HEADER_FORMS))('the %s form of a header shows every field', (form, write) => {
    const before = JSON.stringify(write(fixtureHeader()), plain);
    const forgotten = headerChanges().filter(({ header }) => JSON.stringify(write(header), plain) === before);
    expectShown(
      form,
      forgotten.map(({ name }) => name),
    );
  });

  it('the schema and the quantities include every field of a response', () => {
    const options = { full: false, isPending: false, fieldNames: 'service', rules: RULES.network } as const;
    const answer = blockView(fixtureBlock(), options);
    for (const name of Object.keys(HEADER_PROPERTIES)) expect(answer).toHaveProperty(name);
    for (const [name, kind] of Object.entries(HEADER_FIELDS)) {
      // Excludes the bloom. Coinbase and uncles root have other names, and the uncle count has no name.
      if (kind === 'bloom' || !(name in answer)) continue;
      expect(Object.keys(HEADER_PROPERTIES)).toContain(name);
      const isQuantity = kind === 'integer' || kind === 'gas' || kind === 'count';
      expect(HEADER_QUANTITIES.includes(name)).toBe(isQuantity);
    }
  });
});

function plain(_name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  return value instanceof Uint8Array ? toHex(value) : value;
}

function blockWith(receipt: Receipt): Block {
  const block = fixtureBlock();
  return { ...block, receipts: [receipt, ...block.receipts.slice(1)] };
}

function locationWith(receipt: Receipt) {
  const [location] = locatedTransactions(blockWith(receipt));
  if (location === undefined) throw new RangeError('the block has no transaction');
  return location;
}

const RECEIPT_FORMS: Readonly<Record<string, (receipt: Receipt) => unknown>> = {
  answer: (receipt) => receiptView(locationWith(receipt), { namesFailedCreations: true }, { blobs: null }),
  dump: (receipt) => blockJson(blockWith(receipt)),
  'file of Anvil': (receipt) => finish(anvilReceiptJson(locationWith(receipt))),
  record: (receipt) => toHex(encodeBlockRecord(blockWith(receipt))),
};

describe('receipt forms', () => {
  it.each(Object.entries(RECEIPT_FORMS))('the %s form of a receipt shows every field', (form, write) => {
    const [receipt] = fixtureBlock().receipts;
    if (receipt === undefined) throw new RangeError('the block has no receipt');
    const before = JSON.stringify(write(receipt), plain);
    const forgotten = listFields(RECEIPT_FIELDS).filter(
      ({ name, kind }) => JSON.stringify(write({ ...receipt, [name]: OTHERS[kind] }), plain) === before,
    );
    // Anvil computes the price from the transaction and the block.
    expect(forgotten.map(({ name }) => name)).toEqual(form === 'file of Anvil' ? ['effectiveGasPrice'] : []);
  });

  it('the receipt and log schemas require every member', () => {
    const [receipt] = fixtureBlock().receipts;
    if (receipt === undefined) throw new RangeError('the block has no receipt');
    const answer = receiptView(locationWith(receipt), { namesFailedCreations: false }, { blobs: null });
    expect(RECEIPT_JSON_SCHEMA).toMatchObject({ oneOf: [{ required: Object.keys(answer) }, {}] });
    const [log] = logViews(
      receipt.logs.map((emitted) => ({
        log: emitted,
        blockNumber: 1,
        blockHash: new Uint8Array(32),
        blockTimestamp: 2,
        transactionHash: null,
        transactionIndex: 3,
        logIndex: 4,
        removed: false,
      })),
    );
    expect(LOG_JSON_SCHEMA).toMatchObject({ required: Object.keys(log ?? {}) });
  });
});

function transactionOf(type: TransactionType): Transaction {
  const hasTwoFees = type >= 2;
  const address = new Uint8Array(20).fill(0x66);
  const request = {
    ...fixtureTransaction(),
    type,
    maxFeePerGas: 100n,
    maxPriorityFeePerGas: hasTwoFees ? 2n : 100n,
    accessList: type > 0 ? [{ address, storageKeys: [new Uint8Array(32).fill(0x77)] }] : [],
    authorizationList: type === 4 ? [{ chainId: 33n, address, nonce: 1n, yParity: 1n, r: 3n, s: 4n }] : [],
  };
  return withSignatureValues(request, { v: type > 0 ? 1n : 101n, r: 5n, s: 6n }, request.sender);
}

describe.each([0, 1, 2, 4] as const)('transaction forms, type %i', (type) => {
  it.each(['network', 'ethereum'] as const)(
    'round-trips through a response of a node in the form of %s',
    (form) => {
      const transaction = transactionOf(type);
      const answer: unknown = JSON.parse(JSON.stringify(transactionView(transaction, null, RULES[form])));
      expect(transactionOfUpstream(answer)).toEqual(transaction);
    },
  );

  it('round-trips through a file of Anvil, except the sender', () => {
    const transaction = transactionOf(type);
    const json: unknown = JSON.parse(JSON.stringify(anvilTransactionJson(transaction)));
    const value = new StrictValue(json, 'transaction');
    const read: ReadMember = (name, codec, necessity, otherName) => {
      const field = value.either(name, otherName);
      return field.isNothing && necessity === 'nowhere' ? codec.blank : codec.read(field, 'anvil');
    };
    const request = readTransactionRequest(read, type);
    const signature = readSignatureValues(read, type === 0 ? ['v', 'yParity'] : ['yParity', 'v']);
    expect(withSignatureValues(request, signature, transaction.sender)).toEqual(transaction);
  });
});

const ACCOUNT = {
  address: new Uint8Array(20).fill(0x11),
  addressHash: new Uint8Array(32).fill(0x12),
  nonce: 13n,
  balance: 14n,
  code: new Uint8Array([0x15]),
  codeHash: new Uint8Array(32).fill(0x16),
  storageRoot: new Uint8Array(32).fill(0x17),
  isOverFork: false,
  storage: { '0x18': '0x19' },
};

const OTHER_ACCOUNT: typeof ACCOUNT = {
  address: new Uint8Array(20).fill(0xe1),
  addressHash: new Uint8Array(32).fill(0xe2),
  nonce: 0xe3n,
  balance: 0xe4n,
  code: new Uint8Array([0xe5]),
  codeHash: new Uint8Array(32).fill(0xe6),
  storageRoot: new Uint8Array(32).fill(0xe7),
  isOverFork: true,
  storage: { '0x18': '0xe8' },
};

type AccountPart = keyof typeof ACCOUNT;

/** The values that each form of an account omits. The comments give the reasons. */
const ACCOUNT_FORMS: Readonly<
  Record<string, readonly [(account: typeof ACCOUNT) => unknown, readonly AccountPart[]]>
> = {
  // The address is the member name, code is stored separately, and trie hashes are recomputed.
  dump: [(account) => accountJson(DUMP_ACCOUNT, account), ['address', 'addressHash', 'code', 'storageRoot']],
  // As in a dump. The file contains only complete states.
  anvil: [
    (account) => accountJson(ANVIL_ACCOUNT, account),
    ['address', 'addressHash', 'codeHash', 'storageRoot', 'isOverFork'],
  ],
  // States of forks are rejected.
  geth: [
    (account) => accountJson(GETH_ACCOUNT, { ...account, codeText: toHex(account.code) }),
    ['isOverFork'],
  ],
  // The client has the address and requests single slots.
  proof: [(account) => accountJson(PROOF_ACCOUNT, account), ['addressHash', 'code', 'isOverFork', 'storage']],
};

describe('account forms', () => {
  it.each(Object.entries(ACCOUNT_FORMS))(
    'the %s form of an account shows every value that it supports',
    (_form, [write, notThere]) => {
      const before = JSON.stringify(write(ACCOUNT), plain);
      const parts = Object.keys(ACCOUNT) as AccountPart[];
      const forgotten = parts.filter(
        (part) => JSON.stringify(write({ ...ACCOUNT, [part]: OTHER_ACCOUNT[part] }), plain) === before,
      );
      expect(forgotten).toEqual(notThere);
    },
  );

  it('storage and accounts have the format of each form', async () => {
    const pieces = new TimeSlice();
    const slots = [{ slot: new Uint8Array(32).fill(1), value: new Uint8Array([2]) }];
    const jsonOf = async (form: Parameters<typeof storageJson<Uint8Array>>[0]) =>
      runTask(storageJson(form, slots), pieces);
    const slot = `0x${'01'.repeat(32)}`;
    expect(await jsonOf(DUMP_STORAGE)).toEqual({ [`0x1${'01'.repeat(31)}`]: '0x2' });
    expect(await jsonOf(ANVIL_STORAGE)).toEqual({ [slot]: `0x${'2'.padStart(64, '0')}` });
    expect(await jsonOf(GETH_STORAGE)).toEqual({ [slot]: '02' });
    expect(accountJson(GETH_ACCOUNT, { ...ACCOUNT, codeText: '0x', storage: {} })).toEqual({
      balance: '14',
      nonce: 13,
      root: toHex(ACCOUNT.storageRoot),
      codeHash: toHex(ACCOUNT.codeHash),
      address: toHex(ACCOUNT.address),
      key: toHex(ACCOUNT.addressHash),
    });
    expect(Object.keys(accountJson(PROOF_ACCOUNT, ACCOUNT))).toEqual(Object.keys(PROOF_ACCOUNT_PROPERTIES));
  });

  it.each([
    ['dump', DUMP_ACCOUNT, DUMP_STORAGE],
    ['dump of a fork', DUMP_ACCOUNT, DUMP_FORK_STORAGE],
    ['anvil', ANVIL_ACCOUNT, ANVIL_STORAGE],
  ] as const)('an account round-trips through %s', async (_form, form, storageForm) => {
    const pieces = new TimeSlice();
    const slots = [{ slot: new Uint8Array(32).fill(1), value: new Uint8Array([2]) }];
    const task = accountsJson([ACCOUNT], function* (account) {
      return accountJson(form as typeof DUMP_ACCOUNT, {
        ...account,
        storage: yield* storageJson(storageForm as typeof DUMP_STORAGE, slots),
      });
    });
    const json: unknown = JSON.parse(JSON.stringify(await runTask(task, pieces)));
    const accounts = readAccounts(new StrictValue(json, ''), function* (address, value) {
      const storage = yield* readStorage(storageForm, value.field('storage'));
      return { ...readAccount(form as typeof DUMP_ACCOUNT, value), address, storage };
    });
    const [read] = await runTask(accounts, pieces);
    expect(read).toMatchObject({ address: ACCOUNT.address, nonce: 13n, balance: 14n, storage: slots });
    expect(ACCOUNT).toMatchObject({ ...read, storage: ACCOUNT.storage });
  });
});
