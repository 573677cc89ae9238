import { encodeBase58Check } from '../../../primitives/base58check.ts';
import { compareBytes, concatBytes } from '../../../primitives/bytes.ts';
import type { NetworkContractGas } from '../../../protocol/hardforks/precompiles.ts';
import { PrecompileError } from '../input.ts';
import type { PrecompiledFunction } from '../precompiled-contract.ts';
import { hash160, multisigScript } from './bitcoin-script.ts';
import {
  compressedKey,
  deriveAlong,
  pointOfKey,
  readExtendedPublicKey,
  writeExtendedPublicKey,
} from './extended-public-key.ts';
import { nativeContract, nativeMethod } from './native-contract.ts';

const HASH_SIZE = 20;
const FEWEST_KEYS = 2;
/** More do not fit into the 520 bytes of a script (BIP-16). */
const MOST_KEYS = 15;

function toBase58Check(hash: Uint8Array, version: bigint): string {
  if (hash.length !== HASH_SIZE) throw new PrecompileError(`The hash has ${hash.length} bytes, not 20`);
  if (version < 0n || version > 255n) throw new PrecompileError('The version is not between 0 and 255');
  return encodeBase58Check(concatBytes(Uint8Array.of(Number(version)), hash));
}

function multisigScriptHash(required: bigint, keys: readonly Uint8Array[]): Uint8Array {
  if (required < 1n) throw new PrecompileError('At least one signature must be required');
  if (keys.length < FEWEST_KEYS) throw new PrecompileError('There must be two keys at least');
  if (required > keys.length) throw new PrecompileError('There are fewer keys than signatures required');
  if (keys.length > MOST_KEYS) throw new PrecompileError('There are more than 15 keys');
  const inOrder = keys.map((key) => compressedKey(pointOfKey(key))).sort(compareBytes);
  return hash160(multisigScript(Number(required), inOrder));
}

/** Returns the contract HDWalletUtils (RSKIP-106): Bitcoin's addresses, extended public keys and multisig scripts. */
export function hdWalletUtilsContract(price: NetworkContractGas['hdWalletUtils']): PrecompiledFunction {
  const { base, furtherKey } = price.multisigScriptHash;
  return nativeContract(() => [
    nativeMethod({
      name: 'toBase58Check',
      inputs: ['bytes', 'int256'],
      output: 'string',
      gas: () => price.toBase58Check,
      run: ([hash, version]) => toBase58Check(hash, version),
    }),
    nativeMethod({
      name: 'deriveExtendedPublicKey',
      inputs: ['string', 'string'],
      output: 'string',
      gas: () => price.deriveExtendedPublicKey,
      run: ([key, path]) => writeExtendedPublicKey(deriveAlong(readExtendedPublicKey(key), path)),
    }),
    nativeMethod({
      name: 'extractPublicKeyFromExtendedPublicKey',
      inputs: ['string'],
      output: 'bytes',
      gas: () => price.extractPublicKey,
      run: ([key]) => readExtendedPublicKey(key).publicKey,
    }),
    nativeMethod({
      name: 'getMultisigScriptHash',
      inputs: ['int256', 'bytes[]'],
      output: 'bytes',
      gas: ([, keys]) => base + furtherKey * Math.max(0, keys.length - FEWEST_KEYS),
      run: ([required, keys]) => multisigScriptHash(required, keys),
    }),
  ]);
}
