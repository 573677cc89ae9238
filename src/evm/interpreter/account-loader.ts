import { equalBytes } from '../../primitives/bytes.ts';
import { KECCAK_EMPTY } from '../../primitives/keccak.ts';
import type { Overlay } from '../../state/overlay.ts';
import { StateElsewhere } from '../../state/state-elsewhere.ts';
import { CONSOLE_ADDRESS } from '../console/console-address.ts';
import { isDelegation } from '../delegation.ts';
import type { PrecompiledContract } from '../precompiles/precompiled-contract.ts';
import type { LinearMemory } from './linear-memory.ts';
import { ACCOUNT, FLAG } from './protocol.ts';

/** What the host knows of an account that the interpreter asks for. */
export interface AccountSource {
  /** 20 bytes. */
  readonly address: Uint8Array;
  readonly state: Overlay;
  /** The one at the address. */
  readonly precompile: PrecompiledContract | undefined;
}

/**
 * Fills in the record of an account, which is all zeros but for the address. Throws {@link StateElsewhere}, with nothing
 * written, when its state or the library of a precompile must be fetched first.
 */
export function loadAccount(
  memory: LinearMemory,
  record: number,
  { address, state, precompile }: AccountSource,
): void {
  if (precompile?.isReady === false) throw new StateElsewhere(() => precompile.load());
  const view = state.account(address);
  let flags = precompile === undefined ? 0 : FLAG.precompile;
  if (precompile?.runInPieces !== undefined) {
    flags |= precompile.isLongByInput === true ? FLAG.steppedIfLong : FLAG.stepped;
  }
  if (equalBytes(address, CONSOLE_ADDRESS)) flags |= FLAG.console;
  if (view === undefined) {
    memory.set(record + ACCOUNT.codeHash, KECCAK_EMPTY);
    memory.setNumber(record + ACCOUNT.flags, flags | FLAG.storageEmpty);
    return;
  }
  const { nonce, balance, code } = view;
  const isBare = nonce === 0n && code.bytes.length === 0;
  const hasStorage = isBare ? state.hasStorage(address) : state.mayHaveStorage(address);
  flags |= FLAG.exists | (hasStorage ? 0 : FLAG.storageEmpty);
  if (isDelegation(code.bytes)) flags |= FLAG.delegates;
  memory.setWord(record + ACCOUNT.balance, balance);
  memory.setLimb(record + ACCOUNT.nonce, nonce);
  memory.setNumber(record + ACCOUNT.codeLength, code.bytes.length);
  memory.set(record + ACCOUNT.codeHash, code.hash);
  memory.setNumber(record + ACCOUNT.flags, flags);
}
