import { decodeSent } from '../../block-answers.ts';
import { data, hash32 } from '../../codecs/data.ts';
import { defineMethod, param } from '../../method.ts';
import { sendAndAnswer } from '../../send.ts';

/**
 * Takes a signed transaction. With the instant miner its receipt exists when the hash is answered; one whose nonce is
 * ahead waits in the pool.
 */
export const eth_sendRawTransaction = defineMethod({
  name: 'eth_sendRawTransaction',
  summary: 'Sends a signed transaction',
  params: [param('transaction', data)],
  result: { description: 'The transaction hash', schema: hash32.jsonSchema },
  example: {
    params: [
      '0xf85f808082520894f39fd6e51aad88f6f4ce6ab8827279cfffb92266018066a02d4b25f42bcfe11edd62a032ac2b34b426ff94fc15024780af182b0dc3e61862a06f20e469169bc94947562f5d605baf5bd9e98f6b7b3baebac54d658ab2ec387c',
    ],
    result: '0x7b8afd91a7914f5a928e66caf9c9dc1eae1c994db791d598d87931976eaa9d46',
  },
  handler: (context, raw) => sendAndAnswer(context, () => context.chain.send(decodeSent(context, raw))),
});
