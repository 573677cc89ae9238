// Calls that read the coins and transactions of a wallet.

import { hexKey } from '../../../primitives/hex.ts';
import type { Steps } from '../../../primitives/steps.ts';
import { addressOfScript } from '../../bitcoin/address.ts';
import { toCoins } from '../amounts.ts';
import { COINBASE_MATURITY } from '../chain-index.ts';
import { isCoinbase } from '../parent-transaction.ts';
import { scriptForm } from '../script/templates.ts';
import { type KeyRing, keyRingOf } from '../wallet/key-ring.ts';
import type { ParentWallet } from '../wallet/parent-wallet.ts';
import { dummyUnlocking } from '../wallet/sign-transaction.ts';
import { type WalletCoin, walletCoins, walletScripts } from '../wallet/wallet-coins.ts';
import { keyDescriptor } from './address-calls.ts';
import {
  type BitcoinCall,
  type CallContext,
  type JsonObject,
  optional,
  required,
  shown,
  toAmount,
  toText,
} from './call.ts';
import { requireScript } from './outputs.ts';
import { BitcoinRpcError, CODES } from './rpc-error.ts';
import { descriptorOf, transactionView } from './views.ts';
import { effectOf, type WalletEffect, type WalletTransaction, walletHistory } from './wallet-history.ts';

const COINS_PER_STEP = 64;
const MAX_CONFIRMATIONS = 9_999_999;

/** Returns the redeem and witness scripts of an output that the ring contains. */
function innerScripts(script: Uint8Array, ring: KeyRing): JsonObject {
  const form = scriptForm(script);
  if (form.type === 'witness_v0_scripthash') {
    const witness = ring.preimage(form.hash);
    return witness === undefined ? {} : { witnessScript: hexKey(witness) };
  }
  const redeem = form.type === 'scripthash' ? ring.preimage(form.hash) : undefined;
  return redeem === undefined ? {} : { redeemScript: hexKey(redeem), ...innerScripts(redeem, ring) };
}

/** The part of a coin's view that depends on its script only. */
interface ScriptDetails {
  readonly address: string | undefined;
  readonly isSolvable: boolean;
  readonly descriptor: string;
  readonly inner: JsonObject;
}

function scriptDetails({ script, owner }: WalletCoin, ring: KeyRing, wallet: ParentWallet): ScriptDetails {
  return {
    address: addressOfScript(script),
    isSolvable: dummyUnlocking(script, ring) !== undefined,
    descriptor: owner.kind === 'key' ? keyDescriptor(wallet, owner.entry) : descriptorOf(script),
    inner: innerScripts(script, ring),
  };
}

function coinView(coin: WalletCoin, details: ScriptDetails, hasPrivateKeys: boolean): JsonObject {
  const { address, isSolvable, descriptor, inner } = details;
  return {
    txid: coin.txid,
    vout: coin.index,
    ...(address !== undefined && { address, label: coin.owner.entry.label }),
    scriptPubKey: hexKey(coin.script),
    amount: toCoins(coin.value),
    confirmations: coin.confirmations,
    ...inner,
    spendable: coin.owner.kind === 'key' && hasPrivateKeys,
    solvable: isSolvable,
    ...(isSolvable && { desc: descriptor }),
    safe: coin.isTrusted,
  };
}

function addressFilter({ arguments: given }: CallContext): ReadonlySet<string> | null {
  if (!given.has('addresses')) return null;
  const addresses = given.array('addresses').map(toText);
  const scripts = new Set(addresses.map((address) => hexKey(requireScript(address))));
  if (scripts.size < addresses.length) {
    throw new BitcoinRpcError(CODES.parameter, 'Invalid parameter, duplicated address');
  }
  return scripts.size === 0 ? null : scripts;
}

