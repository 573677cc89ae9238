// The GET routes of Blockbook that 2wp-api reads.

import { hexKey } from '../../primitives/hex.ts';
import type { Steps } from '../../primitives/steps.ts';
import { addressOfScript, scriptOfAddress } from '../bitcoin/address.ts';
import { formatCoins } from './amounts.ts';
import type { Coin } from './chain-index.ts';
import type { ParentChain } from './parent-chain.ts';
import { isCoinbase, type ParentOutput, type ParentTransaction, virtualSize } from './parent-transaction.ts';
import { type JsonObject, toHash } from './rpc/call.ts';
import { ESTIMATED_FEE_RATE } from './rpc/control-calls.ts';
import { broadcast, requireTransaction } from './rpc/raw-transaction-calls.ts';
import { BitcoinRpcError } from './rpc/rpc-error.ts';
import { feeOfTransaction, spentOutput } from './rpc/views.ts';
import { scriptText } from './script/script-text.ts';
import { scriptForm } from './script/templates.ts';

const VERSION = '0.4.0';
const DEFAULT_PAGE_SIZE = 1000;
const TRANSACTIONS_PER_STEP = 16;

export interface BlockbookResponse {
  /** The HTTP status. */
  readonly status: 200 | 400 | 404;
  readonly body: unknown;
}

type ApiVersion = 'v1' | 'v2';

function addressesOf(script: Uint8Array): { addresses: string[]; isAddress: boolean } {
  const address = addressOfScript(script);
  return { addresses: address === undefined ? [] : [address], isAddress: address !== undefined };
}

/** Version 1 prints amounts in coins, version 2 in satoshis. */
function amount(value: bigint, version: ApiVersion): string {
  return version === 'v2' ? value.toString() : formatCoins(value).replace(/\.?0+$/, '');
}

function sum(outputs: readonly (ParentOutput | undefined)[]): bigint {
  return outputs.reduce((total, output) => total + (output?.value ?? 0n), 0n);
}

function inputViews(chain: ParentChain, transaction: ParentTransaction, version: ApiVersion): JsonObject[] {
  if (isCoinbase(transaction)) {
    return transaction.inputs.map(({ script, sequence }, n) => ({ coinbase: hexKey(script), sequence, n }));
  }
  return transaction.inputs.map((input, n) => {
    const output = spentOutput(chain, input);
    const hex = hexKey(input.script);
    return {
      txid: input.txid,
      vout: input.index,
      sequence: input.sequence,
      n,
      ...(output !== undefined && { ...addressesOf(output.script), value: amount(output.value, version) }),
      ...(version === 'v2' ? { hex } : { scriptSig: { hex } }),
    };
  });
}

function outputViews(chain: ParentChain, transaction: ParentTransaction, version: ApiVersion): JsonObject[] {
  return transaction.outputs.map(({ value, script }, n) => {
    const outpoint = { txid: transaction.txid, index: n };
    const isSpent = chain.coin(outpoint) === undefined || chain.mempool.spender(outpoint) !== undefined;
    const { type } = scriptForm(script);
    const hex = hexKey(script);
    const { addresses, isAddress } = addressesOf(script);
    const common = { value: amount(value, version), n, spent: isSpent && type !== 'nulldata' };
    return version === 'v2'
      ? { ...common, hex, addresses, isAddress }
      : { ...common, scriptPubKey: { hex, asm: scriptText(script), addresses, type } };
  });
}

function transactionView(chain: ParentChain, txid: string, version: ApiVersion): JsonObject | undefined {
  const found = chain.transaction(txid);
  if (found === undefined) return undefined;
  const { transaction, mined } = found;
  const block = mined?.block;
  const time = block?.header.time ?? chain.mempool.entry(txid)?.time ?? 0;
  const inputs = isCoinbase(transaction) ? [] : transaction.inputs.map((input) => spentOutput(chain, input));
  const place =
    version === 'v2'
      ? { blockHash: block?.hash, blockHeight: block?.height ?? -1, blockTime: time }
      : { blockhash: block?.hash, blockheight: block?.height ?? -1, time, blocktime: time };
  const valueOut = amount(sum(transaction.outputs), version);
  return {
    txid,
    version: transaction.version,
    ...(transaction.lockTime !== 0 && { lockTime: transaction.lockTime }),
    vin: inputViews(chain, transaction, version),
    vout: outputViews(chain, transaction, version),
    ...place,
    confirmations: block === undefined ? 0 : chain.confirmations(block.height),
    size: transaction.bytes.length,
    vsize: virtualSize(transaction.weight),
    ...(version === 'v2' ? { value: valueOut } : { valueOut }),
    valueIn: amount(sum(inputs), version),
    fees: amount(feeOfTransaction(chain, transaction) ?? 0n, version),
    hex: hexKey(transaction.bytes),
  };
}

interface AddressSums {
  readonly ids: readonly string[];
  readonly received: bigint;
  readonly sent: bigint;
}

/** Sums the amounts that the transactions paid to a script, and spent from it. */
function* addressSums(chain: ParentChain, script: string, ids: readonly string[]): Steps<AddressSums> {
  const isOfScript = (output: ParentOutput | undefined): output is ParentOutput =>
    output !== undefined && hexKey(output.script) === script;
  let [received, sent] = [0n, 0n];
  for (const [index, id] of ids.entries()) {
    const transaction = chain.transaction(id)?.transaction;
    if (transaction === undefined) continue;
    received += sum(transaction.outputs.filter(isOfScript));
    if (!isCoinbase(transaction)) {
      sent += sum(transaction.inputs.map((input) => spentOutput(chain, input)).filter(isOfScript));
    }
    if (index % TRANSACTIONS_PER_STEP === 0) yield 2 ** 12;
  }
  return { ids, received, sent };
}

