// A field that a form forgets makes no difference there: every field of headers and receipts is changed, one at a time, and
// every form has to show it. Transactions go through the forms that are read again.
import { describe, expect, it } from 'vitest';
import { transactionOfUpstream } from '../../src/fork/upstream-block.ts';
import { toHex } from '../../src/primitives/hex.ts';
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
import { encodeBlockRecord } from '../../src/storage/block-record.ts';
import { blockJson, blockView } from '../../src/wire/block.ts';
import {
  anvilHeaderJson,
  HEADER_PROPERTIES,
  HEADER_QUANTITIES,
  readForeignHeader,
} from '../../src/wire/header.ts';
import { LOG_JSON_SCHEMA, logViews } from '../../src/wire/log.ts';
import { anvilReceiptJson, RECEIPT_JSON_SCHEMA, receiptView } from '../../src/wire/receipt.ts';
import { StrictValue } from '../../src/wire/strict-value.ts';
import {
  anvilTransactionJson,
  type ReadMember,
  readSignatureValues,
  readTransactionRequest,
  transactionView,
} from '../../src/wire/transaction.ts';
import { fixtureBlock, fixtureHeader, fixtureTransaction } from '../rpc/views/fixture-block.ts';

const RULES = { network: { encoding: 'network' }, ethereum: { encoding: 'ethereum' } } as const;

/** Values of each kind that no fixture has. */
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
  // The hash changes with every field, and would hide one that has no member of its own.
  const { hashForMergedMining: _, ...members } = blockView(fixtureBlock({ header }), options);
  return members;
}

function foreign(header: BlockHeader): unknown {
  const answer = Object(view(header, 'native')) as Readonly<Record<string, unknown>>;
  return readForeignHeader((name, codec) => codec.tolerate(answer[name]) ?? codec.blank);
}

/** The fields that a form does not have, each with the reason in the comment beside it. */
const NOT_THERE: Readonly<Record<string, readonly string[]>> = {
  // The list of uncles shows their number.
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

describe('each form of a header', () => {
  it.each(Object.entries(HEADER_FORMS))('%s shows every field', (form, write) => {
    const before = JSON.stringify(write(fixtureHeader()), plain);
    const forgotten = headerChanges().filter(({ header }) => JSON.stringify(write(header), plain) === before);
    expectShown(
      form,
      forgotten.map(({ name }) => name),
    );
  });

  it('has a schema, and quantities that are spelled anew, for what answers have', () => {
    const options = { full: false, isPending: false, fieldNames: 'service', rules: RULES.network } as const;
    const answer = blockView(fixtureBlock(), options);
    for (const name of Object.keys(HEADER_PROPERTIES)) expect(answer).toHaveProperty(name);
    for (const [name, kind] of Object.entries(HEADER_FIELDS)) {
      // The bloom is there too; the coinbase and the root of uncles have other names, the number of uncles none.
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
  answer: (receipt) => receiptView(locationWith(receipt), { namesFailedCreations: true }),
  dump: (receipt) => blockJson(blockWith(receipt)),
  'file of Anvil': (receipt) => anvilReceiptJson(locationWith(receipt)),
  record: (receipt) => toHex(encodeBlockRecord(blockWith(receipt))),
};

describe('each form of a receipt', () => {
  it.each(Object.entries(RECEIPT_FORMS))('%s shows every field', (form, write) => {
    const [receipt] = fixtureBlock().receipts;
    if (receipt === undefined) throw new RangeError('the block has no receipt');
    const before = JSON.stringify(write(receipt), plain);
    const forgotten = listFields(RECEIPT_FIELDS).filter(
      ({ name, kind }) => JSON.stringify(write({ ...receipt, [name]: OTHERS[kind] }), plain) === before,
    );
    // Anvil computes the price from the transaction and the block.
    expect(forgotten.map(({ name }) => name)).toEqual(form === 'file of Anvil' ? ['effectiveGasPrice'] : []);
  });

  it('has a schema for every member', () => {
    const [receipt] = fixtureBlock().receipts;
    if (receipt === undefined) throw new RangeError('the block has no receipt');
    const answer = receiptView(locationWith(receipt), { namesFailedCreations: false });
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

describe.each([0, 1, 2, 4] as const)('a transaction of type %i', (type) => {
  it.each(['network', 'ethereum'] as const)(
    'comes whole through an answer of a node with the form of %s',
    (form) => {
      const transaction = transactionOf(type);
      const answer: unknown = JSON.parse(JSON.stringify(transactionView(transaction, null, RULES[form])));
      expect(transactionOfUpstream(answer)).toEqual(transaction);
    },
  );

  it('comes whole through a file of Anvil, but for its sender', () => {
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
