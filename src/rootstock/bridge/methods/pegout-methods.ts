// The methods and events of pegouts (coins sent to the parent chain).

import { type PrecompileAccount, PrecompileError } from '../../../evm/precompiles/precompiled-contract.ts';
import { bigIntToBytes, numberToBytes, padLeft } from '../../../primitives/bytes.ts';
import { keccak256 } from '../../../primitives/keccak.ts';
import { encodeRlp } from '../../../primitives/rlp.ts';
import { type AbiType, encodeAbi } from '../../abi.ts';
import { parentChainAddress } from '../../bitcoin/address.ts';
import { hash160 } from '../../bitcoin/script.ts';
import { compressedKey } from '../../hd-wallet-utils.ts';
import type { BridgeConstants } from '../bridge-constants.ts';
import { type BridgeCall, type BridgeMethod, defineBridgeMethod, requireMember } from '../bridge-method.ts';
import type { BridgeState } from '../bridge-state.ts';

/** The reasons in the log of a rejected pegout. */
const REJECTION = { lowAmount: 1n, callerIsContract: 2n, feeAboveValue: 3n } as const;

function topicOf(name: string, types: readonly AbiType[]): Uint8Array {
  return keccak256(new TextEncoder().encode(`${name}(${types.join(',')})`));
}

const RECEIVED = topicOf('release_request_received', ['address', 'string', 'uint256']);
const REJECTED = topicOf('release_request_rejected', ['address', 'uint256', 'int256']);
const COLLECTIONS = topicOf('update_collections', ['address']);
const UNION_CAP = topicOf('union_bridge_locking_cap_increased', ['address', 'uint256', 'uint256']);
const UNION_PERMISSIONS = topicOf('union_bridge_transfer_permissions_updated', ['address', 'bool', 'bool']);
const UNION_COINS = {
  requested: topicOf('union_rbtc_requested', ['address', 'uint256']),
  released: topicOf('union_rbtc_released', ['address', 'uint256']),
};

/** Logs a queued pegout. `amount` is in wei; `destination` is an address of the parent chain. */
function logReleaseReceived(
  account: PrecompileAccount,
  { sender, destination, amount }: { sender: Uint8Array; destination: string; amount: bigint },
): void {
  const data = encodeAbi(['string', 'uint256'], [destination, amount]);
  account.log([RECEIVED, padLeft(sender, 32)], data);
}

/** Logs a rejected pegout. `amount` is in wei; `reason` is one of {@link REJECTION}. */
function logReleaseRejected(
  account: PrecompileAccount,
  { sender, amount, reason }: { sender: Uint8Array; amount: bigint; reason: bigint },
): void {
  account.log([REJECTED, padLeft(sender, 32)], encodeAbi(['uint256', 'int256'], [amount, reason]));
}

/** Logs that a federation member triggered the processing of the queue. */
function logUpdateCollections(account: PrecompileAccount, sender: Uint8Array): void {
  account.log([COLLECTIONS], encodeAbi(['address'], [sender]));
}

/** Logs an increase of the union bridge's cap (wei). */
export function logUnionCapIncreased(
  account: PrecompileAccount,
  { caller, previous, cap }: { caller: Uint8Array; previous: bigint; cap: bigint },
): void {
  account.log([UNION_CAP, padLeft(caller, 32)], encodeAbi(['uint256', 'uint256'], [previous, cap]));
}

/** Logs the new permissions of the union bridge. */
export function logUnionPermissions(
  account: PrecompileAccount,
  { caller, mayRequest, mayRelease }: { caller: Uint8Array; mayRequest: boolean; mayRelease: boolean },
): void {
  const data = encodeAbi(['bool', 'bool'], [mayRequest, mayRelease]);
  account.log([UNION_PERMISSIONS, padLeft(caller, 32)], data);
}

/** Logs coins (wei) sent to the union bridge or returned by it. */
export function logUnionCoinsMoved(
  account: PrecompileAccount,
  kind: keyof typeof UNION_COINS,
  address: Uint8Array,
  amount: bigint,
): void {
  account.log([UNION_COINS[kind], padLeft(address, 32)], encodeAbi(['uint256'], [amount]));
}

const WEI_PER_SATOSHI = 10_000_000_000n;

/** Sizes in a parent chain transaction in bytes: fixed part, input without scripts, output, signature. */
const TRANSACTION_SIZE = { fixed: 10, input: 41, output: 32, signature: 72 } as const;
/** The numbers of inputs and outputs assumed for prices. */
const TYPICAL_INPUTS = 2;
const TYPICAL_OUTPUTS = 2;

/** Numbers from these values on are encoded in three and five bytes. Smaller numbers take one byte. */
const LONGER_NUMBERS = [0xfd, 0x1_0000] as const;

/** Returns the approximate size in bytes of a transaction that spends inputs of the federation. */
function pegoutSize({ federation }: BridgeConstants, outputs: number): number {
  const { fixed, input, output, signature } = TRANSACTION_SIZE;
  const perInput = input + federation.redeemScript.length + federation.threshold * signature;
  const longerNumber = 2 * LONGER_NUMBERS.filter((least) => outputs >= least).length;
  return fixed + longerNumber + TYPICAL_INPUTS * perInput + outputs * output;
}

