import { createHmac, pbkdf2Sync } from 'node:crypto';
import { bigIntToFixedBytes, bytesToBigInt, concatBytes } from '../primitives/bytes.ts';
import { fromHex } from '../primitives/hex.ts';
import { keccak256 } from '../primitives/keccak.ts';
import { addressOfPrivateKey, curve } from '../primitives/secp256k1/curve.ts';
import { CURVE_ORDER } from '../primitives/secp256k1/secp256k1.ts';

const HARDENED = 0x80000000;
const SEED_ROUNDS = 2048;
const SEED_LENGTH = 64;

interface ExtendedKey {
  readonly privateKey: Uint8Array;
  readonly chainCode: Uint8Array;
}

function extendedKey(hmacKey: Uint8Array | string, data: Uint8Array): ExtendedKey {
  const digest = new Uint8Array(createHmac('sha512', hmacKey).update(data).digest());
  return { privateKey: digest.subarray(0, 32), chainCode: digest.subarray(32) };
}

function childKey(parent: ExtendedKey, index: number): ExtendedKey {
  const own =
    index >= HARDENED
      ? concatBytes(Uint8Array.of(0), parent.privateKey)
      : curve.compressedPublicKey(parent.privateKey);
  const tweak = extendedKey(parent.chainCode, concatBytes(own, bigIntToFixedBytes(BigInt(index), 4)));
  const sum = (bytesToBigInt(tweak.privateKey) + bytesToBigInt(parent.privateKey)) % CURVE_ORDER;
  return { privateKey: bigIntToFixedBytes(sum, 32), chainCode: tweak.chainCode };
}

/** Returns the 64-byte seed of a mnemonic phrase without a passphrase (BIP-39). */
export function mnemonicSeed(mnemonic: string): Uint8Array {
  const phrase = mnemonic.normalize('NFKD');
  return new Uint8Array(pbkdf2Sync(phrase, 'mnemonic', SEED_ROUNDS, SEED_LENGTH, 'sha512'));
}

/**
 * Returns the private keys at `path` followed by the indexes 0 to `count - 1` (BIP-32). The path has the form
 * `m/44'/60'/0'/0`: numbers between slashes, hardened with a tick. Throws a `RangeError` for a path of
 * another form.
 */
export function derivePrivateKeys(seed: Uint8Array, path: string, count: number): Uint8Array[] {
  if (!isDerivationPath(path)) throw new RangeError(`not a derivation path: ${path}`);
  let key = extendedKey('Bitcoin seed', seed);
  for (const step of path.split('/').slice(1)) {
    if (step === '') continue;
    const index = Number.parseInt(step, 10);
    key = childKey(key, step.endsWith("'") ? index + HARDENED : index);
  }
  return Array.from({ length: count }, (_, index) => childKey(key, index).privateKey);
}

