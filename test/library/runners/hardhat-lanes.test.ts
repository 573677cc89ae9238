import { expect, it, onTestFinished } from 'vitest';
import { createNode } from '../../../src/index.ts';
import { ConnectionLanes } from '../../../src/library/runners/hardhat-lanes.ts';
import type { RunFacts } from '../../../src/library/runners/run-facts.ts';

const PATH = '/project/test/vault.test.ts';

async function runFacts(): Promise<RunFacts> {
  const node = await createNode({ accounts: 1 });
  const server = await node.listen({ lanes: true });
  onTestFinished(async () => {
    await server.close();
    await node.close();
  });
  return { url: server.url, isolate: 'file', keepsStates: false, root: '/project' };
}

it('a failed test without a chain failure reports its lanes', async () => {
  const facts = await runFacts();
  const lanes = new ConnectionLanes();
  await lanes.open(facts, PATH);
  await lanes.beforeTest('counts');
  expect(await lanes.afterTest('counts', true)).toEqual([
    `node-cli: test/vault.test.ts > counts\n  Nothing failed on the chain.\n  lane ${facts.url}/test~vault.test.ts/_/feed`,
  ]);
  await lanes.beforeTest('connects');
  const url = await lanes.open(facts, PATH);
  expect(await lanes.afterTest('connects', true)).toEqual([
    expect.stringMatching(
      /^node-cli: test\/vault\.test\.ts > connects.*\n {2}Nothing failed on the chain\.\n/,
    ),
  ]);
  expect(url).toMatch(/\/test~vault\.test\.ts-connects-[0-9a-f]+$/);
  // It is unknown which of the earlier lanes a test uses.
  await lanes.beforeTest('uses any of them');
  expect(await lanes.afterTest('uses any of them', true)).toEqual([
    `node-cli: uses any of them\n  Nothing failed on the chains of the 2 connections.\n  lanes ${facts.url}/_/lanes`,
  ]);
  await lanes.close();
});
