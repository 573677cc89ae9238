// geth's interface for tracers in JavaScript
// (https://geth.ethereum.org/docs/developers/evm-tracing/custom-tracer), created inside the sandbox.

import type { SANDBOX_LAYOUT } from './sandbox-layout.ts';

/** Calls the host. Returns bytes, a text, or undefined if the result is in the shared bytes. */
type AskHost = (question: number, bytes?: ArrayBuffer) => ArrayBuffer | string | undefined;

/** Creates a number of the big-integer library. */
type MakeBigInt = (value: bigint) => unknown;

/** The members of big-integer's numbers, in a runtime with `bigint`. */
interface NumberMembers {
  readonly value: bigint;
  toString(radix?: unknown, alphabet?: unknown): string;
}

type TracerFunction = (this: unknown, ...parameters: unknown[]) => unknown;

/** The sandbox functions that the host calls. */
export interface SandboxFunctions {
  /**
   * Sets the tracer. Returns 1 if it has `step`, plus 2 if it has `enter` and `exit`. If the tracer is
   * invalid, returns the reason as text.
   */
  adopt(tracer: unknown): number | string;
  setup(config: string): void;
  step(): void;
  fault(): void;
  enter(): void;
  exit(): void;
  /** Returns the JSON of the trace, or its length if it exceeds `limit`. */
  result(context: string, limit: number): string | number;
  /** Formats an error in at most a thousand characters. */
  describe(error: unknown): string;
}

/**
 * The context of an execution as JSON. Bytes are hex, and large integers are decimal strings. Input and
 * output are passed separately.
 */
export interface TracedContext {
  readonly bytes: Readonly<Record<string, string>>;
  readonly integers: Readonly<Record<string, string>>;
  readonly plain: Readonly<Record<string, string | number>>;
}

/**
 * Creates the interface inside the sandbox. Its source text is evaluated there, so it must not use anything
 * outside this function. A tracer can modify the objects of its sandbox, but that affects only itself: the
 * host accepts only numbers, bytes and texts from the sandbox.
 */
