/** The default seconds between two checks for new blocks, for `--fork-follow` and `fork_follow`. */
export const FOLLOW_SECONDS = 2;
