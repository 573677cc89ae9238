import { describe, expect, it } from 'vitest';
import { fromHex } from '../../../src/primitives/hex.ts';
import type { FederationFormat } from '../../../src/protocol/hardforks/rootstock.ts';
import { outputScriptOf, p2shScript } from '../../../src/rootstock/bitcoin/script.ts';
import { parseTransaction } from '../../../src/rootstock/bitcoin/transaction.ts';
import { bridgeConstants } from '../../../src/rootstock/bridge/bridge-constants.ts';
import type { Federation } from '../../../src/rootstock/bridge/federation.ts';
import { evaluatePegin } from '../../../src/rootstock/peg/evaluate-pegin.ts';
import { pegoutIndexHash } from '../../../src/rootstock/peg/pegout-index.ts';
import { flyoverRedeemScript } from '../../../src/rootstock/peg/spendable-utxos.ts';
import { type PegTransactionType, pegTransactionType } from '../../../src/rootstock/peg/transaction-type.ts';
import {
  customInstructions,
  INPUTS,
  instructions,
  STRANGER,
  STRANGERS,
  type TestInput,
  type TestOutput,
  transactionOf,
} from './bitcoin-builder.ts';
import { RAW_TRANSACTIONS } from './raw-transactions.ts';

const COIN = 100_000_000n;
const MINIMUM = 500_000n;
const FORMATS: readonly FederationFormat[] = ['legacy', 'p2wsh'];
const DERIVATION = new Uint8Array(32).fill(8);

const to = (script: Uint8Array, ...values: bigint[]): TestOutput[] =>
  values.map((value) => ({ script, value }));
const spend = ({ formatVersion }: Federation, redeemScript: Uint8Array): TestInput =>
  formatVersion === 4000 ? INPUTS.emergencyWitness(redeemScript) : INPUTS.multisig(redeemScript);
const own = (federation: Federation): TestInput => spend(federation, federation.redeemScript);
const flyover = (federation: Federation): TestInput =>
  spend(federation, flyoverRedeemScript(DERIVATION, federation.redeemScript));
const fedOutput = ({ outputScript }: Federation, ...values: bigint[]) => to(outputScript, ...values);

interface TypeCase {
  readonly name: string;
  readonly inputs: (federation: Federation) => readonly TestInput[];
  readonly outputs: (federation: Federation) => readonly TestOutput[];
  /** The type by the scripts, by the index without the transaction, and by the index with it. */
  readonly types: readonly [PegTransactionType, PegTransactionType, PegTransactionType?];
}

