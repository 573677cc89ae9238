/** Finds packages that Jest brings along, which only it can be sure to find: installers need not put them beside this one. */

import { createRequire } from 'node:module';
import { TestRunError } from './answers.ts';

/** The way to the environment of Node that tests have by default. */
export const ENVIRONMENT_PACKAGE = ['jest', '@jest/core', 'jest-config', 'jest-environment-node'] as const;

/** The way to the package that makes JavaScript of what the project is written in. */
export const TRANSFORM_PACKAGE = ['jest', '@jest/core', '@jest/transform'] as const;

/**
 * Returns what a package exports to which a way leads, each step of which is a dependency of the one before. Throws a
 * {@link TestRunError} where one is not installed.
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
