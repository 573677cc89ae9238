import { PrecompileError } from '../../../evm/precompiles/precompiled-contract.ts';
import { fromHex } from '../../../primitives/hex.ts';
import { decodeAddress, parentChainAddress } from '../../bitcoin/address.ts';
import { registerCoinbase } from '../../peg/register-coinbase.ts';
import { registerFlyover } from '../../peg/register-flyover.ts';
import { registerTransaction } from '../../peg/register-transaction.ts';
import {
  AUTHORIZERS,
  type BridgeCall,
  type BridgeMethod,
  defineBridgeMethod,
  defineEntrustedMethod,
  failingForMalformed,
  isAuthorized,
  lowInteger,
  requireLong,
} from '../bridge-method.ts';

/** Rootstock rejects capital letters. */
const HASH_TEXT = /^[0-9a-f]{64}$/;

/** Decodes a transaction hash of the parent chain. Throws `PrecompileError` for any other text. */
function hashOfText(text: string): Uint8Array {
  if (!HASH_TEXT.test(text))
    throw new PrecompileError('the hash must have 64 hexadecimal digits in lower case');
  return fromHex(`0x${text}`);
}

/** The methods of pegins (coins sent from the parent chain). */
export const PEGIN_METHODS: readonly BridgeMethod[] = [
  defineBridgeMethod({
    name: 'registerBtcTransaction',
    inputs: ['bytes', 'int256', 'bytes'],
    outputs: [],
    access: 'write',
    gas: 22_000n,
    run(call, [bytes, height, tree]) {
      failingForMalformed(() => registerTransaction(call, { bytes, height: lowInteger(height), tree }));
      return [];
    },
  }),
  defineBridgeMethod({
    name: 'registerBtcCoinbaseTransaction',
    inputs: ['bytes', 'bytes32', 'bytes', 'bytes32', 'bytes32'],
    outputs: [],
    access: 'write',
    gas: 10_000n,
    run(call, [bytes, blockHash, tree, witnessRoot, reservedValue]) {
      failingForMalformed(() =>
        registerCoinbase(call, { bytes, blockHash, tree, witnessRoot, reservedValue }),
      );
      return [];
    },
  }),
  defineBridgeMethod({
    name: 'registerFastBridgeBtcTransaction',
    inputs: ['bytes', 'uint256', 'bytes', 'bytes32', 'bytes', 'address', 'bytes', 'bool'],
    outputs: ['int256'],
    access: 'write',
    gas: 25_000n,
    run: (
      call,
      [bytes, height, tree, agreement, refundAddress, contract, providerAddress, refundsProvider],
    ) => [
      registerFlyover(call, {
        bytes,
        height: lowInteger(height),
        tree,
        agreement,
        refundAddress,
        contract,
        providerAddress,
        refundsProvider,
      }),
    ],
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
    run({ state }, [hash]) {
      return [state.pegs.processedAt(hashOfText(hash)) !== undefined];
    },
  }),
  defineBridgeMethod({
    name: 'getBtcTxHashProcessedHeight',
    inputs: ['string'],
    outputs: ['int64'],
    access: 'call only',
    gas: 22_000n,
    run({ state }, [hash]) {
      return [state.pegs.processedAt(hashOfText(hash)) ?? -1n];
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
  const destination = decodeAddress(address, call.constants.network)?.hash;
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
      return [entry === undefined ? '' : parentChainAddress('key', entry.destination, constants.network)];
    },
  }),
  defineBridgeMethod({
    name: 'getLockWhitelistEntryByAddress',
    inputs: ['string'],
    outputs: ['int256'],
    access: 'call only',
    gas: 16_000n,
    run({ state, constants }, [address]) {
      const destination = decodeAddress(address, constants.network)?.hash;
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
      const destination = decodeAddress(address, constants.network)?.hash;
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
