import { PrecompileError } from '../../evm/precompiles/precompiled-contract.ts';
import { concatBytes, equalBytes } from '../../primitives/bytes.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import { type HashAddress, hashAddressOf, scriptOfHashAddress } from '../bitcoin/address.ts';
import { BitcoinFormatError } from '../bitcoin/byte-reader.ts';
import { hash160, p2shScript, sha256, witnessScript } from '../bitcoin/script.ts';
import { idOfBytes, transactionId } from '../bitcoin/transaction.ts';
import type { BridgeCall } from '../bridge/bridge-method.ts';
import { type Federation, FORMAT_VERSIONS } from '../bridge/federation.ts';
import { isProven } from './block-proof.ts';
import { coinsText } from './coins-text.ts';
import { outputsTo, WEI_PER_SATOSHI } from './register-transaction.ts';
import { releaseRejectedPegin } from './rejected-pegin-release.ts';
import { flyoverRedeemScript } from './spendable-utxos.ts';
import { parseVerifiedTransaction } from './verify-transaction.ts';

/** The error codes of `registerFastBridgeBtcTransaction`. */
export const FLYOVER_ERROR = {
  refundedUser: -100n,
  refundedProvider: -200n,
  notContract: -300n,
  wrongSender: -301n,
  alreadyProcessed: -302n,
  invalidProof: -303n,
  noValue: -304n,
  belowMinimum: -305n,
  other: -900n,
} as const;

/** The arguments of `registerFastBridgeBtcTransaction`. Addresses have a version byte and a hash (21 bytes). */
export interface FlyoverPegin {
  readonly bytes: Uint8Array;
  readonly height: number;
  readonly tree: Uint8Array;
  /** The hash of the agreement between the user and the provider, 32 bytes. */
  readonly agreement: Uint8Array;
  readonly refundAddress: Uint8Array;
  /** The contract of the provider, 20 bytes. */
  readonly contract: Uint8Array;
  readonly providerAddress: Uint8Array;
  /** True if a refund goes to the provider, because the contract already paid the user. */
  readonly refundsProvider: boolean;
}

/** Returns the hash that makes the address of an agreement unique (RSKIP-176). */
export function flyoverDerivationHash({
  agreement,
  refundAddress,
  contract,
  providerAddress,
}: Pick<FlyoverPegin, 'agreement' | 'refundAddress' | 'contract' | 'providerAddress'>): Uint8Array {
  return keccak256(concatBytes(agreement, refundAddress, contract, providerAddress));
}

/** Returns the hash (20 bytes) in the P2SH address of an agreement. */
export function flyoverScriptHash(
  derivationHash: Uint8Array,
  federation: Pick<Federation, 'redeemScript' | 'formatVersion'>,
): Uint8Array {
  const script = flyoverRedeemScript(derivationHash, federation.redeemScript);
  const isWitness = federation.formatVersion === FORMAT_VERSIONS.p2wsh;
  return hash160(isWitness ? witnessScript(0, sha256(script)) : script);
}

/**
 * Registers coins that a provider already paid (`registerFastBridgeBtcTransaction`). Returns the amount in wei,
 * or an error code.
 */
export function registerFlyover(call: BridgeCall, pegin: FlyoverPegin): bigint {
  const result = flyoverResult(call, pegin);
  call.account.remark(flyoverRemark(result));
  return result;
}

const ERROR_TEXTS: ReadonlyMap<bigint, string> = new Map<bigint, string>([
  [FLYOVER_ERROR.refundedUser, 'the amount exceeds the locking cap; refund to the user'],
  [FLYOVER_ERROR.refundedProvider, 'the amount exceeds the locking cap; refund to the liquidity provider'],
  [FLYOVER_ERROR.notContract, 'only a contract can call this method'],
  [FLYOVER_ERROR.wrongSender, 'the caller is not the liquidity bridge contract of the agreement'],
  [FLYOVER_ERROR.alreadyProcessed, 'the transaction was already registered for this agreement'],
  [FLYOVER_ERROR.invalidProof, 'the transaction is not proven'],
  [FLYOVER_ERROR.noValue, 'no output pays the address of the agreement'],
  [FLYOVER_ERROR.belowMinimum, 'an output is below the minimum peg-in'],
  [FLYOVER_ERROR.other, 'an argument is malformed'],
]);

