// Errors of inspections and measurements.

import { codedError } from '../primitives/error-class.ts';

/** Maximum characters of an expression in a message. */
const MAX_SHOWN = 200;

/** Thrown if a report is requested that the node does not measure. */
export class NotMeasuredError extends codedError({
  name: 'NotMeasured',
  code: -32000,
  message: '{subject} is not measured; start the node with --{flag} (createNode: {option})',
  page: 'inspect',
}) {
  /** `flag` is the option on the command line, `option` the option of `createNode`. */
  constructor(subject: string, flag: string, option: string) {
    super({ subject, flag, option });
  }
}

/** Thrown if an expression has no value at a step. */
export class EvaluationError extends codedError({
  name: 'EvaluationFailed',
  code: -32000,
  message: 'cannot evaluate {expression}: character {place}: {reason}',
  page: 'inspect',
}) {
  /** The expression, the range of characters (from 0, `end` is after the last one) and the reason. */
  override readonly data: {
    readonly expression: string;
    readonly start: number;
    readonly end: number;
    readonly reason: string;
  };

  constructor(
    expression: string,
    { start, end }: { readonly start: number; readonly end: number },
    reason: string,
  ) {
    const shown = expression.length > MAX_SHOWN ? `${expression.slice(0, MAX_SHOWN)}…` : expression;
    super({ expression: shown, place: start + 1, reason });
    this.data = { expression, start, end, reason };
  }
}

/** Thrown for a step after the last step of an execution. */
export class StepOutOfRangeError extends codedError({
  name: 'StepOutOfRange',
  code: -32602,
  message: 'invalid params: step: expected one of the {count} steps, counted from 0, got {step}',
  page: 'inspect',
}) {
  /** `count` is the number of steps. */
  constructor(step: number, count: number) {
    super({ step, count });
  }
}

/** Thrown if the failed step of a successful execution is requested. */
export class NotFailedError extends codedError({
  name: 'NotFailed',
  code: -32602,
  message: 'invalid params: step: the execution succeeded, so no step failed; pass the number of a step',
  page: 'inspect',
}) {}

/** A failure with this number is unknown, or the node no longer keeps it. */
export class FailureNotFoundError extends codedError({
  name: 'FailureNotFound',
  code: -32000,
  message: 'failure {number} {reason}',
  page: 'inspect',
}) {
  /** `count` is the number of all failures, `oldest` the number of the oldest kept failure. */
  constructor(
    number: number | 'last',
    { count, oldest }: { readonly count: number; readonly oldest: number | null },
  ) {
    super({ number, reason: missingReason(number, count, oldest) });
  }
}

/** No attached debugger has a hit with this number that the client may read. */
export class RecordingNotFoundError extends codedError({
  name: 'RecordingNotFound',
  code: -32000,
  message: 'recording {number} not found: it was released, or its debugger is no longer attached',
  page: 'inspect',
}) {
  constructor(number: number) {
    super({ number });
  }
}

/** A client has too many attached debuggers. Each one runs the recorded executions again. */
export class TooManyDebuggersError extends codedError({
  name: 'TooManyDebuggers',
  code: -32005,
  message: 'too many attached debuggers: the maximum is {limit}; end one of them',
  page: 'inspect',
}) {
  constructor(limit: number) {
    super({ limit });
  }
}

function missingReason(number: number | 'last', count: number, oldest: number | null): string {
  if (number !== 'last' && number > count) return `not found: the number of failures is ${count}`;
  if (number !== 'last' && oldest !== null && number > oldest)
    return 'is not kept: it is too large, or a call of another API key';
  const kept = oldest === null ? 'no failure is kept' : `the kept failures are ${oldest} to ${count}`;
  return number === 'last' ? 'not found: no failure is kept' : `is no longer kept: ${kept}`;
}
