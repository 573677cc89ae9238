/**
 * The rules of ERC-7562 for the validation of a user operation: opcodes, other contracts, storage, stakes.
 */

import { opcodeName } from '../evm/observer.ts';
import { bytesToBigInt } from '../primitives/bytes.ts';
import { fromHex, type Hex } from '../primitives/hex.ts';
import { keccak256 } from '../primitives/keccak.ts';
import { OPCODES } from '../protocol/hardforks/opcodes.ts';

/** A frame of the `Erc7562Tracer` result; addresses and slots are in lower case. */
export interface ValidationFrame {
  readonly type: string;
  readonly from: Hex;
  /** Absent for a failed creation. */
  readonly to?: Hex;
  readonly input: Hex;
  readonly value?: Hex;
  readonly calls?: readonly ValidationFrame[];
  readonly accessedSlots: Readonly<
    Record<'reads' | 'writes' | 'transientReads' | 'transientWrites', Readonly<Record<Hex, unknown>>>
  >;
  readonly extCodeAccessInfo: readonly Hex[];
  readonly usedOpcodes: Readonly<Record<Hex, number>>;
  readonly contractSize: Readonly<Record<Hex, { readonly contractSize: number }>>;
  readonly outOfGas: boolean;
}

/** The trace of `handleOps` with one operation. */
export interface ValidationTrace extends ValidationFrame {
  /** The preimages of all hashes. */
  readonly keccak: readonly Hex[];
}

export type EntityKind = 'factory' | 'account' | 'paymaster';

/** A contract that an operation names. */
export interface Entity {
  readonly kind: EntityKind;
  readonly address: Hex;
  /** True if its stake is locked for long enough. */
  readonly isStaked: boolean;
  /** True if its stake may be unlocked too soon. */
  readonly hasShortStake: boolean;
}

/** The participants of an operation. */
export interface ValidationParties {
  readonly entryPoint: Hex;
  /** The contract that calls factories for the EntryPoint. */
  readonly senderCreator: Hex;
  readonly account: Entity;
  /** `null` if the account exists. */
  readonly factory: Entity | null;
  readonly paymaster: Entity | null;
  /** All precompiled contracts; `purePrecompiles` read only their input. */
  readonly precompiles: ReadonlySet<string>;
  readonly purePrecompiles: ReadonlySet<string>;
}

/** A broken rule. */
export interface Violation {
  /** `OP-011` */
  readonly rule: string;
  readonly entity: EntityKind;
  readonly address: Hex;
  /** The contract whose code breaks it. */
  readonly contract: Hex;
  readonly message: string;
  /** True if a stake of the entity would allow it. */
  readonly takesStake: boolean;
}

const { CREATE, CREATE2, GAS, BALANCE, SELFBALANCE } = OPCODES;
const BLOCKED: ReadonlySet<number> = new Set<number>([
  ...[OPCODES.ORIGIN, OPCODES.GASPRICE, OPCODES.BLOCKHASH, OPCODES.COINBASE, OPCODES.TIMESTAMP],
  ...[OPCODES.NUMBER, OPCODES.DIFFICULTY, OPCODES.GASLIMIT, OPCODES.BASEFEE, OPCODES.INVALID],
  ...[OPCODES.SELFDESTRUCT, OPCODES.BLOBHASH, OPCODES.BLOBBASEFEE],
]);
/** The opcodes of creations, which the rules of creation frames cover. */
const CREATIONS: ReadonlySet<number> = new Set<number>([CREATE, CREATE2]);

/** `depositTo(address)` */
const DEPOSIT_TO = '0xb760faf9';
/** Slots after the hash of an address that also belong to the address. */
const ASSOCIATED_SLOTS = 128n;
const MAX_VIOLATIONS = 20;

function padded(address: Hex): string {
  return address.slice(2).padStart(64, '0');
}

/** A rule that forbids the use of a slot; `takesStake` is true if a stake of the entity allows it. */
interface SlotRule {
  readonly rule: string;
  readonly takesStake: boolean;
}

type Report = (rule: string, message: string, takesStake?: boolean) => void;

