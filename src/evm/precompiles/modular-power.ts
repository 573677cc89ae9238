/** Exponents below this are taken bit by bit: a table of powers would not pay. */
const SHORT_EXPONENT = 1n << 32n;

/** The work that the multiplications of one piece may take together: about a millisecond, in products of two 64-bit limbs. */
const PIECE = 200_000;

/**
 * `base ^ exponent mod modulus`; 0 for a modulus of 0. Gives way after multiplications that together take about a
 * millisecond, a single one of longer numbers included.
 */
export function* modularPower(
  base: bigint,
  exponent: bigint,
  modulus: bigint,
): Generator<void, bigint, void> {
  if (modulus <= 1n) return 0n;
  const reduced = base % modulus;
  // Numbers of one limb cost some for being numbers at all.
  const limbs = modulus.toString(16).length / 16 + 4;
  const costs = exponent < SHORT_EXPONENT ? 2 : 5;
  const perPiece = Math.max(1, Math.floor(PIECE / (costs * limbs ** 2)));
  return yield* exponent < SHORT_EXPONENT
    ? powerByBits(reduced, Number(exponent), modulus, perPiece)
    : powerByDigits(reduced, exponent, modulus, perPiece);
}

function* powerByBits(
  base: bigint,
  exponent: number,
  modulus: bigint,
  perPiece: number,
): Generator<void, bigint, void> {
  let product = 1n;
  let square = base;
  let left = perPiece;
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) product = (product * square) % modulus;
    if (rest > 1) square = (square * square) % modulus;
    if (--left > 0) continue;
    left = perPiece;
    yield;
  }
  return product;
}

/** Takes four bits of the exponent at once, with the first 16 powers of the base computed before. */
function* powerByDigits(
  base: bigint,
  exponent: bigint,
  modulus: bigint,
  perPiece: number,
): Generator<void, bigint, void> {
  const powers = [1n];
  for (let power = base; powers.length < 16; power = (power * base) % modulus) powers.push(power);
  let product = 1n;
  let left = perPiece;
  for (const digit of exponent.toString(16)) {
    for (let bit = 0; bit < 4; bit++) product = (product * product) % modulus;
    if (digit !== '0') product = (product * (powers[Number.parseInt(digit, 16)] ?? 1n)) % modulus;
    if (--left > 0) continue;
    left = perPiece;
    yield;
  }
  return product;
}