export function makeSandboxInterface(
  shared: ArrayBuffer,
  ask: AskHost,
  layout: typeof SANDBOX_LAYOUT,
  bigInt: MakeBigInt,
): SandboxFunctions {
  const { number, ask: question } = layout;
  const numbers = new Float64Array(shared, 0, 16);
  const bytes = new Uint8Array(shared);
  const limbs = new BigUint64Array(shared);
  const { stringify, parse } = JSON;
  const paddingLimit = 1024 * 1024;
  const maxErrorLength = 1000;
  const digits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

  // The `toString` of big-integer is slow, so use the native one for common radixes.
  const numberPrototype = Object.getPrototypeOf(bigInt(0n)) as NumberMembers;
  const digitByDigit = numberPrototype.toString;
  numberPrototype.toString = function (radix, alphabet) {
    const isUsual = typeof radix === 'number' && radix >= 2 && radix <= 36 && alphabet === undefined;
    return isUsual ? this.value.toString(radix) : digitByDigit.call(this, radix, alphabet);
  };

  function limb(index: number): bigint {
    return limbs[index] ?? 0n;
  }

  function wordAt(offset: number): unknown {
    const first = offset / 8;
    if (limb(first + 1) === 0n && limb(first + 2) === 0n && limb(first + 3) === 0n)
      return bigInt(limb(first));
    const high = (limb(first + 3) << 192n) | (limb(first + 2) << 128n);
    return bigInt(high | (limb(first + 1) << 64n) | limb(first));
  }

  function numberAt(index: number): number {
    return numbers[index] ?? 0;
  }

  function copyAt(offset: number, length: number): Uint8Array {
    return bytes.slice(offset, offset + length);
  }

  function bytesFrom(answer: ArrayBuffer | string | undefined): Uint8Array {
    return new Uint8Array(answer as ArrayBuffer);
  }

  /** Converts a typed array, an array of numbers or (if `takesText`) a hex string to bytes. */
  function bytesOf(value: unknown, takesText: boolean): Uint8Array {
    if (value instanceof Uint8Array) return value;
    if (Array.isArray(value)) return Uint8Array.from(value as number[]);
    if (takesText && typeof value === 'string') {
      const text = value.startsWith('0x') || value.startsWith('0X') ? value.slice(2) : value;
      const even = text.length % 2 === 0 ? text : `0${text}`;
      const parsed = new Uint8Array(even.length / 2);
      for (let index = 0; index < parsed.length; index++) {
        const byte = Number.parseInt(even.slice(2 * index, 2 * index + 2), 16);
        parsed[index] = byte;
      }
      return parsed;
    }
    throw new TypeError(`invalid buffer type: expected bytes${takesText ? ' or hexadecimal digits' : ''}`);
  }

  /** Returns the last `length` bytes, left-padded with zeros. */
  function sized(value: Uint8Array, length: number): Uint8Array {
    const result = new Uint8Array(length);
    const last = value.length > length ? value.subarray(value.length - length) : value;
    result.set(last, length - last.length);
    return result;
  }

  function putAddress(value: unknown, takesText: boolean): void {
    bytes.set(sized(bytesOf(value, takesText), 20), layout.address);
  }

  function toHex(value: unknown): string {
    let text = '0x';
    for (const byte of bytesOf(value, false)) text += digits[byte];
    return text;
  }

  const opcodeNames: (string | undefined)[] = [];

  const op = {
    toNumber: () => numberAt(number.opcode),
    toString: () => {
      const opcode = numberAt(number.opcode);
      opcodeNames[opcode] ??= ask(question.opcodeName) as string;
      return opcodeNames[opcode];
    },
    isPush: () => numberAt(number.opcode) >= 0x5f && numberAt(number.opcode) <= 0x7f,
  };

  const stack = {
    peek: (index: unknown) => {
      const distance = Math.trunc(Number(index));
      const height = numberAt(number.stackHeight);
      if (!(distance >= 0 && distance < height))
        throw new RangeError(`tracer accessed out of bound stack: size ${height}, index ${distance}`);
      if (distance < layout.stackItems) return wordAt(layout.stack + 32 * (layout.stackItems - 1 - distance));
      numbers[number.argument] = distance;
      ask(question.stackItem);
      return wordAt(layout.word);
    },
    length: () => numberAt(number.stackHeight),
  };

  function memoryPart(begin: number, end: number): Uint8Array {
    numbers[number.argument] = begin;
    numbers[number.secondArgument] = end;
    return bytesFrom(ask(question.memory));
  }

  const memory = {
    slice: (begin: unknown, end: unknown) => {
      const [first, last] = [Math.trunc(Number(begin)), Math.trunc(Number(end))];
      const size = numberAt(number.memorySize);
      if (first === last) return new Uint8Array(0);
      if (!(first >= 0 && last > first))
        throw new RangeError(`tracer accessed out of bound memory: offset ${first}, end ${last}`);
      if (last - size > paddingLimit)
        throw new RangeError(
          `tracer reached limit for padding memory slice: end ${last}, memorySize ${size}`,
        );
      return memoryPart(first, last);
    },
    getUint: (offset: unknown) => {
      const first = Math.trunc(Number(offset));
      const size = numberAt(number.memorySize);
      if (!(first >= 0 && first + 32 <= size))
        throw new RangeError(
          `tracer accessed out of bound memory: available ${size}, offset ${first}, size 32`,
        );
      return bigInt(BigInt(toHex(memoryPart(first, first + 32))));
    },
    length: () => numberAt(number.memorySize),
  };

  let contractFrame = -1;
  let contractBytes: Uint8Array = new Uint8Array(0);

  function ofContract(start: number, end?: number): Uint8Array {
    if (contractFrame !== numberAt(number.frame)) {
      contractBytes = bytesFrom(ask(question.contract));
      contractFrame = numberAt(number.frame);
    }
    return contractBytes.slice(start, end);
  }

  const contract = {
    getCaller: () => ofContract(0, 20),
    getAddress: () => ofContract(20, 40),
    getValue: () => bigInt(BigInt(toHex(ofContract(40, 72)))),
    getInput: () => ofContract(72),
  };

  const log = {
    op,
    stack,
    memory,
    contract,
    getPC: () => numberAt(number.pc),
    getGas: () => numberAt(number.gas),
    getCost: () => numberAt(number.cost),
    getDepth: () => numberAt(number.depth),
    getRefund: () => numberAt(number.refund),
    getError: () => (numberAt(number.hasError) === 1 ? ask(question.error) : undefined),
  };

  const db = {
    getBalance: (address: unknown) => {
      putAddress(address, false);
      ask(question.balance);
      return wordAt(layout.word);
    },
    getNonce: (address: unknown) => {
      putAddress(address, false);
      ask(question.nonce);
      return numberAt(number.argument);
    },
    getCode: (address: unknown) => {
      putAddress(address, false);
      return bytesFrom(ask(question.code));
    },
    getState: (address: unknown, slot: unknown) => {
      putAddress(address, false);
      bytes.set(sized(bytesOf(slot, false), 32), layout.slot);
      ask(question.storage);
      return copyAt(layout.word, 32).reverse();
    },
    exists: (address: unknown) => {
      putAddress(address, false);
      ask(question.exists);
      return numberAt(number.argument) === 1;
    },
  };

  const callFrame = {
    getType: () => ask(question.frameKind),
    getFrom: () => copyAt(layout.from, 20),
    getTo: () => copyAt(layout.to, 20),
    getInput: () => bytesFrom(ask(question.frameInput)),
    getGas: () => numberAt(number.frameGas),
    getValue: () => (numberAt(number.hasValue) === 1 ? wordAt(layout.value) : undefined),
  };

  const frameResult = {
    getGasUsed: () => numberAt(number.frameGas),
    getOutput: () => bytesFrom(ask(question.frameOutput)),
    getError: () => (numberAt(number.hasError) === 1 ? ask(question.error) : undefined),
  };

  Object.assign(globalThis, {
    toHex,
    toWord: (value: unknown) => sized(bytesOf(value, true), 32),
    toAddress: (value: unknown) => sized(bytesOf(value, true), 20),
    toContract: (creator: unknown, nonce: unknown) => {
      putAddress(creator, true);
      numbers[number.argument] = Math.trunc(Number(nonce));
      ask(question.contractAddress);
      return copyAt(layout.address, 20);
    },
    toContract2: (creator: unknown, salt: unknown, initcode: unknown) => {
      putAddress(creator, true);
      bytes.set(sized(bytesOf(salt, true), 32), layout.slot);
      const code = bytesOf(initcode, true).slice();
      ask(question.saltedContractAddress, code.buffer as ArrayBuffer);
      return copyAt(layout.address, 20);
    },
    isPrecompiled: (address: unknown) => {
      putAddress(address, true);
      ask(question.isPrecompile);
      return numberAt(number.argument) === 1;
    },
    slice: (value: unknown, begin: unknown, end: unknown) => {
      const source = bytesOf(value, false);
      const [first, last] = [Math.trunc(Number(begin)), Math.trunc(Number(end))];
      if (!(first >= 0 && first <= last && last <= source.length))
        throw new RangeError(
          `tracer accessed out of bound memory: available ${source.length}, offset ${first}, size ${last - first}`,
        );
      return source.slice(first, last);
    },
  });

  let self: unknown;
  const functions: Record<string, TracerFunction> = {};

  function functionOf(tracer: Readonly<Record<string, unknown>>, name: string): boolean {
    const value = tracer[name];
    if (typeof value !== 'function') return false;
    functions[name] = value as TracerFunction;
    return true;
  }

  function callTracer(name: string, ...parameters: unknown[]): unknown {
    return functions[name]?.apply(self, parameters);
  }

  return {
    adopt(tracer) {
      if ((typeof tracer !== 'object' && typeof tracer !== 'function') || tracer === null)
        return 'it is not an object';
      const members = tracer as Readonly<Record<string, unknown>>;
      self = tracer;
      if (!functionOf(members, 'result')) return 'it has no function result';
      if (!functionOf(members, 'fault')) return 'it has no function fault';
      const hasStep = functionOf(members, 'step');
      const hasEnter = functionOf(members, 'enter');
      if (hasEnter !== functionOf(members, 'exit')) return 'it has only one of the functions enter and exit';
      functionOf(members, 'setup');
      return (hasStep ? 1 : 0) + (hasEnter ? 2 : 0);
    },
    setup: (config) => void callTracer('setup', config),
    step: () => void callTracer('step', log, db),
    fault: () => void callTracer('fault', log, db),
    enter: () => void callTracer('enter', callFrame),
    exit: () => void callTracer('exit', frameResult),
    result(text, limit) {
      const known = parse(text) as TracedContext;
      const context: Record<string, unknown> = { ...known.plain };
      for (const name of Object.keys(known.bytes)) context[name] = bytesOf(known.bytes[name], true);
      for (const name of Object.keys(known.integers))
        context[name] = bigInt(BigInt(known.integers[name] ?? '0'));
      context.input = bytesFrom(ask(question.input));
      context.output = bytesFrom(ask(question.output));
      const json = stringify(callTracer('result', context, db)) ?? 'null';
      return json.length > limit ? json.length : json;
    },
    describe(error) {
      const place = (stack: string): string => {
        const [, line, column] = /tracer:(\d+)(?::(\d+))?/.exec(stack) ?? [];
        if (line === undefined) return '';
        // The source is evaluated in parentheses.
        const own = column === undefined ? undefined : Number(column) - (line === '1' ? 1 : 0);
        return ` (line ${line}${own === undefined ? '' : `, column ${own}`})`;
      };
      if (!(error instanceof Error)) return String(error).slice(0, maxErrorLength);
      return `${error.name}: ${error.message}`.slice(0, maxErrorLength) + place(String(error.stack));
    },
  };
}
