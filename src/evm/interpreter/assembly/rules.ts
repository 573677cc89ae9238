/** What the rule set says, as numbers that the host writes to `PARAMETERS` before anything runs. */

import { PARAMETERS } from './layout';

/** Where each number stands; the host has the same list, in the same order (`rule-parameters.ts`). */
export const enum Rule {
  EXPONENT_BYTE = 0,
  COPY_WORD = 1,
  KECCAK_WORD = 2,
  LOG_TOPIC = 3,
  LOG_BYTE = 4,
  INITCODE_WORD = 5,
  CODE_BYTE = 6,
  MEMORY_WORD = 7,
  MEMORY_DIVISOR = 8,
  MEMORY_MAXIMUM = 9,
  /** 0: only the present and the new value count; 1: the original one as well. */
  STORE_IS_NET = 10,
  STORE_SENTRY = 11,
  STORE_UNCHANGED = 12,
  STORE_SET = 13,
  STORE_RESET = 14,
  STORE_CLEAR_REFUND = 15,
  STORE_RESTORED_ZERO_REFUND = 16,
  STORE_RESTORED_VALUE_REFUND = 17,
  /** First accesses are dearer (EIP-2929). */
  HAS_ACCESS = 18,
  WARM = 19,
  COLD_ACCOUNT = 20,
  COLD_SLOT = 21,
  CALL_VALUE = 22,
  CALL_STIPEND = 23,
  CALL_NEW_ACCOUNT = 24,
  SELFDESTRUCT_REFUND = 25,
  MAXIMUM_DEPTH = 26,
  KEEPS_64TH = 27,
  IS_STIPEND_FREE = 28,
  /** 0: value to an empty account; 1: anything to a missing account. */
  NEW_ACCOUNT_IF_MISSING = 29,
  FOLLOWS_DELEGATIONS = 30,
  TRANSACTION_NONCE = 31,
  REFUSES_EF = 32,
  RETURNS_REVERT_DATA = 33,
  CLEARS_EMPTY = 34,
  /** SELFDESTRUCT removes only what the same transaction created (EIP-6780). */
  ENDS_ONLY_CREATED = 35,
  /** A precompile that refuses its input takes its price only. */
  FAILURE_TAKES_PRICE = 36,
  PRECOMPILE_LOOKS_LIKE_CONTRACT = 37,
  MAXIMUM_CODE = 38,
  MAXIMUM_INITCODE = 39,
  FAILED_PRECOMPILE_SUCCEEDS_AT_TOP = 40,
}

/** The number of the rule. */
@inline
export function rule(which: Rule): i64 {
  return load<i64>(PARAMETERS + ((<usize>which) << 3));
}

/** True when the rule holds. */
@inline
export function holds(which: Rule): bool {
  return load<u8>(PARAMETERS + ((<usize>which) << 3)) != 0;
}
