// Calls about the addresses and keys of a wallet.

import { hexKey, readDigits } from '../../../primitives/hex.ts';
import { curve } from '../../../primitives/secp256k1/curve.ts';
import { addressOfScript, scriptOfAddress } from '../../bitcoin/address.ts';
import { hash160, p2pkhScript, p2shScript } from '../../bitcoin/script.ts';
import { withChecksum } from '../descriptor-checksum.ts';
import { p2pkScript, p2shP2wpkhScript, p2wpkhScript, scriptForm } from '../script/templates.ts';
import { keyRingOf } from '../wallet/key-ring.ts';
import {
  digitBytes,
  masterFingerprint,
  type ParentWallet,
  privateKeyOf,
  type WalletKey,
  withPrivateKey,
  withScripts,
  withWatched,
} from '../wallet/parent-wallet.ts';
import { dummyUnlocking } from '../wallet/sign-transaction.ts';
import { walletScripts } from '../wallet/wallet-coins.ts';
import {
  type BitcoinCall,
  type CallArguments,
  type CallContext,
  type JsonObject,
  optional,
  required,
  shown,
} from './call.ts';
import { addressDetails } from './control-calls.ts';
import { requireScript } from './outputs.ts';
import { decodePrivateKey, encodePrivateKey } from './private-keys.ts';
import { BitcoinRpcError, CODES } from './rpc-error.ts';
import { requirePrivateKeys } from './signing-calls.ts';
import { descriptorOf } from './views.ts';
import { addressTypeOf, takeKey, updateWallet } from './wallet-state.ts';

function addressOf({ script }: WalletKey): string {
  return addressOfScript(digitBytes(script)) ?? '';
}

/** Limits the memory that wallets use. */
const MAX_LABEL_LENGTH = 1000;
const MAX_SCRIPT_SIZE = 10_000;

function labelOf(given: CallArguments): string {
  const label = given.optionalText('label') ?? '';
  if (label.length <= MAX_LABEL_LENGTH) return label;
  throw new BitcoinRpcError(
    CODES.parameter,
    `label: expected at most ${MAX_LABEL_LENGTH} characters, got ${label.length}`,
  );
}

function newAddress({ chain, wallet, arguments: given }: CallContext): string {
  const type = addressTypeOf(given.optionalText('address_type'));
  return addressOf(takeKey(chain, wallet, type, false, labelOf(given)));
}

function changeAddress({ chain, wallet, arguments: given }: CallContext): string {
  return addressOf(takeKey(chain, wallet, addressTypeOf(given.optionalText('address_type')), true));
}

/** Returns the descriptor of a key's script with the path of the key. */
export function keyDescriptor(wallet: ParentWallet, { script, publicKey, path }: WalletKey): string {
  const origin = path === null ? '' : `[${masterFingerprint(wallet)}${path.slice(1).replaceAll("'", 'h')}]`;
  const key = `${origin}${publicKey}`;
  const { type } = scriptForm(digitBytes(script));
  if (type === 'pubkeyhash') return withChecksum(`pkh(${key})`);
  return withChecksum(type === 'scripthash' ? `sh(wpkh(${key}))` : `wpkh(${key})`);
}

function keyDetails(wallet: ParentWallet, key: WalletKey): JsonObject {
  const { path, publicKey, script } = key;
  const inner = p2wpkhScript(digitBytes(publicKey));
  const isNested = scriptForm(digitBytes(script)).type === 'scripthash';
  return {
    desc: keyDescriptor(wallet, key),
    pubkey: publicKey,
    ischange: key.isChange,
    ...(isNested && {
      script: 'witness_v0_keyhash',
      hex: hexKey(inner),
      embedded: { address: addressOfScript(inner), pubkey: publicKey, ...addressDetails(inner) },
    }),
    ...(path !== null && {
      hdkeypath: path.replaceAll("'", 'h'),
      hdmasterfingerprint: masterFingerprint(wallet),
    }),
  };
}

function addressInfo({ wallet, arguments: given }: CallContext): JsonObject {
  const address = given.text('address');
  const script = scriptOfAddress(address);
  if (script === undefined) {
    throw new BitcoinRpcError(
      CODES.addressOrKey,
      'Invalid or unsupported Segwit (Bech32) or Base58 encoding.',
    );
  }
  const owner = walletScripts(wallet).get(hexKey(script));
  const isSolvable = owner !== undefined && dummyUnlocking(script, keyRingOf(wallet)) !== undefined;
  const label = owner?.entry.label;
  return {
    address,
    ...addressDetails(script),
    ismine: owner?.kind === 'key' && wallet.hasPrivateKeys,
    solvable: isSolvable,
    iswatchonly: owner?.kind === 'watched',
    ischange: false,
    ...(owner?.kind === 'key' && keyDetails(wallet, owner.entry)),
    ...(owner?.kind === 'watched' && isSolvable && { desc: descriptorOf(script) }),
    ...(owner?.kind === 'watched' && owner.entry.publicKey !== null && { pubkey: owner.entry.publicKey }),
    labels: label === undefined ? [] : [label],
  };
}

