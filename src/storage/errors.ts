import { CodedError } from '../primitives/coded-error.ts';

/** Stored bytes are not the record of a block that was written: storage is damaged. */
export class BlockRecordError extends CodedError {
  readonly code = -32000;
  constructor(fault: string, options?: ErrorOptions) {
    super(`The stored chain is damaged: ${fault}`, options);
  }
}

/** The directory of a chain cannot be used. What kind of fault it is, its subclasses tell. */
export abstract class DataDirectoryError extends CodedError {
  readonly code = -32000;
}

/** The path leads to no directory that may be written, and none can be made there. */
export class UnusablePathError extends DataDirectoryError {
  constructor(directory: string, fault: string, options?: ErrorOptions) {
    super(
      `The data directory ${directory} (--data-dir) cannot be used: ${fault}; name a directory that may be written, or a path where one can be made`,
      options,
    );
  }
}

/** Somebody has the directory open, which one alone may: another process, or another node of this one. */
export class DirectoryInUseError extends DataDirectoryError {
  constructor(directory: string, options?: ErrorOptions) {
    super(
      `The data directory ${directory} (--data-dir) is in use already, by another process or another node in this one; stop that one, or take another directory`,
      options,
    );
  }
}

/** The directory holds files of something else. */
export class ForeignDirectoryError extends DataDirectoryError {
  constructor(directory: string, file: string) {
    super(
      `The data directory ${directory} (--data-dir) holds something else (${file}); take an empty one, or one with a chain`,
    );
  }
}

/** What the directory holds is not what was written there. */
export class DamagedDirectoryError extends DataDirectoryError {
  constructor(directory: string, fault: string, options?: ErrorOptions) {
    super(
      `The data directory ${directory} (--data-dir) is damaged (${fault}); put a copy in its place, or take another directory`,
      options,
    );
  }
}

/** The directory holds a chain in another format than this program writes. */
export class DataVersionError extends DataDirectoryError {
  constructor(directory: string, found: string, own: number) {
    super(
      `The data directory ${directory} (--data-dir) has format version ${found}, this program has ${own}; use the program that made it, or take another directory`,
    );
  }
}

/** The directory holds another chain than the one that was asked for. */
export class DataMismatchError extends DataDirectoryError {
  constructor(directory: string, what: string, found: string, wanted: string) {
    super(
      `The data directory ${directory} (--data-dir) holds a chain with ${what} ${found}, but ${wanted} is asked for; ask for the same, or take another directory`,
    );
  }
}

/** The package that writes to disk is not installed. */
export class MissingPackageError extends DataDirectoryError {
  constructor(name: string, reason: string, options?: ErrorOptions) {
    super(
      `A data directory (--data-dir) needs the package ${name}, which is optional and cannot be loaded here (${reason.split('\n', 1).join('')}); install it with npm install ${name}`,
      options,
    );
  }
}

/** The disk failed: it is full, or may not be written. Nothing can be read either once the directory is closed. */
export class DiskError extends DataDirectoryError {
  constructor(
    directory: string,
    action: 'open' | 'read' | 'write to',
    reason: string,
    options?: ErrorOptions,
  ) {
    super(`Cannot ${action} the data directory ${directory} (--data-dir): ${reason}`, options);
  }
}

/** A chain that goes on from another one cannot be kept: what is not fetched yet would be missing from the directory. */
export class ForkNotKeptError extends DataDirectoryError {
  constructor() {
    super(
      'A fork of another chain cannot be kept in a data directory (--data-dir); fork without one, or dump the fork to a file',
    );
  }
}
