import { isPending, LATEST } from '../../../chain/block-selector.ts';
import { whenReady } from '../../../primitives/awaitable.ts';
import { bytesToBigInt, EMPTY_BYTES, padLeft } from '../../../primitives/bytes.ts';
import { hexKey, toHex, toQuantity } from '../../../primitives/hex.ts';
import { KECCAK_EMPTY } from '../../../primitives/keccak.ts';
import type { RuleSet } from '../../../protocol/hardforks/rule-set.ts';
import { storageRoot } from '../../../state/account.ts';
import type { WorldState } from '../../../state/world-state.ts';
import { accountJson, PROOF_ACCOUNT, PROOF_ACCOUNT_PROPERTIES } from '../../../wire/account.ts';
import { type JsonSchema, objectSchema, orNull } from '../../../wire/values.ts';
import { requireServed } from '../../block-answers.ts';
import { recordOf } from '../../codecs/basic.ts';
import { blockSelector } from '../../codecs/block-selector.ts';
import { arrayOf, refined } from '../../codecs/codec.ts';
import {
  address,
  data,
  hash32,
  QUANTITY_JSON_SCHEMA,
  type RequestedSlot,
  requestedSlot,
  storageSlot,
} from '../../codecs/hex-values.ts';
import { fromState } from '../../fork/derivations.ts';
import { defineMethod, type Method, optional, param, peerOptional } from '../../method.ts';

/** The proof of an account (service document, Account proof object). */
const ACCOUNT_PROOF_JSON_SCHEMA: JsonSchema = objectSchema({
  ...PROOF_ACCOUNT_PROPERTIES,
  accountProof: { type: 'array', items: data.jsonSchema },
  storageProof: {
    type: 'array',
    items: objectSchema({
      key: { type: 'string', pattern: '^0x[0-9a-f]{0,64}$' },
      value: QUANTITY_JSON_SCHEMA,
      proof: { type: 'array', items: data.jsonSchema },
    }),
  },
});

/** The proof of an account and its storage slots as JSON (service document, Account proof object). */
export type AccountProofView = Readonly<Record<string, unknown>>;

/**
 * Returns the proof of an account and slots, or the proof of their absence. The key of a slot is a QUANTITY
 * (service document). Under Ethereum rules, a key of 32 bytes is returned as requested, as in geth.
 */
function accountProofView(
  state: WorldState,
  address: Uint8Array,
  slots: readonly RequestedSlot[],
  { encoding }: Pick<RuleSet, 'encoding'>,
): AccountProofView {
  const account = state.account(address);
  return {
    ...accountJson(PROOF_ACCOUNT, {
      address,
      balance: account?.balance ?? 0n,
      codeHash: account?.code.hash ?? KECCAK_EMPTY,
      nonce: account?.nonce ?? 0n,
      storageRoot: storageRoot(account?.storage ?? null),
    }),
    accountProof: state.accountProof(address).map(toHex),
    storageProof: slots.map(({ slot, asked }) => ({
      key: encoding === 'ethereum' && asked.length === WORD_DIGITS ? asked : toQuantity(bytesToBigInt(slot)),
      value: toQuantity(bytesToBigInt(state.storageAt(address, slot))),
      proof: state.storageProof(address, slot).map(toHex),
    })),
  };
}

const MAX_SLOTS = 1024;

/** Characters of a slot of 32 bytes: `0x` and 64 digits. */
const WORD_DIGITS = 66;

/** The slots of eth_getStorageValues by account: 1 to 1024 in total. */
const storageRequests = refined(
  recordOf(
    address,
    arrayOf(storageSlot, 'an array of storage positions'),
    'an object whose keys are addresses and whose values are arrays of storage positions',
    (of, slots) => [of, slots] as const,
  ),
  (entries) => {
    const slots = entries.reduce((sum, [, ofAccount]) => sum + ofAccount.length, 0);
    return slots === 0 || slots > MAX_SLOTS
      ? { path: [], expected: `1 to ${MAX_SLOTS} storage positions in total` }
      : { value: entries };
  },
);