function positive(text: string | null, fallback: number): number {
  const value = Number(text ?? fallback);
  return Number.isInteger(value) && value > 0 && value <= DEFAULT_PAGE_SIZE ? value : fallback;
}

function* addressView(
  chain: ParentChain,
  address: string,
  query: URLSearchParams,
): Steps<JsonObject | undefined> {
  const bytes = scriptOfAddress(address);
  if (bytes === undefined) return undefined;
  const script = hexKey(bytes);
  const mined = yield* addressSums(chain, script, Array.from(chain.index.historyOfScript(script)));
  const pending = yield* addressSums(chain, script, Array.from(chain.mempool.historyOfScript(script)));
  const newestFirst = [...pending.ids.toReversed(), ...mined.ids.toReversed()];
  const itemsOnPage = positive(query.get('pageSize'), DEFAULT_PAGE_SIZE);
  const totalPages = Math.max(1, Math.ceil(newestFirst.length / itemsOnPage));
  const page = Math.min(positive(query.get('page'), 1), totalPages);
  return {
    page,
    totalPages,
    itemsOnPage,
    address,
    balance: (mined.received - mined.sent).toString(),
    totalReceived: mined.received.toString(),
    totalSent: mined.sent.toString(),
    unconfirmedBalance: (pending.received - pending.sent).toString(),
    unconfirmedTxs: pending.ids.length,
    txs: mined.ids.length,
    txids: newestFirst.slice((page - 1) * itemsOnPage, page * itemsOnPage),
  };
}

function* unspentView(
  chain: ParentChain,
  address: string,
  version: ApiVersion,
): Steps<JsonObject[] | undefined> {
  const bytes = scriptOfAddress(address);
  if (bytes === undefined) return undefined;
  const script = hexKey(bytes);
  const views: JsonObject[] = [];
  const all: Coin[] = [...chain.mempool.coinsOfScript(script), ...chain.index.coinsOfScript(script)];
  for (const coin of all) {
    if (views.length % TRANSACTIONS_PER_STEP === 0) yield 2 ** 10;
    if (chain.mempool.spender(coin) !== undefined) continue;
    const confirmations = coin.height === null ? 0 : chain.confirmations(coin.height);
    const value =
      version === 'v2'
        ? { value: coin.value.toString() }
        : { amount: amount(coin.value, 'v1'), satoshis: Number(coin.value) };
    views.push({
      txid: coin.txid,
      vout: coin.index,
      ...value,
      ...(coin.height !== null && { height: coin.height }),
      confirmations,
    });
  }
  return views;
}

function statusView({ tip, mempool }: ParentChain): JsonObject {
  return {
    blockbook: {
      coin: 'Bitcoin Regtest',
      host: 'parent chain',
      version: VERSION,
      syncMode: true,
      initialSync: false,
      inSync: true,
      bestHeight: tip.height,
      inSyncMempool: true,
      mempoolSize: mempool.size,
      decimals: 8,
    },
    backend: {
      chain: 'regtest',
      blocks: tip.height,
      headers: tip.height,
      bestBlockHash: tip.hash,
      version: '280000',
      subversion: '/Satoshi:28.0.0/',
    },
  };
}

function* send(chain: ParentChain, digits: string): Steps<JsonObject> {
  const transaction = requireTransaction(digits);
  if (chain.mempool.entry(transaction.txid) === undefined) yield* broadcast(chain, transaction);
  return { result: transaction.txid };
}

function feeView(blocks: string): JsonObject | undefined {
  return /^\d{1,4}$/.test(blocks) ? { result: amount(ESTIMATED_FEE_RATE, 'v1') } : undefined;
}

function* bodyOf(
  chain: ParentChain,
  version: ApiVersion,
  [name = '', argument = '']: readonly string[],
  query: URLSearchParams,
): Steps<unknown> {
  switch (name) {
    case '':
    case 'blocks':
      return statusView(chain);
    case 'address':
      return yield* addressView(chain, argument, query);
    case 'utxo':
      return yield* unspentView(chain, argument, version);
    case 'tx':
      return transactionView(chain, toHash(argument, 'txid'), version);
    case 'estimatefee':
      return feeView(argument);
    case 'sendtx':
      return yield* send(chain, argument);
    case 'block-index':
      return blockIndex(chain, argument);
    default:
      return undefined;
  }
}

function blockIndex(chain: ParentChain, height: string): JsonObject | undefined {
  const block = /^\d{1,9}$/.test(height) ? chain.index.blockAt(Number(height)) : undefined;
  return block === undefined ? undefined : { blockHash: block.hash };
}

/** Answers a GET request: `path` starts with `/api/`, and may have a query. Returns `null` for other paths. */
export function* blockbookRoute(chain: ParentChain, path: string): Steps<BlockbookResponse | null> {
  const [plain = '', query = ''] = path.split('?');
  const [root, ...parts] = plain.split('/').slice(1);
  if (root !== 'api') return null;
  const [first] = parts;
  const version = first === 'v1' || first === 'v2' ? first : 'v2';
  const rest = first === version ? parts.slice(1) : parts;
  try {
    const body = yield* bodyOf(chain, version, rest, new URLSearchParams(query));
    return body === undefined
      ? { status: 404, body: { error: `not found: ${shownPath(rest)}` } }
      : { status: 200, body };
  } catch (error) {
    if (error instanceof BitcoinRpcError) return { status: 400, body: { error: error.message } };
    throw error;
  }
}

function shownPath(parts: readonly string[]): string {
  return parts.join('/').slice(0, 200);
}
