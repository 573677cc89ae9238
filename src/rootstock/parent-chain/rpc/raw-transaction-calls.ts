// Calls that read, create and send serialized transactions.

import { hexKey } from '../../../primitives/hex.ts';
import { mapInSteps, type Steps } from '../../../primitives/steps.ts';
import { addressOfScript } from '../../bitcoin/address.ts';
import { hash160, p2shScript } from '../../bitcoin/script.ts';
import { acceptTransaction, testTransaction } from '../accept-transaction.ts';
import { feeOf, formatCoins, toCoins } from '../amounts.ts';
import { coinsOf, isUnspendable } from '../chain-index.ts';
import { RejectedTransactionError } from '../errors.ts';
import { Mempool, type MempoolEntry } from '../mempool.ts';
import { GENESIS_BLOCK, type ParentBlock } from '../parent-block.ts';
import type { ParentChain } from '../parent-chain.ts';
import {
  createTransaction,
  outpointKey,
  type ParentTransaction,
  readTransaction,
  virtualSize,
} from '../parent-transaction.ts';
import { p2wpkhScript, p2wshScript, scriptForm } from '../script/templates.ts';
import { TransactionLimitError } from '../transaction-size.ts';
import { verbosityOf } from './blockchain-calls.ts';
import {
  type BitcoinCall,
  type CallContext,
  digitsToBytes,
  type JsonObject,
  optional,
  required,
  shown,
  toAmount,
  toText,
} from './call.ts';
import { defaultSequence, inputsOf, lockTimeOf, outputsOf } from './outputs.ts';
import { BitcoinRpcError, CODES } from './rpc-error.ts';
import { scriptView, transactionView, transactionViewWithFee } from './views.ts';

/** Satoshis per 1000 virtual bytes: a higher fee is probably a mistake. */
const DEFAULT_MAX_FEE_RATE = 10_000_000n;
const MAX_PACKAGE_COUNT = 25;

/** Parses a transaction of a client. */
export function requireTransaction(digits: string): ParentTransaction {
  const bytes = digitsToBytes(digits);
  if (bytes === undefined) throw new BitcoinRpcError(CODES.deserialization, 'TX decode failed');
  try {
    return readTransaction(bytes);
  } catch (error) {
    if (error instanceof TransactionLimitError) {
      throw new BitcoinRpcError(CODES.deserialization, `TX decode failed: ${error.message}`);
    }
    throw new BitcoinRpcError(
      CODES.deserialization,
      'TX decode failed. Make sure the tx has at least one input.',
    );
  }
}

function blockOfRequest({ chain, arguments: given }: CallContext): ParentBlock | undefined {
  if (!given.has('blockhash')) return undefined;
  const block = chain.index.block(given.hash('blockhash'));
  if (block === undefined) throw new BitcoinRpcError(CODES.addressOrKey, 'Block hash not found');
  return block;
}

function* rawTransaction(context: CallContext): Steps<JsonObject | string> {
  const { chain, arguments: given } = context;
  const txid = given.hash('txid');
  if (txid === GENESIS_BLOCK.transactions[0]?.txid) {
    throw new BitcoinRpcError(
      CODES.addressOrKey,
      'The genesis block coinbase is not considered an ordinary transaction and cannot be retrieved',
    );
  }
  const requested = blockOfRequest(context);
  const found = chain.transaction(txid);
  const block = found?.mined?.block;
  if (found === undefined || (requested !== undefined && block !== requested)) {
    const reason =
      requested === undefined
        ? 'No such mempool or blockchain transaction'
        : 'No such transaction found in the provided block';
    throw new BitcoinRpcError(CODES.addressOrKey, `${reason}. Use gettransaction for wallet transactions.`);
  }
  const verbosity = verbosityOf(context, 'verbosity', 0);
  const hex = hexKey(found.transaction.bytes);
  if (verbosity <= 0) return hex;
  const view =
    verbosity === 1
      ? yield* transactionView(found.transaction)
      : yield* transactionViewWithFee(chain, found.transaction, true);
  return {
    ...(requested !== undefined && { in_active_chain: true }),
    ...view,
    hex,
    ...(block !== undefined && {
      blockhash: block.hash,
      confirmations: chain.confirmations(block.height),
      time: block.header.time,
      blocktime: block.header.time,
    }),
  };
}

