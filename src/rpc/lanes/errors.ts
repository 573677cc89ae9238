import { codedError } from '../../primitives/error-class.ts';
import { LANE_KEY_WORDS } from './lane.ts';

export class InvalidLaneKeyError extends codedError({
  name: 'InvalidLaneKey',
  code: -32602,
  message: 'invalid lane key {key}: expected {form}',
  page: 'node',
}) {
  constructor(key: string) {
    super({ key: JSON.stringify(key.slice(0, 150)), form: LANE_KEY_WORDS });
  }
}

export class LaneExistsError extends codedError({
  name: 'LaneExists',
  code: -32602,
  message: 'lane {key} already exists',
  page: 'node',
}) {
  constructor(key: string) {
    super({ key });
  }
}

export class LaneNotFoundError extends codedError({
  name: 'LaneNotFound',
  code: -32602,
  message: 'lane {key} not found',
  page: 'node',
}) {
  constructor(key: string) {
    super({ key });
  }
}

export class LaneLimitError extends codedError({
  name: 'TooManyLanes',
  code: -32005,
  message: 'lane limit reached ({limit}); remove a lane with lane_drop, or raise --lane-limit',
  page: 'node',
}) {
  constructor(limit: number) {
    super({ limit });
  }
}

/** Thrown for a new lane while the node waits for its lanes to close. */
export class LanesEndingError extends codedError({
  name: 'LanesClosing',
  code: -32005,
  message: 'the node is closing and creates no new lanes; use another node',
  page: 'node',
}) {}
