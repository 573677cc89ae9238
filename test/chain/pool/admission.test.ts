import { describe, expect, it } from 'vitest';
import {
  type AdmissionRules,
  checkAdmission,
  type SenderAccount,
} from '../../../src/chain/pool/admission.ts';
import { TransactionRejectedError } from '../../../src/chain/pool/errors.ts';
import { AdmittedTransaction } from '../../../src/evm/admission.ts';
import { BASE_FEE_RULE } from '../../../src/protocol/fees.ts';
import { RULE_SET_NAMES, type RuleSetName } from '../../../src/protocol/hardforks/registry.ts';
import type { Transaction } from '../../../src/protocol/transaction.ts';
import { admissionRules, ETHER, transactionOf } from './samples.ts';

const RICH: SenderAccount = { nonce: 5n, balance: ETHER };

function refusalOf(transaction: Transaction, sender: SenderAccount, rules: AdmissionRules): string | null {
  try {
    checkAdmission(new AdmittedTransaction(transaction, rules.ruleSet.fees), sender, rules);
    return null;
  } catch (error) {
    if (!(error instanceof TransactionRejectedError)) throw error;
    expect(error.code).toBe(-32010);
    return error.message;
  }
}

const initcode = (length: number) =>
  transactionOf(0, 5, { to: null, data: new Uint8Array(length), gasLimit: 10_000_000n });

/** A transaction with an encoding of the given length. */
function encodedIn(length: number): Transaction {
  const overhead =
    transactionOf(0, 5, { data: new Uint8Array(100_000), gasLimit: 10_000_000n }).raw.length - 100_000;
  const transaction = transactionOf(0, 5, { data: new Uint8Array(length - overhead), gasLimit: 10_000_000n });
  expect(transaction.raw).toHaveLength(length);
  return transaction;
}