/** Checks one operation. */
class ValidationCheck {
  readonly #parties: ValidationParties;
  /** By address of an entity: the hashes of preimages that start with the address. */
  readonly #hashes = new Map<Hex, readonly bigint[]>();
  readonly #preimages: readonly Hex[];
  readonly #violations: Violation[] = [];
  #saltedCreations = 0;

  constructor(parties: ValidationParties, preimages: readonly Hex[]) {
    this.#parties = parties;
    this.#preimages = preimages;
  }

  run({ calls = [] }: ValidationTrace): readonly Violation[] {
    const { entryPoint, senderCreator, account, factory, paymaster } = this.#parties;
    for (const call of calls) {
      // The EntryPoint calls itself after the validation of all operations.
      if (call.to === entryPoint) break;
      if (call.to === senderCreator) {
        for (const inner of call.calls ?? [])
          this.#frame(inner, inner.to === account.address ? account : (factory ?? account), entryPoint);
      } else if (call.to === account.address) this.#frame(call, account, entryPoint);
      else if (paymaster !== null && call.to === paymaster.address) this.#frame(call, paymaster, entryPoint);
    }
    return this.#violations.slice(0, MAX_VIOLATIONS);
  }

  /** `caller` is the account whose storage the calling code uses. */
  #frame(frame: ValidationFrame, entity: Entity, caller: Hex): void {
    const { type, to, calls = [] } = frame;
    const borrows = type === 'DELEGATECALL' || type === 'CALLCODE';
    const storage = borrows ? caller : to;
    const contract = to ?? caller;
    const report: Report = (rule, message, takesStake = false) => {
      const { kind, address } = entity;
      this.#violations.push({ rule, entity: kind, address, contract, message, takesStake });
    };
    this.#opcodes(frame, entity, report);
    this.#contracts(frame, report);
    if (storage !== undefined) this.#storage(frame, storage, entity, report);
    for (const call of calls) {
      this.#call(call, entity, report);
      if (call.to !== this.#parties.entryPoint) this.#frame(call, entity, storage ?? caller);
    }
  }

