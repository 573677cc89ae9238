// Records accessed accounts and slots as defined by EIP-7928, including accesses that fail or are reverted.

import { bigIntToFixedBytes } from '../../primitives/bytes.ts';
import { hexKey } from '../../primitives/hex.ts';
import { createdAddress, saltedAddress } from '../../protocol/contract-address.ts';
import { OPCODES, STACK_USE } from '../../protocol/hardforks/opcodes.ts';
import { precompilesOf } from '../../protocol/hardforks/precompiles.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { delegateOf } from '../../state/account.ts';
import type { Message } from '../engine.ts';
import { HALT_REASONS, UNSTARTED } from '../halt-reasons.ts';
import type { ExecutionObserver, ExecutionStep, FrameEnd, FrameStart, StateNow } from '../observer.ts';

const { BALANCE, EXTCODESIZE, EXTCODECOPY, EXTCODEHASH, SLOAD, SSTORE, SELFDESTRUCT } = OPCODES;
const { CALL, CALLCODE, DELEGATECALL, STATICCALL, CREATE, CREATE2 } = OPCODES;
const OF_SLOT: ReadonlySet<number> = new Set<number>([SLOAD, SSTORE]);
/** Opcodes with the account on top of the stack. */
const OF_ACCOUNT: ReadonlySet<number> = new Set<number>([
  ...[BALANCE, EXTCODESIZE, EXTCODECOPY, EXTCODEHASH, SELFDESTRUCT],
]);
/** Opcodes with the account as the second stack item, after the gas. */
const OF_CALL: ReadonlySet<number> = new Set<number>([CALL, CALLCODE, DELEGATECALL, STATICCALL]);
const OF_CREATION: ReadonlySet<number> = new Set<number>([CREATE, CREATE2]);

export interface AccessedAccount {
  readonly address: Uint8Array;
  /** 32 bytes each, keyed by `hexKey`. */
  readonly slots: ReadonlyMap<string, Uint8Array>;
}

const CREATIONS: readonly string[] = ['CREATE', 'CREATE2'];

function addressIn(word: bigint): Uint8Array {
  return bigIntToFixedBytes(BigInt.asUintN(160, word), 20);
}

/** Records the accesses of a message. */
export class AccessRecorder implements ExecutionObserver {
  readonly wantedSteps: ReadonlySet<number> = new Set(
    [OF_SLOT, OF_ACCOUNT, OF_CALL, OF_CREATION].flatMap((opcodes) => [...opcodes]),
  );
  readonly #ruleSet: RuleSet;
  readonly #isStarted: boolean;
  /** Accounts (by `hexKey`) that are warm before any code accesses them. */
  readonly #warm: ReadonlySet<string>;
  readonly #accessed = new Map<
    string,
    { readonly address: Uint8Array; readonly slots: Map<string, Uint8Array> }
  >();
  #state: StateNow | undefined;
  /** For each open frame, outermost first: true if it may change state. */
  readonly #mayChange: boolean[] = [];
  /** The contract that a creation will create, unless its creator cannot pay or is too deep. */
  #creation: Uint8Array | null = null;
  /** The contract of the last creation, if its creator may be unable to pay for the account. */
  #unpaid: Uint8Array | null = null;

  /**
   * `parties` (20 bytes each) are always accessed: the sender, the fee recipient and the authorities. If
   * `isStarted` is false, the message ends before it accesses its recipient (EIP-2780).
   */
  constructor(
    ruleSet: RuleSet,
    { accessList }: Pick<Message, 'accessList'>,
    parties: readonly Uint8Array[],
    isStarted = true,
  ) {
    this.#ruleSet = ruleSet;
    this.#isStarted = isStarted;
    const declared = accessList.map(({ address }) => address);
    const precompiles = precompilesOf(ruleSet).map(({ address }) => address);
    this.#warm = new Set([...declared, ...precompiles].map(hexKey));
    for (const address of parties) this.#access(address);
  }

  begin(state: StateNow): void {
    this.#state = state;
  }