function flyoverRemark(result: bigint): string {
  const error = ERROR_TEXTS.get(result);
  if (error !== undefined) return `Flyover peg-in rejected (${result}): ${error}`;
  return `Flyover peg-in accepted: ${coinsText(result / WEI_PER_SATOSHI)}`;
}

function flyoverResult(call: BridgeCall, pegin: FlyoverPegin): bigint {
  const { network } = call.constants;
  const refundAddress = hashAddressOf(pegin.refundAddress, network);
  const providerAddress = hashAddressOf(pegin.providerAddress, network);
  if (refundAddress === undefined || providerAddress === undefined) return FLYOVER_ERROR.other;
  if (!call.isFromContract) return FLYOVER_ERROR.notContract;
  if (!equalBytes(call.caller, pegin.contract)) return FLYOVER_ERROR.wrongSender;
  const target = pegin.refundsProvider
    ? { address: providerAddress, code: FLYOVER_ERROR.refundedProvider }
    : { address: refundAddress, code: FLYOVER_ERROR.refundedUser };
  try {
    return registerCoins(call, pegin, target);
  } catch (error) {
    if (error instanceof BitcoinFormatError || error instanceof PrecompileError) return FLYOVER_ERROR.other;
    throw error;
  }
}

function registerCoins(
  call: BridgeCall,
  { bytes, height, tree, contract, ...agreement }: FlyoverPegin,
  refund: { readonly address: HashAddress; readonly code: bigint },
): bigint {
  const { account, state, constants } = call;
  const { pegs } = state;
  const id = idOfBytes(bytes);
  const derivationHash = flyoverDerivationHash({ ...agreement, contract });
  if (pegs.isFlyoverUsed(id, derivationHash)) return FLYOVER_ERROR.alreadyProcessed;
  if (!isProven(call, { bytes, id, height, tree })) return FLYOVER_ERROR.invalidProof;
  const transaction = parseVerifiedTransaction(bytes);
  const plainId = transactionId(transaction);
  if (pegs.isFlyoverUsed(plainId, derivationHash)) return FLYOVER_ERROR.alreadyProcessed;
  const { federation, minimumPegin } = constants;
  const scriptHash = flyoverScriptHash(derivationHash, federation);
  const coins = outputsTo(transaction, p2shScript(scriptHash));
  const amount = coins.reduce((sum, { value }) => sum + value, 0n);
  if (amount === 0n) return FLYOVER_ERROR.noValue;
  if (coins.some(({ value }) => value < minimumPegin)) return FLYOVER_ERROR.belowMinimum;
  const exceedsCap = lockedCoins(call) + amount > state.lockingCap;
  if (exceedsCap) {
    const redeemScript = flyoverRedeemScript(derivationHash, federation.redeemScript);
    const script = scriptOfHashAddress(refund.address);
    pegs.markFlyoverUsed(plainId, derivationHash);
    releaseRejectedPegin(call, { coins: coins.map((coin) => ({ ...coin, redeemScript })), script, amount });
    return refund.code;
  }
  account.send(contract, amount * WEI_PER_SATOSHI);
  pegs.markFlyoverUsed(plainId, derivationHash);
  pegs.setFlyoverDerivation(scriptHash, derivationHash);
  state.utxos.add(coins);
  return amount * WEI_PER_SATOSHI;
}

/** Satoshi of all coins. */
const ALL_COINS = 2_100_000_000_000_000n;

/** Returns the satoshi that are locked on the parent chain: all coins that the Bridge sent. */
function lockedCoins({ account }: BridgeCall): bigint {
  return ALL_COINS - account.balance() / WEI_PER_SATOSHI;
}
