/**
 * Has Ignition deploy anew to each chain of a run. On networks that it takes for lasting ones, it keeps a journal of what it deployed in
 * the project, by chain id, and leaves out what is there: on the next chain of that id, nothing would be deployed at all.
 */

import { randomUUID } from 'node:crypto';
import { rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord } from './answers.ts';

/** The part of Ignition that is called here. */
interface Ignition {
  deploy(module: unknown, options?: Readonly<Record<string, unknown>>): Promise<unknown>;
}

function isIgnition(value: unknown): value is Ignition & Record<PropertyKey, unknown> {
  return isRecord(value) && typeof value.deploy === 'function';
}

/** Removes a folder that Ignition made for a deployment, unless there is something else in it. */
async function removeEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    // Each of several deployments at the same time leaves it to the last one.
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'ENOENT') throw error;
  }
}

/** Returns Ignition with deployments that are forgotten, but for those that are given an id. */
function forgetful(ignition: Ignition & Record<PropertyKey, unknown>, folder: string): object {
  const deploy: Ignition['deploy'] = async (module, options = {}) => {
    if (options.deploymentId !== undefined) return ignition.deploy(module, options);
    const deploymentId = `node-cli-${randomUUID()}`;
    try {
      return await ignition.deploy(module, { ...options, deploymentId });
    } finally {
      const deployments = join(folder, 'deployments');
      await rm(join(deployments, deploymentId), { recursive: true, force: true });
      for (const made of [deployments, folder]) await removeEmpty(made);
    }
  };
  return new Proxy(ignition, {
    get(target, name) {
      if (name === 'deploy') return deploy;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/**
 * Has the Ignition that an object of Hardhat has, or is given later, forget what it deployed. `folder` is the one of the project in
 * which Ignition keeps its files.
 */
export function forgetDeployments(holder: object, folder: string): void {
  const shownFor = (value: unknown): unknown => (isIgnition(value) ? forgetful(value, folder) : value);
  let shown = shownFor(Reflect.get(holder, 'ignition'));
  Object.defineProperty(holder, 'ignition', {
    configurable: true,
    enumerable: true,
    get: () => shown,
    set(value: unknown) {
      shown = shownFor(value);
    },
  });
}