/** Returns true for `m/` and numbers below 2^31 between slashes, each with an optional tick. */
export function isDerivationPath(path: string): boolean {
  if (!/^m(\/\d+'?)*\/?$/.test(path)) return false;
  return path.split('/').every((step) => !/^\d/.test(step) || Number.parseInt(step, 10) < HARDENED);
}

/** An account whose key is public. */
export interface DevAccount {
  /** 20 bytes. */
  readonly address: Uint8Array;
  /** 32 bytes. */
  readonly privateKey: Uint8Array;
}

function account(address: string, privateKey: string): DevAccount {
  return { address: fromHex(address), privateKey: fromHex(privateKey) };
}

/** The first accounts of the default mnemonic and path. Deriving them would slow down each start. */
export const DEFAULT_ACCOUNTS: readonly DevAccount[] = [
  account(
    '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
    '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  ),
  account(
    '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
    '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
  ),
  account(
    '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
    '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a',
  ),
  account(
    '0x90f79bf6eb2c4f870365e785982e1f101e93b906',
    '0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6',
  ),
  account(
    '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65',
    '0x47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a',
  ),
  account(
    '0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc',
    '0x8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba',
  ),
  account(
    '0x976ea74026e726554db657fa54763abd0c3a0aa9',
    '0x92db14e403b83dfe3df233f83dfa3a0d7096f21ca9b0d6d6b8d88b2b4ec1564e',
  ),
  account(
    '0x14dc79964da2c08b23698b3d3cc7ca32193d9955',
    '0x4bbbf85ce3377467afe5d46f804f221813b2bb87f24d81f60f1fcdbf7cbf4356',
  ),
  account(
    '0x23618e81e3f5cdf7f54c3d65f7fbc0abf5b21e8f',
    '0xdbda1821b80551c9d65939329250298aa3472ba22feea921c0cf5d620ea67b97',
  ),
  account(
    '0xa0ee7a142d267c1f36714e4a8f75612f20a79720',
    '0x2a871d0798f97d79848a013d4936a73bf4cc922c825d33c1cf7073dff6d409c6',
  ),
];

/** Rootstock's funded local accounts. Their keys are the Keccak hashes of `cow`, `cow1` to `cow9`. */
export const NETWORK_ACCOUNTS: readonly DevAccount[] = [
  account(
    '0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826',
    '0xc85ef7d79691fe79573b1a7064c19c1a9819ebdbd1faaab1a8ec92344438aaf4',
  ),
  account(
    '0x7986b3df570230288501eea3d890bd66948c9b79',
    '0x0c06818f82e04c564290b32ab86b25676731fc34e9a546108bf109194c8e3aae',
  ),
  account(
    '0x0a3aa774752ec2042c46548456c094a76c7f3a79',
    '0x88fcad7d65de4bf854b88191df9bf38648545e7e5ea367dff6e025b06a28244d',
  ),
  account(
    '0xcf7cdbbb5f7ba79d3ffe74a0bba13fc0295f6036',
    '0x1786958bf8781c0047f94c9bd7e39402cdadebef6f8faca6b503b991814f5e75',
  ),
  account(
    '0x39b12c05e8503356e3a7df0b7b33efa4c054c409',
    '0x3927ff59ac5da854e7633682792aae26e8f83b515c3c6dc7520b5733d4588b8a',
  ),
  account(
    '0xc354d97642faa06781b76ffb6786f72cd7746c97',
    '0x20e4a6381bd3826a14f8da63653d94e7102b38eb5f929c7a94652f41fa7ba323',
  ),
  account(
    '0xdebe71e1de41fc77c44df4b6db940026e31b0e71',
    '0xc1783a9a8222e47778911c58bb5aac1343eb425159ff140799e0a283bfb8fa16',
  ),
  account(
    '0x7857288e171c6159c5576d1bd9ac40c0c48a771c',
    '0xe88b7bfb0b3ffe2245e3293e20901022ea01ebc19898dfe468289c9a07672627',
  ),
  account(
    '0xa4dea4d5c954f5fd9e87f0e9752911e83a3d18b3',
    '0xd77b8a342be95c5c31fa85c20450b424663c4fb4a499cfc80c202c592c85c219',
  ),
  account(
    '0x09a1eda29f664ac8f68106f6567276df0c65d859',
    '0x082f57b8084286a079aeb9f2d0e17e565ced44a2cb9ce4844e6d4b9d89f3f595',
  ),
];

/** The common mnemonic of development nodes, so that scripts find the same accounts on each. */
export const DEFAULT_MNEMONIC = 'test test test test test test test test test test test junk';

/** The derivation path of the accounts, without their index. */
export const DEFAULT_DERIVATION_PATH = "m/44'/60'/0'/0/";

/** Returns the accounts of a mnemonic by index. */
export function deriveDevAccounts(options: {
  readonly mnemonic: string;
  readonly derivationPath: string;
  readonly count: number;
}): DevAccount[] {
  const { mnemonic, derivationPath, count } = options;
  const isDefault = mnemonic === DEFAULT_MNEMONIC && derivationPath === DEFAULT_DERIVATION_PATH;
  if (isDefault && count <= DEFAULT_ACCOUNTS.length) return DEFAULT_ACCOUNTS.slice(0, count);
  return derivePrivateKeys(mnemonicSeed(mnemonic), derivationPath, count).map((privateKey) => ({
    address: addressOfPrivateKey(privateKey),
    privateKey,
  }));
}

/** Returns the account whose key is the Keccak hash of a seed text. */
export function accountFromSeed(seed: string): DevAccount {
  const privateKey = keccak256(new TextEncoder().encode(seed));
  return { address: addressOfPrivateKey(privateKey), privateKey };
}
