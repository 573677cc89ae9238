// The methods and events of pegouts (coins sent to the parent chain).

import { type PrecompileAccount, PrecompileError } from '../../../evm/precompiles/precompiled-contract.ts';
import { bigIntToBytes, numberToBytes, padLeft } from '../../../primitives/bytes.ts';
import { encodeRlp, encodeRlpList } from '../../../primitives/rlp.ts';
import { encodeAbi } from '../../abi.ts';
import { parentChainAddress } from '../../bitcoin/address.ts';
import { hash160 } from '../../bitcoin/script.ts';
import { compressedKey } from '../../hd-wallet-utils.ts';
import { addSignature } from '../../peg/add-signature.ts';
import { processConfirmed, processQueue } from '../../peg/pegout-creation.ts';
import { logUpdateCollections, topicOf } from '../../peg/pegout-events.ts';
import { feeOfAmount, feeOfNextPegout, minimumForFee } from '../../peg/pegout-fees.ts';
import { encodeUnconfirmed, encodeUnsigned } from '../../peg/pegouts-waiting.ts';
import { encodeUtxos } from '../../peg/utxo-encoding.ts';
import { type BridgeCall, type BridgeMethod, defineBridgeMethod, requireMember } from '../bridge-method.ts';
import type { BridgeState } from '../bridge-state.ts';

/** The reasons in the log of a rejected pegout. */
const REJECTION = { lowAmount: 1n, callerIsContract: 2n, feeAboveValue: 3n } as const;

const RECEIVED = topicOf('release_request_received', ['address', 'string', 'uint256']);
const REJECTED = topicOf('release_request_rejected', ['address', 'uint256', 'int256']);
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

/** Returns the rejection reason for an amount in satoshi; `null` if it is accepted. */
function rejectionOf(amount: bigint, call: BridgeCall): bigint | null {
  const { minimumPegout } = call.constants;
  const minForFee = minimumForFee(call);
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
    account.refund(caller, value);
    logReleaseRejected(account, { ...rejected, reason });
    return;
  }
  const destination = hash160(compressedKey(publicKey));
  state.queue({ destination, amount, transactionHash: transaction.hash });
  const address = parentChainAddress('key', destination, constants.network);
  logReleaseReceived(account, { sender: caller, destination: address, amount: value });
}

/** Returns the state for debugging: a list of the best height and five separately encoded parts. */
function stateForDebugging(state: BridgeState): Uint8Array {
  const queue = state
    .queuedPegouts()
    .flatMap(({ destination, amount, transactionHash }) => [
      destination,
      bigIntToBytes(amount),
      transactionHash,
    ]);
  return encodeRlp([
    numberToBytes(state.parentChain.head.height),
    encodeUtxos(state.utxos.all()),
    encodeUnsigned(state.pegouts.unsigned()),
    encodeRlp(queue),
    encodeUnconfirmed(state.pegouts.unconfirmed()),
    encodeRlp(bigIntToBytes(state.nextPegoutBlock)),
  ]);
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
      logUpdateCollections(call.account, call.caller);
      const hasCreated = processQueue(call);
      processConfirmed(call, hasCreated);
      return [];
    },
  }),
  defineBridgeMethod({
    name: 'addSignature',
    inputs: ['bytes', 'bytes[]', 'bytes'],
    outputs: [],
    access: 'write',
    gas: 70_000n,
    run(call, [publicKey, signatures, creationHash]) {
      requireMember(call);
      addSignature(call, { publicKey, signatures, creationHash });
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
    run: (call) => [feeOfNextPegout(call)],
  }),
  defineBridgeMethod({
    name: 'getEstimatedFeesForPegOutAmount',
    inputs: ['uint256'],
    outputs: ['uint256'],
    access: 'read',
    gas: 10_000n,
    run: (call, [wei]) => [feeOfAmount(call, wei / WEI_PER_SATOSHI)],
  }),
  defineBridgeMethod({
    name: 'getStateForBtcReleaseClient',
    inputs: [],
    outputs: ['bytes'],
    access: 'call only',
    gas: 4_000n,
    // A list with one item: the list of transactions that wait for signatures.
    run: ({ state }) => [encodeRlpList([encodeUnsigned(state.pegouts.unsigned())])],
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
