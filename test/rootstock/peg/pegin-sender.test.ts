import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../../src/primitives/hex.ts';
import { parentChainAddress } from '../../../src/rootstock/bitcoin/address.ts';
import { opReturnScript } from '../../../src/rootstock/bitcoin/script.ts';
import { parseTransaction } from '../../../src/rootstock/bitcoin/transaction.ts';
import { peginInstructionsOf } from '../../../src/rootstock/peg/pegin-instructions.ts';
import { senderOf } from '../../../src/rootstock/peg/pegin-sender.ts';
import {
  accountOf,
  customInstructions,
  INPUTS,
  instructions,
  key,
  STRANGER,
  type TestInput,
  type TestOutput,
  transactionOf,
} from './bitcoin-builder.ts';
import { RAW_TRANSACTIONS } from './raw-transactions.ts';

/** The transactions of rskj's tests of senders, with the sender that they expect. */
const KNOWN: readonly (readonly [
  name: string,
  raw: string,
  kind: string,
  address: string,
  publicKey: string | null,
])[] = [
  [
    'gets_p2pkh_lock_sender_from_raw_tx',
    RAW_TRANSACTIONS.p2pkh,
    'p2pkh',
    'mxau4qKjj531q6zQ9pKHMSxr4KS3ifNRQJ',
    '0x03efa4762ccc1358b72f597d002b7fd1cd58cd05db34fe9fa63e43634acf200927',
  ],
  [
    'gets_valid_sender_from_p2pkh_btc_transaction',
    RAW_TRANSACTIONS.p2pkhWithTwoInputs,
    'p2pkh',
    'mpgJ8n2NUf23NHcJs59LgEqQ4yCv7MYGU6',
    '0x027bb07922f9266efc9eb650d94133b995bfcfa80d49011d52807c81ab700247ac',
  ],
  [
    'gets_p2sh_p2wpkh_btc_lock_sender_from_raw_transaction',
    RAW_TRANSACTIONS.p2shP2wpkh,
    'p2sh-p2wpkh',
    '2NBdCxoCY6wx1NHpwGWfJThHk9K2tVdNx1A',
    '0x02adeef95a8ffc5d1c4b1a480fd6d68e8b6cf14a65c903b147922150fbfbad91bc',
  ],
  [
    'gets_valid_sender_from_p2sh_p2wpkh_btc_transaction',
    RAW_TRANSACTIONS.p2shP2wpkhOther,
    'p2sh-p2wpkh',
    '2NAhf36HTnrkKAx6RddHAdgJwPsqEgngUwe',
    '0x02e87cd90f3cb0d64eeba797fbb8f8ceaadc09e0128afbaefb0ee9535875ea3954',
  ],
  [
    'gets_p2sh_multisig_btc_lock_sender_from_raw_transaction',
    RAW_TRANSACTIONS.p2shMultisig,
    'p2sh-multisig',
    '2NCSzuju8gU5Ly5Fp9q9SZwt34dhUVEb3ZJ',
    null,
  ],
  [
    'gets_p2sh_p2wsh_btc_lock_sender_from_raw_transaction',
    RAW_TRANSACTIONS.p2shP2wsh,
    'p2sh-p2wsh',
    '2MuSnTWG8zPsiGBjPCcbQVd17Ux2PVd5kGa',
    null,
  ],
];

/** Inputs without a sender, by the names of rskj's tests. */
const UNKNOWN: readonly (readonly [name: string, inputs: readonly TestInput[]])[] = [
  ['doesnt_parse_if_tx_doesnt_have_inputs', []],
  ['doesnt_parse_if_tx_scriptsig_doesnt_have_two_chunks', [{ script: fromHex('0x00') }]],
  ['doesnt_parse_if_tx_doesnt_have_scriptsig', [INPUTS.empty()]],
  [
    'doesnt_parse_if_transaction_witness_doesnt_have_two_pushes',
    [{ script: fromHex('0x'), witness: [fromHex('0x')] }],
  ],
  [
    'doesnt_parse_if_transaction_witness_doesnt_have_at_least_three_pushes',
    [{ script: fromHex('0x0105'), witness: [fromHex('0x')] }],
  ],
  ['a hash of a key in a witness address', [INPUTS.p2wpkh()]],
  [
    'a key that is not on the curve',
    [{ script: fromHex(`0x010521${'02'.repeat(33)}`.replace(/02$/, '07')) }],
  ],
];

