import type { ExecutionResult, Message } from '../../../src/evm/engine.ts';
import { bigIntToBytes } from '../../../src/primitives/bytes.ts';
import {
  addressOf,
  CONTRACT,
  code,
  RECIPIENT,
  type Scene,
  type SceneOptions,
  setScene,
} from '../../reference/scene.ts';
import type { EngineUnderTest } from './engines.ts';

/** An address without an account. */
export const NOBODY = addressOf(99);
/** The price of a transaction without data. */
export const BASE = 21_000n;

/** The bytes as hex digits. */
export function digits(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

/** Code that pushes a number or bytes, in as few bytes as possible. */
export function push(value: bigint | number | Uint8Array): string {
  const bytes = value instanceof Uint8Array ? value : bigIntToBytes(BigInt(value));
  const pushed = bytes.length === 0 ? Uint8Array.of(0) : bytes;
  return `${(0x5f + pushed.length).toString(16)}${digits(pushed)}`;
}

const CALLS = { CALL: 'f1', CALLCODE: 'f2', DELEGATECALL: 'f4', STATICCALL: 'fa' } as const;

export type CallKind = keyof typeof CALLS;

/** The options of {@link calling}. */
export interface CallOperands {
  readonly gas?: bigint | number;
  readonly value?: bigint | number;
  /** Bytes of memory, from address 0. */
  readonly inputSize?: number;
  readonly outputSize?: number;
}

/** Code that pushes the operands of a call, the gas last. */
export function callOperands(kind: CallKind, to: Uint8Array, operands: CallOperands = {}): string {
  const { gas = 100_000, value = 0, inputSize = 0, outputSize = 0 } = operands;
  const values = kind === 'CALL' || kind === 'CALLCODE' ? push(value) : '';
  return `${push(outputSize)} 6000 ${push(inputSize)} 6000 ${values} ${push(to)} ${push(gas)}`;
}

/** Code of a call: leaves 1 or 0 on the stack. */
export function calling(kind: CallKind, to: Uint8Array, operands: CallOperands = {}): string {
  return `${callOperands(kind, to, operands)} ${CALLS[kind]}`;
}

/** The opcode of a call. */
export function callOpcode(kind: CallKind): string {
  return CALLS[kind];
}

/** The options of {@link creating}. A salt selects CREATE2. */
export interface CreationOperands {
  readonly value?: bigint | number;
  readonly salt?: bigint | number;
}

/** Code that writes at most 32 bytes of initcode to memory and pushes the operands of a creation. */
export function creationOperands(initcode: Uint8Array, operands: CreationOperands = {}): string {
  const { value = 0, salt } = operands;
  const word = new Uint8Array(32);
  word.set(initcode);
  const salts = salt === undefined ? '' : push(salt);
  return `${push(word)} 6000 52 ${salts} ${push(initcode.length)} 6000 ${push(value)}`;
}

/** Code of a creation with at most 32 bytes of initcode: leaves the address or 0 on the stack. */
export function creating(initcode: Uint8Array, operands: CreationOperands = {}): string {
  return `${creationOperands(initcode, operands)} ${operands.salt === undefined ? 'f0' : 'f5'}`;
}

/** Code that returns the top of the stack. */
export const RETURN_TOP = '6000 52 6020 6000 f3';

/** Initcode that returns `size` zero bytes as code. */
export function depositing(size: number): Uint8Array {
  return code(`${push(size)} 6000 f3`);
}

/** A scene with Rootstock's rules on one of the engines. */
export function setRootstockScene(
  { createEngine }: EngineUnderTest,
  options: Omit<SceneOptions, 'createEngine'> = {},
): Promise<Scene> {
  return setScene('rootstock', { ...options, createEngine });
}

/** The result of a transaction to `runtime` at {@link CONTRACT}, which has 100 wei. */
export async function runs(
  scene: Scene,
  runtime: string,
  fields: Partial<Message> = {},
): Promise<ExecutionResult> {
  scene.state.setAccount(CONTRACT, { nonce: 1n, balance: 100n });
  scene.state.setCode(CONTRACT, code(runtime));
  const nonce = scene.state.account(fields.sender ?? addressOf(1))?.nonce ?? 0n;
  return scene.transact({ nonce, ...fields });
}

/** The word that `runtime` at {@link CONTRACT} leaves on the stack. */
export async function answerOf(
  scene: Scene,
  runtime: string,
  fields: Partial<Message> = {},
): Promise<bigint> {
  const { outcome, haltReason, returnData } = await runs(scene, `${runtime} ${RETURN_TOP}`, fields);
  if (outcome !== 'success') throw new Error(`${outcome}: ${haltReason}`);
  return BigInt(`0x${digits(returnData)}`);
}

/** Gas of the opcodes before refunds. `prepared` runs first and is not counted. */
export async function costOf(scene: Scene, prepared: string, opcodes: string): Promise<bigint> {
  const before = await scene.run(code(prepared), { value: 100n });
  const after = await scene.run(code(`${prepared} ${opcodes}`), { value: 100n });
  if (before.outcome !== 'success' || after.outcome !== 'success') {
    throw new Error(`${before.outcome}, ${after.outcome}: ${after.haltReason}`);
  }
  return after.gasBeforeRefund - before.gasBeforeRefund;
}

/** Sets the code of {@link RECIPIENT}. */
export function putRecipient(scene: Scene, runtime: string): void {
  scene.state.setAccount(RECIPIENT, { nonce: 1n, balance: 0n });
  scene.state.setCode(RECIPIENT, code(runtime));
}
