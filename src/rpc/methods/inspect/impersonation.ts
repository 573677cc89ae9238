import { toHex } from '../../../primitives/hex.ts';
import { address } from '../../codecs/data.ts';
import { defineMethod, type Method } from '../../method.ts';

export const INSPECT_IMPERSONATION: readonly Method[] = [
  /** Lists the accounts that are impersonated by name, in the order in which that began, and says whether all others are too. */
  defineMethod({
    name: 'inspect_impersonation',
    summary: 'The accounts that are impersonated',
    params: [],
    result: {
      description: 'The addresses, and whether every account is impersonated',
      schema: {
        type: 'object',
        properties: {
          accounts: { type: 'array', items: address.jsonSchema },
          automatic: { type: 'boolean' },
        },
        required: ['accounts', 'automatic'],
      },
    },
    handler: ({ chain: { impersonation } }) => ({
      accounts: impersonation.addresses().map(toHex),
      automatic: impersonation.record.isAutomatic,
    }),
  }),
];