/** The cases of rskj's tests, by the names of the tests. */
const CASES: readonly TypeCase[] = [
  {
    name: 'test_tx_sending_funds_to_unknown_address',
    inputs: () => [INPUTS.p2pkh()],
    outputs: () => to(STRANGER.p2pkh, MINIMUM),
    types: ['pegin', 'unknown'],
  },
  {
    name: 'pegin_v1_active_fed',
    inputs: () => [INPUTS.p2pkh()],
    outputs: (federation) => [...fedOutput(federation, COIN), instructions(new Uint8Array(20))],
    types: ['pegin', 'pegin'],
  },
  {
    name: 'multisig_signed_pegin_active_fed',
    inputs: () => [INPUTS.multisig(STRANGERS)],
    outputs: (federation) => fedOutput(federation, COIN),
    types: ['pegin', 'pegin'],
  },
  {
    name: 'pegin_active_fed_with_bech32_output',
    inputs: () => [INPUTS.p2pkh()],
    outputs: (federation) => [...fedOutput(federation, COIN), ...to(STRANGER.p2wpkh, COIN)],
    types: ['pegin', 'pegin'],
  },
  {
    name: 'pegin_active_fed',
    inputs: () => [INPUTS.p2pkh()],
    outputs: (federation) => fedOutput(federation, COIN),
    types: ['pegin', 'pegin'],
  },
  {
    name: 'pegin_output_to_active_fed_and_other_addresses',
    inputs: () => [INPUTS.p2pkh()],
    outputs: (federation) => [...fedOutput(federation, COIN), ...to(STRANGER.p2pkh, COIN, COIN)],
    types: ['pegin', 'pegin'],
  },
  {
    name: 'pegin_multiple_outputs_to_active_fed',
    inputs: () => [INPUTS.p2pkh()],
    outputs: (federation) => fedOutput(federation, COIN, COIN, COIN),
    types: ['pegin', 'pegin'],
  },
  {
    name: 'pegin_multiple_outputs_to_active_fed_sum_amount_equal_to_minimum_pegin',
    inputs: () => [INPUTS.p2pkh()],
    outputs: (federation) => fedOutput(federation, MINIMUM / 2n, MINIMUM / 2n),
    types: ['unknown', 'pegin'],
  },
  {
    name: 'sending_funds_below_minimum_active_fed',
    inputs: () => [INPUTS.p2pkh()],
    outputs: (federation) => fedOutput(federation, MINIMUM - 1n),
    types: ['unknown', 'pegin'],
  },
  {
    name: 'sending_funds_below_and_above_minimum_active_fed',
    inputs: () => [INPUTS.p2pkh()],
    outputs: (federation) => fedOutput(federation, MINIMUM - 1n, MINIMUM + 1n),
    types: ['unknown', 'pegin'],
  },
  {
    name: 'sending_funds_equal_to_minimum_active_fed',
    inputs: () => [INPUTS.p2pkh()],
    outputs: (federation) => fedOutput(federation, MINIMUM),
    types: ['pegin', 'pegin'],
  },
  {
    name: 'sending_funds_above_minimum_active_fed',
    inputs: () => [INPUTS.p2pkh()],
    outputs: (federation) => fedOutput(federation, MINIMUM + 1n),
    types: ['pegin', 'pegin'],
  },
  {
    name: 'pegout_no_change_output',
    inputs: (federation) => [own(federation)],
    outputs: () => to(STRANGER.p2pkh, COIN),
    types: ['pegout', 'unknown', 'pegout'],
  },
  {
    name: 'many_outputs_and_inputs_pegout',
    inputs: (federation) => [own(federation), own(federation), own(federation)],
    outputs: (federation) => [...to(STRANGER.p2pkh, COIN, COIN), ...fedOutput(federation, COIN)],
    types: ['pegout', 'pegin', 'pegout'],
  },
  {
    name: 'many_outputs_and_one_input_pegout',
    inputs: (federation) => [own(federation)],
    outputs: (federation) => [...to(STRANGER.p2pkh, COIN, COIN), ...fedOutput(federation, COIN)],
    types: ['pegout', 'pegin', 'pegout'],
  },
  {
    name: 'one_outputs_and_many_input_pegout',
    inputs: (federation) => [own(federation), own(federation)],
    outputs: () => to(STRANGER.p2pkh, COIN),
    types: ['pegout', 'unknown', 'pegout'],
  },
  {
    name: 'migration, within the active federation',
    inputs: (federation) => [own(federation)],
    outputs: (federation) => fedOutput(federation, COIN),
    types: ['pegout', 'pegin', 'pegout'],
  },
  {
    name: 'flyover_pegin',
    inputs: () => [INPUTS.p2pkh()],
    outputs: () => to(STRANGER.p2sh, COIN),
    types: ['pegin', 'unknown'],
  },
  {
    name: 'flyover_segwit_pegin',
    inputs: () => [INPUTS.p2shP2wpkh()],
    outputs: () => to(STRANGER.p2sh, COIN),
    types: ['pegin', 'unknown'],
  },
  {
    name: 'flyover_segwit_migration, within the active federation',
    inputs: (federation) => [flyover(federation)],
    outputs: (federation) => fedOutput(federation, COIN),
    types: ['pegout', 'pegin', 'pegout'],
  },
  {
    name: 'flyover_segwit_with_other_inputs_migration, within the active federation',
    inputs: (federation) => [flyover(federation), own(federation)],
    outputs: (federation) => fedOutput(federation, COIN),
    types: ['pegout', 'pegin', 'pegout'],
  },
  {
    name: 'flyover_segwit_with_many_inputs_and_outputs_migration, within the active federation',
    inputs: (federation) => [flyover(federation), own(federation), own(federation)],
    outputs: (federation) => fedOutput(federation, COIN, COIN, COIN),
    types: ['pegout', 'pegin', 'pegout'],
  },
  {
    name: 'an input of the federation after the input of a stranger',
    inputs: (federation) => [INPUTS.p2pkh(), own(federation)],
    outputs: (federation) => fedOutput(federation, COIN),
    types: ['pegout', 'pegin'],
  },
];

