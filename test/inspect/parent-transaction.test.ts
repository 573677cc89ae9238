import { payments, Transaction } from 'bitcoinjs-lib';
import { describe, expect, it } from 'vitest';
import { parentTransaction } from '../../src/inspect/parent-transaction-decoder.ts';
import { inputText, outputText, parentTransactionFacts } from '../../src/inspect/parent-transaction-text.ts';
import { fromHex, hexKey } from '../../src/primitives/hex.ts';
import { BITCOIN_NETWORKS } from '../../src/rootstock/bitcoin/address.ts';
import {
  hash160,
  opReturnScript,
  p2pkhScript,
  p2shScript,
  push,
  witnessScript,
} from '../../src/rootstock/bitcoin/script.ts';
import { bridgeConstants } from '../../src/rootstock/bridge/bridge-constants.ts';
import { flyoverDerivationHash, flyoverScriptHash } from '../../src/rootstock/peg/register-flyover.ts';
import { ABI, BRIDGE, publicKeyOfSeed } from '../rootstock/bridge/bridge-scene.ts';
import { createRpcHarness } from '../rpc/rpc-harness.ts';

const KEY = fromHex(publicKeyOfSeed('payer'));
const { federation } = bridgeConstants(33, 'legacy');
const FACTS = { network: BITCOIN_NETWORKS.regtest, federationScript: federation.outputScript };
const RECEIVER = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
const SPENT = new Uint8Array(32).fill(7);
const SIGNATURE = new Uint8Array(71).fill(0x30);

/** A peg-in of version 1, with a refund address. */
function pegin(): Transaction {
  const transaction = new Transaction();
  transaction.version = 2;
  transaction.addInput(SPENT, 1, undefined, new Uint8Array([...push(SIGNATURE), ...push(KEY)]));
  transaction.addOutput(federation.outputScript, 50_000_000n);
  const refund = `01${hexKey(hash160(KEY))}`;
  transaction.addOutput(opReturnScript(fromHex(`0x52534b5401${RECEIVER.slice(2)}${refund}`)), 0n);
  return transaction;
}

const decoded = (transaction: Transaction) => parentTransaction(transaction.toBuffer(), FACTS);

describe('the decoder of Bitcoin transactions', () => {
  it('decodes the sender, the output to the federation and the instructions of a peg-in', () => {
    const transaction = pegin();
    const sender = payments.p2pkh({ pubkey: KEY, network: { ...REGTEST } }).address;

    const facts = decoded(transaction);

    expect(facts).toEqual({
      id: transaction.getId(),
      inputs: [{ id: '07'.repeat(32), index: 1, address: sender }],
      outputs: [
        {
          satoshis: '50000000',
          address: federation.address,
          isToFederation: true,
          data: null,
          instructions: null,
        },
        {
          satoshis: '0',
          address: null,
          isToFederation: false,
          data: expect.stringMatching(/^0x52534b5401/),
          instructions: { version: 1, receiver: RECEIVER, refundAddress: sender },
        },
      ],
      omitted: 0,
    });
  });

  it('names the input of a coinbase transaction, which has no address', () => {
    const transaction = new Transaction();
    transaction.addInput(new Uint8Array(32), 0xffffffff, undefined, Uint8Array.of(1, 103, 0));
    transaction.addOutput(p2pkhScript(hash160(KEY)), 1n);

    const facts = decoded(transaction);

    expect(facts?.inputs).toEqual([{ id: '00'.repeat(32), index: 0xffffffff, address: null }]);
    expect(facts === null ? [] : parentTransactionFacts(facts)).toContainEqual(['Bitcoin input', 'coinbase']);
  });

  it.each([
    ['a witness of a key', [SIGNATURE, KEY], 'p2wpkh'],
    ['a witness script', [SIGNATURE, Uint8Array.of(0x51, 0x52)], 'p2wsh'],
    ['a key path of taproot', [new Uint8Array(64)], null],
  ])('derives the spent address from %s', (_name, witness, kind) => {
    const transaction = new Transaction();
    transaction.addInput(SPENT, 0);
    transaction.setWitness(0, witness);
    transaction.addOutput(p2pkhScript(hash160(KEY)), 1n);

    const address = decoded(transaction)?.inputs[0]?.address;

    if (kind === null) expect(address).toBeNull();
    else expect(address).toMatch(kind === 'p2wpkh' ? /^bcrt1q.{38}$/ : /^bcrt1q.{58}$/);
  });

  it.each([
    ['a witness program in the script', push(witnessScript(0, hash160(KEY))), /^2/],
    ['a redeem script', new Uint8Array([0, ...push(SIGNATURE), ...push(federation.redeemScript)]), /^2N5mu/],
    ['a signature without a key', push(SIGNATURE), null],
    ['an incomplete script', Uint8Array.of(0x4c, 0xff, 1), null],
  ])('derives the spent address from %s', (_name, script, address) => {
    const transaction = new Transaction();
    transaction.addInput(SPENT, 0, undefined, script);
    transaction.addOutput(p2pkhScript(hash160(KEY)), 1n);

    const input = decoded(transaction)?.inputs[0];

    if (address === null) expect(input?.address).toBeNull();
    else expect(input?.address).toMatch(address);
  });

  it.each([
    ['another prefix', '0x52534b53'],
    ['another version', `0x52534b5402${'00'.repeat(20)}`],
    ['an incomplete receiver', `0x52534b5401${'00'.repeat(19)}`],
    ['an unknown refund address', `0x52534b5401${'00'.repeat(20)}03${'00'.repeat(20)}`],
  ])('shows data without instructions for %s', (_name, data) => {
    const transaction = new Transaction();
    transaction.addInput(SPENT, 0);
    transaction.addOutput(opReturnScript(fromHex(data)), 0n);

    const output = decoded(transaction)?.outputs[0];

    expect(output).toMatchObject({ data, instructions: null });
  });

  it('returns null for bytes that are not a transaction', () => {
    expect(parentTransaction(new Uint8Array(3), FACTS)).toBeNull();
  });

  it('limits the inputs and outputs', () => {
    const transaction = new Transaction();
    for (let index = 0; index < 150; index++) transaction.addInput(SPENT, index);
    for (let index = 0; index < 101; index++) transaction.addOutput(p2pkhScript(hash160(KEY)), 1n);

    const facts = decoded(transaction);

    expect(facts?.inputs).toHaveLength(40);
    expect(facts?.outputs).toHaveLength(40);
    expect(facts?.omitted).toBe(171);
  });
});

