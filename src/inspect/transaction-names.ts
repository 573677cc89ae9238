/** Names mined transactions and their events by the code of the accounts, without running anything again. */

import type { AbiTable } from '../artifacts/decoding.ts';
import { wellKnown } from '../artifacts/well-known.ts';
import type { ExecutionResult } from '../evm/engine.ts';
import { EMPTY_BYTES } from '../primitives/bytes.ts';
import { hexKey, toHex } from '../primitives/hex.ts';
import { type Task, waitFor } from '../primitives/task.ts';
import type { Transaction } from '../protocol/transaction.ts';
import { fetchingState } from '../state/state-source.ts';
import type { WorldState } from '../state/world-state.ts';
import type { DeployedContracts } from './deployed-contracts.ts';
import type { KnownContract } from './known-contracts.ts';
import { entryText, GUESSED_BY_SELECTOR, GUESSED_BY_TOPIC, parametersText } from './value-text.ts';

/** The names of a transaction and of its events. */
export interface TransactionNames {
  /** `Token.transfer(to: 0x…, amount: 5)` or `new Token(supply: 1000)`; `null` for a contract that is not known. */
  readonly subject: string | null;
  readonly events: readonly string[];
}

/** Events of one transaction that are named. */
const MOST_EVENTS = 16;

/** A state whose contracts are named, with those that were looked up, by their addresses. */
interface NamedSite {
  readonly state: WorldState;
  readonly found: Map<string, KnownContract>;
}

/** A decoded value, and the contract by whose ABI it was decoded. */
interface DecodedBy<Decoded> {
  /** The contract in front of the one that decodes, with its name where it has one; `null` where that is the one at the address. */
  readonly proxy: { readonly name: string | null } | null;
  readonly contract: KnownContract;
  readonly decoded: Decoded;
}

/**
 * Returns the names of a mined transaction that succeeded, and of its events, in the state after it. This costs little; of calls
 * inside others nothing is said. What no contract of the user describes is decoded by what is well known, and said to be a guess.
 */
export function* transactionNames(
  contracts: DeployedContracts,
  { to, data }: Transaction,
  { createdAddress, logs }: Pick<ExecutionResult, 'createdAddress' | 'logs'>,
  state: WorldState,
): Task<TransactionNames> {
  // The contract that is called is most often the one that logs.
  const site: NamedSite = { state, found: new Map() };
  let subject: string | null = null;
  if (createdAddress !== null) subject = yield* creationText(contracts, data, createdAddress);
  else if (to !== null) subject = yield* callText(contracts, to, data, site);
  const events: string[] = [];
  for (let index = 0; index < logs.length && index < MOST_EVENTS; index++) {
    const log = logs[index];
    if (log === undefined) continue;
    const own = yield* decodedAt(contracts, site, log.address, (table) => table.event(log));
    const event = own?.decoded ?? wellKnown.table.event(log);
    if (event === null) continue;
    const text = entryText(event, contracts.known.labelOf);
    events.push(own === null ? `${text}${GUESSED_BY_TOPIC}` : text);
  }
  return { subject, events };
}

function* callText(
  contracts: DeployedContracts,
  to: Uint8Array,
  data: Uint8Array,
  site: NamedSite,
): Task<string | null> {
  const found = yield* decodedAt(contracts, site, to, (table) => table.call(data), data);
  const { known } = contracts;
  if (found === null) {
    const guess = wellKnown.table.call(data);
    if (guess === null || !(yield* hasCode(site.state, to))) return null;
    return `${known.labelOf(toHex(to)) ?? wellKnown.nameAt(toHex(to)) ?? toHex(to)}.${entryText(guess, known.labelOf)}${GUESSED_BY_SELECTOR}`;
  }
  const { proxy, contract, decoded } = found;
  const label = known.labelOf(toHex(to));
  const subject =
    proxy === null ? (label ?? contract.name) : `${label ?? proxy.name ?? toHex(to)} → ${contract.name}`;
  return `${subject}.${entryText(decoded, known.labelOf)}`;
}

function* hasCode(state: WorldState, address: Uint8Array): Task<boolean> {
  const account = yield* waitFor(fetchingState(() => state.account(address) ?? null));
  return (account?.code.bytes.length ?? 0) > 0;
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

/** Decodes by the contract at an address, or by the one that it is a proxy of. */
function* decodedAt<Decoded>(
  contracts: DeployedContracts,
  { state, found }: NamedSite,
  address: Uint8Array,
  decode: (table: AbiTable) => Decoded | null,
  input = EMPTY_BYTES,
): Task<DecodedBy<Decoded> | null> {
  const key = hexKey(address);
  const before = found.get(key);
  const decodedBefore = before === undefined ? null : decode(before.table);
  if (before !== undefined && decodedBefore !== null)
    return { proxy: null, contract: before, decoded: decodedBefore };
  const account = yield* contracts.accountAt(state, address);
  if (account === null) return null;
  const { code, contract: own } = account;
  if (own !== null) found.set(key, own);
  const decoded = own === null || own === before ? null : decode(own.table);
  if (own !== null && decoded !== null) return { proxy: null, contract: own, decoded };
  const behind = (yield* contracts.behind({ state, address, code, input }))?.contract ?? null;
  const decodedBehind = behind === null ? null : decode(behind.table);
  if (behind === null || decodedBehind === null) return null;
  return { proxy: { name: own?.name ?? null }, contract: behind, decoded: decodedBehind };
}
