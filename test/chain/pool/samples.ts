import type { AdmissionRules, SenderAccount } from '../../../src/chain/pool/admission.ts';
import type { HeadReader } from '../../../src/chain/pool/pool.ts';
import { bigIntToFixedBytes, EMPTY_BYTES } from '../../../src/primitives/bytes.ts';
import { type RuleSetName, ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import type { Transaction, TransactionRequest } from '../../../src/protocol/transaction.ts';
import { NO_BLOBS } from '../../../src/protocol/transaction.ts';
import { withSignatureValues } from '../../../src/protocol/transaction-encoding.ts';

export const ETHER = 10n ** 18n;
export const TRANSFER_GAS = 21_000n;

export function senderAddress(sender: number): Uint8Array {
  return bigIntToFixedBytes(BigInt(sender) + 1n, 20);
}

/** A transfer with a gas price of 1 wei by default. */
export function transactionOf(
  sender: number,
  nonce: number,
  { gasPrice = 1n, ...fields }: Partial<TransactionRequest> & { readonly gasPrice?: bigint } = {},
): Transaction {
  const request: TransactionRequest = {
    type: 0,
    chainId: 33n,
    nonce: BigInt(nonce),
    maxFeePerGas: gasPrice,
    maxPriorityFeePerGas: gasPrice,
    gasLimit: TRANSFER_GAS,
    to: new Uint8Array(20).fill(0xee),
    value: 0n,
    data: EMPTY_BYTES,
    accessList: [],
    authorizationList: [],
    ...NO_BLOBS,
    ...fields,
  };
  // The pool ignores signatures. r makes the hashes of different senders differ.
  return withSignatureValues(request, { v: 101n, r: BigInt(sender) + 1n, s: 1n }, senderAddress(sender));
}

/** A head with the accounts that `sender` returns. The base fee is in wei per gas. */
export function headWith(
  sender: (address: Uint8Array) => SenderAccount,
  baseFeePerGas: bigint | null = null,
): HeadReader {
  return { sender, nextBaseFee: () => baseFeePerGas, nonceAfter: ({ nonce }) => nonce + 1n };
}

/** Default admission rules of a rule set. */
export function admissionRules(
  name: RuleSetName = 'rootstock',
  fields: Partial<AdmissionRules> = {},
): AdmissionRules {
  return {
    ruleSet: ruleSetNamed(name),
    transactionGasLimit: 30_000_000n,
    minimumGasPrice: 0n,
    minFeeCap: null,
    minBlobFeeCap: null,
    codeSizeLimit: 24_576,
    checksBalances: true,
    senderMayHaveCode: false,
    networkLimits: false,
    replacesAtAnyIncrease: false,
    ...fields,
  };
}
