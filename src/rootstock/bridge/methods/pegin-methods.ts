import { PrecompileError } from '../../../evm/precompiles/precompiled-contract.ts';
import { equalBytes } from '../../../primitives/bytes.ts';
import { type AddressVersions, hashOfAddress, parentChainAddress } from '../../bitcoin-script.ts';
import {
  AUTHORIZERS,
  type BridgeCall,
  type BridgeMethod,
  defineBridgeMethod,
  defineEntrustedMethod,
  isAuthorized,
  lowInteger,
  requireLong,
  requireMember,
} from '../bridge-method.ts';

const HASH_TEXT = /^[0-9a-fA-F]{64}$/;
const HASH_SIZE = 32;
/** A version byte and a hash of 20 bytes. */
const VERSIONED_HASH_SIZE = 21;

/** The error codes of a fast pegin. */
const FAST_BRIDGE = { notContract: -300n, wrongSender: -301n, invalid: -303n, badArguments: -900n } as const;

/** Returns false if the block at this height of the parent chain is unknown or has too few confirmations. */
function isConfirmed({ state, constants }: BridgeCall, height: number): boolean {
  return height >= 0 && state.parentChain.head.height - height + 1 >= constants.peginConfirmations;
}

/** Throws `PrecompileError` if the text is not a transaction hash of the parent chain. */
function requireHashText(text: string): void {
  if (!HASH_TEXT.test(text)) throw new PrecompileError('the hash must have 64 hexadecimal digits');
}

function isParentAddress(bytes: Uint8Array, { key, script }: AddressVersions): boolean {
  return bytes.length === VERSIONED_HASH_SIZE && (bytes[0] === key || bytes[0] === script);
}

/**
 * The methods of pegins (coins sent from the parent chain). Regtest has no locked coins, so no transaction is
 * ever accepted. As on Rootstock, transactions of unconfirmed blocks have no effect. Other transactions are
 * rejected.
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
        throw new PrecompileError('a local network accepts no coins from the parent chain');
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
      throw new PrecompileError('the block of the parent chain is not registered');
    },
  }),
  defineBridgeMethod({
    name: 'registerFastBridgeBtcTransaction',
    inputs: ['bytes', 'uint256', 'bytes', 'bytes32', 'bytes', 'address', 'bytes', 'bool'],
    outputs: ['int256'],
    access: 'write',
    gas: 25_000n,
    run({ caller, isFromContract, constants }, [, , , , refundAddress, contract, providerAddress]) {
      const { addressVersions } = constants;
      if (
        !isParentAddress(refundAddress, addressVersions) ||
        !isParentAddress(providerAddress, addressVersions)
      ) {
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
      if (signatures.length === 0) throw new PrecompileError('the list of signatures is empty');
      if (transactionHash.length !== HASH_SIZE) throw new PrecompileError('the hash must be 32 bytes long');
      // No transaction waits for signatures on regtest, and signatures of unknown transactions are ignored.
      return [];
    },
  }),
  defineBridgeMethod({
    name: 'getMinimumLockTxValue',
    inputs: [],
    outputs: ['int256'],
    access: 'call only',
    gas: 2_000n,
    run: ({ constants }) => [constants.minimumPegin],
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

const RESULT = {
  success: 1n,
  unlimited: 0n,
  taken: -1n,
  missing: -1n,
  badAddress: -2n,
  badDelay: -2n,
  unauthorized: -10n,
} as const;

const HIGHEST_INTEGER = 2 ** 31 - 1;

function add(call: BridgeCall, address: string, maximum: bigint | null): bigint {
  const destination = hashOfAddress(address, call.constants.addressVersions);
  if (destination === undefined) return RESULT.badAddress;
  if (maximum !== null) requireLong(maximum);
  if (!isAuthorized(call, AUTHORIZERS.whitelist)) return RESULT.unauthorized;
  const { whitelist } = call.state;
  if (whitelist.find(destination) !== undefined) return RESULT.taken;
  whitelist.add({ destination, maximum });
  return RESULT.success;
}

/** The methods of the whitelist of pegin senders. */
export const WHITELIST_METHODS: readonly BridgeMethod[] = [
  defineBridgeMethod({
    name: 'getLockWhitelistSize',
    inputs: [],
    outputs: ['int256'],
    access: 'call only',
    gas: 16_000n,
    run: ({ state }) => [BigInt(state.whitelist.all().length)],
  }),
  defineBridgeMethod({
    name: 'getLockWhitelistAddress',
    inputs: ['int256'],
    outputs: ['string'],
    access: 'call only',
    gas: 16_000n,
    run({ state, constants }, [index]) {
      const entry = state.whitelist.all()[lowInteger(index)];
      return [
        entry === undefined ? '' : parentChainAddress('key', entry.destination, constants.addressVersions),
      ];
    },
  }),
  defineBridgeMethod({
    name: 'getLockWhitelistEntryByAddress',
    inputs: ['string'],
    outputs: ['int256'],
    access: 'call only',
    gas: 16_000n,
    run({ state, constants }, [address]) {
      const destination = hashOfAddress(address, constants.addressVersions);
      const entry = destination === undefined ? undefined : state.whitelist.find(destination);
      return [entry === undefined ? RESULT.missing : (entry.maximum ?? RESULT.unlimited)];
    },
  }),
  defineBridgeMethod({
    name: 'addOneOffLockWhitelistAddress',
    inputs: ['string', 'int256'],
    outputs: ['int256'],
    access: 'write',
    gas: 25_000n,
    run: (call, [address, maximum]) => [add(call, address, maximum)],
  }),
  defineBridgeMethod({
    name: 'addUnlimitedLockWhitelistAddress',
    inputs: ['string'],
    outputs: ['int256'],
    access: 'write',
    gas: 25_000n,
    run: (call, [address]) => [add(call, address, null)],
  }),
  defineEntrustedMethod({
    name: 'removeLockWhitelistAddress',
    inputs: ['string'],
    gas: 24_000n,
    authorizers: AUTHORIZERS.whitelist,
    refused: RESULT.unauthorized,
    decide({ state: { whitelist }, constants }, [address]) {
      const destination = hashOfAddress(address, constants.addressVersions);
      if (destination === undefined) return RESULT.badAddress;
      if (whitelist.find(destination) === undefined) return RESULT.missing;
      whitelist.remove(destination);
      return RESULT.success;
    },
  }),
  defineEntrustedMethod({
    name: 'setLockWhitelistDisableBlockDelay',
    inputs: ['int256'],
    gas: 24_000n,
    authorizers: AUTHORIZERS.whitelist,
    refused: RESULT.unauthorized,
    decide({ state: { whitelist, parentChain } }, [delay]) {
      if (whitelist.disableHeight > 0) return RESULT.taken;
      if (BigInt.asIntN(32, delay) !== delay) throw new PrecompileError('the delay is too long');
      const height = parentChain.head.height + Number(delay);
      if (delay <= 0n || height > HIGHEST_INTEGER) return RESULT.badDelay;
      whitelist.disableHeight = height;
      return RESULT.success;
    },
  }),
];
