const ETHER = 10n ** 18n;
const GWEI = 10n ** 9n;

function decimal(wei: bigint, unit: bigint): string {
  const digits = unit.toString().length - 1;
  const fraction = (wei % unit).toString().padStart(digits, '0').replace(/0+$/, '');
  return fraction === '' ? `${wei / unit}` : `${wei / unit}.${fraction}`;
}

/** An amount of wei in ether, exactly: `10000`, `0.5`. */
export function inEther(wei: bigint): string {
  return decimal(wei, ETHER);
}

/** An amount of wei with the unit that a person reads it best in, exactly: `0 ether`, `60 gwei`, `7 wei`. */
export function readableAmount(wei: bigint): string {
  if (wei === 0n || wei >= ETHER / 10_000n) return `${inEther(wei)} ether`;
  return wei >= GWEI ? `${decimal(wei, GWEI)} gwei` : `${wei} wei`;
}
