import { decodeSent } from '../../block-answers.ts';
import { data } from '../../codecs/data.ts';
import { milliseconds } from '../../codecs/milliseconds.ts';
import { defineMethod, optional, param } from '../../method.ts';
import { countedSend } from '../../send.ts';
import { requireTransaction } from '../../traces.ts';
import { RECEIPT_JSON_SCHEMA } from '../../views/json-schemas.ts';
import { receiptView } from '../../views/receipt.ts';

const DEFAULT_TIMEOUT = 30_000;

/**
 * Takes a signed transaction and gives its receipt when it is mined (EIP-7966), whether it succeeded or not. When that
 * takes longer than the timeout (30 seconds by default), the error with code 4 has the hash in its data.
 */
export const eth_sendRawTransactionSync = defineMethod({
  name: 'eth_sendRawTransactionSync',
  summary: 'Sends a signed transaction and waits for its receipt',
  params: [param('transaction', data), optional('timeout', milliseconds, DEFAULT_TIMEOUT)],
  result: { description: 'The receipt', schema: RECEIPT_JSON_SCHEMA },
  example: {
    before: [{ method: 'evm_startMining', params: [] }],
    params: [
      '0xf85f808082520894f39fd6e51aad88f6f4ce6ab8827279cfffb92266018066a02d4b25f42bcfe11edd62a032ac2b34b426ff94fc15024780af182b0dc3e61862a06f20e469169bc94947562f5d605baf5bd9e98f6b7b3baebac54d658ab2ec387c',
    ],
    result: {
      transactionHash: '0x7b8afd91a7914f5a928e66caf9c9dc1eae1c994db791d598d87931976eaa9d46',
      transactionIndex: '0x0',
      blockHash: '0x1ac4d07ae30c4eda8529f8fc05a74fe8f65f2ae674462c14cf2a617c8467feb3',
      blockNumber: '0x5',
      from: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
      to: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
      cumulativeGasUsed: '0x5208',
      gasUsed: '0x5208',
      effectiveGasPrice: '0x0',
      contractAddress: null,
      logs: [],
      logsBloom:
        '0x00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000',
      status: '0x1',
      type: '0x0',
    },
  },
  handler: async (context, raw, timeout) => {
    const { chain, settings } = context;
    const hash = await countedSend(context, () => chain.send(decodeSent(context, raw)));
    await chain.receipts.untilMined(hash, timeout);
    return receiptView(await requireTransaction(chain, hash), settings.compat);
  },
});
