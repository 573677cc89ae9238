import type { Common } from '@ethereumjs/common';

const BLAKE2F_INPUT_SIZE = 213;
const PAIR_SIZE = 192;

/** BLAKE2F costs its rounds, and nothing when its input is too short or too long to name them. */
function blake2Price(data: Uint8Array, common: Common): bigint {
  if (data.length !== BLAKE2F_INPUT_SIZE) return 0n;
  const rounds = new DataView(data.buffer, data.byteOffset).getUint32(0);
  return BigInt(rounds) * common.param('blake2RoundGas');
}

function pairingPrice(data: Uint8Array, common: Common): bigint {
  const pairs = BigInt(Math.floor(data.length / PAIR_SIZE));
  return common.param('bn254PairingGas') + pairs * common.param('bn254PairingWordGas');
}

/** The prices (gas) of the precompiles that there is wrong input for, by address. The library tells none of them. */
export const FALLIBLE_PRECOMPILE_PRICES: readonly {
  readonly address: `0x${string}`;
  readonly price: (data: Uint8Array, common: Common) => bigint;
}[] = [
  { address: '0x06', price: (_data, common) => common.param('bn254AddGas') },
  { address: '0x07', price: (_data, common) => common.param('bn254MulGas') },
  { address: '0x08', price: pairingPrice },
  { address: '0x09', price: blake2Price },
];
