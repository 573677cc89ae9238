import { equalBytes } from '../../../../../primitives/bytes.ts';
import { PrecompileError } from '../../../precompiled-contract.ts';
import type { BridgeCall } from '../bridge-method.ts';
import { type BridgeMethod, defineBridgeMethod, lowInteger, requireMember } from '../bridge-method.ts';

/** The minimum pegin in satoshi. */
const LEAST_PEGIN = 500_000n;
const CONFIRMATIONS_NEEDED = 3;
const HASH_TEXT = /^[0-9a-fA-F]{64}$/;
const HASH_SIZE = 32;
/** A version and a hash. */
const VERSIONED_HASH_SIZE = 21;
const ADDRESS_VERSIONS: readonly (number | undefined)[] = [0x6f, 0xc4];

/** The results with which a fast pegin is refused. */
const FAST_BRIDGE = { notContract: -300n, wrongSender: -301n, invalid: -303n, badArguments: -900n } as const;

/** False when the block at that height of the parent chain has too few confirmations, or is unknown. */
function isConfirmed({ state }: BridgeCall, height: number): boolean {
  return height >= 0 && state.parentChain.head.height - height + 1 >= CONFIRMATIONS_NEEDED;
}

/** Throws a `PrecompileError` for a text that is not the hash of a transaction of the parent chain. */
function requireHashText(text: string): void {
  if (!HASH_TEXT.test(text)) throw new PrecompileError('A hash has 64 hexadecimal digits');
}

function isParentAddress(bytes: Uint8Array): boolean {
  return bytes.length === VERSIONED_HASH_SIZE && ADDRESS_VERSIONS.includes(bytes[0]);
}

/**
 * The methods of pegins: coins that are sent from the parent chain. A local network has no locked coins, so no
 * transaction is ever accepted: those of unconfirmed blocks have no effect, as on the network, and others are refused.
 */
export const PEGIN_METHODS: readonly BridgeMethod[] = [
  defineBridgeMethod({
    name: 'registerBtcTransaction',
    inputs: ['bytes', 'int256', 'bytes'],
    outputs: [],
    access: 'write',
    gas: 22_000n,
    run(call, [, height]) {
      if (isConfirmed(call, lowInteger(height))) {
        throw new PrecompileError('Coins cannot be sent over to a local network');
      }
      return [];
    },
  }),
  defineBridgeMethod({
    name: 'registerBtcCoinbaseTransaction',
    inputs: ['bytes', 'bytes32', 'bytes', 'bytes32', 'bytes32'],
    outputs: [],
    access: 'write',
    gas: 10_000n,
    run() {
      throw new PrecompileError('The block of the parent chain is not registered');
    },
  }),
  defineBridgeMethod({
    name: 'registerFastBridgeBtcTransaction',
    inputs: ['bytes', 'uint256', 'bytes', 'bytes32', 'bytes', 'address', 'bytes', 'bool'],
    outputs: ['int256'],
    access: 'write',
    gas: 25_000n,
    run({ caller, isFromContract }, [, , , , refundAddress, contract, providerAddress]) {
      if (!isParentAddress(refundAddress) || !isParentAddress(providerAddress)) {
        return [FAST_BRIDGE.badArguments];
      }
      if (!isFromContract) return [FAST_BRIDGE.notContract];
      return [equalBytes(caller, contract) ? FAST_BRIDGE.invalid : FAST_BRIDGE.wrongSender];
    },
  }),
  defineBridgeMethod({
    name: 'addSignature',
    inputs: ['bytes', 'bytes[]', 'bytes'],
    outputs: [],
    access: 'write',
    gas: 70_000n,
    run(call, [, signatures, transactionHash]) {
      requireMember(call);
      if (signatures.length === 0) throw new PrecompileError('There are no signatures');
      if (transactionHash.length !== HASH_SIZE) throw new PrecompileError('A hash has 32 bytes');
      // No transaction ever waits for signatures here, and one for another is skipped.
      return [];
    },
  }),
  defineBridgeMethod({
    name: 'getMinimumLockTxValue',
    inputs: [],
    outputs: ['int256'],
    access: 'call only',
    gas: 2_000n,
    run: () => [LEAST_PEGIN],
  }),
  defineBridgeMethod({
    name: 'isBtcTxHashAlreadyProcessed',
    inputs: ['string'],
    outputs: ['bool'],
    access: 'call only',
    gas: 23_000n,
    run(_call, [hash]) {
      requireHashText(hash);
      return [false];
    },
  }),
  defineBridgeMethod({
    name: 'getBtcTxHashProcessedHeight',
    inputs: ['string'],
    outputs: ['int64'],
    access: 'call only',
    gas: 22_000n,
    run(_call, [hash]) {
      requireHashText(hash);
      return [-1n];
    },
  }),
];
