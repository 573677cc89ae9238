import { listedAccounts } from '../../accounts.ts';
import { address } from '../../codecs/data.ts';
import { defineMethod } from '../../method.ts';

/** The accounts that the node can sign for; none on a hosted node. */
export const eth_accounts = defineMethod({
  name: 'eth_accounts',
  summary: 'The accounts of the node',
  params: [],
  result: { description: 'The addresses', schema: { type: 'array', items: address.jsonSchema } },
  example: { params: [], result: ['0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'] },
  handler: listedAccounts,
});