/** Returns the fee in satoshi for this size in bytes. */
function feeOf(size: number, { feePerKilobyte }: BridgeState): bigint {
  return (feePerKilobyte * BigInt(size)) / 1000n;
}

/** Returns the rejection reason for an amount in satoshi; `null` if it is accepted. */
function rejectionOf(amount: bigint, { state, constants }: BridgeCall): bigint | null {
  const { minimumPegout, leftAfterFee } = constants;
  const fee = feeOf(pegoutSize(constants, TYPICAL_OUTPUTS), state);
  const minForFee = fee + (fee * leftAfterFee) / 100n;
  if (amount >= minimumPegout && amount >= minForFee) return null;
  return minForFee >= minimumPegout ? REJECTION.feeAboveValue : REJECTION.lowAmount;
}

/** Queues a pegout to the key that signed the transaction. */
function releaseBtc(call: BridgeCall): void {
  const { account, caller, value, isFromContract, transaction, state, constants } = call;
  const rejected = { sender: caller, amount: value };
  if (isFromContract) {
    // Rootstock keeps the coins of contracts, because contracts have no key on the parent chain.
    logReleaseRejected(account, { ...rejected, reason: REJECTION.callerIsContract });
    return;
  }
  const publicKey = transaction?.publicKey();
  if (transaction === undefined || publicKey === undefined) {
    throw new PrecompileError(
      'the transaction has no signature, so no key can receive the coins on the parent chain',
    );
  }
  const amount = value / WEI_PER_SATOSHI;
  const reason = rejectionOf(amount, call);
  if (reason !== null) {
    account.send(caller, value);
    logReleaseRejected(account, { ...rejected, reason });
    return;
  }
  const destination = hash160(compressedKey(publicKey));
  state.queue({ destination, amount, transactionHash: transaction.hash });
  const address = parentChainAddress('key', destination, constants.addressVersions);
  logReleaseReceived(account, { sender: caller, destination: address, amount: value });
}

/** An empty RLP list, as bytes. */
const NOTHING = encodeRlp([]);

/** Returns the state for debugging: a list of the best height and five separately encoded parts. */
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

/** The methods of pegouts. */
export const PEGOUT_METHODS: readonly BridgeMethod[] = [
  defineBridgeMethod({
    name: 'releaseBtc',
    inputs: [],
    outputs: [],
    access: 'write',
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
    access: 'write',
    gas: 48_000n,
    run(call) {
      requireMember(call);
      const { account, caller, environment, state } = call;
      logUpdateCollections(account, caller);
      const number = BigInt(environment.number);
      // On regtest the federation has no coins on the parent chain, so the queue is never processed.
      if (number >= state.nextPegoutBlock && state.queueLength === 0) {
        state.nextPegoutBlock = number + BigInt(call.constants.blocksBetweenPegouts);
      }
      return [];
    },
  }),
  defineBridgeMethod({
    name: 'getQueuedPegoutsCount',
    inputs: [],
    outputs: ['uint256'],
    access: 'read',
    gas: 3_000n,
    run: ({ state }) => [BigInt(state.queueLength)],
  }),
  defineBridgeMethod({
    name: 'getNextPegoutCreationBlockNumber',
    inputs: [],
    outputs: ['uint256'],
    access: 'read',
    gas: 3_000n,
    run: ({ state }) => [state.nextPegoutBlock],
  }),
  defineBridgeMethod({
    name: 'getEstimatedFeesForNextPegOutEvent',
    inputs: [],
    outputs: ['uint256'],
    access: 'read',
    gas: 10_000n,
    // Rootstock builds a pegout transaction first (RSKIP-305). If that fails, as without coins, it estimates
    // the size from the number of inputs and outputs.
    run: ({ state, constants }) => [feeOf(pegoutSize(constants, state.queueLength + TYPICAL_OUTPUTS), state)],
  }),
  defineBridgeMethod({
    name: 'getEstimatedFeesForPegOutAmount',
    inputs: ['uint256'],
    outputs: ['uint256'],
    access: 'read',
    gas: 10_000n,
    // RSKIP-540: the fee of a pegout transaction built from the federation's coins. Rootstock also fails if
    // the federation has no coins.
    run({ constants }, [wei]) {
      if (wei / WEI_PER_SATOSHI < constants.minimumPegout)
        throw new PrecompileError('the amount is too low for a pegout');
      throw new PrecompileError('the federation has no coins on the parent chain');
    },
  }),
  defineBridgeMethod({
    name: 'getStateForBtcReleaseClient',
    inputs: [],
    outputs: ['bytes'],
    access: 'call only',
    gas: 4_000n,
    // A list with one item: the empty list of transactions that wait for signatures.
    run: () => [encodeRlp([[]])],
  }),
  defineBridgeMethod({
    name: 'getStateForSvpClient',
    inputs: [],
    outputs: ['bytes'],
    access: 'call only',
    gas: 4_000n,
    run: () => [encodeRlp([[]])],
  }),
  defineBridgeMethod({
    name: 'getStateForDebugging',
    inputs: [],
    outputs: ['bytes'],
    access: 'call only',
    gas: 3_000_000n,
    run: ({ state }) => [stateForDebugging(state)],
  }),
];
