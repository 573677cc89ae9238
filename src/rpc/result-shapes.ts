import type { JsonSchema } from '../wire/values.ts';
import type { RpcSettings } from './rpc-context.ts';

/** The form of a method's result under one of its names, made from the result of its handler. */
export interface ResultShape {
  /** The answer in a few words, for the method table. */
  readonly words: string;
  readonly schema: JsonSchema;
  /** The answer, fit for JSON. */
  readonly of: (result: unknown, settings: RpcSettings) => unknown;
}

/** The result of the setters of one family of names: `true`, for `hardhat_…` and those of Ganache. */
export const TRUE: ResultShape = { words: 'true', schema: { const: true }, of: () => true };

/** The result of the setters `anvil_…`. */
export const NULL: ResultShape = { words: 'null', schema: { type: 'null' }, of: () => null };

/** The result of the setters `evm_…` where the peers do not agree: the dialect decides. */
export const DIALECT_SETTER: ResultShape = {
  words: 'null (with `--compat hardhat`, true)',
  schema: { type: ['boolean', 'null'] },
  of: (_result, { compat }) => compat.setterResult,
};

/** The result of `evm_setNextBlockTimestamp` for the timestamp: the dialect decides. */
export const TIMESTAMP: ResultShape = {
  words: 'null (with `--compat hardhat`, the timestamp)',
  schema: { type: ['string', 'null'] },
  of: (result, { compat }) => compat.timestampResult(Number(result)),
};

/** A number of seconds, 0 for a negative one. */
export const FORWARD: ResultShape = {
  words: 'the change of the clock in seconds (0 if the clock moved back)',
  schema: { type: 'integer' },
  of: (result) => Math.max(0, Number(result)),
};

/** A number of seconds as it is. */
export const SECONDS: ResultShape = {
  words: 'the total offset in seconds, as a number',
  schema: { type: 'integer' },
  of: (result) => result,
};

/** The result of `evm_increaseTime` for the total offset in seconds: the dialect decides. */
export const TIME_OFFSET: ResultShape = {
  words: 'the total offset in seconds; the form depends on `--compat`',
  schema: { type: ['string', 'number'] },
  of: (result, { compat }) => compat.timeOffset(Number(result)),
};
