/** Finds dependencies of Jest. Only Jest can resolve them reliably: installers may nest them. */

import { createRequire } from 'node:module';
import { TestRunError } from './answers.ts';

/** The path to the default Node environment, package by package. */
export const ENVIRONMENT_PACKAGE = ['jest', '@jest/core', 'jest-config', 'jest-environment-node'] as const;

/** The path to the package that transpiles the project's language. */
export const TRANSFORM_PACKAGE = ['jest', '@jest/core', '@jest/transform'] as const;

/**
 * Returns the exports of the last package of a path, whose packages each depend on the next. Throws a
 * {@link TestRunError} if one is not installed.
 */
export function requireThrough(way: readonly string[]): unknown {
  const path = way.reduce(
    (from, name) => {
      try {
        return createRequire(from).resolve(name);
      } catch (error) {
        const message = `node-cli/jest cannot find the package ${name}; install Jest in the project`;
        throw new TestRunError(message, { cause: error });
      }
    },
    import.meta.url,
  );
  return createRequire(path)(path);
}
