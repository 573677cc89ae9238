import { bigIntToBytes, numberToBytes } from '../../../../../primitives/bytes.ts';
import { encodeRlp } from '../../../../../primitives/rlp.ts';
import { PrecompileError } from '../../../errors.ts';
import { hash160 } from '../../bitcoin-script.ts';
import { parentChainAddress } from '../../parent-chain-address.ts';
import { compressedKey } from '../../public-key.ts';
import type { BridgeCall } from '../bridge-call.ts';
import { type BridgeMethod, defineBridgeMethod, requireMember } from '../bridge-method.ts';
import type { BridgeState } from '../bridge-state.ts';
import { FEDERATION } from '../federation.ts';
import { logReleaseReceived, logReleaseRejected, logUpdateCollections, REJECTION } from './bridge-events.ts';

const WEI_PER_SATOSHI = 10_000_000_000n;
/** The fewest satoshi that are taken. */
const LEAST_PEGOUT = 250_000n;
/** What must be left of a pegout after its fee, in percent of the fee. */
const LEFT_AFTER_FEE = 20n;
const BLOCKS_BETWEEN_PEGOUTS = 50n;

/** Bytes of a transaction on the parent chain: what is always there, each input without its scripts, each output. */
const TRANSACTION_SIZE = { fixed: 10, input: 41, output: 32, signature: 72 } as const;
/** Inputs and outputs of the pegout that prices are reckoned by. */
const TYPICAL_INPUTS = 2;
const TYPICAL_OUTPUTS = 2;

/** About how many bytes a transaction has that spends inputs of the federation. */
function pegoutSize(outputs: number): number {
  const { fixed, input, output, signature } = TRANSACTION_SIZE;
  const perInput = input + FEDERATION.redeemScript.length + FEDERATION.threshold * signature;
  return fixed + TYPICAL_INPUTS * perInput + outputs * output;
}

/** What so many bytes cost on the parent chain, in satoshi. */
function feeOf(size: number, { feePerKilobyte }: BridgeState): bigint {
  return (feePerKilobyte * BigInt(size)) / 1000n;
}

/** Why so many satoshi are not taken; `null` when they are. */
function rejectionOf(amount: bigint, state: BridgeState): bigint | null {
  const fee = feeOf(pegoutSize(TYPICAL_OUTPUTS), state);
  const leastForFee = fee + (fee * LEFT_AFTER_FEE) / 100n;
  if (amount >= LEAST_PEGOUT && amount >= leastForFee) return null;
  return leastForFee >= LEAST_PEGOUT ? REJECTION.feeAboveValue : REJECTION.lowAmount;
}

/** Takes coins for the parent chain. They go to the key that signed the transaction. */
function releaseBtc({ account, caller, value, isFromContract, transaction, state }: BridgeCall): void {
  const rejected = { sender: caller, amount: value };
  if (isFromContract) {
    // The network keeps the coins of contracts: they have no key on the parent chain.
    logReleaseRejected(account, { ...rejected, reason: REJECTION.callerIsContract });
    return;
  }
  const publicKey = transaction?.publicKey();
  if (transaction === undefined || publicKey === undefined) {
    throw new PrecompileError('Nobody signed, so nobody can get the coins on the parent chain');
  }
  const amount = value / WEI_PER_SATOSHI;
  const reason = rejectionOf(amount, state);
  if (reason !== null) {
    account.send(caller, value);
    logReleaseRejected(account, { ...rejected, reason });
    return;
  }
  const destination = hash160(compressedKey(publicKey));
  state.queue({ destination, amount, transactionHash: transaction.hash });
  const address = parentChainAddress('key', destination);
  logReleaseReceived(account, { sender: caller, destination: address, amount: value });
}

/** An RLP list without items, as the bytes of an item. */
const NOTHING = encodeRlp([]);

/** What is shown for debugging: a list of the best height and of five things that are encoded by themselves. */
function stateForDebugging(state: BridgeState): Uint8Array {
  const queue = state
    .queuedPegouts()
    .flatMap(({ destination, amount, transactionHash }) => [
      destination,
      bigIntToBytes(amount),
      transactionHash,
    ]);
  const height = numberToBytes(state.parentChain.head.height);
  const nextBlock = encodeRlp(bigIntToBytes(state.nextPegoutBlock));
  return encodeRlp([height, NOTHING, NOTHING, encodeRlp(queue), NOTHING, nextBlock]);
}

/** Coins on their way to the parent chain. */
export const PEGOUT_METHODS: readonly BridgeMethod[] = [
  defineBridgeMethod({
    name: 'releaseBtc',
    inputs: [],
    outputs: [],
    access: 'writing',
    gas: 23_000n,
    run(call) {
      releaseBtc(call);
      return [];
    },
  }),
  defineBridgeMethod({
    name: 'updateCollections',
    inputs: [],
    outputs: [],
    access: 'writing',
    gas: 48_000n,
    run(call) {
      requireMember(call);
      const { account, caller, environment, state } = call;
      logUpdateCollections(account, caller);
      const number = BigInt(environment.number);
      // The federation owns nothing on the parent chain here, so the queue never gets shorter.
      if (number >= state.nextPegoutBlock && state.queueLength === 0) {
        state.nextPegoutBlock = number + BLOCKS_BETWEEN_PEGOUTS;
      }
      return [];
    },
  }),
  defineBridgeMethod({
    name: 'getQueuedPegoutsCount',
    inputs: [],
    outputs: ['uint256'],
    access: 'reading',
    gas: 3_000n,
    run: ({ state }) => [BigInt(state.queueLength)],
  }),
  defineBridgeMethod({
    name: 'getNextPegoutCreationBlockNumber',
    inputs: [],
    outputs: ['uint256'],
    access: 'reading',
    gas: 3_000n,
    run: ({ state }) => [state.nextPegoutBlock],
  }),
  defineBridgeMethod({
    name: 'getEstimatedFeesForNextPegOutEvent',
    inputs: [],
    outputs: ['uint256'],
    access: 'reading',
    gas: 10_000n,
    run: ({ state }) => [feeOf(pegoutSize(state.queueLength + TYPICAL_OUTPUTS), state)],
  }),
  defineBridgeMethod({
    name: 'getEstimatedFeesForPegOutAmount',
    inputs: ['uint256'],
    outputs: ['uint256'],
    access: 'reading',
    gas: 10_000n,
    // RSKIP-540: the fee of a pegout that is made up on trial, from the coins that the federation owns.
    run(_, [wei]) {
      if (wei / WEI_PER_SATOSHI < LEAST_PEGOUT)
        throw new PrecompileError('The amount is too low for a pegout');
      throw new PrecompileError('The federation owns no coins on the parent chain to make a pegout of');
    },
  }),
  defineBridgeMethod({
    name: 'getStateForBtcReleaseClient',
    inputs: [],
    outputs: ['bytes'],
    access: 'question',
    gas: 4_000n,
    // A list whose only item, the transactions that wait for signatures, is an empty list.
    run: () => [encodeRlp([[]])],
  }),
  defineBridgeMethod({
    name: 'getStateForSvpClient',
    inputs: [],
    outputs: ['bytes'],
    access: 'question',
    gas: 4_000n,
    run: () => [encodeRlp([[]])],
  }),
  defineBridgeMethod({
    name: 'getStateForDebugging',
    inputs: [],
    outputs: ['bytes'],
    access: 'question',
    gas: 3_000_000n,
    run: ({ state }) => [stateForDebugging(state)],
  }),
];
