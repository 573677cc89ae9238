import type { Transaction } from 'bitcoinjs-lib';
import { getAddress } from 'ethers';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/primitives/hex.ts';
import type { FederationFormat } from '../../../src/protocol/hardforks/rootstock.ts';
import { hash160, p2pkhScript, p2shP2wshScript, p2shScript } from '../../../src/rootstock/bitcoin/script.ts';
import { transactionId } from '../../../src/rootstock/bitcoin/transaction.ts';
import type { Federation } from '../../../src/rootstock/bridge/federation.ts';
import { pegoutIndexHash } from '../../../src/rootstock/peg/pegout-index.ts';
import { registerCoinbase } from '../../../src/rootstock/peg/register-coinbase.ts';
import { flyoverScriptHash } from '../../../src/rootstock/peg/register-flyover.ts';
import { registerTransaction } from '../../../src/rootstock/peg/register-transaction.ts';
import {
  accountOf,
  customInstructions,
  INPUTS,
  instructions,
  key,
  STRANGER,
  STRANGERS,
  type TestInput,
  type TestOutput,
  transactionOf,
} from './bitcoin-builder.ts';
import { BLOCK_NUMBER, COIN, MemoryBridge, TRANSACTION_HASH, WEI } from './memory-bridge.ts';

const MINIMUM = 500_000n;
const BELOW = MINIMUM - 1n;
/** Below the first height, the scripts of the inputs identify pegouts. From the second on, an index does. */
const HEIGHTS = [1, 350] as const;
const FORMATS: readonly FederationFormat[] = ['legacy', 'p2wsh'];
const RECEIVER = new Uint8Array(20).fill(0xab);

type Outcome =
  | { readonly kind: 'registered'; version: 0 | 1; satoshi: bigint; coins: number; receiver?: Uint8Array }
  | {
      readonly kind: 'refunded';
      reason: bigint;
      satoshi: bigint;
      script: Uint8Array;
      /** The refund in satoshi, by the format of the federation. */
      refund: Record<FederationFormat, bigint>;
    }
  | { readonly kind: 'kept'; reason: bigint; unrefundable: bigint }
  | { readonly kind: 'pegout'; coins: number }
  | { readonly kind: 'ignored' };

interface PegCase {
  readonly name: string;
  readonly inputs: (federation: Federation) => readonly TestInput[];
  readonly outputs: (federation: Federation) => readonly TestOutput[];
  /** The outcomes at both heights. */
  readonly outcomes: readonly [Outcome, Outcome];
  /** True if the Bridge created the transaction. */
  readonly isIndexed?: boolean;
}

const IGNORED: Outcome = { kind: 'ignored' };
const NO_AMOUNT: Outcome = { kind: 'kept', reason: 5n, unrefundable: 3n };
const registered = (satoshi: bigint, coins = 1, version: 0 | 1 = 0, receiver?: Uint8Array): Outcome => ({
  kind: 'registered',
  version,
  satoshi,
  coins,
  ...(receiver && { receiver }),
});
const both = (outcome: Outcome): readonly [Outcome, Outcome] => [outcome, outcome];
const to = (script: Uint8Array, ...values: bigint[]): TestOutput[] =>
  values.map((value) => ({ script, value }));
const times = (count: number, value: bigint): bigint[] => Array.from({ length: count }, () => value);

const SENDER_SCRIPT = p2pkhScript(hash160(key('sender')));
/** One coin minus the fee of one input: 340 bytes, or 221 virtual bytes, at 100 satoshi per byte. */
const TO_KEY = { legacy: COIN - 34_000n, p2wsh: COIN - 22_100n };
/** The output to a script is two bytes shorter. */
const TO_SCRIPT = { legacy: COIN - 33_800n, p2wsh: COIN - 21_900n };