function importAddress({ chain, wallet, arguments: given }: CallContext): null {
  const text = given.text('address');
  const label = labelOf(given);
  const usesP2sh = given.boolean('p2sh', false);
  const script = scriptOfAddress(text);
  if (script !== undefined) {
    if (usesP2sh) {
      throw new BitcoinRpcError(
        CODES.addressOrKey,
        'Cannot use the p2sh flag with an address - use a script instead',
      );
    }
    requireNoKey(wallet, script);
    updateWallet(chain, withWatched(wallet, [{ script: hexKey(script), label, publicKey: null }]));
    return null;
  }
  const bytes = readDigits(text);
  if (bytes === undefined || bytes.length === 0) {
    throw new BitcoinRpcError(CODES.addressOrKey, 'Invalid Bitcoin address or script');
  }
  if (bytes.length > MAX_SCRIPT_SIZE) {
    throw new BitcoinRpcError(
      CODES.addressOrKey,
      `address: expected a script of at most ${MAX_SCRIPT_SIZE} bytes, got ${bytes.length}`,
    );
  }
  requireNoKey(wallet, bytes);
  const outputs = usesP2sh ? [bytes, p2shScript(hash160(bytes))] : [bytes];
  const watched = outputs.map((output) => ({ script: hexKey(output), label, publicKey: null }));
  const scripts = usesP2sh ? [hexKey(bytes)] : [];
  updateWallet(chain, withScripts(withWatched(wallet, watched), scripts));
  return null;
}

function requireNoKey(wallet: ParentWallet, script: Uint8Array): void {
  if (walletScripts(wallet).get(hexKey(script))?.kind !== 'key') return;
  throw new BitcoinRpcError(
    CODES.wallet,
    'The wallet already contains the private key for this address or script',
  );
}

function isPoint(key: Uint8Array): boolean {
  try {
    curve.pointOf(key);
    return true;
  } catch {
    return false;
  }
}

function importPublicKey({ chain, wallet, arguments: given }: CallContext): null {
  const text = given.text('pubkey');
  const key = readDigits(text);
  if (key === undefined) {
    throw new BitcoinRpcError(CODES.addressOrKey, `Pubkey "${shown(text)}" must be a hex string`);
  }
  if (![33, 65].includes(key.length) || !isPoint(key)) {
    throw new BitcoinRpcError(CODES.addressOrKey, `Pubkey "${shown(text)}" must be cryptographically valid.`);
  }
  const label = labelOf(given);
  const base = [p2pkScript(key), p2pkhScript(hash160(key))];
  const outputs = key.length === 33 ? [...base, p2wpkhScript(key), p2shP2wpkhScript(key)] : base;
  const watched = outputs.map((script) => ({ script: hexKey(script), label, publicKey: hexKey(key) }));
  updateWallet(chain, withWatched(wallet, watched));
  return null;
}

function importPrivateKey({ chain, wallet, arguments: given }: CallContext): null {
  requirePrivateKeys(wallet);
  const key = decodePrivateKey(given.text('privkey'));
  if (key === undefined) throw new BitcoinRpcError(CODES.addressOrKey, 'Invalid private key encoding');
  updateWallet(chain, withPrivateKey(wallet, key.privateKey, labelOf(given)));
  return null;
}

function dumpPrivateKey({ wallet, arguments: given }: CallContext): string {
  const address = given.text('address');
  const owner = walletScripts(wallet).get(hexKey(requireScript(address)));
  const privateKey = owner?.kind === 'key' ? privateKeyOf(wallet, owner.entry) : undefined;
  if (privateKey === undefined) {
    throw new BitcoinRpcError(CODES.wallet, `Private key for address ${address} is not known`);
  }
  return encodePrivateKey(privateKey);
}

export const ADDRESS_CALLS: readonly BitcoinCall[] = [
  {
    name: 'getnewaddress',
    group: 'Wallet',
    parameters: [optional('label', 'string'), optional('address_type', 'string')],
    run: newAddress,
  },
  {
    name: 'getrawchangeaddress',
    group: 'Wallet',
    parameters: [optional('address_type', 'string')],
    run: changeAddress,
  },
  {
    name: 'getaddressinfo',
    group: 'Wallet',
    parameters: [required('address', 'string')],
    run: addressInfo,
  },
  {
    name: 'importaddress',
    group: 'Wallet',
    parameters: [
      required('address', 'string'),
      optional('label', 'string'),
      optional('rescan', 'bool'),
      optional('p2sh', 'bool'),
    ],
    run: importAddress,
  },
  {
    name: 'importpubkey',
    group: 'Wallet',
    parameters: [required('pubkey', 'string'), optional('label', 'string'), optional('rescan', 'bool')],
    run: importPublicKey,
  },
  {
    name: 'importprivkey',
    group: 'Wallet',
    parameters: [required('privkey', 'string'), optional('label', 'string'), optional('rescan', 'bool')],
    run: importPrivateKey,
  },
  {
    name: 'dumpprivkey',
    group: 'Wallet',
    parameters: [required('address', 'string')],
    run: dumpPrivateKey,
  },
];
