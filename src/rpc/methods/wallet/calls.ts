import type { Chain } from '../../../chain/chain.ts';
import { CodedError } from '../../../primitives/coded-error.ts';
import { toHex, toQuantity } from '../../../primitives/hex.ts';
import type { TransactionLocation } from '../../../protocol/block.ts';
import { AccountNotFoundError } from '../../../wallet/errors.ts';
import { receiptViewInSteps } from '../../../wire/receipt.ts';
import { type JsonSchema, objectSchema } from '../../../wire/values.ts';
import type { CallBatch } from '../../call-batches.ts';
import { boolean, jsonObject, text, textUpTo } from '../../codecs/basic.ts';
import { arrayOf, type Decoded, objectOf, refined } from '../../codecs/codec.ts';
import { address, data, QUANTITY_JSON_SCHEMA, quantity } from '../../codecs/hex-values.ts';
import {
  AtomicityError,
  BatchTooLargeError,
  DuplicateBatchError,
  UnknownBatchError,
  UnsupportedCapabilityError,
  UnsupportedChainError,
} from '../../errors.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';
import type { RpcContext } from '../../rpc-context.ts';
import { atomicStatusOf, batchCalls, sendAtomically, sendCall } from '../../sending.ts';
import { countedSend } from '../eth/send.ts';

/** Maximum calls of a batch, and maximum characters of a client's id (EIP-5792: 4096 bytes). */
const MAX_CALLS = 1_000;
const MAX_ID_LENGTH = 8_194;

const batchId = textUpTo(MAX_ID_LENGTH, 'an id', 1);

const call = objectOf(
  { to: address, value: quantity, data, capabilities: jsonObject },
  'an object with to, value and data',
);

/** The request of wallet_sendCalls in both versions of EIP-5792; version 1 has no `atomicRequired`. */
const callsRequest = refined(
  objectOf(
    {
      version: text,
      id: batchId,
      from: address,
      chainId: quantity,
      atomicRequired: boolean,
      calls: arrayOf(call, 'an array of calls'),
      capabilities: jsonObject,
    },
    'an object with version, chainId, from, atomicRequired and calls',
  ),
  ({ calls, ...rest }) =>
    calls === null || calls.length === 0
      ? { path: ['calls'], expected: 'an array of at least one call' }
      : { value: { ...rest, calls } },
);

type CallsRequest = Decoded<typeof callsRequest>;

/** Throws {@link UnsupportedCapabilityError} for a required capability, because the node has none. */
function requireOptional(capabilities: object | null): void {
  for (const [name, asked] of Object.entries(capabilities ?? {})) {
    const isOptional = typeof asked === 'object' && asked !== null && Reflect.get(asked, 'optional') === true;
    if (!isOptional) throw new UnsupportedCapabilityError(name.slice(0, 100));
  }
}

/** Throws if the node cannot accept the request. */
function checkRequest(context: RpcContext, { id, chainId, calls, capabilities }: CallsRequest): void {
  const { chain } = context.node;
  const { callBatches } = context.services;
  const own = chain.settings.chainId;
  if (chainId !== null && chainId !== BigInt(own)) throw new UnsupportedChainError(chainId, own);
  if (calls.length > MAX_CALLS) throw new BatchTooLargeError(calls.length, MAX_CALLS);
  requireOptional(capabilities);
  for (const each of calls) requireOptional(each.capabilities);
  if (id !== null && callBatches.get(chain, id) !== undefined) throw new DuplicateBatchError(id);
}

/** True for a mined transaction that failed. */
function hasFailed(chain: Chain, hash: Uint8Array): boolean {
  const mined = chain.transaction(hash);
  return mined !== undefined && mined.block.receipts[mined.index]?.succeeded === false;
}

/** Sends the calls in order, until a mined one has failed. */
async function sendInOrder(
  context: RpcContext,
  sender: Uint8Array,
  { calls }: CallsRequest,
  onSent: (hashes: readonly Uint8Array[]) => void,
): Promise<void> {
  const hashes: Uint8Array[] = [];
  for (const each of calls) {
    const hash = await countedSend(context, () => sendCall(context, sender, each));
    hashes.push(hash);
    onSent(hashes.slice());
    if (hasFailed(context.node.chain, hash)) return;
  }
}

