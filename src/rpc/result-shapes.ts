import type { JsonSchema } from '../wire/values.ts';
import type { RpcSettings } from './rpc-context.ts';

/** Converts a handler's result to the result of one of the method's names. */
export interface ResultShape {
  /** A short description of the result, for the method table. */
  readonly words: string;
  readonly schema: JsonSchema;
  /** Returns the result as JSON. */
  readonly of: (result: unknown, settings: RpcSettings) => unknown;
}

/** `true`: the result of setters with the names of Hardhat and Ganache. */
export const TRUE: ResultShape = { words: 'true', schema: { const: true }, of: () => true };

/** `null`: the result of the `anvil_…` setters. */
export const NULL: ResultShape = { words: 'null', schema: { type: 'null' }, of: () => null };

/** The result of `evm_…` setters that differ between Anvil and Hardhat; it depends on the compat mode. */
export const COMPAT_SETTER: ResultShape = {
  words: 'null (with `--compat hardhat`, true)',
  schema: { type: ['boolean', 'null'] },
  of: (_result, { compat }) => compat.setterResult,
};

/** The result of evm_setNextBlockTimestamp for a timestamp; it depends on the compat mode. */
export const TIMESTAMP: ResultShape = {
  words: 'null (with `--compat hardhat`, the timestamp)',
  schema: { type: ['string', 'null'] },
  of: (result, { compat }) => compat.timestampResult(Number(result)),
};

/** A number of seconds; 0 if negative. */
export const FORWARD: ResultShape = {
  words: 'the change of the clock in seconds (0 if the clock moved back)',
  schema: { type: 'integer' },
  of: (result) => Math.max(0, Number(result)),
};

/** A number of seconds, unchanged. */
export const SECONDS: ResultShape = {
  words: 'the total offset in seconds, as a number',
  schema: { type: 'integer' },
  of: (result) => result,
};

/** The result of evm_increaseTime for the total offset in seconds; it depends on the compat mode. */
export const TIME_OFFSET: ResultShape = {
  words: 'the total offset in seconds; the form depends on `--compat`',
  schema: { type: ['string', 'number'] },
  of: (result, { compat }) => compat.timeOffset(Number(result)),
};
