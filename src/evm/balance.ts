const HIGHEST_BALANCE = 2n ** 256n - 1n;

/** The balance (wei), or the highest that there is: only accounts that were given wei from nowhere can come upon it. */
export function boundedBalance(balance: bigint): bigint {
  return balance > HIGHEST_BALANCE ? HIGHEST_BALANCE : balance;
}
