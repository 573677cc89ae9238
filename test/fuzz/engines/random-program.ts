import { concatBytes } from '../../../src/primitives/bytes.ts';
import type { OpcodePrices } from '../../../src/protocol/hardforks/opcodes.ts';
import { OPCODES } from '../../../src/protocol/hardforks/opcodes.ts';
import type { Dice } from './dice.ts';
import type { PrecompileCall } from './native-calls.ts';
import { deploying, operation, PUSH2, push, pushBytes, type Snippet } from './snippets.ts';

const UNARY = [0x15, 0x19, 0x1e];
const BINARY = [
  0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x0a, 0x0b, 0x10, 0x11, 0x12, 0x13, 0x14, 0x16, 0x17, 0x18, 0x1a,
  0x1b, 0x1c, 0x1d,
];
const TERNARY = [0x08, 0x09];
/** The opcodes by which code reads about itself and its block. */
const ANSWERS = [
  0x30, 0x32, 0x33, 0x34, 0x36, 0x38, 0x3a, 0x3d, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x4a, 0x58,
  0x4b, 0x59, 0x5a, 0x5f,
];
const OF_ACCOUNT = [0x31, 0x3b, 0x3f];
const {
  STOP,
  SUB,
  KECCAK256,
  ADDRESS,
  CALLDATALOAD,
  CALLDATACOPY,
  CODECOPY,
  EXTCODECOPY,
  RETURNDATASIZE,
  RETURNDATACOPY,
  BLOCKHASH,
  BLOBHASH,
  POP,
  MLOAD,
  MSTORE,
  MSTORE8,
  SLOAD,
  SSTORE,
  JUMP,
  JUMPI,
  GAS,
  JUMPDEST,
  TLOAD,
  TSTORE,
  MCOPY,
  PUSH1,
  DUP1,
  SWAP1,
  LOG0,
  DUPN,
  SWAPN,
  EXCHANGE,
  CREATE,
  CALL,
  CALLCODE,
  RETURN,
  DELEGATECALL,
  CREATE2,
  STATICCALL,
  REVERT,
  INVALID,
  SELFDESTRUCT,
} = OPCODES;

/** Writes the bytes to the start of memory, word by word. */
function written(bytes: Uint8Array): Snippet[] {
  const writes: Snippet[] = [];
  for (let start = 0; start < bytes.length; start += 32) {
    const word = new Uint8Array(32);
    word.set(bytes.subarray(start, start + 32));
    writes.push(operation(MSTORE, push(BigInt(start)), pushBytes(word)));
  }
  return writes;
}

/** Writes code for contracts that call each other. */
export class RandomProgram {
  readonly #dice: Dice;
  readonly #addresses: readonly Uint8Array[];
  readonly #opcodes: OpcodePrices;
  /** Another address that the code may call. */
  readonly #calls: readonly PrecompileCall[];
  /** Maximum nesting depth of initcode. */
  readonly #depth: number;

  /**
   * `addresses` (20 bytes each): accounts that the code calls and reads. `calls`: known calls. Invalid
   * opcodes are rare, because they end the program.
   */
  constructor(
    dice: Dice,
    addresses: readonly Uint8Array[],
    opcodes: OpcodePrices,
    calls: readonly PrecompileCall[] = [],
    depth = 2,
  ) {
    this.#dice = dice;
    this.#addresses = addresses;
    this.#opcodes = opcodes;
    this.#calls = calls;
    this.#depth = depth;
  }

  /** The code of a contract. */
  code(): Uint8Array {
    const snippets: Snippet[] = [];
    let length = 0;
    for (let left = 3 + this.#dice.below(25); left > 0; left--) {
      const snippet = this.#snippet(length);
      snippets.push(snippet);
      length += snippet.length;
    }
    snippets.push(this.#ending());
    return concatBytes(...snippets);
  }

  #snippet(position: number): Snippet {
    const kind = this.#dice.below(100);
    if (kind < 25) return this.#used(this.#arithmetic());
    if (kind < 35) return this.#used(this.#question());
    if (kind < 50) return this.#memory();
    if (kind < 65) return this.#storage();
    if (kind < 70) return this.#log();
    if (kind < 84) return this.#call();
    if (kind < 88) return this.#creation();
    if (kind < 93) return this.#branch(position);
    if (kind < 96) return this.#loop(position);
    if (kind < 98) return this.#stackPlay();
    if (kind < 99) return this.#ending();
    return this.#dice.bytes(1 + this.#dice.below(4));
  }

