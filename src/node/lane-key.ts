import { CodedError } from '../primitives/coded-error.ts';

/** The last segment of the path under which a lane is called. Clients take `.` and `..` out of a path. */
export const LANE_KEY = /^(?!\.\.?$)[A-Za-z0-9._~-]{1,128}$/;

/** What a key of a lane is, in words. */
export const LANE_KEY_WORDS = '1 to 128 letters, digits or . _ ~ - (not . or .. alone)';

/** A lane is called by a name that is none. */
export class InvalidLaneKeyError extends CodedError {
  readonly code = -32602;
  constructor(key: string) {
    super(`${JSON.stringify(key.slice(0, 150))} is no key of a lane: these have ${LANE_KEY_WORDS}`);
  }
}

/** A lane is to be made under a key that another one has. */
export class LaneExistsError extends CodedError {
  readonly code = -32602;
  constructor(key: string) {
    super(`there is a lane ${key} already`);
  }
}

/** A lane is asked for that does not exist. */
export class LaneNotFoundError extends CodedError {
  readonly code = -32602;
  constructor(key: string) {
    super(`there is no lane ${key}`);
  }
}

/** There are as many lanes as may be. */
export class LaneLimitError extends CodedError {
  readonly code = -32005;
  constructor(limit: number) {
    super(`there are ${limit} lanes, the most that --lane-limit allows; end one with lane_drop`);
  }
}
