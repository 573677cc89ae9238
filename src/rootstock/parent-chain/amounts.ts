// Amounts of coins and fees.

/** Satoshis of a coin. */
export const COIN = 100_000_000n;
/** The supply limit, which no amount exceeds. */
export const MAX_MONEY: bigint = 21_000_000n * COIN;
/** Satoshis per 1000 virtual bytes that the mempool requires. */
export const MIN_RELAY_FEE = 1000n;
/** Satoshis per 1000 virtual bytes that an output must be worth to spend. */
const DUST_RELAY_FEE = 3000n;

/** Returns an amount in coins, as in results of bitcoind. */
export function toCoins(satoshis: bigint): number {
  return Number(formatCoins(satoshis));
}

/** Returns an amount in coins with eight decimals. */
export function formatCoins(satoshis: bigint): string {
  const absolute = satoshis < 0n ? -satoshis : satoshis;
  const decimals = (absolute % COIN).toString().padStart(8, '0');
  return `${satoshis < 0n ? '-' : ''}${absolute / COIN}.${decimals}`;
}

/** Returns the fee for a virtual size, rounded up. `rate` is in satoshis per 1000 virtual bytes. */
export function feeOf(rate: bigint, size: number): bigint {
  return (rate * BigInt(size) + 999n) / 1000n;
}

/** Returns the lowest fee that the mempool accepts for a virtual size. */
export function minRelayFee(size: number): bigint {
  return (MIN_RELAY_FEE * BigInt(size)) / 1000n;
}

/** The size of an input that spends an output, as bitcoind estimates it for dust. */
const SPENDING_SIZE = 148n;
const WITNESS_SPENDING_SIZE = 67n;

/** Returns the lowest value of an output that is no dust. */
export function dustLimit(script: Uint8Array, isWitness: boolean): bigint {
  const lengthSize = script.length < 0xfd ? 1 : 3;
  const size = BigInt(8 + lengthSize + script.length) + (isWitness ? WITNESS_SPENDING_SIZE : SPENDING_SIZE);
  return (DUST_RELAY_FEE * size) / 1000n;
}
