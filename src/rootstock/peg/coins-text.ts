const SATOSHI_DIGITS = 8;

/** Formats satoshi: `0.5 BTC`. */
export function coinsText(satoshi: bigint): string {
  const digits = (satoshi < 0n ? -satoshi : satoshi).toString().padStart(SATOSHI_DIGITS + 1, '0');
  const fraction = digits.slice(-SATOSHI_DIGITS).replace(/0+$/, '');
  const sign = satoshi < 0n ? '-' : '';
  return `${sign}${digits.slice(0, -SATOSHI_DIGITS)}${fraction === '' ? '' : `.${fraction}`} BTC`;
}