const sender = () => [INPUTS.p2pkh()];
const spending = (federation: Federation, count = 1): TestInput[] =>
  Array.from({ length: count }, (_, index) => ({
    ...(federation.formatVersion === 4000
      ? INPUTS.emergencyWitness(federation.redeemScript)
      : INPUTS.multisig(federation.redeemScript)),
    from: index + 1,
  }));

/** The cases of rskj's tests, by the names of the tests. */
const CASES: readonly PegCase[] = [
  ...[MINIMUM, BELOW].flatMap((value): PegCase[] => [
    {
      name: `registering_btc_transaction_sending_funds_to_unknown_address, ${value} satoshi`,
      inputs: sender,
      outputs: () => to(STRANGER.p2pkh, value),
      outcomes: [NO_AMOUNT, IGNORED],
    },
    {
      name: `registering_btc_v1_transaction_sending_funds_to_unknown_address, ${value} satoshi`,
      inputs: sender,
      outputs: () => [...to(STRANGER.p2pkh, value), instructions(RECEIVER)],
      outcomes: [NO_AMOUNT, IGNORED],
    },
    {
      name: `registering_btc_transaction_many_outputs_to_unknown_addresses, ${value} satoshi`,
      inputs: sender,
      outputs: () => to(STRANGER.p2pkh, ...times(11, value)),
      outcomes: [NO_AMOUNT, IGNORED],
    },
  ]),
  {
    name: 'pegin_legacy_to_active_fed',
    inputs: sender,
    outputs: ({ outputScript }) => to(outputScript, COIN),
    outcomes: both(registered(COIN)),
  },
  {
    name: 'pegin_multiple_outputs_to_active_fed',
    inputs: sender,
    outputs: ({ outputScript }) => to(outputScript, ...times(10, MINIMUM)),
    outcomes: both(registered(10n * MINIMUM, 10)),
  },
  {
    name: 'pegin_to_active_fed_with_bech32_output',
    inputs: sender,
    outputs: ({ outputScript }) => [...to(outputScript, COIN), ...to(STRANGER.p2wpkh, COIN)],
    outcomes: both(registered(COIN)),
  },
  {
    name: 'pegin_to_active_fed_equal_to_minimum_with_other_random_outputs_below_minimum',
    inputs: sender,
    outputs: ({ outputScript }) => [
      ...to(outputScript, MINIMUM),
      ...to(STRANGER.p2wpkh, BELOW),
      ...to(STRANGER.p2pkh, BELOW),
    ],
    outcomes: both(registered(MINIMUM)),
  },
  {
    name: 'pegin_to_active_fed_below_minimum',
    inputs: sender,
    outputs: ({ outputScript }) => to(outputScript, BELOW),
    outcomes: [IGNORED, NO_AMOUNT],
  },
  {
    name: 'pegin_to_active_fed_below_and_above_minimum',
    inputs: sender,
    outputs: ({ outputScript }) => to(outputScript, MINIMUM, BELOW),
    outcomes: [IGNORED, NO_AMOUNT],
  },
  {
    name: 'pegin_multiple_outputs_to_active_fed_sum_amount_equal_to_minimum_pegin',
    inputs: sender,
    outputs: ({ outputScript }) => to(outputScript, ...times(10, MINIMUM / 10n)),
    outcomes: [IGNORED, NO_AMOUNT],
  },
  {
    name: 'pegin_v1_to_retiring_fed_can_be_registered, to the active federation',
    inputs: sender,
    outputs: ({ outputScript }) => [...to(outputScript, COIN), instructions(RECEIVER)],
    outcomes: both(registered(COIN, 1, 1, RECEIVER)),
  },
  {
    name: 'pegin_v1_two_rsk_op_return_cannot_be_registered',
    inputs: sender,
    outputs: ({ outputScript }) => [
      ...to(outputScript, COIN),
      instructions(RECEIVER),
      instructions(RECEIVER),
    ],
    outcomes: both({ kind: 'refunded', reason: 4n, satoshi: COIN, script: SENDER_SCRIPT, refund: TO_KEY }),
  },
  {
    name: 'pegin_v1_invalid_protocol_legacy_sender_to_active_fed_',
    inputs: sender,
    outputs: ({ outputScript }) => [...to(outputScript, COIN), instructions(RECEIVER, { version: 2 })],
    outcomes: both({ kind: 'refunded', reason: 4n, satoshi: COIN, script: SENDER_SCRIPT, refund: TO_KEY }),
  },
  {
    name: 'pegin_v1_invalid_prefix_to_active_fed_can_be_registered',
    inputs: sender,
    outputs: ({ outputScript }) => [...to(outputScript, COIN), customInstructions(1, RECEIVER, 'RSKP')],
    outcomes: both(registered(COIN)),
  },
  {
    name: 'pegin_v1_segwit_to_retiring_fed_can_be_registered, to the active federation',
    inputs: () => [{ ...INPUTS.p2pkh(), witness: [Uint8Array.of(1)] }],
    outputs: ({ outputScript }) => [...to(outputScript, COIN), instructions(RECEIVER)],
    outcomes: both(registered(COIN, 1, 1, RECEIVER)),
  },
  {
    name: 'pegin_v1_to_active_fed_with_invalid_payload_and_unknown_sender_cannot_be_processed',
    inputs: () => [INPUTS.empty()],
    outputs: ({ outputScript }) => [...to(outputScript, COIN), customInstructions(1, new Uint8Array())],
    outcomes: both({ kind: 'kept', reason: 4n, unrefundable: 1n }),
  },
  {
    name: 'pegin_from_multisig_to_retiring_fed_can_be_refunded, to the active federation',
    inputs: () => [INPUTS.multisig()],
    outputs: ({ outputScript }) => to(outputScript, COIN),
    outcomes: both({
      kind: 'refunded',
      reason: 2n,
      satoshi: COIN,
      script: p2shScript(hash160(STRANGERS)),
      refund: TO_SCRIPT,
    }),
  },
  {
    name: 'registerBtcTransaction_legacyPeginP2SHP2WSHMultisigSender, to the active federation',
    inputs: () => [INPUTS.witnessMultisig()],
    outputs: ({ outputScript }) => [...to(outputScript, COIN), ...to(STRANGER.p2pkh, COIN / 6n)],
    outcomes: both({
      kind: 'refunded',
      reason: 2n,
      satoshi: COIN,
      script: p2shP2wshScript(STRANGERS),
      refund: TO_SCRIPT,
    }),
  },
  {
    name: 'registerBtcTransaction_legacyPeginP2SHMultisigSender_twoOutputs, to the active federation',
    inputs: () => [INPUTS.multisig()],
    outputs: ({ outputScript }) => to(outputScript, COIN / 2n, COIN / 2n),
    outcomes: both({
      kind: 'refunded',
      reason: 2n,
      satoshi: COIN,
      script: p2shScript(hash160(STRANGERS)),
      // 634 bytes, and 397 virtual bytes.
      refund: { legacy: COIN - 63_400n, p2wsh: COIN - 39_700n },
    }),
  },
  {
    name: 'pegin_to_retiring_fed_cannot_be_processed, of an unknown sender to the active federation',
    inputs: () => [INPUTS.empty()],
    outputs: ({ outputScript }) => to(outputScript, COIN),
    outcomes: both({ kind: 'kept', reason: 3n, unrefundable: 1n }),
  },
  {
    name: 'pegin_legacy_from_segwit_to_active_fed_cannot_be_processed',
    inputs: () => [INPUTS.p2wpkh()],
    outputs: ({ outputScript }) => to(outputScript, COIN),
    outcomes: both({ kind: 'kept', reason: 3n, unrefundable: 1n }),
  },
  {
    name: 'invalid_pegin_v1_from_multisig_to_active_fed_can_be_refunded',
    inputs: () => [INPUTS.multisig()],
    outputs: ({ outputScript }) => [...to(outputScript, COIN), customInstructions(1, new Uint8Array())],
    outcomes: both({
      kind: 'refunded',
      reason: 4n,
      satoshi: COIN,
      script: p2shScript(hash160(STRANGERS)),
      refund: TO_SCRIPT,
    }),
  },
  {
    name: 'a pegin of a P2SH-P2WPKH sender',
    inputs: () => [INPUTS.p2shP2wpkh()],
    outputs: ({ outputScript }) => to(outputScript, COIN),
    outcomes: both(registered(COIN)),
  },
  {
    name: 'a pegin of version 1 of a P2WPKH sender',
    inputs: () => [INPUTS.p2wpkh()],
    outputs: ({ outputScript }) => [instructions(RECEIVER), ...to(outputScript, COIN + 1n)],
    outcomes: both(registered(COIN + 1n, 1, 1, RECEIVER)),
  },
  {
    name: 'pegout_no_change_output',
    inputs: spending,
    outputs: () => to(STRANGER.p2pkh, COIN),
    outcomes: both({ kind: 'pegout', coins: 0 }),
    isIndexed: true,
  },
  {
    name: 'pegout_sighash_no_exists_in_provider',
    inputs: spending,
    outputs: ({ outputScript }) => [...to(STRANGER.p2pkh, COIN), ...to(outputScript, COIN)],
    outcomes: [
      { kind: 'pegout', coins: 1 },
      // The refund goes to the federation itself.
      { kind: 'refunded', reason: 2n, satoshi: COIN, script: new Uint8Array(), refund: TO_SCRIPT },
    ],
  },
  {
    name: 'pegout_many_outputs_and_inputs_with_change_output',
    inputs: (federation) => spending(federation, 50),
    outputs: ({ outputScript }) => [...to(STRANGER.p2pkh, ...times(200, COIN)), ...to(outputScript, COIN)],
    outcomes: both({ kind: 'pegout', coins: 1 }),
    isIndexed: true,
  },
  {
    name: 'pegout_many_outputs_and_one_input',
    inputs: spending,
    outputs: ({ outputScript }) => [...to(STRANGER.p2pkh, ...times(200, COIN)), ...to(outputScript, COIN)],
    outcomes: both({ kind: 'pegout', coins: 1 }),
    isIndexed: true,
  },
  {
    name: 'pegout_one_output_and_many_input',
    inputs: (federation) => spending(federation, 50),
    outputs: () => to(STRANGER.p2pkh, COIN),
    outcomes: both({ kind: 'pegout', coins: 0 }),
    isIndexed: true,
  },
  {
    name: 'migration_ok, from and to the active federation',
    inputs: spending,
    outputs: ({ outputScript }) => to(outputScript, COIN),
    outcomes: both({ kind: 'pegout', coins: 1 }),
    isIndexed: true,
  },
  {
    name: 'migration_many_outputs_and_inputs, from and to the active federation',
    inputs: (federation) => spending(federation, 50),
    outputs: ({ outputScript }) => to(outputScript, ...times(10, COIN)),
    outcomes: both({ kind: 'pegout', coins: 10 }),
    isIndexed: true,
  },
  {
    name: 'flyover_pegin',
    inputs: sender,
    outputs: (federation) => to(p2shScript(flyoverScriptHash(new Uint8Array(32).fill(2), federation)), COIN),
    outcomes: [NO_AMOUNT, IGNORED],
  },
  {
    name: 'flyover_segwit_pegin',
    inputs: () => [INPUTS.p2shP2wpkh()],
    outputs: (federation) => to(p2shScript(flyoverScriptHash(new Uint8Array(32).fill(2), federation)), COIN),
    outcomes: [NO_AMOUNT, IGNORED],
  },
];

