/** SELFDESTRUCT */

import { accountAt, beginChange, flagsOf, hasFlag, isEmpty, isWarm, setFlag, touch, transfer, warm } from './accounts';
import { Account, End, Event, Flag, Kind, Rule } from './generated/protocol';
import { frameEnd, frameStart } from './host';
import { EVENT, holds, rule, SCRATCH } from './layout';
import { depth, isStatic, isTraced, refund, self } from './registers';
import { beyondReservoir, takeStateGas } from './gas';
import { logTransfer } from './buffers';
import { copy, isZero, setLimbs, setU64 } from './u256';

/** The account that receives the balance; set by `priceSelfdestruct`. */
let beneficiary: usize = 0;
/** The state gas of a new beneficiary account. */
let newAccount: i64 = 0;
/** The dynamic gas of SELFDESTRUCT; set by `priceSelfdestruct`. */
export let selfdestructPrice: i64 = 0;

/** Computes the cost. Returns `End.NOT_YET` if the opcode can be performed. */
export function priceSelfdestruct(sp: usize, gas: i64): i32 {
  if (isStatic) return End.STATIC_CALL;
  beneficiary = accountAt(sp);
  if (beneficiary == 0) return End.SUSPENDED;
  selfdestructPrice = holds(Rule.HAS_ACCESS) && !isWarm(beneficiary) ? rule(Rule.COLD_ACCOUNT) : 0;
  newAccount = 0;
  if (makesAccount()) {
    newAccount = rule(Rule.STATE_NEW_ACCOUNT);
    selfdestructPrice += rule(Rule.NEW_BENEFICIARY) + beyondReservoir(newAccount);
  }
  return selfdestructPrice > gas ? End.OUT_OF_GAS : End.NOT_YET;
}

/** Returns the part of `selfdestructPrice` that pays for a new account: state gas beyond the reservoir. */
export function beneficiaryStateGas(): i64 {
  return beyondReservoir(newAccount);
}

@inline
function makesAccount(): bool {
  if (!holds(Rule.NEW_ACCOUNT_IF_MISSING)) return !isZero(self + Account.BALANCE) && isEmpty(beneficiary);
  return (flagsOf(beneficiary) & (Flag.EXISTS | Flag.PRECOMPILE)) == 0;
}

/** Destroys the contract and moves its balance. `listChanges` later removes the account. */
export function performSelfdestruct(): void {
  if (isTraced) tell();
  takeStateGas(newAccount);
  if (!hasFlag(self, Flag.ENDED)) refund += rule(Rule.SELFDESTRUCT_REFUND);
  warm(beneficiary);
  const balance = self + Account.BALANCE;
  if (beneficiary != self) {
    // A contract without balance creates no empty beneficiary under rules that keep empty accounts.
    if (isZero(balance)) {
      if (holds(Rule.CLEARS_EMPTY)) touch(beneficiary);
    } else {
      copy(balance, SCRATCH);
      // The balance is capped at the maximum.
      if (!transfer(self, beneficiary, SCRATCH)) setLimbs(beneficiary + Account.BALANCE, ~0, ~0, ~0, ~0);
      logTransfer(self, beneficiary, SCRATCH);
    }
  } else if (!holds(Rule.REMOVED_BALANCE_STAYS) && (!holds(Rule.ENDS_ONLY_CREATED) || hasFlag(self, Flag.CREATED))) {
    beginChange(self);
    setU64(balance, 0);
  }
  setFlag(self, Flag.ENDED);
}

function tell(): void {
  store<i64>(EVENT, 0, Event.GAS);
  frameStart(Kind.SELFDESTRUCT, depth, self, beneficiary, 0, 0, self + Account.BALANCE, 0);
  store<i64>(EVENT, 0, Event.GAS);
  frameEnd(End.SUCCESS, 0, 0);
}
