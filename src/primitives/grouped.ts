/** Returns a decimal number with commas between thousands: `30,000,000`, `1,234.5`. */
export function grouped(amount: bigint | number | string): string {
  const [whole = '', ...fraction] = String(amount).split('.');
  return [whole.replace(/\B(?=(?:\d{3})+$)/g, ','), ...fraction].join('.');
}
