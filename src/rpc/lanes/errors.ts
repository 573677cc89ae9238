import { CodedError, type ErrorEntry, fill } from '../../primitives/coded-error.ts';
import { LANE_KEY_WORDS } from './lane.ts';

export class InvalidLaneKeyError extends CodedError {
  static readonly entry = {
    name: 'InvalidLaneKey',
    code: -32602,
    message: 'invalid lane key {key}: expected {form}',
    page: 'node',
  } as const satisfies ErrorEntry;

  constructor(key: string) {
    super(fill(InvalidLaneKeyError.entry, { key: JSON.stringify(key.slice(0, 150)), form: LANE_KEY_WORDS }));
  }
}

export class LaneExistsError extends CodedError {
  static readonly entry = {
    name: 'LaneExists',
    code: -32602,
    message: 'lane {key} already exists',
    page: 'node',
  } as const satisfies ErrorEntry;

  constructor(key: string) {
    super(fill(LaneExistsError.entry, { key }));
  }
}

export class LaneNotFoundError extends CodedError {
  static readonly entry = {
    name: 'LaneNotFound',
    code: -32602,
    message: 'lane {key} not found',
    page: 'node',
  } as const satisfies ErrorEntry;

  constructor(key: string) {
    super(fill(LaneNotFoundError.entry, { key }));
  }
}

export class LaneLimitError extends CodedError {
  static readonly entry = {
    name: 'TooManyLanes',
    code: -32005,
    message: 'lane limit reached ({limit}); remove a lane with lane_drop, or raise --lane-limit',
    page: 'node',
  } as const satisfies ErrorEntry;

  constructor(limit: number) {
    super(fill(LaneLimitError.entry, { limit }));
  }
}

/** Thrown for a new lane while the node waits for its lanes to close. */
export class LanesEndingError extends CodedError {
  static readonly entry = {
    name: 'LanesClosing',
    code: -32005,
    message: 'the node is closing and creates no new lanes; use another node',
    page: 'node',
  } as const satisfies ErrorEntry;

  constructor() {
    super(fill(LanesEndingError.entry));
  }
}