describe('senderOf', () => {
  it.each(KNOWN)('finds the sender as rskj: %s', (_, raw, kind, address, publicKey) => {
    const sender = senderOf(parseTransaction(fromHex(raw)));
    expect(sender?.kind).toBe(kind);
    expect(sender && parentChainAddress(sender.address.kind, sender.address.hash)).toBe(address);
    const account = publicKey === null ? null : accountOf(fromHex(publicKey));
    expect(sender?.account).toEqual(account);
  });

  it('finds no sender in get_sender_from_bech32_btc_transaction', () => {
    expect(senderOf(parseTransaction(fromHex(RAW_TRANSACTIONS.p2wpkh)))).toBeNull();
  });

  it.each(UNKNOWN)('finds no sender: %s', (_, inputs) => {
    expect(senderOf(transactionOf(inputs, []))).toBeNull();
  });

  it('derives the address from the encoding of the key', () => {
    const uncompressed = fromHex(
      '0x0479be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798' +
        '483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8',
    );
    const sender = senderOf(transactionOf([INPUTS.p2pkh(uncompressed)], []));
    // The address and the account of the private key 1.
    expect(sender && parentChainAddress('key', sender.address.hash)).toBe(
      'mtoKs9V381UAhUia3d7Vb9GNak8Qvmcsme',
    );
    expect(sender?.account && toHex(sender.account)).toBe('0x7e5f4552091a69125d5dfcb7b8c2659029395bdf');
    expect(senderOf(transactionOf([INPUTS.p2shP2wpkh(uncompressed)], []))).toBeNull();
  });

  it.each([
    ['a truncated script', { script: fromHex('0x0501') }],
    [
      'a witness with an invalid key',
      { script: fromHex('0x0105'), witness: [fromHex('0x'), fromHex('0x02')] },
    ],
    ['a multisig input without a script', { script: fromHex('0x000051') }],
    ['a multisig input with a truncated script', { script: fromHex('0x0000020501') }],
  ])('throws like rskj for %s', (_, input) => {
    expect(() => senderOf(transactionOf([input], []))).toThrow(
      expect.objectContaining({ name: 'BitcoinFormatError' }),
    );
  });
});

const RECEIVER = accountOf(key('receiver'));
const HASH = new Uint8Array(20).fill(7);
const plain = (text: string): TestOutput => ({
  script: opReturnScript(new TextEncoder().encode(text)),
  value: 0n,
});
const withoutRefund = { receiver: RECEIVER, refundAddress: null };

/** Outputs and the instructions in them, by the names of rskj's tests. */
const OUTPUTS: readonly (readonly [name: string, outputs: readonly TestOutput[], expected: unknown])[] = [
  ['extractOpReturnData_noOpReturn', [{ script: STRANGER.p2pkh, value: 1n }], null],
  ['extractOpReturnData_noOpReturnForRsk', [plain('some-payload')], null],
  ['extractOpReturnData_opReturnWithDataLengthShorterThanExpected', [plain('1')], null],
  ['extractOpReturnData_nullOpReturnData', [{ script: fromHex('0x6a'), value: 0n }], null],
  [
    'extractOpReturnData_twoOpReturnOutputsForRsk',
    [instructions(RECEIVER), instructions(RECEIVER)],
    'invalid',
  ],
  ['extractOpReturnData_oneOpReturnForRsk', [instructions(RECEIVER)], withoutRefund],
  [
    'extractOpReturnData_oneOpReturnForRskWithValue',
    [{ ...instructions(RECEIVER), value: 5_000_000_000n }],
    withoutRefund,
  ],
  [
    'extractOpReturnData_multipleOpReturnOutpust_oneForRsk',
    [plain('1'), instructions(RECEIVER), plain('some-payload'), plain('another-output')],
    withoutRefund,
  ],
  ['buildPeginInstructions_invalidProtocolVersion', [instructions(RECEIVER, { version: 0 })], 'invalid'],
  [
    'buildPeginInstructions_v1_dataLengthSmallerThanExpected',
    [customInstructions(1, new Uint8Array(5))],
    'invalid',
  ],
  [
    'buildPeginInstructions_v1_dataLengthDifferentThanSupported',
    [customInstructions(1, new Uint8Array(30))],
    'invalid',
  ],
  ['validateDataLength_invalidLength', [customInstructions(1, new Uint8Array(45))], 'invalid'],
  [
    'parseAdditionalData_p2pkhTypeAddress',
    [instructions(RECEIVER, { refund: { kind: 'key', hash: HASH } })],
    { receiver: RECEIVER, refundAddress: { kind: 'key', hash: HASH } },
  ],
  [
    'parseAdditionalData_p2shMultisigAddress',
    [instructions(RECEIVER, { refund: { kind: 'script', hash: HASH } })],
    { receiver: RECEIVER, refundAddress: { kind: 'script', hash: HASH } },
  ],
  [
    'parseAdditionalData_invalidAddressType',
    [customInstructions(1, Uint8Array.of(...RECEIVER, 9, ...HASH))],
    'invalid',
  ],
  ['a prefix without a version', [plain('RSKT')], 'invalid'],
  [
    'another output with a truncated script',
    [instructions(RECEIVER), { script: fromHex('0x0501'), value: 0n }],
    'invalid',
  ],
];

describe('peginInstructionsOf', () => {
  it.each(OUTPUTS)('reads the outputs as rskj: %s', (_, outputs, expected) => {
    expect(peginInstructionsOf(transactionOf([], outputs))).toEqual(expected);
  });

  it('finds no instructions in buildPeginInstructions_bech32', () => {
    expect(peginInstructionsOf(parseTransaction(fromHex(RAW_TRANSACTIONS.p2wpkh)))).toBeNull();
  });
});
