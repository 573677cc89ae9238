const ETHER = 10n ** 18n;
const GWEI = 10n ** 9n;

function decimal(wei: bigint, unit: bigint): string {
  const digits = unit.toString().length - 1;
  const fraction = (wei % unit).toString().padStart(digits, '0').replace(/0+$/, '');
  return fraction === '' ? `${wei / unit}` : `${wei / unit}.${fraction}`;
}

/** Returns an amount of wei in ether, exactly: `10000`, `0.5`. */
export function inEther(wei: bigint): string {
  return decimal(wei, ETHER);
}

/** Returns an amount of wei in the unit with the shortest text, exactly: `0 ether`, `60 gwei`, `7 wei`. */
export function readableAmount(wei: bigint): string {
  if (wei === 0n || wei >= ETHER / 10_000n) return `${inEther(wei)} ether`;
  return wei >= GWEI ? `${decimal(wei, GWEI)} gwei` : `${wei} wei`;
}
