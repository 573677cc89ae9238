/** Names mined transactions and their events from the accounts' code, without another execution. */

import type { DecodedEntry } from '../artifacts/decoding.ts';
import { rootstockPrecompileAt, wellKnown } from '../artifacts/well-known.ts';
import type { ExecutionResult } from '../evm/engine.ts';
import { EMPTY_BYTES } from '../primitives/bytes.ts';
import { hexKey, toHex } from '../primitives/hex.ts';
import type { Log } from '../protocol/receipt.ts';
import type { Transaction } from '../protocol/transaction.ts';
import { type Task, waitFor } from '../scheduling/task.ts';
import type { WorldState } from '../state/world-state.ts';
import type { DeployedContracts } from './deployed-contracts.ts';
import type { BlockPosition, KnownContract } from './known-contracts.ts';
import {
  entryText,
  GUESSED_BY_SELECTOR,
  GUESSED_BY_TOPIC,
  parametersText,
  undecodedText,
} from './value-text.ts';

export interface TransactionNames {
  /** `Token.transfer(to: 0x…, amount: 5)` or `new Token(supply: 1000)`; `null` if the contract is unknown. */
  readonly subject: string | null;
  readonly events: readonly string[];
}

const SELECTOR_SIZE = 4;
/** Maximum events per transaction to name. */
const MAX_EVENTS = 16;

/** The state to name contracts in, with a cache of contracts by address. */
export interface NamedSite {
  readonly state: WorldState;
  readonly at: BlockPosition;
  readonly found: Map<string, KnownContract>;
}

/**
 * Returns the names of a successful mined transaction and its events, in the state after it. Inner calls are
 * left out, so this is cheap. If no artifact describes a contract, names come from well-known interfaces and
 * are marked as guesses.
 */
export function* transactionNames(
  contracts: DeployedContracts,
  transaction: Transaction,
  { createdAddress, logs }: Pick<ExecutionResult, 'createdAddress' | 'logs'>,
  { state, at }: Omit<NamedSite, 'found'>,
): Task<TransactionNames> {
  // The called contract usually emits the logs, so share its lookup.
  const site: NamedSite = { state, at, found: new Map() };
  const { to, data } = transaction;
  let subject: string | null = null;
  if (createdAddress !== null) subject = yield* creationText(contracts, data, createdAddress);
  else if (to !== null) subject = yield* callText(contracts, to, transaction, site);
  const events: string[] = [];
  for (let index = 0; index < logs.length && index < MAX_EVENTS; index++) {
    const log = logs[index];
    if (log === undefined) continue;
    const { event, isGuess } = yield* eventNames(contracts, site, log);
    if (event === null) continue;
    const text = entryText(event, contracts.known.labelOf);
    events.push(isGuess ? `${text}${GUESSED_BY_TOPIC}` : text);
  }
  return { subject, events };
}

function* callText(
  contracts: DeployedContracts,
  to: Uint8Array,
  { data, value }: Transaction,
  site: NamedSite,
): Task<string | null> {
  const { state, at, found } = site;
  const { labelOf } = contracts.known;
  const account = yield* contracts.accountAt(state, to, at);
  if (account === null) return yield* precompileText(contracts, to, data, state);
  const { code, contract } = account;
  if (contract !== null) found.set(hexKey(to), contract);
  const subject = nameOf(contracts, to, contract);
  const own = contract?.table.call(data) ?? null;
  if (own !== null) return `${subject}.${entryText(own, labelOf)}`;
  const behind = yield* contracts.behind({ state, address: to, code, input: data }, at);
  const both =
    behind === null ? subject : `${subject} → ${nameOf(contracts, behind.address, behind.contract)}`;
  const decoded = behind?.contract?.table.call(data) ?? null;
  if (decoded !== null) return `${both}.${entryText(decoded, labelOf)}`;
  const guess = wellKnown.table.call(data);
  if (guess !== null) return `${both}.${entryText(guess, labelOf)}${GUESSED_BY_SELECTOR}`;
  if (contract === null && (behind?.contract ?? null) === null) return null;
  const meant = (behind === null ? contract : behind.contract)?.functionMeantBy(data) ?? null;
  if (meant === null && data.length === 0) return value > 0n ? `transfer to ${both}` : `${both}()`;
  const selector = toHex(data.subarray(0, SELECTOR_SIZE));
  return `${both}.${undecodedText(meant, selector, data.length - SELECTOR_SIZE)}`;
}

