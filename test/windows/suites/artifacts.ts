import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { emptyFolder, PROJECTS, startNode } from './installed-package.ts';

/** Copies a project into an empty folder. Node 22 cannot copy with `cpSync` to a path with letters outside ASCII. */
async function copyOf(project: string): Promise<string> {
  const folder = join(emptyFolder(), project);
  await cp(join(PROJECTS, project), folder, { recursive: true });
  return folder;
}

/** Deploys Hardhat's contract Checks on a node of the project. Returns the node's sources of the contract. */
async function deployedSource(folder: string, options: readonly string[] = []): Promise<unknown> {
  const path = join(folder, 'artifacts', 'contracts', 'Checks.sol', 'Checks.json');
  const { bytecode } = JSON.parse(readFileSync(path, 'utf8')) as { bytecode: string };
  const node = await startNode(options, { folder });
  const [from] = (await node.call('eth_accounts')) as string[];
  const hash = await node.call('eth_sendTransaction', { from, data: bytecode, gas: '0x5b8d80' });
  const receipt = (await node.call('eth_getTransactionReceipt', hash)) as { contractAddress: string };
  const source = await node.call('inspect_source', receipt.contractAddress);
  await node.stop();
  return source;
}

describe('artifacts', () => {
  it('of a Hardhat project are found in the working directory', async () => {
    assert.match(JSON.stringify(await deployedSource(await copyOf('hardhat-2'))), /library Checks/);
  });

  it('are read with backslashes in the paths of build infos', async () => {
    const folder = await copyOf('hardhat-2');
    const path = join(folder, 'artifacts', 'contracts', 'Checks.sol', 'Checks.dbg.json');
    const description = JSON.parse(readFileSync(path, 'utf8')) as { buildInfo: string };
    const buildInfo = description.buildInfo.replaceAll('/', '\\');
    writeFileSync(path, JSON.stringify({ ...description, buildInfo }, null, 2).replaceAll('\n', '\r\n'));
    rmSync(join(folder, 'contracts'), { recursive: true });

    assert.match(JSON.stringify(await deployedSource(folder)), /library Checks/);
  });

  it('are read from a folder on another drive', async () => {
    const options = ['--artifacts', join(PROJECTS, 'hardhat-2', 'artifacts')];

    assert.match(
      JSON.stringify(await deployedSource(join(PROJECTS, 'hardhat-2'), options)),
      /library Checks/,
    );
  });
});
