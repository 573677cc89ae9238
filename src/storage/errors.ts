// Errors of block storage and of the directory of a chain on disk.

import { CodedError, type ErrorEntry, fill } from '../primitives/coded-error.ts';

/** Thrown when stored bytes are not a valid record of a block: storage is damaged. */
export class BlockRecordError extends CodedError {
  static readonly entry = {
    name: 'BlockRecord',
    code: -32000,
    message: 'The stored chain is damaged: {fault}',
    page: 'storage',
  } as const satisfies ErrorEntry;

  constructor(fault: string, options?: ErrorOptions) {
    super(fill(BlockRecordError.entry, { fault }), options);
  }
}

/** The directory of a chain cannot be used. The subclasses name the reason. */
export abstract class DataDirectoryError extends CodedError {}

/** The path is not a writable directory, and none can be created there. */
export class UnusablePathError extends DataDirectoryError {
  static readonly entry = {
    name: 'UnusablePath',
    code: -32000,
    message:
      'The data directory {directory} (--data-dir) cannot be used: {fault}; name a directory that may be written, or a path where one can be made',
    page: 'storage',
  } as const satisfies ErrorEntry;

  constructor(directory: string, fault: string, options?: ErrorOptions) {
    super(fill(UnusablePathError.entry, { directory, fault }), options);
  }
}

/** The directory is open already, in another process or in another node of this one. */
export class DirectoryInUseError extends DataDirectoryError {
  static readonly entry = {
    name: 'DirectoryInUse',
    code: -32000,
    message:
      'The data directory {directory} (--data-dir) is in use already, by another process or another node in this one; stop that one, or take another directory',
    page: 'storage',
  } as const satisfies ErrorEntry;

  constructor(directory: string, options?: ErrorOptions) {
    super(fill(DirectoryInUseError.entry, { directory }), options);
  }
}

/** The directory holds files of another program. */
export class ForeignDirectoryError extends DataDirectoryError {
  static readonly entry = {
    name: 'ForeignDirectory',
    code: -32000,
    message:
      'The data directory {directory} (--data-dir) holds something else ({file}); take an empty one, or one with a chain',
    page: 'storage',
  } as const satisfies ErrorEntry;

  constructor(directory: string, file: string) {
    super(fill(ForeignDirectoryError.entry, { directory, file }));
  }
}

/** The directory does not hold what was written there. */
export class DamagedDirectoryError extends DataDirectoryError {
  static readonly entry = {
    name: 'DamagedDirectory',
    code: -32000,
    message:
      'The data directory {directory} (--data-dir) is damaged ({fault}); put a copy in its place, or take another directory',
    page: 'storage',
  } as const satisfies ErrorEntry;

  constructor(directory: string, fault: string, options?: ErrorOptions) {
    super(fill(DamagedDirectoryError.entry, { directory, fault }), options);
  }
}

/** The directory holds a chain in another format than this program writes. */
export class DataVersionError extends DataDirectoryError {
  static readonly entry = {
    name: 'DataVersion',
    code: -32000,
    message:
      'The data directory {directory} (--data-dir) has format version {found}, this program has {own}; use the program that made it, or take another directory',
    page: 'storage',
  } as const satisfies ErrorEntry;

  constructor(directory: string, found: string, own: number) {
    super(fill(DataVersionError.entry, { directory, found, own }));
  }
}

/** The directory holds another chain than the requested one. */
export class DataMismatchError extends DataDirectoryError {
  static readonly entry = {
    name: 'DataMismatch',
    code: -32000,
    message:
      'The data directory {directory} (--data-dir) holds a chain with {what} {found}, but {wanted} is asked for; ask for the same, or take another directory',
    page: 'storage',
  } as const satisfies ErrorEntry;

  constructor(directory: string, what: string, found: string, wanted: string) {
    super(fill(DataMismatchError.entry, { directory, what, found, wanted }));
  }
}

/** The directory holds another fork than the requested one, or only one of the two is a fork. */
export class OtherForkError extends DataDirectoryError {
  static readonly entry = {
    name: 'OtherFork',
    code: -32000,
    message:
      'The data directory {directory} (--data-dir) holds {held}, but {rest}, or take another directory',
    page: 'storage',
  } as const satisfies ErrorEntry;

  /** `found`, `wanted`: the forks in words; `null` for a chain with a first block of its own. */
  constructor(directory: string, found: string | null, wanted: string | null) {
    const held = found === null ? 'a chain that is no fork' : `a fork ${found}`;
    const remedy = found === null ? 'leave out --fork-url' : 'ask for the same fork';
    const rest =
      wanted === null
        ? // The record of the fork would have made it the requested one.
          'its file fork.jsonl is missing or damaged; name the upstream with --fork-url and begin at the same block'
        : `the options ask for a fork ${wanted}; ${remedy}`;
    super(fill(OtherForkError.entry, { directory, held, rest }));
  }
}

/** The directory has no fork, but the node may not ask an upstream for one. */
export class NoKeptForkError extends DataDirectoryError {
  static readonly entry = {
    name: 'NoKeptFork',
    code: -32000,
    message:
      'The data directory {directory} (--data-dir) has no fork, but --offline needs one; leave out --offline, or name an upstream with --fork-url',
    page: 'storage',
  } as const satisfies ErrorEntry;

  constructor(directory: string) {
    super(fill(NoKeptForkError.entry, { directory }));
  }
}

/** The package that writes to disk is not installed. */
export class MissingPackageError extends DataDirectoryError {
  static readonly entry = {
    name: 'MissingPackage',
    code: -32000,
    message:
      'A data directory (--data-dir) needs the package {name}, which is optional and cannot be loaded here ({reason}); install it with npm install {name}',
    page: 'storage',
  } as const satisfies ErrorEntry;

  constructor(name: string, reason: string, options?: ErrorOptions) {
    super(fill(MissingPackageError.entry, { name, reason: reason.split('\n', 1).join('') }), options);
  }
}

/** The disk failed: it is full, or cannot be written. Reads fail too once the directory is closed. */
export class DiskError extends DataDirectoryError {
  static readonly entry = {
    name: 'Disk',
    code: -32000,
    message: 'Cannot {action} the data directory {directory} (--data-dir): {reason}',
    page: 'storage',
  } as const satisfies ErrorEntry;

  constructor(
    directory: string,
    action: 'open' | 'read' | 'write to',
    reason: string,
    options?: ErrorOptions,
  ) {
    super(fill(DiskError.entry, { action, directory, reason }), options);
  }
}

/** A chain on disk stays the fork that it is, or no fork: its directory has the states of one chain. */
export class ForkNotKeptError extends DataDirectoryError {
  static readonly entry = {
    name: 'ForkNotKept',
    code: -32000,
    message:
      'A chain in a data directory (--data-dir) cannot become another fork, or stop being one; use another directory, or none',
    page: 'storage',
  } as const satisfies ErrorEntry;

  constructor() {
    super(fill(ForkNotKeptError.entry));
  }
}
