// Calls that spend the coins of a wallet.

import { hexKey } from '../../../primitives/hex.ts';
import type { Steps } from '../../../primitives/steps.ts';
import { acceptTransaction } from '../accept-transaction.ts';
import { toCoins } from '../amounts.ts';
import { RejectedTransactionError } from '../errors.ts';
import { FINAL_SEQUENCE, type ParentOutput } from '../parent-transaction.ts';
import { keyRingOf } from '../wallet/key-ring.ts';
import { signTransaction } from '../wallet/sign-transaction.ts';
import {
  type BitcoinCall,
  type CallContext,
  type JsonObject,
  optional,
  required,
  shown,
  toText,
} from './call.ts';
import { type FundedTransaction, fund, fundingOptionsOf } from './funding.ts';
import { LOCK_TIME_SEQUENCE, paymentsOf, requirePositive, requireScript } from './outputs.ts';
import { rejection, requireTransaction } from './raw-transaction-calls.ts';
import { BitcoinRpcError, CODES } from './rpc-error.ts';
import { requirePrivateKeys } from './signing-calls.ts';

const HASH_TYPE_ALL = 1;

function* fundRaw({ chain, wallet, arguments: given }: CallContext): Steps<JsonObject> {
  const unfunded = requireTransaction(given.text('hexstring'));
  const options = fundingOptionsOf(given.object('options'), unfunded.outputs.length, false);
  const { transaction, fee, changePosition } = yield* fund({
    chain,
    wallet,
    inputs: unfunded.inputs,
    outputs: unfunded.outputs,
    lockTime: unfunded.lockTime,
    version: unfunded.version,
    sequence: unfunded.lockTime === 0 ? FINAL_SEQUENCE : LOCK_TIME_SEQUENCE,
    options,
    insufficientCode: CODES.wallet,
  });
  return { hex: hexKey(transaction.bytes), fee: toCoins(fee), changepos: changePosition };
}

/** Reasons that show that another call has spent the selected coins. */
const RACES: readonly string[] = ['txn-mempool-conflict', 'bad-txns-inputs-missingorspent'];

/** Funds, signs and sends a payment. Starts again if another call spends the selected coins between the steps. */
function* pay(
  context: CallContext,
  outputs: readonly ParentOutput[],
  options: JsonObject,
): Steps<FundedTransaction> {
  for (;;) {
    try {
      return yield* tryToPay(context, outputs, options);
    } catch (error) {
      if (!(error instanceof RejectedTransactionError)) throw error;
      if (!RACES.includes(error.reason)) throw rejection(error);
    }
  }
}

function* tryToPay(
  { chain, wallet }: CallContext,
  outputs: readonly ParentOutput[],
  options: JsonObject,
): Steps<FundedTransaction> {
  requirePrivateKeys(wallet);
  const funded = yield* fund({
    chain,
    wallet,
    inputs: [],
    outputs,
    // Like bitcoind: the payment is not valid in an earlier block than the next one.
    lockTime: chain.tip.height,
    version: 2,
    sequence: LOCK_TIME_SEQUENCE,
    options: fundingOptionsOf(options, outputs.length, false),
    insufficientCode: CODES.insufficientFunds,
  });
  const coins = funded.transaction.inputs.map((input) => chain.coin(input));
  const signed = yield* signTransaction(funded.transaction, coins, keyRingOf(wallet), HASH_TYPE_ALL);
  if (signed.faults.length > 0) throw new BitcoinRpcError(CODES.wallet, 'Signing transaction failed');
  yield* acceptTransaction(chain, signed.transaction);
  return { ...funded, transaction: signed.transaction };
}

function resultOf(
  { arguments: given }: CallContext,
  { transaction }: FundedTransaction,
): JsonObject | string {
  const { txid } = transaction;
  return given.boolean('verbose', false) ? { txid, fee_reason: 'Fallback fee' } : txid;
}

/** The fee options of a call that has them as parameters. */
function feeOptions({ arguments: given }: CallContext): JsonObject {
  return given.has('fee_rate') ? { fee_rate: given.value('fee_rate') } : {};
}

function* sendToAddress(context: CallContext): Steps<JsonObject | string> {
  const { arguments: given } = context;
  const script = requireScript(given.text('address'));
  const outputs = [{ script, value: requirePositive(given.amount('amount')) }];
  const isFromAmount = given.boolean('subtractfeefromamount', false);
  const options = { ...feeOptions(context), subtractFeeFromOutputs: isFromAmount ? [0] : [] };
  return resultOf(context, yield* pay(context, outputs, options));
}

function* sendMany(context: CallContext): Steps<JsonObject | string> {
  const { arguments: given } = context;
  if ((given.optionalText('dummy') ?? '') !== '') {
    throw new BitcoinRpcError(CODES.parameter, 'Dummy value must be set to ""');
  }
  const amounts = given.object('amounts');
  const addresses = Object.keys(amounts);
  const outputs = paymentsOf(amounts);
  const feeFrom = given.array('subtractfeefrom').map((item) => {
    const index = addresses.indexOf(toText(item));
    if (index !== -1) return index;
    throw new BitcoinRpcError(
      CODES.parameter,
      `Invalid parameter 'subtract fee from output', destination ${shown(toText(item))} not found in tx outputs`,
    );
  });
  const options = { ...feeOptions(context), subtractFeeFromOutputs: feeFrom };
  return resultOf(context, yield* pay(context, outputs, options));
}

export const SENDING_CALLS: readonly BitcoinCall[] = [
  {
    name: 'fundrawtransaction',
    group: 'Wallet',
    parameters: [
      required('hexstring', 'string'),
      optional('options', 'object'),
      optional('iswitness', 'bool'),
    ],
    steps: fundRaw,
  },
  {
    name: 'sendtoaddress',
    group: 'Wallet',
    parameters: [
      required('address', 'string'),
      required('amount', 'amount'),
      optional('comment', 'string'),
      optional('comment_to', 'string'),
      optional('subtractfeefromamount', 'bool'),
      optional('replaceable', 'bool'),
      optional('conf_target', 'number'),
      optional('estimate_mode', 'string'),
      optional('avoid_reuse', 'bool'),
      optional('fee_rate', 'amount'),
      optional('verbose', 'bool'),
    ],
    steps: sendToAddress,
  },
  {
    name: 'sendmany',
    group: 'Wallet',
    parameters: [
      optional('dummy', 'string'),
      required('amounts', 'object'),
      optional('minconf', 'number'),
      optional('comment', 'string'),
      optional('subtractfeefrom', 'array'),
      optional('replaceable', 'bool'),
      optional('conf_target', 'number'),
      optional('estimate_mode', 'string'),
      optional('fee_rate', 'amount'),
      optional('verbose', 'bool'),
    ],
    steps: sendMany,
  },
];
