import type { Transaction } from 'bitcoinjs-lib';
import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../../src/primitives/hex.ts';
import type { FederationFormat } from '../../../src/protocol/hardforks/rootstock.ts';
import { BITCOIN_NETWORKS, parentChainAddress } from '../../../src/rootstock/bitcoin/address.ts';
import { hash160, p2pkhScript, p2shScript } from '../../../src/rootstock/bitcoin/script.ts';
import {
  parseTransaction,
  transactionId,
  withoutWitness,
} from '../../../src/rootstock/bitcoin/transaction.ts';
import { FORMAT_VERSIONS } from '../../../src/rootstock/bridge/federation.ts';
import { registerCoinbase } from '../../../src/rootstock/peg/register-coinbase.ts';
import {
  flyoverDerivationHash,
  flyoverScriptHash,
  registerFlyover,
} from '../../../src/rootstock/peg/register-flyover.ts';
import { flyoverRedeemScript } from '../../../src/rootstock/peg/spendable-utxos.ts';
import { INPUTS, key, STRANGER, type TestOutput, transactionOf } from './bitcoin-builder.ts';
import { FLYOVER_SCRIPTS } from './flyover-scripts.ts';
import { type BlockProof, COIN, MemoryBridge, TRANSACTION_HASH, WEI } from './memory-bridge.ts';

const FORMATS: readonly FederationFormat[] = ['legacy', 'p2wsh'];
const MINIMUM = 500_000n;
const LENDER = new Uint8Array(20).fill(0x33);
const addressOf = (seed: string, version = 0x6f) => Uint8Array.of(version, ...hash160(key(seed)));
const AGREEMENT = {
  agreement: new Uint8Array(32).fill(1),
  refundAddress: addressOf('sender'),
  contract: LENDER,
  providerAddress: addressOf('liqProvider'),
};
const DERIVATION = flyoverDerivationHash(AGREEMENT);

/** The output script of the agreement. */
function scriptOf({ constants }: MemoryBridge): Uint8Array {
  return p2shScript(flyoverScriptHash(DERIVATION, constants.federation));
}

interface Request {
  readonly contract: Uint8Array | undefined;
  readonly refundsProvider: boolean;
  readonly lender: Uint8Array;
  readonly refundAddress: Uint8Array;
}

function register(bridge: MemoryBridge, proof: BlockProof, request: Partial<Request> = {}): bigint {
  const { refundsProvider = true, lender = LENDER, refundAddress = AGREEMENT.refundAddress } = request;
  const caller = 'contract' in request ? request.contract : LENDER;
  const arguments_ = { ...AGREEMENT, contract: lender, refundAddress, refundsProvider };
  return registerFlyover(bridge.call(caller), { ...proof, ...arguments_ });
}

const to = (script: Uint8Array, ...values: bigint[]): TestOutput[] =>
  values.map((value) => ({ script, value }));

interface FlyoverCase {
  readonly name: string;
  readonly outputs: (script: Uint8Array) => readonly TestOutput[];
  /** The result: satoshi, or the code of an error. */
  readonly result: { satoshi: bigint; coins: number } | bigint;
  /** Satoshi; 1,000 coins by default. */
  readonly cap?: bigint;
  readonly refundsProvider?: boolean;
}

