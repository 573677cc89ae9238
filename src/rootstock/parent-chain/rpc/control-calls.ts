// Calls about the node and its network, and small tools.

import { hexKey, readDigits } from '../../../primitives/hex.ts';
import { addressOfScript, scriptOfAddress } from '../../bitcoin/address.ts';
import { hash160, multisigScript, p2shP2wshScript, p2shScript } from '../../bitcoin/script.ts';
import { MIN_RELAY_FEE, toCoins } from '../amounts.ts';
import { p2wshScript, scriptForm, witnessProgram } from '../script/templates.ts';
import {
  type BitcoinCall,
  type CallContext,
  type JsonObject,
  optional,
  required,
  shown,
  toText,
} from './call.ts';
import { BitcoinRpcError, CODES } from './rpc-error.ts';
import { descriptorOf } from './views.ts';

/** The version of bitcoind whose results these calls have. */
const VERSION = 280_000;
const SUBVERSION = '/Satoshi:28.0.0/';
const PROTOCOL_VERSION = 70_016;
/** Satoshis per 1000 virtual bytes: the estimated fee rate, and the wallet's rate. */
export const ESTIMATED_FEE_RATE = 10_000n;
const MAX_CONFIRMATION_TARGET = 1008;
const MAX_KEYS = 20;
const MAX_REDEEM_SIZE = 520;

function networkInfo(): JsonObject {
  return {
    version: VERSION,
    subversion: SUBVERSION,
    protocolversion: PROTOCOL_VERSION,
    localservices: '0000000000000409',
    localservicesnames: ['NETWORK', 'WITNESS', 'NETWORK_LIMITED'],
    localrelay: true,
    timeoffset: 0,
    networkactive: true,
    connections: 0,
    connections_in: 0,
    connections_out: 0,
    networks: [],
    relayfee: toCoins(MIN_RELAY_FEE),
    incrementalfee: toCoins(MIN_RELAY_FEE),
    localaddresses: [],
    warnings: [],
  };
}

function estimateFee({ arguments: given }: CallContext): JsonObject {
  const target = given.integer('conf_target');
  if (target < 1 || target > MAX_CONFIRMATION_TARGET) {
    throw new BitcoinRpcError(
      CODES.parameter,
      `Invalid conf_target, must be between 1 and ${MAX_CONFIRMATION_TARGET}`,
    );
  }
  const mode = given.optionalText('estimate_mode')?.toLowerCase() ?? 'conservative';
  if (!['unset', 'economical', 'conservative'].includes(mode)) {
    throw new BitcoinRpcError(
      CODES.parameter,
      'Invalid estimate_mode parameter, must be one of: "unset", "economical", "conservative"',
    );
  }
  return { feerate: toCoins(ESTIMATED_FEE_RATE), blocks: target };
}

/** Returns the part of an address's description that depends on its script. */
export function addressDetails(script: Uint8Array): JsonObject {
  const form = scriptForm(script);
  const program = witnessProgram(script);
  return {
    scriptPubKey: hexKey(script),
    isscript: form.type === 'scripthash' || form.type === 'witness_v0_scripthash',
    iswitness: program !== undefined,
    ...(program !== undefined && {
      witness_version: program.version,
      witness_program: hexKey(program.program),
    }),
  };
}

function validateAddress({ arguments: given }: CallContext): JsonObject {
  const address = given.text('address');
  const script = scriptOfAddress(address);
  if (script === undefined) {
    return {
      isvalid: false,
      error_locations: [],
      error: 'Invalid or unsupported Segwit (Bech32) or Base58 encoding.',
    };
  }
  return { isvalid: true, address, ...addressDetails(script) };
}

function createMultisig({ arguments: given }: CallContext): JsonObject {
  const requiredKeys = given.integer('nrequired');
  const keys = given.array('keys').map((key) => {
    const text = toText(key);
    const bytes = readDigits(text);
    if (bytes?.length === 33 && (bytes[0] === 2 || bytes[0] === 3)) return bytes;
    throw new BitcoinRpcError(
      CODES.addressOrKey,
      `Pubkey "${shown(text)}" must be a compressed public key of 33 bytes.`,
    );
  });
  if (requiredKeys < 1) {
    throw new BitcoinRpcError(
      CODES.parameter,
      'a multisignature address must require at least one key to redeem',
    );
  }
  if (keys.length < requiredKeys) {
    throw new BitcoinRpcError(
      CODES.parameter,
      `not enough keys supplied (got ${keys.length} keys, but need at least ${requiredKeys} to redeem)`,
    );
  }
  if (keys.length > Math.min(MAX_KEYS, 16)) {
    throw new BitcoinRpcError(
      CODES.parameter,
      'Number of keys involved in the multisignature address creation > 16',
    );
  }
  const redeem = multisigScript(requiredKeys, keys);
  const type = given.optionalText('address_type') ?? 'legacy';
  if (type === 'legacy' && redeem.length > MAX_REDEEM_SIZE) {
    throw new BitcoinRpcError(
      CODES.parameter,
      `redeemScript exceeds size limit: ${redeem.length} > ${MAX_REDEEM_SIZE}`,
    );
  }
  const script = multisigOutput(redeem, type);
  return { address: addressOfScript(script), redeemScript: hexKey(redeem), descriptor: descriptorOf(script) };
}

function multisigOutput(redeem: Uint8Array, type: string): Uint8Array {
  if (type === 'legacy') return p2shScript(hash160(redeem));
  if (type === 'bech32') return p2wshScript(redeem);
  if (type === 'p2sh-segwit') return p2shP2wshScript(redeem);
  throw new BitcoinRpcError(CODES.addressOrKey, `Unknown address type '${shown(type)}'`);
}

function help({ arguments: given, usages }: CallContext): string {
  const command = given.optionalText('command');
  if (command === undefined) return Array.from(usages.values()).join('\n');
  return usages.get(command) ?? `help: unknown command: ${shown(command)}`;
}

export const CONTROL_CALLS: readonly BitcoinCall[] = [
  { name: 'getnetworkinfo', group: 'Network', parameters: [], run: networkInfo },
  { name: 'getconnectioncount', group: 'Network', parameters: [], run: () => 0 },
  { name: 'getpeerinfo', group: 'Network', parameters: [], run: () => [] },
  { name: 'ping', group: 'Network', parameters: [], run: () => null },
  { name: 'help', group: 'Control', parameters: [optional('command', 'string')], run: help },
  {
    name: 'uptime',
    group: 'Control',
    parameters: [],
    run: ({ chain }) => Math.max(0, Math.floor(chain.clock.now() - chain.startTime)),
  },
  {
    name: 'estimatesmartfee',
    group: 'Util',
    parameters: [required('conf_target', 'number'), optional('estimate_mode', 'string')],
    run: estimateFee,
  },
  {
    name: 'validateaddress',
    group: 'Util',
    parameters: [required('address', 'string')],
    run: validateAddress,
  },
  {
    name: 'createmultisig',
    group: 'Util',
    parameters: [
      required('nrequired', 'number'),
      required('keys', 'array'),
      optional('address_type', 'string'),
    ],
    run: createMultisig,
  },
];