function* listUnspent(context: CallContext): Steps<JsonObject[]> {
  const { chain, wallet, arguments: given } = context;
  const minimum = given.integer('minconf', 1);
  const maximum = given.integer('maxconf', MAX_CONFIRMATIONS);
  const scripts = addressFilter(context);
  const includesUnsafe = given.boolean('include_unsafe', true);
  const options = given.object('query_options');
  const minimumAmount = options.minimumAmount === undefined ? 0n : toAmount(options.minimumAmount);
  const maximumAmount = options.maximumAmount === undefined ? undefined : toAmount(options.maximumAmount);
  const maximumCount = Number(options.maximumCount ?? 0);
  const ring = keyRingOf(wallet);
  const known = new Map<string, ScriptDetails>();
  const views: JsonObject[] = [];
  let seen = 0;
  for (const coin of yield* walletCoins(chain, wallet)) {
    if (++seen % COINS_PER_STEP === 0) yield 2 ** 12;
    const isInRange =
      coin.confirmations >= minimum &&
      coin.confirmations <= maximum &&
      coin.value >= minimumAmount &&
      (maximumAmount === undefined || coin.value <= maximumAmount);
    const isMature = coin.isMature || options.include_immature_coinbase === true;
    const isChosen = isInRange && isMature && (includesUnsafe || coin.isTrusted);
    const script = hexKey(coin.script);
    if (!isChosen || (scripts !== null && !scripts.has(script))) continue;
    const details = known.get(script) ?? scriptDetails(coin, ring, wallet);
    known.set(script, details);
    views.push(coinView(coin, details, wallet.hasPrivateKeys));
    if (views.length === maximumCount) break;
  }
  return views;
}

/** The state of a transaction in the chain. */
function stateView({ chain }: CallContext, { transaction, mined }: WalletTransaction): JsonObject {
  const time = mined?.block.header.time ?? chain.mempool.entry(transaction.txid)?.time ?? 0;
  const state =
    mined === null
      ? { confirmations: 0, trusted: true }
      : {
          confirmations: chain.confirmations(mined.block.height),
          ...(isCoinbase(transaction) && { generated: true }),
          blockhash: mined.block.hash,
          blockheight: mined.block.height,
          blockindex: mined.position,
          blocktime: mined.block.header.time,
        };
  return {
    ...state,
    txid: transaction.txid,
    wtxid: transaction.wtxid,
    walletconflicts: [],
    time,
    timereceived: time,
    'bip125-replaceable': 'no',
  };
}

/** Returns the payments of a transaction: one per output that leaves or reaches the wallet. */
function details(
  context: CallContext,
  found: WalletTransaction,
  { fee, owners }: WalletEffect,
): JsonObject[] {
  return found.transaction.outputs.flatMap(({ script, value }, vout) => {
    const owner = owners[vout];
    const address = addressOfScript(script);
    const place = {
      ...(owner?.kind === 'watched' && { involvesWatchonly: true }),
      ...(address !== undefined && { address }),
    };
    const label = owner === undefined ? {} : { label: owner.entry.label };
    const isChange = owner?.kind === 'key' && owner.entry.isChange;
    const sent = {
      ...place,
      category: 'send',
      amount: toCoins(-value),
      ...label,
      vout,
      fee: toCoins(-(fee ?? 0n)),
      abandoned: false,
    };
    const received = {
      ...place,
      category: receivedCategory(context, found),
      amount: toCoins(value),
      ...label,
      vout,
      abandoned: false,
    };
    return [
      ...(fee !== null && !isChange ? [sent] : []),
      ...(owner !== undefined && !isChange ? [received] : []),
    ];
  });
}

function receivedCategory({ chain }: CallContext, { transaction, mined }: WalletTransaction): string {
  if (!isCoinbase(transaction) || mined === null) return 'receive';
  return chain.confirmations(mined.block.height) > COINBASE_MATURITY ? 'generate' : 'immature';
}