/** The cases of rskj's tests, by the names of the tests. Outputs to a retiring federation go to the active one. */
const CASES: readonly FlyoverCase[] = [
  {
    name: 'output_to_bech32_after_RSKIP293',
    outputs: (script) => [...to(script, COIN), ...to(STRANGER.p2wpkh, COIN)],
    result: { satoshi: COIN, coins: 1 },
  },
  {
    name: 'output_to_P2PKH',
    outputs: (script) => [...to(script, COIN), ...to(STRANGER.p2pkh, COIN)],
    result: { satoshi: COIN, coins: 1 },
  },
  {
    name: 'output_to_P2SH',
    outputs: (script) => [...to(script, COIN), ...to(STRANGER.p2sh, COIN)],
    result: { satoshi: COIN, coins: 1 },
  },
  {
    name: 'output_to_different_address_type',
    outputs: (script) => [...to(script, COIN, COIN), ...to(STRANGER.p2sh, COIN), ...to(STRANGER.p2pkh, COIN)],
    result: { satoshi: 2n * COIN, coins: 2 },
  },
  {
    name: 'multiple_output_to_the_same_address',
    outputs: (script) => to(script, COIN, COIN, COIN, COIN),
    result: { satoshi: 4n * COIN, coins: 4 },
  },
  {
    name: 'multiple_output_to_different_addresses',
    outputs: (script) => [
      ...to(script, COIN, COIN, COIN, COIN, COIN),
      ...to(STRANGER.p2pkh, COIN, COIN),
      ...to(STRANGER.p2sh, COIN, COIN),
    ],
    result: { satoshi: 5n * COIN, coins: 5 },
  },
  {
    name: 'multiple_output_to_random_addresses',
    outputs: () => [...to(STRANGER.p2pkh, COIN, COIN, COIN), ...to(STRANGER.p2sh, COIN, COIN)],
    result: -304n,
  },
  {
    name: 'multiple_output_to_all_address_type_after_RSKIP293',
    outputs: (script) => [
      ...to(script, COIN, COIN),
      ...to(STRANGER.p2pkh, COIN),
      ...to(STRANGER.p2sh, COIN),
      ...to(STRANGER.p2wpkh, COIN),
    ],
    result: { satoshi: 2n * COIN, coins: 2 },
  },
  {
    name: 'amount_sent_is_below_minimum_after_RSKIP293_activation',
    outputs: (script) => to(script, MINIMUM / 2n),
    result: -305n,
  },
  {
    name: 'sent_multiple_output_and_one_with_amount_below_minimum',
    outputs: (script) => [
      ...to(STRANGER.p2pkh, MINIMUM, COIN, COIN),
      ...to(script, MINIMUM, MINIMUM - 1n, MINIMUM + 1n, MINIMUM + COIN),
    ],
    result: -305n,
  },
  {
    name: 'amount_sent_is_equal_to_minimum',
    outputs: (script) => to(script, MINIMUM),
    result: { satoshi: MINIMUM, coins: 1 },
  },
  {
    name: 'amount_sent_is_over_minimum',
    outputs: (script) => to(script, MINIMUM + 1_000_000n),
    result: { satoshi: MINIMUM + 1_000_000n, coins: 1 },
  },
  {
    name: 'funds_sent_to_active_fed_after_RSKIP293',
    outputs: (script) => to(script, COIN),
    result: { satoshi: COIN, coins: 1 },
  },
  {
    name: 'amount_sent_is_0',
    outputs: () => to(STRANGER.p2pkh, COIN),
    result: -304n,
  },
  {
    name: 'sum_of_funds_sent_surpasses_locking_cap_should_refund_lp_after_RSKIP293',
    outputs: (script) => to(script, 50n * COIN, 50n * COIN),
    cap: 50n * COIN,
    result: -200n,
  },
  {
    name: 'funds_sent_surpasses_locking_cap_should_refund_user_after_RSKIP293',
    outputs: (script) => to(script, 51n * COIN),
    cap: 50n * COIN,
    refundsProvider: false,
    result: -100n,
  },
  {
    name: 'whenAmountRequestedSurpassesLockingCap_afterRSKIP305, provider',
    outputs: (script) => to(script, 1000n * COIN + 1n),
    result: -200n,
  },
  {
    name: 'whenAmountRequestedSurpassesLockingCap_afterRSKIP305, user',
    outputs: (script) => to(script, 1000n * COIN + 1n),
    refundsProvider: false,
    result: -100n,
  },
  {
    name: 'an amount that is equal to the cap',
    outputs: (script) => to(script, 1000n * COIN),
    result: { satoshi: 1000n * COIN, coins: 1 },
  },
  {
    name: 'sum_of_all_utxos_surpass_locking_cap_but_not_funds_sent_to_fed_should_not_refund_after_RSKIP293',
    outputs: (script) => [...to(script, COIN, COIN), ...to(STRANGER.p2pkh, 50n * COIN)],
    cap: 50n * COIN,
    refundsProvider: false,
    result: { satoshi: 2n * COIN, coins: 2 },
  },
  {
    name: 'funds_sent_to_random_addresses_surpass_locking_cap_should_not_refund_after_RSKIP293',
    outputs: () => to(STRANGER.p2pkh, 50n * COIN, COIN),
    cap: 50n * COIN,
    refundsProvider: false,
    result: -304n,
  },
];

describe.each(FORMATS)('registerFlyover with a federation of the format %s', (format) => {
  it.each(CASES)('returns the result of rskj: $name', ({ outputs, result, cap, refundsProvider = true }) => {
    const bridge = new MemoryBridge(format);
    if (cap !== undefined) bridge.state.lockingCap = cap;
    const transaction = transactionOf([INPUTS.p2pkh()], outputs(scriptOf(bridge)));
    const isRefund = result === -100n || result === -200n;
    const returned = register(bridge, bridge.mine(transaction, 1), { refundsProvider });
    const isPaid = typeof result !== 'bigint';
    expect(returned).toBe(isPaid ? result.satoshi * WEI : result);
    expect(bridge.sent).toEqual(isPaid ? [[toHex(LENDER), result.satoshi * WEI]] : []);
    expect(bridge.state.utxos.all()).toHaveLength(isPaid ? result.coins : 0);
    expect(bridge.state.pegs.isFlyoverUsed(transactionId(transaction), DERIVATION)).toBe(isPaid || isRefund);
    const seed = refundsProvider ? 'liqProvider' : 'sender';
    expect(bridge.waiting().map(({ outs }) => outs.map(({ script }) => script))).toEqual(
      isRefund ? [[p2pkhScript(hash160(key(seed)))]] : [],
    );
    expect(bridge.events().map(([name]) => name)).toEqual(
      isRefund ? ['release_requested', 'pegout_transaction_created'] : [],
    );
  });

  it('refunds with the redeem script of the agreement', () => {
    const bridge = new MemoryBridge(format);
    bridge.state.lockingCap = COIN;
    const outputs = to(scriptOf(bridge), COIN, COIN);
    const transaction = transactionOf([INPUTS.p2pkh()], outputs);
    expect(register(bridge, bridge.mine(transaction, 1))).toBe(-200n);
    const redeemScript = flyoverRedeemScript(DERIVATION, bridge.constants.federation.redeemScript);
    const [refund] = bridge.waiting();
    const ends = refund?.ins.map(
      ({ script, witness }) => witness.at(-1) ?? script.slice(-redeemScript.length),
    );
    expect(ends).toEqual([redeemScript, redeemScript]);
    const [requested] = bridge.events();
    expect(requested).toEqual([
      'release_requested',
      TRANSACTION_HASH,
      refund && toHex(transactionId(refund)),
      2n * COIN,
    ]);
  });
});

