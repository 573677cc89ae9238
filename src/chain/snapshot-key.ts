/** What a snapshot is known by: a number that the chain gave, or a name that the caller chose. */
export type SnapshotId = number | string;

/** What a snapshot is gone back to by: its id, or the symbol that was given to who took a hidden one. */
export type SnapshotKey = SnapshotId | symbol;
