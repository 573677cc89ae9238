import { access, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { forgetDeployments } from '../../../src/library/runners/hardhat-project.ts';

interface DeployOptions {
  readonly deploymentId: string;
}

/**
 * A project folder, and an Ignition with a journal there like the real one. `during` runs while it deploys.
 */
async function scene(during: (deployments: string) => Promise<void> = async () => undefined) {
  const root = await mkdtemp(join(tmpdir(), 'ignition-'));
  onTestFinished(() => rm(root, { recursive: true }));
  const folder = join(root, 'ignition');
  const deployments = join(folder, 'deployments');
  const ignition = {
    async deploy(_: unknown, { deploymentId }: DeployOptions) {
      const own = join(deployments, deploymentId);
      await mkdir(join(own, 'artifacts'), { recursive: true });
      await writeFile(join(own, 'journal.jsonl'), '{}');
      await during(deployments);
      return deploymentId;
    },
  };
  const holder = { ignition: ignition as { deploy(module: unknown, options?: object): Promise<unknown> } };
  forgetDeployments(holder, folder);
  return { root, folder, deployments, ignition: holder.ignition };
}

it('an ephemeral deployment leaves no folder in the project', async () => {
  const { root, ignition } = await scene();
  expect(await ignition.deploy('Counter')).toMatch(/^node-cli-/);
  expect(await readdir(root)).toEqual([]);
});

it('a failed deployment leaves no folder, and rejects with the error of Ignition', async () => {
  const { root, ignition } = await scene(() => Promise.reject(new Error('reverted')));
  await expect(ignition.deploy('Counter')).rejects.toThrow('reverted');
  expect(await readdir(root)).toEqual([]);
});

it('modules and other deployments are kept', async () => {
  const { folder, deployments, ignition } = await scene();
  await mkdir(join(folder, 'modules'), { recursive: true });
  await ignition.deploy('Counter');
  expect(await readdir(folder)).toEqual(['modules']);
  await ignition.deploy('Counter', { deploymentId: 'chain-33' });
  await ignition.deploy('Counter');
  expect(await readdir(deployments)).toEqual(['chain-33']);
  await access(join(deployments, 'chain-33', 'journal.jsonl'));
});

it('the last of several concurrent deployments removes the folder', async () => {
  const { root, ignition } = await scene();
  await Promise.all(Array.from({ length: 5 }, () => ignition.deploy('Counter')));
  expect(await readdir(root)).toEqual([]);
});