const WORD = 32;

const storageSlots = arrayOf(
  requestedSlot,
  `an array of at most ${MAX_SLOTS} storage positions of at most 32 bytes each`,
  MAX_SLOTS,
);

export const ETH_STATE: readonly Method[] = [
  defineMethod({
    name: 'eth_getBalance',
    summary: 'The balance of an account',
    priority: 'high',
    params: [param('address', address), optional('block', blockSelector, LATEST)],
    fork: { kind: 'state', at: 1, answer: 'quantity' },
    result: { description: 'The balance in wei', schema: QUANTITY_JSON_SCHEMA },
    handler: ({ node: { chain } }, account, block) =>
      whenReady(chain.view(block), ({ state }) => toQuantity(state.account(account)?.balance ?? 0n)),
  }),
  /** `pending` includes the pool. */
  defineMethod({
    name: 'eth_getTransactionCount',
    summary: 'The nonce of an account',
    priority: 'high',
    params: [param('address', address), optional('block', blockSelector, LATEST)],
    fork: { kind: 'state', at: 1, answer: 'quantity' },
    result: {
      description: 'The next nonce of the account: the number of its transactions so far',
      schema: QUANTITY_JSON_SCHEMA,
    },
    handler: ({ node: { chain } }, account, block) =>
      isPending(block)
        ? toQuantity(chain.pendingNonce(account))
        : whenReady(chain.view(block), ({ state }) => toQuantity(state.account(account)?.nonce ?? 0n)),
  }),
  /** `pending` is rejected unless the compat mode supports it. */
  defineMethod({
    name: 'eth_getCode',
    summary: 'The bytecode of a contract',
    priority: 'high',
    params: [param('address', address), peerOptional('block', blockSelector, LATEST)],
    fork: { kind: 'state', at: 1, answer: 'dataOrNull' },
    result: { description: 'The bytecode', schema: data.jsonSchema },
    handler: (context, contract, block) => {
      requireServed(context, 'block', block);
      const view = context.node.chain.view(block);
      return whenReady(view, ({ state }) => toHex(state.account(contract)?.code.bytes ?? EMPTY_BYTES));
    },
  }),
  defineMethod({
    name: 'eth_getStorageAt',
    summary: 'The value of a storage slot of a contract',
    priority: 'high',
    params: [
      param('address', address),
      param('position', storageSlot),
      peerOptional('block', blockSelector, LATEST),
    ],
    fork: { kind: 'state', at: 2, answer: 'word' },
    result: { description: 'The value of the slot, 32 bytes', schema: hash32.jsonSchema },
    handler: ({ node: { chain } }, contract, position, block) =>
      whenReady(chain.view(block), ({ state }) => toHex(padLeft(state.storageAt(contract, position), 32))),
  }),
  defineMethod({
    name: 'eth_getStorageValues',
    summary: 'The values of several storage slots',
    priority: 'high',
    params: [param('requests', storageRequests), optional('block', blockSelector, LATEST)],
    fork: { kind: 'state', at: 1, answer: 'fields', derive: fromState('storageValues') },
    result: {
      description: 'The values by address, in the order of the requested slots',
      schema: { type: 'object', additionalProperties: { type: 'array', items: hash32.jsonSchema } },
    },
    handler: ({ node: { chain } }, requests, selector) =>
      whenReady(chain.view(selector), ({ state }) =>
        Object.fromEntries(
          requests.map(([address, slots]) => [
            toHex(address),
            slots.map((slot) => toHex(padLeft(state.storageAt(address, slot), WORD))),
          ]),
        ),
      ),
  }),
  /**
   * Returns the Merkle proof of an account and its storage slots from a block's state root (EIP-1186), or the
   * proof of their absence. If a method changed the state after the head without a block
   * (`anvil_setBalance`), the proof is of the changed state. The head's header does not have its root.
   */
  defineMethod({
    name: 'eth_getProof',
    summary: 'The Merkle proof of an account and its storage',
    priority: 'high',
    params: [
      param('address', address),
      param('storageKeys', storageSlots),
      peerOptional('block', blockSelector, LATEST),
    ],
    fork: { kind: 'block', at: 2, answer: 'fields' },
    result: { description: 'The proof', schema: ACCOUNT_PROOF_JSON_SCHEMA },
    handler: ({ node: { chain } }, account, slots, block) =>
      whenReady(chain.view(block), ({ state }) => accountProofView(state, account, slots, chain.ruleSet)),
  }),
  defineMethod({
    name: 'eth_getAccount',
    summary: 'Nonce, balance, storage root and code hash of an account',
    priority: 'high',
    params: [param('address', address), optional('block', blockSelector, LATEST)],
    fork: { kind: 'state', at: 1, answer: 'fields', derive: fromState('account') },
    result: {
      description: 'The account, or null',
      schema: orNull({
        type: 'object',
        properties: {
          nonce: QUANTITY_JSON_SCHEMA,
          balance: QUANTITY_JSON_SCHEMA,
          storageRoot: hash32.jsonSchema,
          codeHash: hash32.jsonSchema,
        },
        required: ['nonce', 'balance', 'storageRoot', 'codeHash'],
      }),
    },
    handler: ({ node: { chain } }, of, selector) =>
      whenReady(chain.view(selector), ({ state }) => {
        const account = state.account(of);
        if (account === undefined) return null;
        return {
          nonce: toQuantity(account.nonce),
          balance: toQuantity(account.balance),
          storageRoot: toHex(storageRoot(account.storage)),
          codeHash: toHex(account.code.hash),
        };
      }),
  }),
  /** Returns zeros if the account does not exist. */
  defineMethod({
    name: 'eth_getAccountInfo',
    summary: 'Nonce, balance and code of an account',
    priority: 'high',
    params: [param('address', address), optional('block', blockSelector, LATEST)],
    fork: { kind: 'state', at: 1, answer: 'fields', derive: fromState('accountInfo') },
    result: {
      description: 'The account',
      schema: {
        type: 'object',
        properties: { nonce: QUANTITY_JSON_SCHEMA, balance: QUANTITY_JSON_SCHEMA, code: data.jsonSchema },
        required: ['nonce', 'balance', 'code'],
      },
    },
    handler: ({ node: { chain } }, of, selector) =>
      whenReady(chain.view(selector), ({ state }) => {
        const account = state.account(of);
        return {
          nonce: toQuantity(account?.nonce ?? 0n),
          balance: toQuantity(account?.balance ?? 0n),
          code: toHex(account?.code.bytes ?? EMPTY_BYTES),
        };
      }),
  }),
  /**
   * Returns the state of the Bridge to the parent chain. On a local chain no transaction waits for
   * signatures, because nothing has crossed the Bridge.
   */
  defineMethod({
    name: 'eth_bridgeState',
    summary: 'The state of the Bridge to the parent chain',
    result: {
      description:
        'The height of the best known parent-chain block, and the transactions that need signatures',
      schema: {
        type: 'object',
        properties: {
          btcBlockchainBestChainHeight: { type: 'integer', minimum: 0 },
          rskTxsWaitingForSignatures: { type: 'array', items: { type: 'string', pattern: '^[0-9a-f]{64}$' } },
        },
        required: ['btcBlockchainBestChainHeight', 'rskTxsWaitingForSignatures'],
      },
    },
    handler: async ({ node: { chain } }) => {
      const { bridgeSummary } = await import('../../../rootstock/bridge/bridge-contract.ts');
      const { state } = await chain.view({ tag: 'latest' });
      const { parentChainHeight, waitingForSignatures } = bridgeSummary(state);
      return {
        btcBlockchainBestChainHeight: parentChainHeight,
        rskTxsWaitingForSignatures: waitingForSignatures.map(hexKey),
      };
    },
  }),
];