  #mayUse(opcode: number): boolean {
    return typeof this.#opcodes[opcode] === 'number' || this.#dice.oneIn(100);
  }

  #pick(opcodes: readonly number[]): number {
    const opcode = this.#dice.pick(opcodes);
    return this.#mayUse(opcode) ? opcode : this.#pick(opcodes);
  }

  #word(): Snippet {
    return push(this.#dice.word());
  }

  #address(): Snippet {
    if (this.#dice.oneIn(20)) return this.#word();
    return this.#dice.oneIn(12) ? Uint8Array.of(ADDRESS) : pushBytes(this.#dice.pick(this.#addresses));
  }

  /** A memory offset: usually low, sometimes very high. */
  #offset(): Snippet {
    if (this.#dice.oneIn(200)) return this.#word();
    return push(BigInt(this.#dice.below(this.#dice.oneIn(10) ? 5_000 : 200)));
  }

  #length(): Snippet {
    if (this.#dice.oneIn(200)) return this.#word();
    return push(BigInt(this.#dice.pick([0, 0, 1, 4, 31, 32, 33, 64, 100, 136, 300])));
  }

  #slot(): Snippet {
    return push(BigInt(this.#dice.below(4)));
  }

  #arithmetic(): Snippet {
    const kind = this.#dice.below(10);
    if (kind === 0) return operation(this.#pick(UNARY), this.#word());
    if (kind === 1) {
      return operation(this.#pick(TERNARY), this.#word(), this.#word(), this.#word());
    }
    return operation(this.#pick(BINARY), this.#word(), this.#word());
  }

  #question(): Snippet {
    const kind = this.#dice.below(8);
    if (kind < 3) return Uint8Array.of(this.#pick(ANSWERS));
    if (kind < 5) return operation(this.#pick(OF_ACCOUNT), this.#address());
    if (kind === 5) return operation(CALLDATALOAD, this.#offset());
    if (kind === 6) return operation(KECCAK256, this.#offset(), this.#length());
    if (this.#dice.oneIn(4) && this.#mayUse(BLOBHASH)) return operation(BLOBHASH, this.#slot());
    return operation(BLOCKHASH, push(BigInt(740 + this.#dice.below(270))));
  }

  /** Uses the word on top of the stack, or leaves it there. */
  #used(value: Snippet): Snippet {
    const kind = this.#dice.below(5);
    if (kind === 0) return value;
    if (kind === 1) return concatBytes(value, Uint8Array.of(POP));
    if (kind === 2) return operation(SSTORE, this.#slot(), value);
    return operation(MSTORE, this.#offset(), value);
  }

  #memory(): Snippet {
    const kind = this.#dice.below(10);
    if (kind < 2) return operation(MSTORE, this.#offset(), this.#word());
    if (kind === 2) return operation(MSTORE8, this.#offset(), this.#word());
    if (kind === 3) return this.#used(operation(MLOAD, this.#offset()));
    if (kind === 4 && this.#mayUse(MCOPY))
      return operation(MCOPY, this.#offset(), this.#offset(), this.#length());
    if (kind === 5) return operation(CALLDATACOPY, this.#offset(), this.#offset(), this.#length());
    if (kind === 6) return operation(CODECOPY, this.#offset(), this.#offset(), this.#length());
    if (kind === 7) {
      return operation(EXTCODECOPY, this.#address(), this.#offset(), this.#offset(), this.#length());
    }
    const all = Uint8Array.of(RETURNDATASIZE);
    const length = this.#dice.oneIn(4) ? this.#length() : all;
    return operation(RETURNDATACOPY, this.#offset(), push(0n), length);
  }

  #storage(): Snippet {
    const isTransient = this.#dice.oneIn(3) && this.#mayUse(TLOAD);
    if (this.#dice.oneIn(3)) return this.#used(operation(isTransient ? TLOAD : SLOAD, this.#slot()));
    const value = this.#dice.oneIn(3) ? this.#word() : push(BigInt(this.#dice.below(3)));
    return operation(isTransient ? TSTORE : SSTORE, this.#slot(), value);
  }

  #log(): Snippet {
    const topicCount = this.#dice.below(5);
    const topics = Array.from({ length: topicCount }, () => this.#word());
    return operation(LOG0 + topicCount, this.#offset(), this.#length(), ...topics);
  }

  #gas(): Snippet {
    const kind = this.#dice.below(6);
    if (kind < 3) return Uint8Array.of(GAS);
    if (kind === 3) return push(BigInt(this.#dice.below(60_000)));
    return kind === 4 ? push(BigInt(this.#dice.below(3_000))) : this.#word();
  }

  #value(): Snippet {
    if (this.#dice.oneIn(12)) return this.#word();
    return push(BigInt(this.#dice.pick([0, 0, 0, 1, 2])));
  }

  #call(): Snippet {
    if (this.#calls.length > 0 && this.#dice.oneIn(4)) return this.#knownCall();
    const opcode = this.#dice.pick([CALL, CALL, CALL, CALLCODE, DELEGATECALL, STATICCALL]);
    const value = opcode === CALL || opcode === CALLCODE ? [this.#value()] : [];
    const area = (): Snippet[] => [this.#offset(), this.#length()];
    return this.#used(operation(opcode, this.#gas(), this.#address(), ...value, ...area(), ...area()));
  }

  /** Puts the data of a call into memory and makes the call. */
  #knownCall(): Snippet {
    const { to, data } = this.#dice.pick(this.#calls);
    const opcode = this.#dice.pick([CALL, CALLCODE, DELEGATECALL, STATICCALL]);
    const value = opcode === CALL || opcode === CALLCODE ? [push(BigInt(this.#dice.pick([0, 0, 0, 1])))] : [];
    const gas = this.#dice.oneIn(4) ? this.#gas() : Uint8Array.of(GAS);
    const input = [push(0n), push(BigInt(data.length))];
    const output = [this.#offset(), this.#length()];
    const calling = operation(opcode, gas, pushBytes(to), ...value, ...input, ...output);
    return concatBytes(...written(data), this.#used(calling));
  }

  /** Puts initcode into memory, word by word, and creates a contract with it. */
  #creation(): Snippet {
    const initcode = this.#initcode();
    const size = this.#dice.oneIn(30) ? this.#word() : push(BigInt(initcode.length));
    const salt = push(BigInt(this.#dice.below(2)));
    const isSalted = this.#dice.oneIn(2);
    const creation = isSalted
      ? operation(CREATE2, this.#value(), push(0n), size, salt)
      : operation(CREATE, this.#value(), push(0n), size);
    const called = concatBytes(creation, this.#callOfTop());
    return concatBytes(...written(initcode), this.#used(this.#dice.oneIn(2) ? called : creation));
  }

  /** Calls the account on top of the stack, which stays below the result. */
  #callOfTop(): Snippet {
    const nothing = push(0n);
    return concatBytes(nothing, nothing, nothing, nothing, this.#value(), Uint8Array.of(DUP1 + 5, GAS, CALL));
  }

  /** Initcode that deploys a program, is a program, or deploys invalid code. */
  #initcode(): Uint8Array {
    if (this.#depth === 0) return this.#dice.bytes(this.#dice.below(12));
    const inner = new RandomProgram(this.#dice, this.#addresses, this.#opcodes, this.#calls, this.#depth - 1);
    const kind = this.#dice.below(5);
    if (kind === 0) return inner.code();
    const code = kind === 1 ? concatBytes(Uint8Array.of(0xef), this.#dice.bytes(2)) : inner.code();
    return deploying(code);
  }

  /** Jumps over a few opcodes by a condition; sometimes to an invalid target. */
  #branch(position: number): Snippet {
    const skipped = this.#dice.oneIn(3) ? this.#ending() : this.#used(this.#arithmetic());
    const condition = this.#dice.oneIn(2) ? this.#used(this.#word()) : this.#word();
    const isConditional = this.#dice.below(4) > 0;
    const before = isConditional ? condition : new Uint8Array(0);
    const target = position + before.length + 4 + skipped.length;
    const aim = this.#dice.oneIn(20) ? target + this.#dice.below(9) - 4 : target;
    const jump = Uint8Array.of(PUSH2, (aim >> 8) & 0xff, aim & 0xff, isConditional ? JUMPI : JUMP);
    return concatBytes(before, jump, skipped, Uint8Array.of(JUMPDEST));
  }

  /** Repeats a few opcodes in a loop. */
  #loop(position: number): Snippet {
    const start = concatBytes(push(BigInt(2 + this.#dice.below(12))), Uint8Array.of(JUMPDEST));
    const target = position + start.length - 1;
    const body = concatBytes(
      this.#arithmetic(),
      Uint8Array.of(POP),
      this.#dice.oneIn(2) ? operation(SSTORE, this.#slot(), this.#word()) : new Uint8Array(0),
    );
    // The counter is on top: decrement it, copy it, and jump back while it is not zero.
    const back = Uint8Array.of(PUSH1, 1, SWAP1, SUB, DUP1, PUSH2, (target >> 8) & 0xff, target & 0xff, JUMPI);
    return concatBytes(start, body, back);
  }

  #stackPlay(): Snippet {
    const words = Array.from({ length: 1 + this.#dice.below(18) }, () => this.#word());
    const play = Array.from({ length: 3 }, () => this.#dice.pick([DUP1, SWAP1]) + this.#dice.below(16));
    if (this.#opcodes[DUPN] !== null) return this.#deepPlay();
    return concatBytes(...words, Uint8Array.from(play));
  }

  /** Reaches deep into the stack; sometimes below its end or with an invalid operand byte. */
  #deepPlay(): Snippet {
    const words = Array.from({ length: 16 + this.#dice.below(30) }, () => this.#word());
    const play = Array.from({ length: 4 }, () => {
      const opcode = this.#dice.pick([DUPN, SWAPN, EXCHANGE]);
      if (this.#dice.oneIn(30)) return Uint8Array.of(opcode, this.#dice.below(256));
      const pair = this.#dice.pick([0x80, 0x90, 0xa0, 0xc0, 0xf0, 0]) + this.#dice.below(16);
      return Uint8Array.of(opcode, opcode === EXCHANGE ? pair : 0x80 + this.#dice.below(30));
    });
    return concatBytes(...words, ...play, this.#used(Uint8Array.of(DUPN, 0x80)));
  }

  #ending(): Snippet {
    const kind = this.#dice.below(20);
    if (kind < 8) return operation(RETURN, this.#offset(), this.#length());
    if (kind < 12) return operation(REVERT, this.#offset(), this.#length());
    if (kind < 15) return Uint8Array.of(STOP);
    if (kind < 18) return operation(SELFDESTRUCT, this.#address());
    return kind === 18 ? Uint8Array.of(INVALID) : Uint8Array.of(this.#dice.below(256));
  }
}
