import { toHex } from '../../../primitives/hex.ts';
import type { JsonSchema } from '../../../wire/values.ts';
import { exactObjectOf, leaf, refined } from '../../codecs/codec.ts';
import { address, hash32 } from '../../codecs/hex-values.ts';
import { defineMethod, type Method, param } from '../../method.ts';
import { ParentChainOffError } from '../../pegs/errors.ts';
import type { Pegs } from '../../pegs/pegs.ts';
import type { RpcNode } from '../../rpc-node.ts';

const MAX_SATOSHIS = 2_100_000_000_000_000;
const DECIMAL = /^\d{1,16}$/;
const QUANTITY = /^0x[0-9a-fA-F]{1,13}$/;

/** An amount of the parent chain's coins: 100,000,000 satoshis are one coin. */
const satoshis = leaf(
  'a whole number of satoshis from 1 to 2100000000000000',
  { type: ['integer', 'string'], minimum: 1, maximum: MAX_SATOSHIS },
  (value) => {
    const isText = typeof value === 'string' && (DECIMAL.test(value) || QUANTITY.test(value));
    const amount = typeof value === 'number' || isText ? Number(value) : 0;
    return Number.isInteger(amount) && amount >= 1 && amount <= MAX_SATOSHIS ? BigInt(amount) : undefined;
  },
);

const SATOSHIS_EXPECTED = 'a whole number of satoshis';

const pegin = refined(
  exactObjectOf({ to: address, satoshis }, 'an object with to and satoshis'),
  ({ to, satoshis: amount }) => {
    if (to === null) return { path: ['to'], expected: 'an address' };
    return amount === null
      ? { path: ['satoshis'], expected: SATOSHIS_EXPECTED }
      : { value: { to, satoshis: amount } };
  },
);

const pegout = refined(
  exactObjectOf({ from: address, satoshis }, 'an object with from and satoshis'),
  ({ from, satoshis: amount }) => {
    if (from === null) return { path: ['from'], expected: 'an address' };
    return amount === null
      ? { path: ['satoshis'], expected: SATOSHIS_EXPECTED }
      : { value: { from, satoshis: amount } };
  },
);

const TXID_JSON_SCHEMA: JsonSchema = { type: 'string', pattern: '^[0-9a-f]{64}$' };
const COUNT_JSON_SCHEMA: JsonSchema = { type: 'integer', minimum: 0 };
const NO_PEER = 'Not in Anvil, Hardhat or Ganache';

function pegsOf({ parentChain }: RpcNode): Pegs {
  if (parentChain === null) throw new ParentChainOffError();
  return parentChain.pegs;
}

export const PEG_PEGS: readonly Method[] = [
  /**
   * Transfers coins from the parent chain to an account. The node's wallet pays the amount to the federation with
   * the version 1 of peg-ins, and the fee on top. If the wallet has too few coins, the node mines blocks of the
   * parent chain for it. The node then mines the blocks that confirm the payment, and the federate registers it.
   * The account receives exactly `satoshis`: 1 satoshi is 10^10 wei. The minimum is 500,000 satoshis.
   */
  defineMethod({
    name: 'peg_in',
    summary: 'Transfers coins from the parent chain to an account',
    differs: NO_PEER,
    params: [param('pegin', pegin)],
    result: {
      description:
        'The transaction of the parent chain (`txid`), and the Rootstock transaction that registered it (`hash`)',
      schema: {
        type: 'object',
        properties: { txid: TXID_JSON_SCHEMA, hash: hash32.jsonSchema },
        required: ['txid', 'hash'],
      },
    },
    handler: async ({ node, call }, request) => {
      const { txid, hash } = await pegsOf(node).pegIn(request, call);
      return { txid, hash: toHex(hash) };
    },
  }),
  /**
   * Transfers coins of an account to the parent chain. The key of the account receives them; the fee is taken
   * from the amount. The node mines the Rootstock blocks that the Bridge waits for, and blocks of the parent
   * chain. The method returns after the payment has a confirmation and the change is registered. The minimum is
   * 250,000 satoshis. An impersonated account without a key is rejected.
   */
  defineMethod({
    name: 'peg_out',
    summary: 'Transfers coins of an account to the parent chain',
    differs: NO_PEER,
    params: [param('pegout', pegout)],
    result: {
      description:
        'The Rootstock transaction with the request (`hash`), the payment on the parent chain (`txid`), and the number of mined Rootstock blocks',
      schema: {
        type: 'object',
        properties: { hash: hash32.jsonSchema, txid: TXID_JSON_SCHEMA, blocks: COUNT_JSON_SCHEMA },
        required: ['hash', 'txid', 'blocks'],
      },
    },
    handler: async ({ node, call }, request) => {
      const { hash, txid, blocks } = await pegsOf(node).pegOut(request, call);
      return { hash: toHex(hash), txid, blocks };
    },
  }),
  /**
   * Returns the heads of both chains, the coins of the federation, and the transfers that wait: deposits,
   * requests, and payments with their confirmations and signatures. Amounts are in satoshis. `isRejected` marks
   * deposits that the Bridge rejects without a refund.
   */
  defineMethod({
    name: 'peg_status',
    summary: 'The state of both chains and of the transfers between them',
    differs: NO_PEER,
    isLogged: false,
    result: {
      description:
        '`parentChain`, `rootstock` and `bridge` (number and hash of the best block), `federation`, `utxos`, `deposits`, `queue` and `pegouts`',
      schema: {
        type: 'object',
        required: [
          'parentChain',
          'rootstock',
          'bridge',
          'federation',
          'utxos',
          'deposits',
          'queue',
          'pegouts',
        ],
      },
    },
    handler: ({ node }) => pegsOf(node).status(),
  }),
];