/** Returns the text of a call to a precompile; `null` if the address has none. */
function* precompileText(
  contracts: DeployedContracts,
  to: Uint8Array,
  data: Uint8Array,
  state: WorldState,
): Task<string | null> {
  if (!(yield* contracts.hasPrecompile(state, to))) return null;
  const { labelOf } = contracts.known;
  const subject = nameOf(contracts, to, null);
  const native = rootstockPrecompileAt(toHex(to));
  const call = native?.table.call(data) ?? null;
  if (call !== null) return `${subject}.${entryText(call, labelOf)}`;
  if (native === null) return `${subject}(${data.length} bytes)`;
  const selector = toHex(data.subarray(0, SELECTOR_SIZE));
  return `${subject}.${undecodedText(native.functionNameOf(data), selector, data.length - SELECTOR_SIZE)}`;
}

/** Returns the label of an address, its contract's name, or a well-known name; otherwise its digits. */
function nameOf({ known }: DeployedContracts, address: Uint8Array, contract: KnownContract | null): string {
  const digits = toHex(address);
  return known.labelOf(digits) ?? contract?.name ?? wellKnown.nameAt(digits) ?? digits;
}

function* creationText(
  { known }: DeployedContracts,
  data: Uint8Array,
  address: Uint8Array,
): Task<string | null> {
  const contract = yield* waitFor(known.of('creation', data, address));
  const size = contract?.match.artifact.creation?.bytes.length;
  if (contract === null || size === undefined) return null;
  const parameters = contract.table.constructorArguments(data.subarray(size)) ?? [];
  return `new ${contract.name}(${parametersText(parameters, known.labelOf)})`;
}

export interface EventNames {
  /** The label or name of the contract that emitted it; `null` if unknown. */
  readonly contract: string | null;
  /** `null` if no ABI fits. */
  readonly event: DecodedEntry | null;
  /** True if a well-known ABI decoded the event. */
  readonly isGuess: boolean;
}

/** Decodes an event with the contract's own ABI, otherwise with well-known ABIs. */
export function* eventNames(
  contracts: DeployedContracts,
  site: NamedSite,
  log: Pick<Log, 'address' | 'topics' | 'data'>,
): Task<EventNames> {
  const own = yield* eventOf(contracts, site, log);
  const event = own ?? wellKnown.table.event(log);
  const known = site.found.get(hexKey(log.address)) ?? null;
  const digits = toHex(log.address);
  const contract = contracts.known.labelOf(digits) ?? known?.name ?? wellKnown.nameAt(digits);
  return { contract, event, isGuess: own === null && event !== null };
}

/** Decodes an event with the ABI of its emitter or the implementation; `null` if neither declares it. */
function* eventOf(
  contracts: DeployedContracts,
  { state, at, found }: NamedSite,
  log: Pick<Log, 'address' | 'topics' | 'data'>,
): Task<DecodedEntry | null> {
  const { address } = log;
  const key = hexKey(address);
  const before = found.get(key);
  const decodedBefore = before?.table.event(log) ?? null;
  if (decodedBefore !== null) return decodedBefore;
  const account = yield* contracts.accountAt(state, address, at);
  if (account === null) {
    const native = rootstockPrecompileAt(toHex(address));
    const isNative = native !== null && (yield* contracts.hasPrecompile(state, address));
    return isNative ? native.event(log) : null;
  }
  const { code, contract: own } = account;
  if (own !== null) found.set(key, own);
  const decoded = own === before ? null : (own?.table.event(log) ?? null);
  if (decoded !== null) return decoded;
  const behind = yield* contracts.behind({ state, address, code, input: EMPTY_BYTES }, at);
  return behind?.contract?.table.event(log) ?? null;
}
