import { CodedError } from '../primitives/coded-error.ts';

/** The form of a lane's key: the last segment of its path. Clients take `.` and `..` out of a path. */
export const LANE_KEY = /^(?!\.\.?$)[A-Za-z0-9._~-]{1,128}$/;

/** The form of a lane's key in words. */
export const LANE_KEY_WORDS = '1 to 128 letters, digits or . _ ~ - (not . or .. alone)';

/** Thrown for an invalid key of a lane. */
export class InvalidLaneKeyError extends CodedError {
  readonly code = -32602;
  constructor(key: string) {
    super(`${JSON.stringify(key.slice(0, 150))} is no key of a lane: these have ${LANE_KEY_WORDS}`);
  }
}

/** Thrown when a lane with that key exists already. */
export class LaneExistsError extends CodedError {
  readonly code = -32602;
  constructor(key: string) {
    super(`there is a lane ${key} already`);
  }
}

/** Thrown for a lane that does not exist. */
export class LaneNotFoundError extends CodedError {
  readonly code = -32602;
  constructor(key: string) {
    super(`there is no lane ${key}`);
  }
}

/** Thrown when the number of lanes is at its limit. */
export class LaneLimitError extends CodedError {
  readonly code = -32005;
  constructor(limit: number) {
    super(`there are ${limit} lanes, the most that --lane-limit allows; end one with lane_drop`);
  }
}

/** Thrown for a new lane of a node that ends as soon as its lanes have. */
export class LanesEndingError extends CodedError {
  readonly code = -32005;
  constructor() {
    super('this node is ending and makes no new lanes; the lanes there are go on until they are done');
  }
}
