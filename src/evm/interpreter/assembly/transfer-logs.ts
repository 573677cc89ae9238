/** The logs that transfers of wei leave (EIP-7708). */

import { addLog } from './buffers';
import { writeBigEndian } from './byte-order';
import { Account, Rule } from './generated/protocol';
import { tellLog } from './host';
import { isLogged } from './registers';
import { holds } from './rules';
import { copy, setLimbs } from './u256';

/** The address of the system, in the place of that of an account. */
const SYSTEM: usize = memory.data(32, 16);
/** The topics from the last to the first: recipient, sender, and what is hashed of `Transfer(address,address,uint256)`. */
const TOPICS: usize = memory.data(3 * 32, 16);
const TOPIC_COUNT: u32 = 3;
const WEI: usize = memory.data(32, 16);

/** Adds the log of a transfer to another account, if the rules have such logs. To be called when the wei have moved. */
@inline
export function logTransfer(from: usize, to: usize, value: usize): void {
  if (holds(Rule.LOGS_TRANSFERS) && from != to) addTransfer(from, to, value);
}

function addTransfer(from: usize, to: usize, value: usize): void {
  setLimbs(SYSTEM, 0xfffffffffffffffe, ~0, 0xffffffff, 0);
  copy(to + Account.ADDRESS, TOPICS);
  copy(from + Account.ADDRESS, TOPICS + 32);
  setLimbs(TOPICS + 64, 0x28f55a4df523b3ef, 0x952ba7f163c4a116, 0x69c2b068fc378daa, 0xddf252ad1be2c89b);
  writeBigEndian(value, WEI);
  const log = addLog(SYSTEM, TOPIC_COUNT, TOPICS + 64, WEI, 32);
  if (isLogged) tellLog(log);
}
