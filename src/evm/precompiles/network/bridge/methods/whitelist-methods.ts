import { PrecompileError } from '../../../precompiled-contract.ts';
import { hashOfAddress, parentChainAddress } from '../../bitcoin-script.ts';
import type { BridgeCall } from '../bridge-method.ts';
import {
  AUTHORIZERS,
  type BridgeMethod,
  defineBridgeMethod,
  defineEntrustedMethod,
  isAuthorized,
  lowInteger,
  requireLong,
} from '../bridge-method.ts';

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
  const destination = hashOfAddress(address);
  if (destination === undefined) return RESULT.badAddress;
  if (maximum !== null) requireLong(maximum);
  if (!isAuthorized(call, AUTHORIZERS.whitelist)) return RESULT.unauthorized;
  const { whitelist } = call.state;
  if (whitelist.find(destination) !== undefined) return RESULT.taken;
  whitelist.add({ destination, maximum });
  return RESULT.success;
}

/** The methods of the whitelist of addresses that may send coins from the parent chain. */
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
    run({ state }, [index]) {
      const entry = state.whitelist.all()[lowInteger(index)];
      return [entry === undefined ? '' : parentChainAddress('key', entry.destination)];
    },
  }),
  defineBridgeMethod({
    name: 'getLockWhitelistEntryByAddress',
    inputs: ['string'],
    outputs: ['int256'],
    access: 'call only',
    gas: 16_000n,
    run({ state }, [address]) {
      const destination = hashOfAddress(address);
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
    decide({ state: { whitelist } }, [address]) {
      const destination = hashOfAddress(address);
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
      if (BigInt.asIntN(32, delay) !== delay) throw new PrecompileError('The delay is too long');
      const height = parentChain.head.height + Number(delay);
      if (delay <= 0n || height > HIGHEST_INTEGER) return RESULT.badDelay;
      whitelist.disableHeight = height;
      return RESULT.success;
    },
  }),
];
