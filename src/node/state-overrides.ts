import type { BlockEnvironment } from '../engine/engine.ts';
import { Overlay } from '../state/overlay.ts';
import type { CallSite } from './call-execution.ts';

/** A slot (32 bytes) and the value that it is to have for once, without leading zeros; empty for zero. */
export interface SlotOverride {
  readonly slot: Uint8Array;
  readonly value: Uint8Array;
}

/** What an account is to be for once; `null` leaves a part as it is. */
export interface AccountOverride {
  readonly address: Uint8Array;
  /** Wei. */
  readonly balance: bigint | null;
  readonly nonce: bigint | null;
  readonly code: Uint8Array | null;
  /** The whole storage in place of what there is. */
  readonly storage: readonly SlotOverride[] | null;
  /** Slots of the storage. */
  readonly slots: readonly SlotOverride[];
}

/** What the state and the block around a call are to be for once. */
export interface CallOverrides {
  readonly accounts: readonly AccountOverride[];
  readonly block: Partial<BlockEnvironment>;
}

/** The overrides of a call that runs on things as they are. */
export const NO_OVERRIDES: CallOverrides = { accounts: [], block: {} };

/** Makes the accounts what the overrides say. */
export function overrideAccounts(state: Overlay, overrides: readonly AccountOverride[]): void {
  for (const { address, balance, nonce, code, storage, slots } of overrides) {
    if (balance !== null || nonce !== null) {
      const view = state.account(address);
      state.setAccount(address, {
        balance: balance ?? view?.balance ?? 0n,
        nonce: nonce ?? view?.nonce ?? 0n,
      });
    }
    if (code !== null) state.setCode(address, code);
    if (storage !== null) state.clearStorage(address);
    for (const { slot, value } of [...(storage ?? []), ...slots]) state.setStorage(address, slot, value);
  }
}

/**
 * The environment with what the overrides say of it. Where there is no base fee, one that is given is what BASEFEE
 * answers.
 */
export function overrideEnvironment(
  environment: BlockEnvironment,
  overrides: CallOverrides['block'],
): BlockEnvironment {
  const { baseFeePerGas, ...others } = overrides;
  if (baseFeePerGas === undefined || baseFeePerGas === null) return { ...environment, ...others };
  return environment.baseFeePerGas === null
    ? { ...environment, ...others, minimumGasPrice: baseFeePerGas }
    : { ...environment, ...others, baseFeePerGas };
}

/** The site as the overrides make it; the site itself is not changed. */
export function overrideSite(site: CallSite, overrides: CallOverrides): CallSite {
  const environment = overrideEnvironment(site.environment, overrides.block);
  if (overrides.accounts.length === 0) return { ...site, environment };
  const state = new Overlay(site.state);
  overrideAccounts(state, overrides.accounts);
  return { ...site, environment, state: state.toWorldState() };
}