  #opcodes({ usedOpcodes, outOfGas }: ValidationFrame, entity: Entity, report: Report): void {
    for (const key of Object.keys(usedOpcodes)) {
      const opcode = Number(key);
      const name = opcodeName(opcode);
      if (CREATIONS.has(opcode)) continue;
      if (BLOCKED.has(opcode)) report('OP-011', `uses the opcode ${name}`);
      else if (opcode === GAS) report('OP-012', 'uses the opcode GAS without a call directly after it');
      else if (name.endsWith('not defined')) report('OP-013', `uses the unassigned opcode ${key}`);
      else if ((opcode === BALANCE || opcode === SELFBALANCE) && !entity.isStaked)
        report('OP-080', `uses the opcode ${name} without a stake`, true);
    }
    if (outOfGas) report('OP-020', 'runs out of gas');
  }

  #contracts({ extCodeAccessInfo, contractSize }: ValidationFrame, report: Report): void {
    const { entryPoint, account, precompiles, purePrecompiles } = this.#parties;
    if (extCodeAccessInfo.includes(entryPoint)) report('OP-054', 'reads the code of the EntryPoint');
    for (const [address, { contractSize: size }] of Object.entries(contractSize)) {
      if (precompiles.has(address)) {
        if (!purePrecompiles.has(address)) report('OP-062', `calls the precompile ${address}`);
      } else if (size === 0 && address !== account.address)
        report('OP-041', `uses ${address}, which has no code`);
    }
  }

  #call(call: ValidationFrame, entity: Entity, report: Report): void {
    const { entryPoint, account, factory } = this.#parties;
    const { type, from, to, input, value } = call;
    if (to === entryPoint) {
      const isDeposit = input.startsWith(DEPOSIT_TO) && input.slice(10, 74) === padded(account.address);
      const isFromAccount = from === account.address;
      if (isDeposit && (isFromAccount || from === factory?.address)) return;
      if (input.length === 2 && isFromAccount) return;
      report('OP-054', `calls the EntryPoint with ${input.slice(0, 10)}`);
    } else if (type === 'CREATE' || type === 'CREATE2') this.#creation(call, entity, report);
    else if (type === 'CALL' && value !== undefined && BigInt(value) > 0n)
      report('OP-061', `sends value to ${to}`);
  }

  /** OP-031, OP-032, EREP-060 and EREP-061. */
  #creation({ type, from, to }: ValidationFrame, { kind }: Entity, report: Report): void {
    const { account, factory } = this.#parties;
    const isOwn = from === account.address || from === factory?.address;
    if (factory?.isStaked === true && (isOwn || (type === 'CREATE' && kind === 'factory'))) return;
    if (type === 'CREATE') {
      if (factory !== null && from === account.address) return;
      report('OP-011', 'uses the opcode CREATE');
    } else if (kind !== 'factory' || to !== account.address || ++this.#saltedCreations > 1)
      report(
        'OP-031',
        'uses CREATE2; CREATE2 is allowed only once, for the creation of the account by its factory',
      );
  }

  #storage({ accessedSlots }: ValidationFrame, owner: Hex, entity: Entity, report: Report): void {
    const { account, factory, paymaster } = this.#parties;
    if (owner === account.address) return;
    const { reads, writes, transientReads, transientWrites } = accessedSlots;
    const written = new Set([...Object.keys(writes), ...Object.keys(transientWrites)]);
    const used = new Set([...written, ...Object.keys(reads), ...Object.keys(transientReads)]);
    const isOfOther = [factory, paymaster].some((other) => other?.address === owner && other !== entity);
    for (const slot of used) {
      const isWritten = written.has(slot);
      const decided = this.#ruleOfSlot(slot, owner, entity, isWritten, isOfOther);
      if (decided === null || (decided.takesStake && entity.isStaked)) continue;
      const use = `${isWritten ? 'writes' : 'reads'} slot ${slot} of ${owner}`;
      report(decided.rule, decided.takesStake ? `${use} without a stake` : use, decided.takesStake);
    }
  }

  /**
   * Returns the rule that forbids a use of a slot, or forbids it without a stake; `null` if it is allowed.
   */
  #ruleOfSlot(
    slot: string,
    owner: Hex,
    entity: Entity,
    isWritten: boolean,
    isOfOther: boolean,
  ): SlotRule | null {
    const { account, factory } = this.#parties;
    if (owner === entity.address) return { rule: 'STO-031', takesStake: true };
    if (isOfOther) return { rule: 'STO-021', takesStake: false };
    if (this.#isAssociated(slot, account.address)) {
      const isAllowed = factory === null || factory.isStaked;
      return isAllowed ? null : { rule: 'STO-022', takesStake: false };
    }
    if (this.#isAssociated(slot, entity.address)) return { rule: 'STO-032', takesStake: true };
    // With a stake, slots of other contracts may be read but not written.
    return { rule: 'STO-033', takesStake: !isWritten };
  }

  /** True for the slot with the number of the address, and for the hash of data that starts with the address plus 0 to 128. */
  #isAssociated(slot: string, address: Hex): boolean {
    const place = BigInt(slot);
    if (place === BigInt(address)) return true;
    let hashes = this.#hashes.get(address);
    if (hashes === undefined) {
      const start = `0x${padded(address)}`;
      hashes = this.#preimages
        .filter((preimage) => preimage.startsWith(start))
        .map((preimage) => bytesToBigInt(keccak256(fromHex(preimage))));
      this.#hashes.set(address, hashes);
    }
    return hashes.some((hash) => place >= hash && place - hash <= ASSOCIATED_SLOTS);
  }
}

/**
 * Returns the rules that the validation of an operation breaks, at most 20. Rules about several operations of
 * a mempool (STO-040, STO-041) do not apply, because each operation has its own transaction. Reputations are
 * not checked here.
 */
export function brokenRules(trace: ValidationTrace, parties: ValidationParties): readonly Violation[] {
  return new ValidationCheck(parties, trace.keccak).run(trace);
}