  frameStart({ kind, depth, to, gas }: FrameStart): void {
    this.#settle();
    this.#unpaid = null;
    this.#mayChange.push(this.#mayChange.at(-1) !== false && kind !== 'STATICCALL');
    if (!this.#isStarted) return;
    if (CREATIONS.includes(kind)) {
      this.#creation = to;
      return;
    }
    this.#access(to);
    if (kind === 'SELFDESTRUCT' || !this.#ruleSet.calls.followsDelegations) return;
    const target = delegateOf(this.#state?.code(to) ?? new Uint8Array(0));
    // A nested frame starts after it paid for the delegate.
    if (target !== null && (depth > 0 || gas >= this.#priceOfDelegate(target))) this.#access(target);
  }

  frameEnd({ haltReason }: FrameEnd): void {
    if (this.#creation !== null && UNSTARTED.has(haltReason ?? '')) this.#creation = null;
    this.#settle();
    this.#mayChange.pop();
  }

  step(step: ExecutionStep): void {
    this.#settle();
    this.#unpaid = null;
    const { opcode, stackHeight } = step;
    // The reference engine reports all steps.
    if (!this.wantedSteps.has(opcode)) return;
    if (OF_CREATION.has(opcode)) {
      if (this.#mayLackAccountGas(step)) this.#unpaid = this.#createdBy(step);
      return;
    }
    const { taken } = STACK_USE[opcode] ?? { taken: 0 };
    const operand = step.stackItem(OF_CALL.has(opcode) ? 1 : 0);
    if (operand === undefined || stackHeight < taken || !this.#looks(step, operand)) return;
    if (!OF_SLOT.has(opcode)) this.#access(addressIn(operand));
    else {
      const slot = bigIntToFixedBytes(operand, 32);
      this.#access(step.address).set(hexKey(slot), slot);
    }
  }

  /** A creator that pays for the opcode, but not for the account, has accessed the account (EIP-8037). */
  fault(reason: string): void {
    const unpaid = this.#unpaid;
    this.#unpaid = null;
    if (unpaid !== null && reason === HALT_REASONS.outOfGas) this.#access(unpaid);
  }

  /** Returns the accessed accounts. Call it after the execution. */
  accounts(): Iterable<AccessedAccount> {
    this.#settle();
    return this.#accessed.values();
  }

  /** Returns true if the opcode pays for its access, even if it fails later. */
  #looks(step: ExecutionStep, operand: bigint): boolean {
    const { opcode, gas, gasCost } = step;
    const mayChange = this.#mayChange.at(-1) !== false;
    if (opcode === SSTORE) return mayChange && gas > this.#sentry;
    if (opcode === SELFDESTRUCT) return mayChange && gas >= this.#priceOfEnd(operand);
    if (!OF_CALL.has(opcode)) return gas >= gasCost;
    const hasValue = (opcode === CALL || opcode === CALLCODE) && (step.stackItem(2) ?? 0n) > 0n;
    if (opcode === CALL && hasValue && !mayChange) return false;
    return gas >= this.#priceOfCall(step, operand, hasValue);
  }

  /** SSTORE halts before its access if the remaining gas is not above this value (EIP-2200). */
  get #sentry(): bigint {
    const { storage } = this.#ruleSet.gas;
    return storage.scheme === 'net' ? BigInt(storage.sentry) : 0n;
  }

  #isWarm(operand: bigint): boolean {
    const key = hexKey(addressIn(operand));
    return this.#warm.has(key) || this.#accessed.has(key);
  }

  /** Returns true if the creation pays for its opcode, and the gas alone does not pay for the new account. */
  #mayLackAccountGas({ opcode, stackHeight, gas, gasCost }: ExecutionStep): boolean {
    const { taken } = STACK_USE[opcode] ?? { taken: 0 };
    const left = gas - gasCost;
    return stackHeight >= taken && left >= 0n && left < BigInt(this.#ruleSet.gas.state?.newAccount ?? 0);
  }

  /** Returns the address that CREATE or CREATE2 computes. */
  #createdBy(step: ExecutionStep): Uint8Array {
    if (step.opcode === CREATE)
      return createdAddress(step.address, this.#state?.account(step.address)?.nonce ?? 0n);
    const [offset, length, salt] = [1, 2, 3].map((distance) => step.stackItem(distance) ?? 0n);
    const initcode = new Uint8Array(Number(length));
    // The opcode has not expanded the memory yet.
    if (length !== 0n) initcode.set(step.memory().subarray(Number(offset), Number(offset) + Number(length)));
    return saltedAddress(step.address, bigIntToFixedBytes(salt ?? 0n, 32), initcode);
  }

  /** Returns the gas that a message pays for the delegate of its recipient (EIP-2780). */
  #priceOfDelegate(delegate: Uint8Array): bigint {
    const { access, state } = this.#ruleSet.gas;
    if (access === null || state === null) return 0n;
    const key = hexKey(delegate);
    return BigInt(this.#warm.has(key) || this.#accessed.has(key) ? access.warm : access.coldAccount);
  }

  /** Returns the gas that SELFDESTRUCT pays before it accesses the beneficiary. */
  #priceOfEnd(operand: bigint): bigint {
    const { access } = this.#ruleSet.gas;
    const cold = access === null || this.#isWarm(operand) ? 0 : access.coldAccount;
    return BigInt((this.#ruleSet.opcodes[SELFDESTRUCT] ?? 0) + cold);
  }

  /**
   * Returns the gas that a call pays before it accesses the account: memory, access and transfer, but not the
   * gas passed to the callee.
   */
  #priceOfCall(step: ExecutionStep, operand: bigint, hasValue: boolean): bigint {
    const { access, call } = this.#ruleSet.gas;
    const isCold = access !== null && !this.#isWarm(operand);
    const looking = isCold ? access.coldAccount : (this.#ruleSet.opcodes[step.opcode] ?? 0);
    const first = step.opcode === CALL || step.opcode === CALLCODE ? 3 : 2;
    const reach = (place: number): bigint => {
      const [offset = 0n, length = 0n] = [step.stackItem(place), step.stackItem(place + 1)];
      return length === 0n ? 0n : offset + length;
    };
    const [input, output] = [reach(first), reach(first + 2)];
    const memory = this.#expansion(BigInt(step.memory().length), input > output ? input : output);
    return BigInt(looking + (hasValue ? call.value : 0)) + memory;
  }

  #expansion(size: bigint, reach: bigint): bigint {
    const { word, quadraticDivisor } = this.#ruleSet.gas.memory;
    const price = (bytes: bigint): bigint => {
      const words = (bytes + 31n) / 32n;
      return BigInt(word) * words + (words * words) / BigInt(quadraticDivisor);
    };
    return reach > size ? price(reach) - price(size) : 0n;
  }

  #settle(): void {
    const creation = this.#creation;
    this.#creation = null;
    if (creation !== null) this.#access(creation);
  }

  #access(address: Uint8Array): Map<string, Uint8Array> {
    const key = hexKey(address);
    const known = this.#accessed.get(key);
    if (known !== undefined) return known.slots;
    const slots = new Map<string, Uint8Array>();
    this.#accessed.set(key, { address, slots });
    return slots;
  }
}