describe('the text of a Bitcoin transaction', () => {
  it('shows amounts in coins, the federation and the instructions', () => {
    const facts = decoded(pegin());

    const lines = facts === null ? [] : parentTransactionFacts(facts);

    expect(lines.map(([name, text]) => `${name}: ${text}`)).toEqual([
      `Bitcoin transaction: ${pegin().getId()}`,
      expect.stringMatching(/^Bitcoin input: (?:07){32}:1 of m/),
      `Bitcoin output: 0.5 BTC to ${federation.address} (federation)`,
      expect.stringMatching(
        /^Bitcoin output: peg-in instructions of version 1: coins to 0x7099\w+, refunds to m\w+$/,
      ),
    ]);
  });

  it.each([
    ['1', '0.00000001 BTC'],
    ['100000000', '1 BTC'],
    ['-1', '-0.00000001 BTC'],
    ['2100000000000000', '21000000 BTC'],
  ])('shows %s satoshi as %s', (satoshis, amount) => {
    const output = { satoshis, address: 'm', isToFederation: false, data: null, instructions: null };

    expect(outputText(output)).toBe(`${amount} to m`);
    expect(inputText({ id: 'ab', index: 2, address: null })).toBe('ab:2');
  });
});

it('inspect_call decodes the transaction of registerBtcTransaction', async () => {
  const rpc = await createRpcHarness({}, { predeploys: true });
  const data = ABI.encodeFunctionData('registerBtcTransaction', [pegin().toBuffer(), 7, new Uint8Array(40)]);

  const { call } = (await rpc.call('inspect_call', [{ to: `0x${hexKey(BRIDGE)}`, data }])) as {
    readonly call: object;
  };

  expect(call).toMatchObject({
    call: { name: 'registerBtcTransaction' },
    parentTransaction: { id: pegin().getId(), outputs: [{ isToFederation: true }, {}] },
  });
});

it('inspect_call marks the output of a Flyover agreement as an output to the federation', async () => {
  const rpc = await createRpcHarness({}, { predeploys: true });
  const agreement = new Uint8Array(32).fill(5);
  const address = new Uint8Array([0x6f, ...hash160(KEY)]);
  const contract = fromHex(RECEIVER);
  const hash = flyoverDerivationHash({
    agreement,
    refundAddress: address,
    contract,
    providerAddress: address,
  });
  const transaction = new Transaction();
  transaction.addInput(SPENT, 0);
  transaction.addOutput(p2shScript(flyoverScriptHash(hash, federation)), 7n);
  const values = [transaction.toBuffer(), 0, '0x', agreement, address, RECEIVER, address, false];
  const data = ABI.encodeFunctionData('registerFastBridgeBtcTransaction', values);

  const { call } = (await rpc.call('inspect_call', [{ to: `0x${hexKey(BRIDGE)}`, data }])) as {
    readonly call: object;
  };

  expect(call).toMatchObject({ parentTransaction: { outputs: [{ satoshis: '7', isToFederation: true }] } });
});

const REGTEST = {
  messagePrefix: '',
  bech32: 'bcrt',
  bip32: { public: 0, private: 0 },
  pubKeyHash: 0x6f,
  scriptHash: 0xc4,
  wif: 0xef,
};
