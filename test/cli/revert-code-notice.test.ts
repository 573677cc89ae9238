import { describe, expect, it, onTestFinished } from 'vitest';
import { RevertCodeNotice } from '../../src/log/revert-code-notice.ts';
import { ExecutionError, InvalidParamsError } from '../../src/rpc/errors.ts';
import { DEV_ACCOUNTS } from '../support/dev-accounts.ts';
import { connectEthers, deploy, read } from '../support/ethers.ts';
import { connectViem, deployWithViem } from '../support/viem.ts';
import { start } from './support/started-node.ts';

const NOTICE =
  'A revert was returned with error code -32015 (compat mode service). viem does not decode reverts from this code; for viem, wagmi or Foundry, pass --compat anvil';

function noticesFor(...errors: readonly unknown[]): string[] {
  const lines: string[] = [];
  const notice = new RevertCodeNotice((line) => lines.push(line));
  for (const error of errors) notice.onError(error);
  return lines;
}

describe('RevertCodeNotice', () => {
  it('writes one line for the first revert with code -32015, with the clients and the option', () => {
    const revert = new ExecutionError(-32015, 'transaction reverted', '0x');
    expect(noticesFor(revert, revert)).toEqual([NOTICE]);
  });

  it('writes nothing for code 3, halts without data, other errors and successes', () => {
    expect(
      noticesFor(
        new ExecutionError(3, 'execution reverted', '0x'),
        new ExecutionError(-32015, 'out of gas', undefined),
        new InvalidParamsError('block', 'a block number', '"lates"'),
        undefined,
      ),
    ).toEqual([]);
  });
});

describe('revert notice in compat mode service', () => {
  it('the log contains the notice once if viem calls revert', async () => {
    const node = await start();
    const clients = connectViem(node.url, DEV_ACCOUNTS[0].address);
    const failures = await deployWithViem(clients, 'cancun', 'Failures');
    for (let calls = 0; calls < 2; calls++)
      await expect(
        clients.reader.readContract({ ...failures, functionName: 'reason', args: [] }),
      ).rejects.toThrow('RPC Request failed');
    await node.end();
    expect(node.host.written.output.split(NOTICE)).toHaveLength(2);
  });

  it('the log contains the notice once if ethers calls revert, and ethers decodes them', async () => {
    const node = await start();
    const provider = connectEthers(node.url);
    onTestFinished(() => provider.destroy());
    const failures = await deploy(await provider.getSigner(0), 'cancun', 'Failures');
    for (let calls = 0; calls < 2; calls++)
      await expect(read(failures, 'reason')).rejects.toMatchObject({
        code: 'CALL_EXCEPTION',
        reason: 'not today',
      });
    await node.end();
    expect(node.host.written.output.split(NOTICE)).toHaveLength(2);
  });

  it('the log contains no notice for requests that it omits', async () => {
    const node = await start();
    const request = { to: null, data: '0x60006000fd' };
    const headers = { 'Content-Type': 'application/json', 'User-Agent': 'node-cli-quiet' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params: [request, 'latest'] });
    const answer = await fetch(node.url, { method: 'POST', headers, body });
    expect(await answer.json()).toMatchObject({ error: { code: -32015 } });
    await node.end();
    expect(node.host.written.output).not.toContain('-32015');
  });
});
