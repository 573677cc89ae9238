/** Exponents below this are taken bit by bit: a table of powers would not pay. */
const SHORT_EXPONENT = 1n << 32n;

/** `base ^ exponent mod modulus`; 0 for a modulus of 0. */
export function modularPower(base: bigint, exponent: bigint, modulus: bigint): bigint {
  if (modulus <= 1n) return 0n;
  const reduced = base % modulus;
  return exponent < SHORT_EXPONENT
    ? powerByBits(reduced, Number(exponent), modulus)
    : powerByDigits(reduced, exponent, modulus);
}

function powerByBits(base: bigint, exponent: number, modulus: bigint): bigint {
  let product = 1n;
  let square = base;
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) product = (product * square) % modulus;
    if (rest > 1) square = (square * square) % modulus;
  }
  return product;
}

/** Takes four bits of the exponent at once, with the first 16 powers of the base computed before. */
function powerByDigits(base: bigint, exponent: bigint, modulus: bigint): bigint {
  const powers = [1n];
  for (let power = base; powers.length < 16; power = (power * base) % modulus) powers.push(power);
  let product = 1n;
  for (const digit of exponent.toString(16)) {
    for (let bit = 0; bit < 4; bit++) product = (product * product) % modulus;
    if (digit !== '0') product = (product * (powers[Number.parseInt(digit, 16)] ?? 1n)) % modulus;
  }
  return product;
}
