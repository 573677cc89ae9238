// Calls that read the mempool and the unspent outputs.

import { hexKey } from '../../../primitives/hex.ts';
import { ITEMS_PER_STEP, type Steps } from '../../../primitives/steps.ts';
import { scriptOfAddress } from '../../bitcoin/address.ts';
import { hash160, p2pkhScript } from '../../bitcoin/script.ts';
import { MIN_RELAY_FEE, toCoins } from '../amounts.ts';
import type { Coin } from '../chain-index.ts';
import { descriptorChecksum, MAX_DESCRIPTOR_LENGTH } from '../descriptor-checksum.ts';
import type { MempoolEntry } from '../mempool.ts';
import type { ParentChain } from '../parent-chain.ts';
import { virtualSize } from '../parent-transaction.ts';
import { p2pkScript, p2shP2wpkhScript, p2wpkhScript } from '../script/templates.ts';
import {
  type BitcoinCall,
  type CallContext,
  digitsToBytes,
  isObject,
  type JsonObject,
  optional,
  required,
  shown,
  toText,
} from './call.ts';
import { BitcoinRpcError, CODES } from './rpc-error.ts';
import { descriptorOf, scriptView } from './views.ts';

function entryView(chain: ParentChain, { transaction, fee, time, height }: MempoolEntry): JsonObject {
  const { inputs, txid, wtxid, weight, outputs } = transaction;
  const depends = [...new Set(inputs.map((input) => input.txid))].filter(
    (parent) => chain.mempool.entry(parent) !== undefined,
  );
  const spentby = outputs.flatMap((_, index) => chain.mempool.spender({ txid, index }) ?? []);
  const size = virtualSize(weight);
  return {
    vsize: size,
    weight,
    time,
    height,
    descendantcount: 1 + spentby.length,
    descendantsize: size,
    ancestorcount: 1 + depends.length,
    ancestorsize: size,
    wtxid,
    fees: { base: toCoins(fee), modified: toCoins(fee), ancestor: toCoins(fee), descendant: toCoins(fee) },
    depends,
    spentby: [...new Set(spentby)],
    'bip125-replaceable': false,
    unbroadcast: false,
  };
}

function* rawMempool({ chain, arguments: given }: CallContext): Steps<unknown> {
  const entries = Array.from(chain.mempool.entries);
  if (!given.boolean('verbose', false)) return entries.map(({ transaction }) => transaction.txid);
  const views: Record<string, JsonObject> = {};
  for (const entry of entries) {
    views[entry.transaction.txid] = entryView(chain, entry);
    yield entry.transaction.bytes.length;
  }
  return views;
}

function mempoolEntry({ chain, arguments: given }: CallContext): JsonObject {
  const entry = chain.mempool.entry(given.hash('txid'));
  if (entry === undefined) throw new BitcoinRpcError(CODES.addressOrKey, 'Transaction not in mempool');
  return entryView(chain, entry);
}

function mempoolInfo({ chain }: CallContext): JsonObject {
  let bytes = 0;
  let fees = 0n;
  for (const { transaction, fee } of chain.mempool.entries) {
    bytes += virtualSize(transaction.weight);
    fees += fee;
  }
  return {
    loaded: true,
    size: chain.mempool.size,
    bytes,
    usage: bytes,
    total_fee: toCoins(fees),
    maxmempool: 300_000_000,
    mempoolminfee: toCoins(MIN_RELAY_FEE),
    minrelaytxfee: toCoins(MIN_RELAY_FEE),
    incrementalrelayfee: toCoins(MIN_RELAY_FEE),
    unbroadcastcount: 0,
    fullrbf: false,
  };
}

function output({ chain, arguments: given }: CallContext): JsonObject | null {
  const outpoint = { txid: given.hash('txid'), index: given.integer('n') };
  const usesMempool = given.boolean('include_mempool', true);
  const coin = usesMempool ? chain.coin(outpoint) : chain.index.coin(`${outpoint.txid}:${outpoint.index}`);
  if (coin === undefined || (usesMempool && chain.mempool.spender(outpoint) !== undefined)) return null;
  return {
    bestblock: chain.tip.hash,
    confirmations: coin.height === null ? 0 : chain.confirmations(coin.height),
    value: toCoins(coin.value),
    scriptPubKey: scriptView(coin.script),
    coinbase: coin.isCoinbase,
  };
}

const MAX_SCAN_OBJECTS = 10_000;

function invalidDescriptor(descriptor: string): BitcoinRpcError {
  return new BitcoinRpcError(
    CODES.addressOrKey,
    `'${shown(descriptor)}' is not a supported descriptor: expected addr(), raw(), pk(), pkh(), wpkh(), sh(wpkh()) or combo()`,
  );
}