describe('checkAdmission', () => {
  it.each(RULE_SET_NAMES)('admits a valid transaction under %s', (name) => {
    expect(refusalOf(transactionOf(0, 5), RICH, admissionRules(name))).toBeNull();
    expect(refusalOf(transactionOf(0, 9), RICH, admissionRules(name))).toBeNull();
  });

  it('rejects a transaction of an unknown sender unless it is free', () => {
    expect(refusalOf(transactionOf(0, 0, { gasPrice: 2n, value: 3n }), undefined, admissionRules())).toBe(
      "the sender account doesn't exist (insufficient funds for gas * price + value: balance 0, cost 42003)",
    );
    for (const rules of [admissionRules(), admissionRules('istanbul')]) {
      expect(refusalOf(transactionOf(0, 0, { gasPrice: 0n }), undefined, rules)).toBeNull();
      expect(refusalOf(transactionOf(0, 0, { gasPrice: 0n, value: 1n }), undefined, rules)).toContain(
        "the sender account doesn't exist",
      );
    }
  });

  it.each(['rootstock', 'shanghai', 'prague'] as const)(
    'rejects initcode above 49,152 bytes under %s',
    (name) => {
      expect(refusalOf(initcode(49_152), RICH, admissionRules(name))).toBeNull();
      expect(refusalOf(initcode(49_153), RICH, admissionRules(name))).toBe(
        "transaction's init code size is invalid (max initcode size exceeded: 49153 > 49152)",
      );
    },
  );

  it('accepts long initcode before Shanghai and long call data', () => {
    expect(refusalOf(initcode(60_000), RICH, admissionRules('paris'))).toBeNull();
    const call = transactionOf(0, 5, { data: new Uint8Array(60_000), gasLimit: 10_000_000n });
    expect(refusalOf(call, RICH, admissionRules())).toBeNull();
  });

  it('limits initcode to twice the code size limit', () => {
    const rules = admissionRules('rootstock', { codeSizeLimit: 30_000 });
    expect(refusalOf(initcode(60_000), RICH, rules)).toBeNull();
    expect(refusalOf(initcode(60_001), RICH, rules)).toContain('60001 > 60000');
    expect(
      refusalOf(initcode(131_072), RICH, admissionRules('rootstock', { codeSizeLimit: null })),
    ).toBeNull();
  });

  it('rejects an encoding above 131,072 bytes unless code is unlimited', () => {
    expect(refusalOf(encodedIn(131_072), RICH, admissionRules())).toBeNull();
    expect(refusalOf(encodedIn(131_073), RICH, admissionRules())).toBe(
      "transaction's size is higher than defined maximum: 131073 > 131072",
    );
    const unlimited = admissionRules('rootstock', { codeSizeLimit: null });
    expect(refusalOf(encodedIn(131_073), RICH, unlimited)).toBeNull();
  });

  it('rejects a gas limit above the block gas limit', () => {
    expect(refusalOf(transactionOf(0, 5, { gasLimit: 30_000_000n }), RICH, admissionRules())).toBeNull();
    expect(refusalOf(transactionOf(0, 5, { gasLimit: 30_000_001n }), RICH, admissionRules())).toBe(
      "transaction's gas limit of 30000001 is higher than the block's gas limit of 30000000 (exceeds block gas limit, raise it with --gas-limit)",
    );
  });

  it('rejects a used nonce', () => {
    expect(refusalOf(transactionOf(0, 4), RICH, admissionRules())).toBe(
      'transaction nonce too low (nonce too low: got 4, next is 5)',
    );
  });

  it('rejects a transaction whose sender cannot pay gas plus value', () => {
    const transaction = transactionOf(0, 5, { gasPrice: 2n, value: 8n });
    expect(new AdmittedTransaction(transaction, BASE_FEE_RULE).maximumCost).toBe(42_008n);
    expect(refusalOf(transaction, { nonce: 5n, balance: 42_008n }, admissionRules())).toBeNull();
    expect(refusalOf(transaction, { nonce: 5n, balance: 42_007n }, admissionRules())).toBe(
      'insufficient funds (insufficient funds for gas * price + value: balance 42007, cost 42008)',
    );
  });

  it('computes the cost from the maximum fee, not from the priority fee', () => {
    const transaction = transactionOf(0, 5, { type: 2, maxFeePerGas: 10n, maxPriorityFeePerGas: 1n });
    expect(new AdmittedTransaction(transaction, BASE_FEE_RULE).maximumCost).toBe(210_000n);
    const rules = admissionRules('london');
    expect(refusalOf(transaction, { nonce: 5n, balance: 209_999n }, rules)).toContain('insufficient funds (');
  });

  it('rejects a gas price below the minimum of the block', () => {
    const rules = admissionRules('rootstock', { minimumGasPrice: 7n });
    expect(refusalOf(transactionOf(0, 5, { gasPrice: 7n }), RICH, rules)).toBeNull();
    expect(refusalOf(transactionOf(0, 5, { gasPrice: 6n }), RICH, rules)).toBe(
      "transaction's gas price lower than block's minimum (transaction underpriced: got 6, minimum 7)",
    );
  });

  it('rejects a gas limit below the intrinsic gas', () => {
    const withData = (gasLimit: bigint) => transactionOf(0, 5, { data: Uint8Array.of(0, 1), gasLimit });
    expect(refusalOf(withData(21_020n), RICH, admissionRules())).toBeNull();
    expect(refusalOf(withData(21_019n), RICH, admissionRules())).toBe(
      "transaction's basic cost is above the gas limit (intrinsic gas too low: have 21019, want 21020)",
    );
  });

  it('rejects a gas limit below the floor price of its data under Prague', () => {
    const withData = (gasLimit: bigint) => transactionOf(0, 5, { data: Uint8Array.of(1), gasLimit });
    expect(refusalOf(withData(21_040n), RICH, admissionRules('prague'))).toBeNull();
    expect(refusalOf(withData(21_039n), RICH, admissionRules('prague'))).toContain('want 21040');
    expect(refusalOf(withData(21_016n), RICH, admissionRules('cancun'))).toBeNull();
  });

  it('reports the first broken rule in the order of Rootstock', () => {
    const rules = admissionRules('rootstock', { minimumGasPrice: 7n });
    const name: RuleSetName = 'rootstock';
    const breaksAll = transactionOf(0, 4, {
      gasPrice: 6n,
      value: ETHER,
      to: null,
      data: new Uint8Array(131_072),
      gasLimit: 30_000_001n,
    });
    const small = { ...rules, codeSizeLimit: null };
    expect(refusalOf(breaksAll, undefined, rules)).toContain("sender account doesn't exist");
    expect(refusalOf(breaksAll, RICH, rules)).toContain('init code size is invalid');
    expect(refusalOf({ ...breaksAll, to: new Uint8Array(20) }, RICH, rules)).toContain('size is higher');
    expect(refusalOf(breaksAll, RICH, small)).toContain('gas limit of 30000001 is higher');
    const lowGas = { ...breaksAll, gasLimit: 1n };
    expect(refusalOf(lowGas, RICH, small)).toContain('nonce too low');
    expect(refusalOf({ ...lowGas, nonce: 5n }, RICH, small)).toContain('insufficient funds');
    expect(refusalOf({ ...lowGas, nonce: 5n, value: 0n }, RICH, small)).toContain(
      "lower than block's minimum",
    );
    const priced = { ...lowGas, nonce: 5n, value: 0n, maxFeePerGas: 7n };
    expect(refusalOf(priced, RICH, admissionRules(name, { codeSizeLimit: null }))).toContain(
      'basic cost is above',
    );
  });
});
