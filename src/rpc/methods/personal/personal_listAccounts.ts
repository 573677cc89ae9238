import { listedAccounts } from '../../accounts.ts';
import { address } from '../../codecs/data.ts';
import { defineMethod } from '../../method.ts';

/** The accounts whose keys the node keeps, locked ones too; none on a hosted node. */
export const personal_listAccounts = defineMethod({
  name: 'personal_listAccounts',
  summary: 'The accounts whose keys the node keeps',
  params: [],
  result: { description: 'The addresses', schema: { type: 'array', items: address.jsonSchema } },
  example: { params: [], result: ['0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'] },
  handler: listedAccounts,
});
