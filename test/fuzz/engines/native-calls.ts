import { bigIntToFixedBytes, concatBytes } from '../../../src/primitives/bytes.ts';
import { curve } from '../../../src/primitives/secp256k1/curve.ts';
import { rootstockPrecompiles } from '../../../src/protocol/hardforks/precompiles.ts';
import { type AbiType, type AbiValues, abiSelector, encodeAbi } from '../../../src/rootstock/abi.ts';
import { BLOCK_HEADER_GETTERS } from '../../evm/rootstock/precompiles/block-header-getters.ts';
import type { Dice } from './dice.ts';

/** A valid or almost valid call of a contract. */
export interface PrecompileCall {
  readonly to: Uint8Array;
  readonly data: Uint8Array;
}

const ADDRESSES: ReadonlyMap<string, Uint8Array> = new Map(
  rootstockPrecompiles().map(({ name, address }) => [name, address]),
);
const DEPTHS = [0n, 0n, 1n, 2n, 3n, 998n, 999n, 1_000n, 4_000n, 40_000n, -1n];
const EXTENDED_KEY =
  'tpubD6NzVbkrYhZ4YHQqwWz3Tm1ESZ9AidobeyLG4mEezB6hN8gFFWrcjczyF77Lw3HEs6Rjd2R11BEJ8Y9ptfxx9DFknkdujp58mFMx9H5dc1r';
const KEYS = [1n, 2n, 3n].map((number) => curve.compressedPublicKey(bigIntToFixedBytes(number, 32)));
const POINTS = [1n, 2n, 3n].map((number) => curve.publicKey(bigIntToFixedBytes(number, 32)));

function call<const Types extends readonly AbiType[]>(
  name: string,
  types: Types,
  values: AbiValues<Types>,
): Uint8Array {
  return concatBytes(abiSelector(name, types), encodeAbi(types, values));
}

function hdWalletData(dice: Dice): Uint8Array {
  const kind = dice.below(4);
  if (kind === 0) {
    const hash = dice.bytes(dice.oneIn(4) ? 19 : 20);
    return call('toBase58Check', ['bytes', 'int256'], [hash, BigInt(dice.pick([0, 111, 256]))]);
  }
  if (kind === 1) {
    const path = dice.pick(['0', '1/2', '', '0/-1']);
    return call('deriveExtendedPublicKey', ['string', 'string'], [EXTENDED_KEY, path]);
  }
  if (kind === 2) {
    const key = dice.oneIn(4) ? 'xpub' : EXTENDED_KEY;
    return call('extractPublicKeyFromExtendedPublicKey', ['string'], [key]);
  }
  const keys = Array.from({ length: dice.below(4) }, () =>
    dice.oneIn(6) ? dice.bytes(33) : dice.pick(KEYS),
  );
  return call('getMultisigScriptHash', ['int256', 'bytes[]'], [BigInt(dice.below(4)), keys]);
}

function blockHeaderData(dice: Dice): Uint8Array {
  const depth = dice.pick(DEPTHS);
  if (dice.oneIn(4)) {
    return call('getUncleCoinbaseAddress', ['int256', 'int256'], [depth, BigInt(dice.below(3) - 1)]);
  }
  return call(dice.pick(BLOCK_HEADER_GETTERS), ['int256'], [depth]);
}

function point(dice: Dice): Uint8Array {
  if (dice.oneIn(6)) return new Uint8Array(64);
  return dice.oneIn(8) ? dice.bytes(64) : dice.pick(POINTS);
}

const DATA: Readonly<Record<string, (dice: Dice) => Uint8Array>> = {
  HD_WALLET_UTILS: hdWalletData,
  BLOCK_HEADER: blockHeaderData,
  ENVIRONMENT: () => abiSelector('getCallStackDepth', []),
  SECP256K1_ADD: (dice) => concatBytes(point(dice), point(dice)),
  SECP256K1_MUL: (dice) => concatBytes(point(dice), dice.bytes(32)),
};

/** A call of one of Rootstock's precompiled contracts; sometimes with truncated input. */
export function nativeCall(dice: Dice): PrecompileCall {
  const [name, dataOf] = dice.pick(Object.entries(DATA));
  const to = ADDRESSES.get(name);
  if (to === undefined) throw new Error(`the network has no contract ${name}`);
  const data = dataOf(dice);
  return { to, data: dice.oneIn(10) ? data.subarray(0, dice.below(data.length)) : data };
}
