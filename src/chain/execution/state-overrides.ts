import type { BlockEnvironment, MovedPrecompiles } from '../../evm/engine.ts';
import { hexKey } from '../../primitives/hex.ts';
import { KeccakStream } from '../../primitives/keccak.ts';
import type { Steps } from '../../primitives/steps.ts';
import { precompilesOf } from '../../protocol/hardforks/precompiles.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import type { Code } from '../../state/account.ts';
import type { Overlay } from '../../state/overlay.ts';
import { PrecompileMoveError } from '../errors.ts';

/** A temporary value of a slot (32 bytes), without leading zeros; empty for zero. */
export interface SlotOverride {
  readonly slot: Uint8Array;
  readonly value: Uint8Array;
}

/** The state of an account for one call. `null` keeps the present value. */
export interface AccountOverride {
  readonly address: Uint8Array;
  /** Wei. */
  readonly balance: bigint | null;
  readonly nonce: bigint | null;
  readonly code: Uint8Array | null;
  /** Replaces the whole storage. */
  readonly storage: readonly SlotOverride[] | null;
  /** Replaces single slots. */
  readonly slots: readonly SlotOverride[];
  /** 20 bytes: the new address of this address's precompile. */
  readonly movePrecompileTo: Uint8Array | null;
}

export interface CallOverrides {
  readonly accounts: readonly AccountOverride[];
  readonly block: BlockOverrides;
}

/** Temporary fields of a block, and hashes (32 bytes) of blocks by number. */
export interface BlockOverrides extends Partial<BlockEnvironment> {
  readonly blockHashes?: ReadonlyMap<number, Uint8Array>;
}

export const NO_OVERRIDES: CallOverrides = { accounts: [], block: {} };

/** Work units per account or slot of the overrides, including the trie update. */
const ENTRY_WORK = 256;
/** Longer code is hashed in chunks of this many bytes, at one work unit per byte. */
const CODE_AT_ONCE = 2 ** 16;

/** Returns the code with its hash. Yields while it hashes long code. */
function* hashedCode(bytes: Uint8Array): Steps<Code> {
  const hash = new KeccakStream();
  for (let start = 0; start < bytes.length; start += CODE_AT_ONCE) {
    const part = bytes.subarray(start, start + CODE_AT_ONCE);
    hash.add(part);
    yield part.length;
  }
  return { bytes, hash: hash.finish() };
}

/**
 * Applies the overrides to the accounts. Yields if there are many. `onPiece` runs before each yield and
 * returns the overlay for the remaining overrides.
 */
export function* overrideAccounts(
  overlay: Overlay,
  overrides: readonly AccountOverride[],
  onPiece: (written: Overlay) => Overlay = (written) => written,
): Steps<Overlay> {
  let state = overlay;
  for (const { address, balance, nonce, code, storage, slots } of overrides) {
    if (balance !== null || nonce !== null) {
      const view = state.account(address);
      state.setAccount(address, {
        balance: balance ?? view?.balance ?? 0n,
        nonce: nonce ?? view?.nonce ?? 0n,
      });
    }
    if (code !== null) {
      if (code.length > CODE_AT_ONCE) {
        const hashed = yield* hashedCode(code);
        state.write(address, { ...(state.account(address) ?? { nonce: 0n, balance: 0n }), code: hashed });
      } else state.setCode(address, code);
    }
    if (storage !== null) state.clearStorage(address);
    if ((yield ENTRY_WORK + Math.min(code?.length ?? 0, CODE_AT_ONCE)) === true) state = onPiece(state);
    for (const written of [storage ?? [], slots]) {
      for (const { slot, value } of written) {
        state.setStorage(address, slot, value);
        if ((yield ENTRY_WORK) === true) state = onPiece(state);
      }
    }
  }
  return state;
}

/** Returns the last four bytes as a number, which distinguishes most accounts from precompiles. */
function endOf(address: Uint8Array): number {
  let end = 0;
  for (let index = address.length - 4; index < address.length; index++)
    end = end * 256 + (address[index] ?? 0);
  return end;
}

