import { reputationStatus } from '../../../bundler/reputations.ts';
import { toQuantity } from '../../../primitives/hex.ts';
import { objectSchema } from '../../../wire/values.ts';
import { arrayOf, objectOf, refined } from '../../codecs/codec.ts';
import { address, index, QUANTITY_JSON_SCHEMA } from '../../codecs/hex-values.ts';
import { defineMethod, type Method, param } from '../../method.ts';

const NO_PEER = 'Not in Anvil, Hardhat or Ganache; bundlers provide this method';

const COUNT = 'a number of operations below 2^53';

function isCount(value: number | null): value is number {
  return value !== null && Number.isSafeInteger(value);
}

const reputation = refined(
  objectOf(
    { address, opsSeen: index, opsIncluded: index },
    'an object with address, opsSeen and opsIncluded',
  ),
  ({ address: of, opsSeen, opsIncluded }) => {
    if (of === null) return { path: ['address'], expected: 'an address' };
    if (!isCount(opsSeen)) return { path: ['opsSeen'], expected: COUNT };
    if (!isCount(opsIncluded)) return { path: ['opsIncluded'], expected: COUNT };
    return { value: { address: of, opsSeen, opsIncluded } };
  },
);

const OK_JSON_SCHEMA = { type: 'string', const: 'ok' } as const;

export const DEBUG_BUNDLER: readonly Method[] = [
  /**
   * Sets the numbers of accepted and of mined operations of a contract. With `--erc7562`, a contract with too
   * few mined operations is throttled, then banned: its operations are rejected with -32504.
   */
  defineMethod({
    name: 'debug_bundler_setReputation',
    summary: 'Sets the reputations of factories and paymasters (ERC-7769)',
    differs: NO_PEER,
    params: [
      param('reputations', arrayOf(reputation, 'an array of reputations')),
      param('entryPoint', address),
    ],
    result: { description: 'ok', schema: OK_JSON_SCHEMA },
    handler: (context, given, entryPoint) => {
      const table = context.services.reputations.at(context.node.chain, entryPoint);
      for (const { address: of, ...counts } of given) table.set(of, counts);
      return 'ok';
    },
  }),
  /** Returns the counts after the hourly decay, and the resulting status. */
  defineMethod({
    name: 'debug_bundler_dumpReputation',
    summary: 'The reputations of factories and paymasters (ERC-7769)',
    differs: NO_PEER,
    params: [param('entryPoint', address)],
    result: {
      description:
        'For each contract: `opsSeen` (the number of accepted operations), `opsIncluded` (the number of mined operations) and `status`',
      schema: {
        type: 'array',
        items: objectSchema({
          address: address.jsonSchema,
          opsSeen: QUANTITY_JSON_SCHEMA,
          opsIncluded: QUANTITY_JSON_SCHEMA,
          status: { enum: ['ok', 'throttled', 'banned'] },
        }),
      },
    },
    handler: (context, entryPoint) => {
      const table = context.services.reputations.at(context.node.chain, entryPoint);
      return table.all().map(({ address: of, ...counts }) => ({
        address: of,
        opsSeen: toQuantity(counts.opsSeen),
        opsIncluded: toQuantity(counts.opsIncluded),
        status: reputationStatus(counts),
      }));
    },
  }),
  defineMethod({
    name: 'debug_bundler_clearReputation',
    summary: 'Deletes the reputations of factories and paymasters (ERC-7769)',
    differs: NO_PEER,
    result: { description: 'ok', schema: OK_JSON_SCHEMA },
    handler: ({ node: { chain }, services: { reputations } }) => {
      reputations.clear(chain);
      return 'ok';
    },
  }),
];
