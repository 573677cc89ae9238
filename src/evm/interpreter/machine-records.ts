import type { InterpreterExports } from './interpreter-module.ts';
import type { LinearMemory } from './linear-memory.ts';

/** The accounts and slots of a machine, as those use them who run beside its code. */
export interface MachineRecords {
  readonly memory: LinearMemory;
  readonly exports: InterpreterExports;
  /** The record of the account (20 bytes). */
  account(address: Uint8Array): number;
  /** The record of the slot (32 bytes) of an account. */
  slot(account: number, slot: Uint8Array): number;
  /** The address (20 bytes) of an account record. */
  addressOf(account: number): Uint8Array;
  /** Wei. */
  balance(account: number): bigint;
  nonce(account: number): bigint;
  /** Changes balance (wei) and nonce. */
  setAccount(account: number, balance: bigint, nonce: bigint): void;
}