/** Sorts the overrides by address if precompiles move to the same account. The last wins, as in geth. */
function inOrderOfAddresses(
  overrides: readonly AccountOverride[],
  targets: ReadonlySet<string>,
): readonly AccountOverride[] {
  const moves = overrides.filter(({ movePrecompileTo }) => movePrecompileTo !== null).length;
  if (moves === targets.size) return overrides;
  return overrides.toSorted((left, right) => Buffer.compare(left.address, right.address));
}

/** The rules for moves of precompiles. geth and Anvil differ. */
export interface MoveRules {
  /** True if two precompiles cannot move to the same address. Otherwise, the last move wins. */
  readonly rejectsSharedTargets: boolean;
  /** Precompiles (20 bytes) that run although their accounts have code. */
  readonly restored: readonly Uint8Array[];
}

const RULES_OF_GETH: MoveRules = { rejectsSharedTargets: false, restored: [] };

/**
 * Returns the moved precompiles, or `undefined` if none moved. An overridden account is no longer a
 * precompile, unless a precompile moves there. Throws {@link PrecompileMoveError} if the source is no
 * precompile, or if the target has overrides too.
 */
function movedPrecompiles(
  { ruleSet }: { readonly ruleSet: RuleSet },
  overrides: readonly AccountOverride[],
  rules: MoveRules,
): MovedPrecompiles | undefined {
  const precompiles = new Set(precompilesOf(ruleSet).map(({ address }) => hexKey(address)));
  const ends = new Set(precompilesOf(ruleSet).map(({ address }) => endOf(address)));
  const targets = new Set<string>();
  for (const { movePrecompileTo } of overrides)
    if (movePrecompileTo !== null) targets.add(hexKey(movePrecompileTo));
  const overridden = new Set<string>();
  if (targets.size > 0) {
    for (const { address } of overrides) {
      const key = hexKey(address);
      if (targets.has(key)) overridden.add(key);
    }
  }
  const moved = new Map<string, Uint8Array | null>();
  const taken = new Set<string>();
  for (const address of rules.restored) {
    const key = hexKey(address);
    if (precompiles.has(key)) moved.set(key, address);
  }
  for (const { address, movePrecompileTo: target } of inOrderOfAddresses(overrides, targets)) {
    if (target === null && !ends.has(endOf(address))) continue;
    const key = hexKey(address);
    const isPrecompile = precompiles.has(key);
    if (isPrecompile) moved.set(key, null);
    if (target === null) continue;
    const destination = hexKey(target);
    const fault = !isPrecompile
      ? 'source'
      : destination === key
        ? 'itself'
        : overridden.has(destination)
          ? 'overridden'
          : rules.rejectsSharedTargets && taken.has(destination)
            ? 'taken'
            : null;
    if (fault !== null) throw new PrecompileMoveError(address, target, fault);
    moved.set(destination, address);
    taken.add(destination);
  }
  return moved.size === 0 ? undefined : moved;
}

/** Returns the environment with the moved precompiles. Throws {@link PrecompileMoveError}. */
export function withMovedPrecompiles(
  environment: BlockEnvironment,
  site: { readonly ruleSet: RuleSet },
  overrides: readonly AccountOverride[],
  rules = RULES_OF_GETH,
): BlockEnvironment {
  const moved = movedPrecompiles(site, overrides, rules);
  return moved === undefined ? environment : { ...environment, movedPrecompiles: moved };
}

/** The next bundle is one block and one second later, as on Erigon and Anvil. Other overrides stay. */
export function environmentAfterBundle(environment: BlockEnvironment): BlockEnvironment {
  const { number, timestamp } = environment;
  return { ...environment, number: number + 1, timestamp: timestamp + 1 };
}

/** Applies the overrides. Under rule sets without a base fee, BASEFEE returns the given one. */
export function overrideEnvironment(
  environment: BlockEnvironment,
  overrides: CallOverrides['block'],
): BlockEnvironment {
  const { baseFeePerGas, blockHashes, ...fields } = overrides;
  const { blockHash } = environment;
  const others =
    blockHashes === undefined
      ? fields
      : { ...fields, blockHash: (number: number) => blockHashes.get(number) ?? blockHash(number) };
  if (baseFeePerGas === undefined || baseFeePerGas === null) return { ...environment, ...others };
  return environment.baseFeePerGas === null
    ? { ...environment, ...others, minimumGasPrice: baseFeePerGas }
    : { ...environment, ...others, baseFeePerGas };
}