function decodeScript({ arguments: given }: CallContext): JsonObject {
  const digits = given.text('hexstring');
  const script = digitsToBytes(digits);
  if (script === undefined) {
    throw new BitcoinRpcError(
      CODES.parameter,
      `argument must be hexadecimal string (not '${shown(digits)}')`,
    );
  }
  const { hex: _, ...view } = scriptView(script);
  const form = scriptForm(script);
  const isWrapped = form.type === 'scripthash' || form.type === 'nulldata' || isUnspendable(script);
  if (isWrapped) return view;
  const isWitness = form.type.startsWith('witness');
  const p2sh = addressOfScript(p2shScript(hash160(script)));
  if (isWitness) return { ...view, p2sh };
  const segwit = segwitScript(script);
  return {
    ...view,
    p2sh,
    segwit: { ...scriptView(segwit), 'p2sh-segwit': addressOfScript(p2shScript(hash160(segwit))) },
  };
}

/** Returns the witness output for the content of a script. */
function segwitScript(script: Uint8Array): Uint8Array {
  const form = scriptForm(script);
  if (form.type === 'pubkey' && form.key.length === 33) return p2wpkhScript(form.key);
  if (form.type === 'pubkeyhash') return Uint8Array.of(0, form.hash.length, ...form.hash);
  return p2wshScript(script);
}

function createRaw({ arguments: given }: CallContext): string {
  const lockTime = lockTimeOf(given.value('locktime'));
  const sequence = defaultSequence(lockTime, given.boolean('replaceable', true));
  const inputs = inputsOf(given.array('inputs'), sequence);
  const outputs = outputsOf(given.value('outputs'));
  return hexKey(createTransaction({ version: 2, inputs, outputs, lockTime }).bytes);
}

/** Returns the maximum fee of a transaction; `undefined` without a limit. */
function maxFee(value: unknown, transaction: ParentTransaction): bigint | undefined {
  const rate = value === undefined ? DEFAULT_MAX_FEE_RATE : toAmount(value);
  if (rate > 100_000_000n) {
    throw new BitcoinRpcError(CODES.parameter, 'Fee rates larger than or equal to 1BTC/kvB are not accepted');
  }
  return rate === 0n ? undefined : feeOf(rate, virtualSize(transaction.weight));
}

function isConfirmed(chain: ParentChain, transaction: ParentTransaction): boolean {
  return coinsOf(transaction, 1).some((coin) => chain.index.coin(outpointKey(coin)) !== undefined);
}

/** Returns the error of bitcoind for a transaction that is not accepted. */
export function rejection({ reason, message }: RejectedTransactionError): BitcoinRpcError {
  const isMissing = reason === 'bad-txns-inputs-missingorspent';
  return new BitcoinRpcError(isMissing ? CODES.verify : CODES.verifyRejected, message);
}

/** Adds a transaction to the mempool. Throws {@link BitcoinRpcError} if it is rejected. */
export function* broadcast(chain: ParentChain, transaction: ParentTransaction): Steps<void> {
  try {
    yield* acceptTransaction(chain, transaction);
  } catch (error) {
    if (error instanceof RejectedTransactionError) throw rejection(error);
    throw error;
  }
}

function* sendRaw({ chain, arguments: given }: CallContext): Steps<string> {
  const transaction = requireTransaction(given.text('hexstring'));
  const maxBurn = given.has('maxburnamount') ? given.amount('maxburnamount') : 0n;
  if (transaction.outputs.some(({ script, value }) => isUnspendable(script) && value > maxBurn)) {
    throw new BitcoinRpcError(
      CODES.verify,
      'Unspendable output exceeds maximum configured by user (maxburnamount)',
    );
  }
  const limit = maxFee(given.value('maxfeerate'), transaction);
  if (chain.mempool.entry(transaction.txid) !== undefined) return transaction.txid;
  if (isConfirmed(chain, transaction)) {
    throw new BitcoinRpcError(CODES.alreadyInUtxoSet, 'Transaction outputs already in utxo set');
  }
  if (limit !== undefined) {
    const fee = feeInMempool(chain, transaction);
    if (fee !== undefined && fee > limit) {
      throw new BitcoinRpcError(
        CODES.verify,
        'Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)',
      );
    }
  }
  yield* broadcast(chain, transaction);
  return transaction.txid;
}