describe('registerFlyover', () => {
  const paying = (bridge: MemoryBridge, input = INPUTS.p2pkh()): Transaction =>
    transactionOf([input], to(scriptOf(bridge), COIN));

  it('rejects a call that is not of a contract (is_not_contract)', () => {
    const bridge = new MemoryBridge();
    const proof = bridge.mine(paying(bridge), 1);
    expect(register(bridge, proof, { contract: undefined })).toBe(-300n);
  });

  it('rejects another contract (sender_is_not_lbc)', () => {
    const bridge = new MemoryBridge();
    const proof = bridge.mine(paying(bridge), 1);
    expect(register(bridge, proof, { lender: new Uint8Array(20) })).toBe(-301n);
  });

  it.each([
    ['of another network', addressOf('sender', 0)],
    ['of a wrong length', new Uint8Array(20)],
  ])('rejects an address %s', (_, refundAddress) => {
    const bridge = new MemoryBridge();
    const proof = bridge.mine(paying(bridge), 1);
    expect(register(bridge, proof, { refundAddress })).toBe(-900n);
  });

  it('rejects too few confirmations (validationsForRegisterBtcTransaction_returns_false)', () => {
    const bridge = new MemoryBridge();
    expect(register(bridge, bridge.mine(paying(bridge), 1, 2))).toBe(-303n);
  });

  it.each([
    ['a malformed tree', { tree: new Uint8Array(3) }],
    ['a malformed transaction', { bytes: new Uint8Array(3) }],
  ])('rejects %s', (_, change) => {
    const bridge = new MemoryBridge();
    const proof = bridge.mine(paying(bridge), 1);
    expect(register(bridge, { ...proof, ...change })).toBe('bytes' in change ? -303n : -900n);
  });

  it.each([1000n * COIN, COIN / 2n])(
    'rejects a transaction that was processed, with and without witness, with a cap of %i',
    (cap) => {
      const bridge = new MemoryBridge();
      bridge.state.lockingCap = cap;
      const transaction = paying(bridge, INPUTS.p2shP2wpkh());
      const block = bridge.mine(transaction, 1);
      registerCoinbase(bridge.call(), { ...block.coinbase, blockHash: block.blockHash });
      expect(register(bridge, block)).toBe(cap > COIN ? COIN * WEI : -200n);
      expect(register(bridge, block)).toBe(-302n);
      const plain = withoutWitness(parseTransaction(block.bytes));
      expect(register(bridge, { ...block, bytes: plain.toBuffer() })).toBe(-302n);
      expect(bridge.state.utxos.all()).toHaveLength(cap > COIN ? 1 : 0);
    },
  );

  it('counts the coins that the Bridge already sent', () => {
    const bridge = new MemoryBridge();
    bridge.balance -= 999n * COIN * WEI + 1n;
    expect(register(bridge, bridge.mine(paying(bridge), 1))).toBe(-200n);
    const other = new MemoryBridge();
    other.balance -= 999n * COIN * WEI;
    expect(register(other, other.mine(paying(other), 1))).toBe(COIN * WEI);
  });
});

describe('Flyover addresses', () => {
  it('have the derivation hash of rskj (getFlyoverDerivationHash_returnsExpectedDerivationHash)', () => {
    const hash = flyoverDerivationHash({
      agreement: Uint8Array.of(5, ...new Uint8Array(31)),
      refundAddress: addressOf('userRefundBtcAddress', 0),
      contract: fromHex('0x461750b4824b14c3d9b7702bc6fbb82469082b23'),
      providerAddress: addressOf('lpBtcAddress', 0),
    });
    expect(toHex(hash)).toBe('0x56d4f6bd69378ef607e091832903ddc2b5aac5008bd06987a26f14bb248c44d8');
  });

  it.each(FLYOVER_SCRIPTS)(
    'have the script and the hash of Rootstock: $name',
    ({ format, script, hash, address }) => {
      const derivationHash = fromHex(script).slice(1, 33);
      const federation = { redeemScript: fromHex(script).slice(34), formatVersion: FORMAT_VERSIONS[format] };
      expect(toHex(flyoverRedeemScript(derivationHash, federation.redeemScript))).toBe(script);
      const scriptHash = flyoverScriptHash(derivationHash, federation);
      expect(toHex(scriptHash)).toBe(hash);
      expect(parentChainAddress('script', scriptHash, BITCOIN_NETWORKS.mainnet)).toBe(address);
    },
  );
});