function statusOf(
  chain: Chain,
  { hashes, transactions }: CallBatch,
  mined: readonly TransactionLocation[],
): number {
  if (hashes.some((hash) => chain.transaction(hash) === undefined && chain.pool.byHash(hash) !== undefined)) {
    return 100;
  }
  const succeeded = mined.filter(({ block, index }) => block.receipts[index]?.succeeded === true).length;
  if (succeeded === transactions) return 200;
  if (mined.length === 0) return 400;
  return succeeded === 0 ? 500 : 600;
}

const STATUS_WORDS: Readonly<Record<number, string>> = {
  100: 'pending',
  200: 'all calls succeeded',
  400: 'no call was mined',
  500: 'all calls failed',
  600: 'some calls failed',
};

/** Maximum characters of an id, and maximum transaction hashes, in a line of the log. */
const SHOWN_ID = 80;
const SHOWN_HASHES = 10;

/** Returns a line of the log with the status of a batch. */
function statusLine({ id, hashes, error }: CallBatch, status: number): string {
  const name = id.length > SHOWN_ID ? `${id.slice(0, SHOWN_ID)}…` : id;
  const shown = hashes.slice(0, SHOWN_HASHES).map(toHex).join(', ');
  const more = hashes.length > SHOWN_HASHES ? ` and ${hashes.length - SHOWN_HASHES} more` : '';
  const place =
    hashes.length === 0
      ? ''
      : `, in ${hashes.length} ${hashes.length === 1 ? 'transaction' : 'transactions'}: ${shown}${more}`;
  const unsent = error === null ? '' : `; a call was not sent: ${error}`;
  return `Batch "${name}": ${STATUS_WORDS[status]} (status ${status})${place}${unsent}`;
}

const RECEIPT_MEMBERS = ['status', 'blockHash', 'blockNumber', 'gasUsed', 'transactionHash'] as const;

/** Returns the members of a receipt that EIP-5792 defines. */
async function receiptOf(
  { node: { chain }, settings, deadline }: RpcContext,
  mined: TransactionLocation,
): Promise<object> {
  const receipt = await deadline.run(receiptViewInSteps(mined, settings.compat, chain.ruleSet));
  const logs = (receipt.logs as readonly Record<string, unknown>[]).map((log) => ({
    address: log.address,
    topics: log.topics,
    data: log.data,
  }));
  return { logs, ...Object.fromEntries(RECEIPT_MEMBERS.map((name) => [name, receipt[name]])) };
}

const ID_SIZE = 64;
const VERSION = '2.0.0';

const STATUS_JSON_SCHEMA: JsonSchema = objectSchema({
  version: { type: 'string' },
  id: { type: 'string' },
  chainId: QUANTITY_JSON_SCHEMA,
  status: { type: 'integer', enum: [100, 200, 400, 500, 600] },
  atomic: { type: 'boolean' },
  receipts: { type: 'array', items: { type: 'object' } },
});