/** Registers a transaction, with the coinbase of its block if it has a witness. */
function register(bridge: MemoryBridge, transaction: Transaction, height: number): void {
  const block = bridge.mine(transaction, height);
  if (transaction.hasWitnesses())
    registerCoinbase(bridge.call(), { ...block.coinbase, blockHash: block.blockHash });
  registerTransaction(bridge.call(), block);
}

/** The logs, payments and coins of an outcome. */
function expectedOf(outcome: Outcome, id: string, bridge: MemoryBridge, transaction: Transaction): unknown {
  const { outputScript } = bridge.constants.federation;
  const nothing = { events: [], sent: [], coins: 0, processed: undefined, refunds: [] };
  switch (outcome.kind) {
    case 'registered': {
      const receiver = outcome.receiver ?? accountOf(key('sender'));
      return {
        ...nothing,
        events: [['pegin_btc', getAddress(toHex(receiver)), id, outcome.satoshi, BigInt(outcome.version)]],
        sent: [[toHex(receiver), outcome.satoshi * WEI]],
        coins: outcome.coins,
        processed: BigInt(BLOCK_NUMBER),
      };
    }
    case 'refunded': {
      const [refund] = bridge.waiting();
      const refundId = refund === undefined ? '' : toHex(transactionId(refund));
      const format = bridge.constants.federation.formatVersion === 4000 ? 'p2wsh' : 'legacy';
      const script = outcome.script.length === 0 ? outputScript : outcome.script;
      const spent = transaction.outs.filter((output) => Buffer.compare(output.script, outputScript) === 0);
      return {
        ...nothing,
        events: [
          ['rejected_pegin', id, outcome.reason],
          ['release_requested', TRANSACTION_HASH, refundId, outcome.satoshi],
          ['pegout_transaction_created', refundId, expect.any(String)],
        ],
        processed: BigInt(BLOCK_NUMBER),
        refunds: [{ inputs: spent.length, outs: [{ script, value: outcome.refund[format] }] }],
      };
    }
    case 'kept':
      return {
        ...nothing,
        events: [
          ['rejected_pegin', id, outcome.reason],
          ['unrefundable_pegin', id, outcome.unrefundable],
        ],
      };
    case 'pegout':
      return { ...nothing, coins: outcome.coins, processed: BigInt(BLOCK_NUMBER) };
    case 'ignored':
      return nothing;
  }
}

