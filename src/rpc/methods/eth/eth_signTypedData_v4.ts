import { perform, settled } from '../../../primitives/steps.ts';
import { WorkPieces } from '../../../primitives/work-pieces.ts';
import { typedDataHash } from '../../../wallet/typed-data.ts';
import { signWithAccount } from '../../accounts.ts';
import { address, data } from '../../codecs/data.ts';
import { readTypedData, typedData } from '../../codecs/typed-data.ts';
import { defineMethod, param } from '../../method.ts';

/**
 * Signs typed data (EIP-712) with an unlocked account: `r`, `s`, and 27 or 28. The data may come as an object or as its
 * JSON text. The older names read the same data; of what they cannot read they are given the newer meaning.
 */
export const eth_signTypedData_v4 = defineMethod({
  name: 'eth_signTypedData_v4',
  aliases: ['eth_signTypedData', 'eth_signTypedData_v3'],
  summary: 'Signs typed data with an account of the node',
  params: [param('address', address), param('typedData', typedData)],
  result: { description: 'The signature, 65 bytes', schema: data.jsonSchema },
  example: {
    params: [
      '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
      {
        types: { Mail: [{ name: 'contents', type: 'string' }] },
        primaryType: 'Mail',
        domain: { name: 'Example', chainId: 33 },
        message: { contents: 'Hello' },
      },
    ],
    result:
      '0xd92b0edf4404865cbbbe2ba43831366106ce5f734832da8dfa8976b591ebcb9f72363f349056f2c7d1ee15148af8cd0d13f142b773c6eb7c66afb42d7717ff201b',
  },
  handler: (context, account, given) => {
    const pieces = new WorkPieces(context.checkInterrupt);
    return perform(
      (function* () {
        const typed = yield* readTypedData(given, 'typedData', pieces);
        const hash = yield* settled(typedDataHash(typed, pieces));
        return signWithAccount(context, 'eth_signTypedData_v4', account, hash);
      })(),
    );
  },
});