describe.each(FORMATS)('pegTransactionType with a federation of the format %s', (format) => {
  const constants = bridgeConstants(33, format);
  const { federation } = constants;
  const typeOf = (
    input: readonly TestInput[],
    output: readonly TestOutput[],
    height: number,
    isPegout: boolean,
  ) =>
    pegTransactionType(transactionOf(input, output), height, {
      constants,
      pegs: { isPegout: () => isPegout },
    });

  it.each(CASES)(
    'returns the type of rskj: $name',
    ({ inputs, outputs, types: [byScripts, byIndex, indexed] }) => {
      const [input, output] = [inputs(federation), outputs(federation)];
      expect(typeOf(input, output, 349, false)).toBe(byScripts);
      expect(typeOf(input, output, 350, false)).toBe(byIndex);
      if (indexed !== undefined) expect(typeOf(input, output, 350, true)).toBe(indexed);
    },
  );

  it('identifies only transactions of multisig addresses', () => {
    const hash = (...inputs: TestInput[]) => pegoutIndexHash(transactionOf(inputs, []));
    expect(hash()).toBeNull();
    expect(hash(INPUTS.p2pkh())).toBeNull();
    expect(hash(INPUTS.p2pkh(), own(federation))).toBeNull();
    expect(hash(own(federation), INPUTS.p2pkh())).toBeNull();
    expect(hash(INPUTS.multisig())).not.toBeNull();
    // Two billion required signatures of one key.
    const endless = fromHex('0x04ffffff7f010251ae');
    expect(hash(INPUTS.witnessMultisig(endless))).toBeNull();
  });

  it('identifies a pegout by the same hash before and after its signatures', () => {
    const outputs = to(STRANGER.p2pkh, COIN);
    const signed = transactionOf([own(federation)], outputs);
    const unsigned = transactionOf([own(federation)], outputs);
    const [input] = unsigned.ins;
    if (input === undefined) throw new Error('the input is missing');
    const empty = new Uint8Array();
    input.witness = input.witness.map((item, index, all) => (index === all.length - 1 ? item : empty));
    expect(pegoutIndexHash(unsigned)).toEqual(pegoutIndexHash(signed));
    signed.locktime = 1;
    expect(pegoutIndexHash(unsigned)).not.toEqual(pegoutIndexHash(signed));
  });
});

describe('evaluatePegin', () => {
  const { federation, minimumPegin } = bridgeConstants(33, 'legacy');
  const evaluate = (input: TestInput, ...outputs: TestOutput[]) =>
    evaluatePegin(transactionOf([input], [...fedOutput(federation, MINIMUM), ...outputs]), {
      federation,
      minimumPegin,
    });

  it.each([
    ['P2PKH', INPUTS.p2pkh(), { action: 'register', version: 0 }],
    ['P2SHP2WPKH', INPUTS.p2shP2wpkh(), { action: 'register', version: 0 }],
    ['P2SHMULTISIG', INPUTS.multisig(), { action: 'refund', rejection: 2n }],
    ['P2SHP2WSH', INPUTS.witnessMultisig(), { action: 'refund', rejection: 2n }],
    ['UNKNOWN', INPUTS.empty(), { action: 'keep', rejection: 3n, unrefundable: 1n }],
  ])('decides about a sender as rskj: %s', (_, input, expected) => {
    expect(evaluate(input)).toMatchObject(expected);
  });

  it('refunds a malformed pegin of testnet (registerBtcTx_testnetRealPeginV1)', () => {
    const transaction = parseTransaction(fromHex(RAW_TRANSACTIONS.malformedPegin));
    const outputScript = transaction.outs[2]?.script ?? new Uint8Array();
    const verdict = evaluatePegin(transaction, { federation: { ...federation, outputScript }, minimumPegin });
    expect(verdict).toMatchObject({ action: 'refund', rejection: 4n });
    const address = verdict.action === 'refund' ? verdict.refundAddress : undefined;
    // The transaction returns its change to the sender.
    const change = outputScriptOf(transaction.outs[1]?.script ?? new Uint8Array());
    expect(address).toEqual(change?.kind === 'p2pkh' ? { kind: 'key', hash: change.hash } : null);
  });

  it('uses the refund address of the instructions only if the pegin is not registered', () => {
    const refund = { kind: 'script', hash: new Uint8Array(20).fill(5) } as const;
    const receiver = new Uint8Array(20).fill(6);
    expect(evaluate(INPUTS.multisig(), instructions(receiver, { refund }))).toEqual({
      action: 'register',
      receiver,
      version: 1,
    });
  });

  it.each([
    ['to a witness address', STRANGER.p2wpkh],
    ['with data', fromHex('0x6a0102')],
  ])('throws like rskj for a multisig sender and an output %s', (_, script) => {
    expect(outputScriptOf(script)?.kind === 'p2sh').toBe(false);
    expect(() => evaluate(INPUTS.multisig(), { script, value: 0n })).toThrow('no hash of a key or script');
    expect(evaluate(INPUTS.multisig(), customInstructions(1, new Uint8Array()))).toMatchObject({
      rejection: 4n,
    });
    expect(evaluate(INPUTS.multisig(), ...to(p2shScript(DERIVATION.slice(12)), 1n))).toMatchObject({
      rejection: 2n,
    });
  });
});
