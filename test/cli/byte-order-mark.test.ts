import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../../src/cli/main.ts';
import { createNode } from '../../src/index.ts';
import { toHex } from '../../src/primitives/hex.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { fakeHost } from './support/fake-host.ts';
import { start } from './support/started-node.ts';

const MARK = '\ufeff';
const FUNDED = `0x${'a1'.repeat(20)}`;
const ALLOC = { [FUNDED.slice(2)]: { balance: '0x7' } };
const COVERAGE = 'TN:\nSF:contracts/A.sol\nDA:3,1\nend_of_record\n';

/** Writes the mark before the text of a file, like Notepad and older versions of PowerShell. */
async function mark(path: string): Promise<void> {
  await writeFile(path, MARK + (await readFile(path, 'utf8')));
}

describe('byte order marks', () => {
  it('a byte order mark is ignored in a genesis file', async () => {
    const path = join(await temporaryDirectory(), 'genesis.json');
    await writeFile(path, MARK + JSON.stringify({ config: { chainId: 33 }, alloc: ALLOC }));
    const node = await start(['--init', path]);
    expect(await node.call('eth_getBalance', FUNDED)).toBe('0x7');
  });

  it('a byte order mark is ignored in a config file', async () => {
    const workingDirectory = await temporaryDirectory();
    await writeFile(join(workingDirectory, 'node-cli.config.json'), `${MARK}{"chainId":31}`);
    const node = await start([], { workingDirectory });
    expect(await node.call('eth_chainId')).toBe('0x1f');
  });

  it('a byte order mark is ignored in dumps, also over JSON-RPC', async () => {
    const path = join(await temporaryDirectory(), 'chain.json');
    const first = await start(['--state', path]);
    await first.call('evm_mine');
    await first.end();
    await mark(path);
    const second = await start(['--load-state', path]);
    expect(await second.call('eth_blockNumber')).toBe('0x1');
    const shown = fakeHost({ commandLine: ['state', 'inspect', path] });
    await runCommand(shown);
    expect([shown.exitCodes, shown.written.errors]).toEqual([[0], '']);
    const node = await createNode();
    const bytes = toHex(await readFile(path));
    expect(await node.request({ method: 'anvil_loadState', params: [bytes] })).toBe(true);
    await node.close();
  });

  it("a byte order mark is ignored in Anvil's state files", async () => {
    const path = join(await temporaryDirectory(), 'state.json');
    const account = { nonce: 0, balance: '0x7', code: '0x', storage: {} };
    await writeFile(path, MARK + JSON.stringify({ accounts: { [FUNDED]: account } }));
    const node = await start(['--load-state', path]);
    expect(await node.call('eth_getBalance', FUNDED)).toBe('0x7');
  });

  it('a byte order mark is ignored in coverage files', async () => {
    const workingDirectory = await temporaryDirectory();
    await writeFile(join(workingDirectory, 'a.info'), MARK + COVERAGE);
    const host = fakeHost({ commandLine: ['coverage', 'merge', 'a.info'], workingDirectory });
    await runCommand(host);
    expect(host.written.output).toContain('SF:contracts/A.sol\n');
  });
});