export const WALLET_CALLS: readonly Method[] = [
  /**
   * Returns the status of a batch of wallet_sendCalls (EIP-5792), with the receipts of mined transactions.
   * Code 100 is for pending, 200 for success, and 400 if no call is mined or pending. Code 500 is for
   * failure, and 600 if only some calls failed. The member `error` is the reason of an unsent call. Rejects
   * with 5730 for an unknown id.
   */
  defineMethod({
    name: 'wallet_getCallsStatus',
    summary: 'The status of a batch of calls',
    differs: 'Not in Anvil, Hardhat or Ganache',
    params: [param('id', batchId)],
    result: { description: 'The status, and the receipts of mined transactions', schema: STATUS_JSON_SCHEMA },
    handler: async (context, id) => {
      const { chain } = context.node;
      const { callBatches } = context.services;
      const batch = callBatches.get(chain, id);
      if (batch === undefined) throw new UnknownBatchError(id);
      const mined = batch.hashes.flatMap((hash) => chain.transaction(hash) ?? []);
      const status = statusOf(chain, batch, mined);
      const receipts: object[] = [];
      for (const each of mined) receipts.push(await receiptOf(context, each));
      const { chainId, isAtomic: atomic, error } = batch;
      const answer = { version: VERSION, id, chainId, status, atomic, receipts };
      return error === null ? answer : { ...answer, error };
    },
  }),
  /**
   * Prints a line with the status (EIP-5792) and the transaction hashes. Rejects with 5730 for an unknown id.
   */
  defineMethod({
    name: 'wallet_showCallsStatus',
    summary: "Prints the status of a batch of calls to the node's log",
    differs: 'Not in Anvil, Hardhat or Ganache',
    params: [param('id', batchId)],
    result: { description: 'No meaningful value', schema: { type: 'null' } },
    handler: ({ node: { chain }, services: { callBatches } }, id) => {
      const batch = callBatches.get(chain, id);
      if (batch === undefined) throw new UnknownBatchError(id);
      const mined = batch.hashes.flatMap((hash) => chain.transaction(hash) ?? []);
      if (chain.isLogged) chain.events.emit('notice', statusLine(batch, statusOf(chain, batch, mined)));
      return null;
    },
  }),
  /**
   * Returns the capabilities of an account (EIP-5792): whether it can send several calls in one transaction
   * (`atomic`). The status is `ready` under hardforks with EIP-7702, and `supported` if the account already
   * delegates. The default is the first account. Empty for other chains, and in hosted-node mode.
   */
  defineMethod({
    name: 'wallet_getCapabilities',
    summary: 'The wallet capabilities of an account',
    differs: 'Not in Anvil, Hardhat or Ganache',
    params: [
      optional('address', address, null),
      optional('chainIds', arrayOf(quantity, 'an array of chain ids'), null),
    ],
    result: { description: 'The capabilities by chain id', schema: { type: 'object' } },
    handler: async (context, account, chainIds) => {
      const { chain } = context.node;
      const { settings } = context;
      const own = BigInt(chain.settings.chainId);
      const sender = account ?? chain.wallet.addresses()[0];
      const isAsked = chainIds === null || chainIds.includes(own);
      if (settings.hosted || sender === undefined || !isAsked) return {};
      return { [toQuantity(own)]: { atomic: { status: await atomicStatusOf(context, sender) } } };
    },
  }),
  /**
   * Sends calls of one account (EIP-5792). If the account supports it (see wallet_getCapabilities), one
   * transaction contains several calls and fails as a whole. Otherwise the calls are sent in order, until one
   * fails.
   *
   * Rejects without sending anything, with 5760 if one transaction is required and not possible, and with
   * 5700 for a required capability. Other codes are 5710 for another chain, 5720 for a used id, and 5740 for
   * more than 1000 calls.
   */
  defineMethod({
    name: 'wallet_sendCalls',
    summary: 'Sends several calls from one account, in one transaction if possible',
    differs: 'Not in Anvil, Hardhat or Ganache',
    params: [param('request', callsRequest)],
    needsKeys: true,
    result: {
      description: 'The id of the batch',
      schema: objectSchema({ id: { type: 'string' } }),
    },
    handler: async (context, request) => {
      const { chain } = context.node;
      const { callBatches, random } = context.services;
      checkRequest(context, request);
      const sender = request.from ?? chain.wallet.addresses()[0];
      if (sender === undefined) throw new AccountNotFoundError(new Uint8Array(20));
      const id = request.id ?? toHex(random(ID_SIZE));
      const { length } = request.calls;
      const status = length === 1 ? 'unsupported' : await atomicStatusOf(context, sender);
      const batch = batchCalls(request.calls);
      const isInOne = status !== 'unsupported' && batch !== null;
      if (length > 1 && request.atomicRequired === true && !isInOne) {
        throw new AtomicityError(
          batch === null
            ? 'a batch in one transaction cannot create a contract or call the zero address'
            : null,
        );
      }
      const chainId = toQuantity(chain.settings.chainId);
      const shared = { id, chainId, isAtomic: isInOne || length === 1, transactions: isInOne ? 1 : length };
      const keep = (hashes: readonly Uint8Array[]): void =>
        callBatches.put(chain, { ...shared, hashes, error: null });
      // Reserves the id, so that only one of two requests with the same id is sent.
      if (callBatches.get(chain, id) !== undefined) throw new DuplicateBatchError(id);
      keep([]);
      try {
        if (isInOne) {
          keep([await countedSend(context, () => sendAtomically(context, sender, batch, status))]);
        } else {
          await sendInOrder(context, sender, request, keep);
        }
      } catch (error) {
        const sent = callBatches.get(chain, id);
        if (sent !== undefined && sent.hashes.length > 0 && error instanceof CodedError) {
          // Sent transactions cannot be reverted, so the status reports why the others were not sent.
          callBatches.put(chain, { ...sent, error: error.message });
          return { id };
        }
        callBatches.remove(chain, id);
        throw error;
      }
      return { id };
    },
  }),
];
