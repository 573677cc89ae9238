/** The last segment of the path under which a lane is called. Clients take `.` and `..` out of a path. */
export const LANE_KEY = /^(?!\.\.?$)[A-Za-z0-9._~-]{1,128}$/;

/** What a key of a lane is, in words. */
export const LANE_KEY_WORDS = '1 to 128 letters, digits or . _ ~ - (not . or .. alone)';
