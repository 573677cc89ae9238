// Errors of block storage and of data directories.

import { CodedError, type ErrorEntry } from '../primitives/coded-error.ts';
import { codedError, type ErrorBase, errorBase } from '../primitives/error-class.ts';

/** Thrown if a stored block record is invalid because storage is damaged. */
export class BlockRecordError extends codedError({
  name: 'BlockRecordDamaged',
  code: -32000,
  message: 'the stored chain is damaged: {fault}',
  page: 'persistence',
}) {
  constructor(fault: string, options?: ErrorOptions) {
    super({ fault }, options);
  }
}

/** Thrown for an unusable data directory. The subclasses name the reason. */
export abstract class DataDirectoryError extends CodedError {}

/** Returns the base class of an error of the data directory. */
function dataDirectoryError<const Entry extends ErrorEntry>(
  entry: Entry,
): ErrorBase<Entry, DataDirectoryError> {
  return errorBase<Entry, DataDirectoryError>(DataDirectoryError, entry);
}

/** The path is not a writable directory, and a directory cannot be created there. */
export class UnusablePathError extends dataDirectoryError({
  name: 'DataDirectoryUnusable',
  code: -32000,
  message: '--data-dir: cannot use {directory}: {fault}; choose a writable directory',
  page: 'persistence',
}) {
  constructor(directory: string, fault: string, options?: ErrorOptions) {
    super({ directory, fault }, options);
  }
}

/** The directory is already open, in another process or in another node of this process. */
export class DirectoryInUseError extends dataDirectoryError({
  name: 'DataDirectoryInUse',
  code: -32000,
  message: '--data-dir: {directory} is in use by another node; stop that node or choose another directory',
  page: 'persistence',
}) {
  constructor(directory: string, options?: ErrorOptions) {
    super({ directory }, options);
  }
}

/** The directory contains files of another program. */
export class ForeignDirectoryError extends dataDirectoryError({
  name: 'DataDirectoryForeign',
  code: -32000,
  message:
    '--data-dir: {directory} contains files of another program ({file}); choose an empty directory or one with a chain',
  page: 'persistence',
}) {
  constructor(directory: string, file: string) {
    super({ directory, file });
  }
}

/** The content of the directory differs from the written data. */
export class DamagedDirectoryError extends dataDirectoryError({
  name: 'DataDirectoryDamaged',
  code: -32000,
  message: '--data-dir: {directory} is damaged ({fault}); restore a copy or choose another directory',
  page: 'persistence',
}) {
  constructor(directory: string, fault: string, options?: ErrorOptions) {
    super({ directory, fault }, options);
  }
}

/** The directory has a chain in another format version. */
export class DataVersionError extends dataDirectoryError({
  name: 'DataDirectoryVersion',
  code: -32000,
  message:
    '--data-dir: {directory} has format version {found}, expected {own}; use the node-cli version that wrote the directory, or choose another directory',
  page: 'persistence',
}) {
  constructor(directory: string, found: string, own: number) {
    super({ directory, found, own });
  }
}

/** The directory has a different chain from the requested one. */
export class DataMismatchError extends dataDirectoryError({
  name: 'DataDirectoryMismatch',
  code: -32000,
  message:
    '--data-dir: {directory} contains a chain with {what} {found}, but the options require {wanted}; use the same value or choose another directory',
  page: 'persistence',
}) {
  constructor(directory: string, what: string, found: string, wanted: string) {
    super({ directory, what, found, wanted });
  }
}

/** The directory has a different fork from the requested one, or only one of the two is a fork. */
export class OtherForkError extends dataDirectoryError({
  name: 'DataDirectoryFork',
  code: -32000,
  message: '--data-dir: {directory} contains {held}, but {rest}, or choose another directory',
  page: 'persistence',
}) {
  /** Descriptions of the forks; `null` for a chain with its own genesis. */
  constructor(directory: string, found: string | null, wanted: string | null) {
    const held = found === null ? 'a chain that is not a fork' : `a fork ${found}`;
    const remedy = found === null ? 'remove --fork-url' : 'use the same fork';
    const rest =
      wanted === null
        ? // An intact record of the fork would have made it the requested one.
          'its file fork.jsonl is missing or damaged; pass the same --fork-url and --fork-block-number'
        : `the options require a fork ${wanted}; ${remedy}`;
    super({ directory, held, rest });
  }
}

/** The directory has no fork, and `--offline` forbids requests to a fork URL. */
export class NoSavedForkError extends dataDirectoryError({
  name: 'DataDirectoryNoFork',
  code: -32000,
  message:
    '--data-dir: {directory} contains no fork, but --offline requires a fork; remove --offline or pass --fork-url',
  page: 'persistence',
}) {
  constructor(directory: string) {
    super({ directory });
  }
}

/** The optional package for storage on disk is missing. */
export class MissingPackageError extends dataDirectoryError({
  name: 'PackageMissing',
  code: -32000,
  message:
    '--data-dir requires the optional package {name}, which cannot be loaded ({reason}); install it with npm install {name}',
  page: 'persistence',
}) {
  constructor(name: string, reason: string, options?: ErrorOptions) {
    super({ name, reason: reason.split('\n', 1).join('') }, options);
  }
}

/** The disk failed, for example because it is full. Reads fail too after the directory was closed. */
export class DiskError extends dataDirectoryError({
  name: 'DataDirectoryFailed',
  code: -32000,
  message: '--data-dir: cannot {action} {directory}: {reason}',
  page: 'persistence',
}) {
  constructor(
    directory: string,
    action: 'open' | 'read' | 'write to',
    reason: string,
    options?: ErrorOptions,
  ) {
    super({ action, directory, reason }, options);
  }
}

/** A chain on disk cannot change its fork, because its directory has the states of one chain. */
export class ForkNotSavedError extends dataDirectoryError({
  name: 'DataDirectoryForkFixed',
  code: -32000,
  message:
    '--data-dir: a stored chain cannot become another fork or stop being a fork; use another directory',
  page: 'persistence',
}) {}