function* getTransaction(context: CallContext): Steps<JsonObject> {
  const { chain, wallet, arguments: given } = context;
  const txid = given.hash('txid');
  const found = chain.transaction(txid);
  const includesWatched = given.boolean('include_watchonly', !wallet.hasPrivateKeys);
  const scripts = walletScripts(wallet);
  const whole = found === undefined ? undefined : effectOf(chain, scripts, found.transaction, true);
  const isOwn =
    whole !== undefined && (whole.debit > 0n || whole.owners.some((owner) => owner !== undefined));
  if (found === undefined || whole === undefined || !isOwn) {
    throw new BitcoinRpcError(CODES.addressOrKey, 'Invalid or non-wallet transaction id');
  }
  const effect = includesWatched ? whole : effectOf(chain, scripts, found.transaction, false);
  const { debit, fee } = effect;
  const isImmature = receivedCategory(context, found) === 'immature';
  const credit = isImmature ? 0n : effect.credit;
  return {
    amount: toCoins(credit - debit + (fee ?? 0n)),
    ...(fee !== null && { fee: toCoins(-fee) }),
    ...stateView(context, found),
    details: details(context, found, effect),
    hex: hexKey(found.transaction.bytes),
    ...(given.boolean('verbose', false) && { decoded: yield* transactionView(found.transaction) }),
    lastprocessedblock: { hash: chain.tip.hash, height: chain.tip.height },
  };
}

function* listTransactions(context: CallContext): Steps<JsonObject[]> {
  const { chain, wallet, arguments: given } = context;
  const label = given.optionalText('label') ?? '*';
  const count = given.integer('count', 10);
  const skip = given.integer('skip', 0);
  if (count < 0) throw new BitcoinRpcError(CODES.parameter, 'Negative count');
  if (skip < 0) throw new BitcoinRpcError(CODES.parameter, 'Negative from');
  const includesWatched = given.boolean('include_watchonly', !wallet.hasPrivateKeys);
  const scripts = walletScripts(wallet);
  const newestFirst: JsonObject[] = [];
  for (const found of walletHistory(chain, wallet).reverse()) {
    if (newestFirst.length >= count + skip) break;
    const state = stateView(context, found);
    const effect = effectOf(chain, scripts, found.transaction, includesWatched);
    const entries = details(context, found, effect).filter((entry) => label === '*' || entry.label === label);
    for (const entry of entries.reverse()) newestFirst.push({ ...entry, ...state });
    yield 2 ** 10;
  }
  return newestFirst.slice(skip, skip + count).reverse();
}

function receivedByAddress({ chain, wallet, arguments: given }: CallContext): number {
  const address = given.text('address');
  const script = hexKey(requireScript(address));
  if (!walletScripts(wallet).has(script)) {
    throw new BitcoinRpcError(CODES.wallet, `Address not found in wallet: ${shown(address)}`);
  }
  const minimum = given.integer('minconf', 1);
  let sum = 0n;
  for (const { transaction, mined } of walletHistory(chain, wallet)) {
    const confirmations = mined === null ? 0 : chain.confirmations(mined.block.height);
    const isImmature = isCoinbase(transaction) && confirmations <= COINBASE_MATURITY;
    if (confirmations < minimum || isImmature) continue;
    for (const output of transaction.outputs) if (hexKey(output.script) === script) sum += output.value;
  }
  return toCoins(sum);
}

export const HISTORY_CALLS: readonly BitcoinCall[] = [
  {
    name: 'listunspent',
    group: 'Wallet',
    parameters: [
      optional('minconf', 'number'),
      optional('maxconf', 'number'),
      optional('addresses', 'array'),
      optional('include_unsafe', 'bool'),
      optional('query_options', 'object'),
    ],
    steps: listUnspent,
  },
  {
    name: 'gettransaction',
    group: 'Wallet',
    parameters: [
      required('txid', 'string'),
      optional('include_watchonly', 'bool'),
      optional('verbose', 'bool'),
    ],
    steps: getTransaction,
  },
  {
    name: 'listtransactions',
    group: 'Wallet',
    parameters: [
      optional('label', 'string'),
      optional('count', 'number'),
      optional('skip', 'number'),
      optional('include_watchonly', 'bool'),
    ],
    steps: listTransactions,
  },
  {
    name: 'getreceivedbyaddress',
    group: 'Wallet',
    parameters: [
      required('address', 'string'),
      optional('minconf', 'number'),
      optional('include_immature_coinbase', 'bool'),
    ],
    run: receivedByAddress,
  },
];