describe.each(FORMATS)('registerTransaction with a federation of the format %s', (format) => {
  describe.each(HEIGHTS)('at the height %i of the parent chain', (height) => {
    it.each(CASES)('decides as rskj: $name', ({ inputs, outputs, outcomes, isIndexed }) => {
      const bridge = new MemoryBridge(format);
      const { federation } = bridge.constants;
      const transaction = transactionOf(inputs(federation), outputs(federation));
      const index = isIndexed === true ? pegoutIndexHash(transaction) : null;
      if (index !== null) bridge.state.pegs.addPegout(index);
      register(bridge, transaction, height);
      const id = transactionId(transaction);
      const seen = {
        events: bridge.events(),
        sent: bridge.sent,
        coins: bridge.state.utxos.all().length,
        processed: bridge.state.pegs.processedAt(id),
        refunds: bridge.waiting().map(({ ins, outs }) => ({ inputs: ins.length, outs })),
      };
      expect(seen).toEqual(expectedOf(outcomes[height === 1 ? 0 : 1], toHex(id), bridge, transaction));
    });
  });

  it.each([true, false])('registers the output of a coinbase (%s) with its flag', (isCoinbase) => {
    const bridge = new MemoryBridge(format);
    const { federation } = bridge.constants;
    const outputs = [...to(federation.outputScript, COIN), instructions(RECEIVER)];
    const transaction = transactionOf(sender(), outputs);
    if (isCoinbase) {
      transaction.ins = [];
      transaction.addInput(new Uint8Array(32), 0xffff_ffff, 0xffff_ffff, new Uint8Array(4));
    }
    register(bridge, transaction, 350);
    const { utxos } = bridge.state;
    expect(utxos.all().map((utxo) => utxo.isCoinbase)).toEqual([isCoinbase]);
    expect(utxos.balance).toBe(isCoinbase ? 0n : COIN);
  });
});
