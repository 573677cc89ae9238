// The parameters of a stored chain: those that never change, and those that options may change at a start.

import type { BlockSettings } from '../../chain/settings/block-settings.ts';
import type { ChainOptions, FundedAddress } from '../../chain/settings/chain-options.ts';
import { bigIntToFixedBytes, concatBytes, equalBytes, joinBytes } from '../../primitives/bytes.ts';
import { hexKey, toHex } from '../../primitives/hex.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import { DataMismatchError } from '../../storage/errors.ts';
import type { StrictValue } from '../../wire/strict-value.ts';
import type { PersistedState } from '../dump/persisted-state-json.ts';

/** The parameters of a chain that the options settle for good, as text by subject. */
export type ChainParameters = Readonly<Record<string, string>>;

const SHOWN_DIGITS = 8;

/** Returns a text that is equal for two lists only if they have the same addresses. */
function describeAddresses(addresses: readonly Uint8Array[]): string {
  const [first] = addresses;
  if (first === undefined) return 'none';
  const mark = hexKey(keccak256(joinBytes(addresses))).slice(0, SHOWN_DIGITS);
  return `${addresses.length} from ${toHex(first)} on (${mark})`;
}

/** Same as {@link describeAddresses}, including the amounts. */
function describeFunds(funds: readonly FundedAddress[]): string {
  const [first] = funds;
  if (first === undefined) return 'none';
  const words = funds.map(({ address, balance }) => concatBytes(address, bigIntToFixedBytes(balance, 32)));
  const mark = hexKey(keccak256(joinBytes(words))).slice(0, SHOWN_DIGITS);
  return `${funds.length} from ${toHex(first.address)} on (${mark})`;
}

/**
 * Returns the parameters of the chain that the options ask for: everything that decides whether a block or a
 * transaction is valid, and everything that the first block is made of. Free choices of a miner, such as the order of
 * transactions, are excluded.
 */
export function chainParameters(options: ChainOptions): ChainParameters {
  return {
    'the rule set': options.ruleSet,
    'the chain id': `${options.chainId}`,
    'network limits': options.networkLimits ? 'on' : 'off',
    // A trace executes transactions again, and must end as they did.
    'the code size limit': options.codeSizeLimit === null ? 'off' : `${options.codeSizeLimit}`,
    'the difficulty': `${options.difficulty}`,
    REMASC: options.remasc ? 'on' : 'off',
    'the accounts': describeAddresses(options.devAccounts.map(({ address }) => address)),
    'the funded addresses': describeAddresses(options.fundedAccounts),
    'the balance of each account (wei)': `${options.balance}`,
    'the funds of other addresses': describeFunds(options.funds),
    'predeployed contracts': options.predeploys ? 'on' : 'off',
    'the genesis file':
      options.genesis === null ? 'none' : hexKey(options.genesis.digest).slice(0, SHOWN_DIGITS),
  };
}

/** Parameters that directories of this format did not have from the beginning. */
const LATER_FACTS: readonly string[] = ['network limits', 'the funds of other addresses'];

/**
 * Throws a {@link DataMismatchError} for the first parameter that differs from the stored one. Parameters that an
 * earlier program did not store are taken from the options.
 */
export function checkParameters(directory: string, stored: StrictValue, facts: ChainParameters): void {
  for (const [name, wanted] of Object.entries(facts)) {
    if (LATER_FACTS.includes(name) && stored.field(name).isNothing) continue;
    const found = stored.field(name).text();
    if (found !== wanted) throw new DataMismatchError(directory, name, found, wanted);
  }
}

/** The settings in the options that can change while a chain runs. */
export type ConfiguredState = Pick<PersistedState, 'settings' | 'mining' | 'impersonation'>;

const WISHES = [
  'coinbase',
  'gasLimit',
  'gasLimitTarget',
  'minimumGasPrice',
  'minimumGasPriceTarget',
  'gasPrice',
] as const satisfies readonly (keyof BlockSettings)[];

function isSame(left: unknown, right: unknown): boolean {
  if (left instanceof Uint8Array && right instanceof Uint8Array) return equalBytes(left, right);
  return left === right;
}

/**
 * Returns the stored state with the settings that changed in the options since the last start. Everything else is as
 * the chain was left.
 */
export function applyConfigChanges<M extends ConfiguredState>(
  moment: M,
  before: ConfiguredState,
  now: ConfiguredState,
): M {
  const fields = WISHES.filter((name) => !isSame(before.settings[name], now.settings[name]));
  const changed = Object.fromEntries(fields.map((name) => [name, now.settings[name]]));
  const { automine, blockTime } = now.mining;
  const hasNewMining = before.mining.automine !== automine || before.mining.blockTime !== blockTime;
  const { isAutomatic } = now.impersonation;
  const hasNewImpersonation = before.impersonation.isAutomatic !== isAutomatic;
  return {
    ...moment,
    settings: { ...moment.settings, ...changed },
    mining: hasNewMining ? now.mining : moment.mining,
    impersonation: hasNewImpersonation ? { ...moment.impersonation, isAutomatic } : moment.impersonation,
  };
}
