import type { HashAddress } from '../bitcoin/address.ts';
import { BitcoinFormatError } from '../bitcoin/byte-reader.ts';
import { outputScriptOf } from '../bitcoin/script.ts';
import type { BitcoinTransaction } from '../bitcoin/transaction.ts';
import type { BridgeConstants } from '../bridge/bridge-constants.ts';
import { peginInstructionsOf } from './pegin-instructions.ts';
import { senderOf } from './pegin-sender.ts';
import { valuesToFederation } from './transaction-type.ts';

/** The reasons in the log of a rejected pegin. */
export const REJECTED_PEGIN = {
  multisigSender: 2n,
  undeterminedSender: 3n,
  invalidPayload: 4n,
  invalidAmount: 5n,
} as const;

/** The reasons in the log of a pegin without a refund. */
export const UNREFUNDABLE_PEGIN = { undeterminedSender: 1n, invalidAmount: 3n } as const;

type Reason<Reasons> = Reasons[keyof Reasons];

/** The decision about a pegin. */
export type PeginVerdict =
  | { readonly action: 'register'; readonly receiver: Uint8Array; readonly version: 0 | 1 }
  | {
      readonly action: 'refund';
      readonly rejection: Reason<typeof REJECTED_PEGIN>;
      readonly refundAddress: HashAddress;
    }
  | {
      readonly action: 'keep';
      readonly rejection: Reason<typeof REJECTED_PEGIN>;
      readonly unrefundable: Reason<typeof UNREFUNDABLE_PEGIN>;
    };

/**
 * Decides about a pegin under the rules since RSKIP-379. These rules have neither a whitelist nor a cap. Throws
 * `BitcoinFormatError` if Rootstock's Bridge fails.
 */
export function evaluatePegin(
  transaction: BitcoinTransaction,
  { federation, minimumPegin }: Pick<BridgeConstants, 'federation' | 'minimumPegin'>,
): PeginVerdict {
  const values = valuesToFederation(transaction, federation);
  if (values.length === 0 || values.some((value) => value < minimumPegin)) {
    return {
      action: 'keep',
      rejection: REJECTED_PEGIN.invalidAmount,
      unrefundable: UNREFUNDABLE_PEGIN.invalidAmount,
    };
  }
  const sender = senderOf(transaction);
  const instructions = peginInstructionsOf(transaction);
  if (instructions === 'invalid') return rejected(REJECTED_PEGIN.invalidPayload, sender?.address);
  if (instructions !== null) return { action: 'register', receiver: instructions.receiver, version: 1 };
  if (sender === null) return rejected(REJECTED_PEGIN.undeterminedSender, undefined);
  if (sender.account !== null) return { action: 'register', receiver: sender.account, version: 0 };
  requireHashOutputs(transaction);
  return rejected(REJECTED_PEGIN.multisigSender, sender.address);
}

function rejected(
  rejection: Reason<typeof REJECTED_PEGIN>,
  refundAddress: HashAddress | undefined,
): PeginVerdict {
  if (refundAddress !== undefined) return { action: 'refund', rejection, refundAddress };
  return { action: 'keep', rejection, unrefundable: UNREFUNDABLE_PEGIN.undeterminedSender };
}

/**
 * Throws `BitcoinFormatError` unless all outputs have the hash of a key or script. Rootstock compares these
 * hashes to find out the federations that receive coins, and fails for other outputs.
 */
function requireHashOutputs({ outs }: BitcoinTransaction): void {
  const isOther = outs.some(({ script }) => (outputScriptOf(script)?.kind ?? 'witness') === 'witness');
  if (isOther) throw new BitcoinFormatError('an output has no hash of a key or script');
}

/** Returns the sum of the outputs to the federation, in satoshi. */
export function amountToFederation(
  transaction: BitcoinTransaction,
  federation: BridgeConstants['federation'],
): bigint {
  return valuesToFederation(transaction, federation).reduce((sum, value) => sum + value, 0n);
}