/** Returns the output scripts of a descriptor without ranges. */
function scriptsOfDescriptor(descriptor: string): Uint8Array[] {
  if (descriptor.length > MAX_DESCRIPTOR_LENGTH) {
    throw new BitcoinRpcError(
      CODES.addressOrKey,
      `descriptor: expected at most ${MAX_DESCRIPTOR_LENGTH} characters, got ${descriptor.length}`,
    );
  }
  const [body = '', checksum] = descriptor.split('#');
  if (checksum !== undefined && descriptorChecksum(body) !== checksum) {
    throw new BitcoinRpcError(
      CODES.addressOrKey,
      `Provided checksum '${shown(checksum)}' does not match computed checksum '${descriptorChecksum(body) ?? ''}'`,
    );
  }
  const match = /^(sh\(wpkh|\w+)\(([^()]*)\)\)?$/.exec(body);
  const [, name = '', content = ''] = match ?? [];
  if (name === 'addr') {
    const script = scriptOfAddress(content);
    if (script === undefined) throw new BitcoinRpcError(CODES.addressOrKey, 'Address is not valid');
    return [script];
  }
  const bytes = digitsToBytes(content);
  if (bytes === undefined) throw invalidDescriptor(descriptor);
  const isCompressed = bytes.length === 33 && (bytes[0] === 2 || bytes[0] === 3);
  const isKey = isCompressed || (bytes.length === 65 && bytes[0] === 4);
  if (name === 'raw') return [bytes];
  if (isKey && name === 'pk') return [p2pkScript(bytes)];
  if (isKey && name === 'pkh') return [p2pkhScript(hash160(bytes))];
  if (isCompressed && name === 'wpkh') return [p2wpkhScript(bytes)];
  if (isCompressed && name === 'sh(wpkh') return [p2shP2wpkhScript(bytes)];
  if (isKey && name === 'combo') {
    const always = [p2pkScript(bytes), p2pkhScript(hash160(bytes))];
    return isCompressed ? [...always, p2wpkhScript(bytes), p2shP2wpkhScript(bytes)] : always;
  }
  throw invalidDescriptor(descriptor);
}

function* scan({ chain, arguments: given }: CallContext): Steps<unknown> {
  const action = given.text('action');
  if (action === 'status') return null;
  if (action === 'abort') return false;
  if (action !== 'start') throw new BitcoinRpcError(CODES.parameter, `Invalid action '${shown(action)}'`);
  const objects = given.array('scanobjects');
  if (!given.has('scanobjects')) {
    throw new BitcoinRpcError(CODES.misc, 'scanobjects argument is required for the start action');
  }
  if (objects.length > MAX_SCAN_OBJECTS) {
    throw new BitcoinRpcError(CODES.parameter, `scanobjects: at most ${MAX_SCAN_OBJECTS} are allowed`);
  }
  const unspents: JsonObject[] = [];
  const scripts = new Set<string>();
  for (const object of objects) {
    const descriptor = isObject(object) ? toText(object.desc) : toText(object);
    for (const script of scriptsOfDescriptor(descriptor)) scripts.add(hexKey(script));
    yield 2 ** 10 + descriptor.length * 2 ** 4;
  }
  const tip = chain.tip;
  let total = 0n;
  for (const script of scripts) {
    for (const coin of chain.index.coinsOfScript(script)) {
      unspents.push(scannedView(chain, coin, tip.height));
      total += coin.value;
      if (unspents.length % ITEMS_PER_STEP === 0) yield ITEMS_PER_STEP * 2 ** 8;
    }
  }
  return {
    success: true,
    txouts: chain.index.coinCount,
    height: tip.height,
    bestblock: tip.hash,
    unspents,
    total_amount: toCoins(total),
  };
}

function scannedView(chain: ParentChain, coin: Coin, tipHeight: number): JsonObject {
  const height = coin.height ?? 0;
  return {
    txid: coin.txid,
    vout: coin.index,
    scriptPubKey: hexKey(coin.script),
    desc: descriptorOf(coin.script),
    amount: toCoins(coin.value),
    coinbase: coin.isCoinbase,
    height,
    blockhash: chain.index.blockAt(height)?.hash,
    confirmations: tipHeight - height + 1,
  };
}

export const MEMPOOL_CALLS: readonly BitcoinCall[] = [
  {
    name: 'getrawmempool',
    group: 'Blockchain',
    parameters: [optional('verbose', 'bool'), optional('mempool_sequence', 'bool')],
    steps: rawMempool,
  },
  {
    name: 'getmempoolentry',
    group: 'Blockchain',
    parameters: [required('txid', 'string')],
    run: mempoolEntry,
  },
  { name: 'getmempoolinfo', group: 'Blockchain', parameters: [], run: mempoolInfo },
  {
    name: 'gettxout',
    group: 'Blockchain',
    parameters: [required('txid', 'string'), required('n', 'number'), optional('include_mempool', 'bool')],
    run: output,
  },
  {
    name: 'scantxoutset',
    group: 'Blockchain',
    parameters: [required('action', 'string'), optional('scanobjects', 'array')],
    steps: scan,
  },
];
