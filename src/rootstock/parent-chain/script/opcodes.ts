// The operations of scripts.

export const OP = {
  PUSH_0: 0x00,
  PUSHDATA1: 0x4c,
  PUSHDATA2: 0x4d,
  PUSHDATA4: 0x4e,
  NEGATE_1: 0x4f,
  RESERVED: 0x50,
  PUSH_1: 0x51,
  PUSH_16: 0x60,
  NOP: 0x61,
  VER: 0x62,
  IF: 0x63,
  NOTIF: 0x64,
  VERIF: 0x65,
  VERNOTIF: 0x66,
  ELSE: 0x67,
  ENDIF: 0x68,
  VERIFY: 0x69,
  RETURN: 0x6a,
  TOALTSTACK: 0x6b,
  FROMALTSTACK: 0x6c,
  DROP2: 0x6d,
  DUP2: 0x6e,
  DUP3: 0x6f,
  OVER2: 0x70,
  ROT2: 0x71,
  SWAP2: 0x72,
  IFDUP: 0x73,
  DEPTH: 0x74,
  DROP: 0x75,
  DUP: 0x76,
  NIP: 0x77,
  OVER: 0x78,
  PICK: 0x79,
  ROLL: 0x7a,
  ROT: 0x7b,
  SWAP: 0x7c,
  TUCK: 0x7d,
  CAT: 0x7e,
  RIGHT: 0x81,
  SIZE: 0x82,
  INVERT: 0x83,
  XOR: 0x86,
  EQUAL: 0x87,
  EQUALVERIFY: 0x88,
  RESERVED1: 0x89,
  RESERVED2: 0x8a,
  ADD1: 0x8b,
  SUB1: 0x8c,
  MUL2: 0x8d,
  DIV2: 0x8e,
  NEGATE: 0x8f,
  ABS: 0x90,
  NOT: 0x91,
  NOTEQUAL0: 0x92,
  ADD: 0x93,
  SUB: 0x94,
  MUL: 0x95,
  RSHIFT: 0x99,
  BOOLAND: 0x9a,
  BOOLOR: 0x9b,
  NUMEQUAL: 0x9c,
  NUMEQUALVERIFY: 0x9d,
  NUMNOTEQUAL: 0x9e,
  LESSTHAN: 0x9f,
  GREATERTHAN: 0xa0,
  LESSTHANOREQUAL: 0xa1,
  GREATERTHANOREQUAL: 0xa2,
  MIN: 0xa3,
  MAX: 0xa4,
  WITHIN: 0xa5,
  RIPEMD160: 0xa6,
  SHA1: 0xa7,
  SHA256: 0xa8,
  HASH160: 0xa9,
  HASH256: 0xaa,
  CODESEPARATOR: 0xab,
  CHECKSIG: 0xac,
  CHECKSIGVERIFY: 0xad,
  CHECKMULTISIG: 0xae,
  CHECKMULTISIGVERIFY: 0xaf,
  NOP1: 0xb0,
  CHECKLOCKTIMEVERIFY: 0xb1,
  CHECKSEQUENCEVERIFY: 0xb2,
  NOP10: 0xb9,
} as const;

/** One operation of a script. */
export interface Operation {
  readonly code: number;
  /** The pushed bytes; `null` for an operation that pushes no bytes of the script. */
  readonly data: Uint8Array | null;
  /** The offset behind the operation. */
  readonly end: number;
}

/** Reads the operations of a script in order. The last one is `null` if it is truncated. */
export function* readOperations(script: Uint8Array): Generator<Operation | null> {
  const view = new DataView(script.buffer, script.byteOffset, script.byteLength);
  let position = 0;
  while (position < script.length) {
    const code = script[position++] ?? 0;
    if (code > OP.PUSHDATA4) {
      yield { code, data: null, end: position };
      continue;
    }
    const lengthSize = code < OP.PUSHDATA1 ? 0 : 2 ** (code - OP.PUSHDATA1);
    if (position + lengthSize > script.length) return yield null;
    const length = readLength(view, position, code);
    position += lengthSize;
    if (position + length > script.length) return yield null;
    position += length;
    yield { code, data: script.subarray(position - length, position), end: position };
  }
}

function readLength(view: DataView, position: number, code: number): number {
  if (code === OP.PUSHDATA1) return view.getUint8(position);
  if (code === OP.PUSHDATA2) return view.getUint16(position, true);
  if (code === OP.PUSHDATA4) return view.getUint32(position, true);
  return code;
}

/** Returns the operations of a script; `undefined` if the last one is truncated. */
export function operationsOf(script: Uint8Array): Operation[] | undefined {
  const operations: Operation[] = [];
  for (const operation of readOperations(script)) {
    if (operation === null) return undefined;
    operations.push(operation);
  }
  return operations;
}

/** Returns the value that an operation pushes; `undefined` if it pushes none. */
export function pushedValue({ code, data }: Operation): Uint8Array | undefined {
  if (data !== null) return data;
  if (code === OP.NEGATE_1) return Uint8Array.of(0x81);
  return code >= OP.PUSH_1 && code <= OP.PUSH_16 ? Uint8Array.of(code - OP.PUSH_1 + 1) : undefined;
}

/** Returns true if the script contains only operations that push values (BIP-16). */
export function isPushOnly(script: Uint8Array): boolean {
  for (const operation of readOperations(script))
    if (operation === null || operation.code > OP.PUSH_16) return false;
  return true;
}

/** Returns true if no shorter operation pushes the same bytes (BIP-62, rule 3). */
export function isMinimalPush(code: number, data: Uint8Array): boolean {
  const [first] = data;
  if (data.length === 0) return code === OP.PUSH_0;
  if (data.length === 1 && first !== undefined && ((first >= 1 && first <= 16) || first === 0x81))
    return false;
  if (data.length < OP.PUSHDATA1) return code === data.length;
  if (data.length <= 0xff) return code === OP.PUSHDATA1;
  return data.length > 0xffff || code === OP.PUSHDATA2;
}

/** Returns the shortest operation that pushes the bytes. */
export function pushOperation(data: Uint8Array): Uint8Array {
  const [first] = data;
  if (data.length === 0) return Uint8Array.of(OP.PUSH_0);
  if (data.length === 1 && first !== undefined && first >= 1 && first <= 16)
    return Uint8Array.of(OP.PUSH_1 + first - 1);
  if (data.length === 1 && first === 0x81) return Uint8Array.of(OP.NEGATE_1);
  if (data.length < OP.PUSHDATA1) return Uint8Array.of(data.length, ...data);
  if (data.length <= 0xff) return Uint8Array.of(OP.PUSHDATA1, data.length, ...data);
  return Uint8Array.of(OP.PUSHDATA2, data.length & 0xff, data.length >> 8, ...data);
}