/** Returns the fee if all inputs are known. */
function feeInMempool(chain: ParentChain, { inputs, outputs }: ParentTransaction): bigint | undefined {
  let fee = 0n;
  for (const input of inputs) {
    const coin = chain.coin(input);
    if (coin === undefined) return undefined;
    fee += coin.value;
  }
  return outputs.reduce((rest, { value }) => rest - value, fee);
}

function* testAccept({ chain, arguments: given }: CallContext): Steps<JsonObject[]> {
  const list = given.array('rawtxs');
  if (list.length < 1 || list.length > MAX_PACKAGE_COUNT) {
    throw new BitcoinRpcError(
      CODES.parameter,
      `Array must contain between 1 and ${MAX_PACKAGE_COUNT} transactions.`,
    );
  }
  const transactions = yield* mapInSteps(
    list,
    (digits) => toText(digits).length,
    (digits) => requireTransaction(toText(digits)),
  );
  // Later transactions can spend outputs of earlier ones.
  const mempool = new Mempool(chain.index, chain.state.mempool);
  const results: JsonObject[] = [];
  for (const transaction of transactions) {
    const limit = maxFee(given.value('maxfeerate'), transaction);
    results.push(yield* testOne(chain, mempool, transaction, limit));
  }
  return results;
}

function* testOne(
  chain: ParentChain,
  mempool: Mempool,
  transaction: ParentTransaction,
  limit: bigint | undefined,
): Steps<JsonObject> {
  const { txid, wtxid } = transaction;
  try {
    const entry = yield* testTransaction(chain, mempool, transaction);
    if (limit !== undefined && entry.fee > limit) {
      return { txid, wtxid, allowed: false, 'reject-reason': 'max-fee-exceeded' };
    }
    mempool.add(entry);
    return { txid, wtxid, allowed: true, ...feesView(entry) };
  } catch (error) {
    if (!(error instanceof RejectedTransactionError)) throw error;
    const isMissing = error.reason === 'bad-txns-inputs-missingorspent';
    return { txid, wtxid, allowed: false, 'reject-reason': isMissing ? 'missing-inputs' : error.reason };
  }
}

function feesView({ transaction, fee }: MempoolEntry): JsonObject {
  const vsize = virtualSize(transaction.weight);
  return {
    vsize,
    fees: {
      base: toCoins(fee),
      'effective-feerate': Number(formatCoins((fee * 1000n) / BigInt(vsize))),
      'effective-includes': [transaction.wtxid],
    },
  };
}

export const RAW_TRANSACTION_CALLS: readonly BitcoinCall[] = [
  {
    name: 'getrawtransaction',
    group: 'Rawtransactions',
    parameters: [required('txid', 'string'), optional('verbosity', 'any'), optional('blockhash', 'string')],
    steps: rawTransaction,
  },
  {
    name: 'decoderawtransaction',
    group: 'Rawtransactions',
    parameters: [required('hexstring', 'string'), optional('iswitness', 'bool')],
    steps: ({ arguments: given }) => transactionView(requireTransaction(given.text('hexstring'))),
  },
  {
    name: 'decodescript',
    group: 'Rawtransactions',
    parameters: [required('hexstring', 'string')],
    run: decodeScript,
  },
  {
    name: 'createrawtransaction',
    group: 'Rawtransactions',
    parameters: [
      required('inputs', 'array'),
      required('outputs', 'any'),
      optional('locktime', 'number'),
      optional('replaceable', 'bool'),
    ],
    run: createRaw,
  },
  {
    name: 'sendrawtransaction',
    group: 'Rawtransactions',
    parameters: [
      required('hexstring', 'string'),
      optional('maxfeerate', 'amount'),
      optional('maxburnamount', 'amount'),
    ],
    steps: sendRaw,
  },
  {
    name: 'testmempoolaccept',
    group: 'Rawtransactions',
    parameters: [required('rawtxs', 'array'), optional('maxfeerate', 'amount')],
    steps: testAccept,
  },
];
