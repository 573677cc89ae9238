import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { encodeFunctionData } from 'viem';
import { describe, expect, it } from 'vitest';
import { type StartedNode, start } from './support/started-node.ts';

const artifacts = fileURLToPath(new URL('../../fixtures/projects/hardhat-3/artifacts/', import.meta.url));
const { abi, bytecode } = JSON.parse(readFileSync(`${artifacts}contracts/Reverts.sol/Reverts.json`, 'utf8'));
/** The linked library is not called, so its address is arbitrary. */
const code = bytecode.replaceAll(/__\$\w{34}\$__/g, '11'.repeat(20));
const data = encodeFunctionData({ abi, functionName: 'freeFunction', args: [5n] });

const SENDER = `0x${'5e'.repeat(20)}`;

/** The log lines of the failure, below the method. */
const EXPLAINED = [
  '  Contract call:  Reverts.freeFunction(amount: 5)',
  "  Error -32015: reverted with custom error 'FreeError(who: 0x0000000000000000000000000000000000000033, amount: 5)'",
];

/** Deploys the contract. Resolves to its address. */
async function deploy(node: StartedNode): Promise<string> {
  const [from] = (await node.call('eth_accounts')) as string[];
  const hash = await node.call('eth_sendTransaction', { from, gas: '0x4c4b40', data: code });
  const receipt = (await node.call('eth_getTransactionReceipt', hash)) as { contractAddress: string };
  return receipt.contractAddress;
}

describe('log of a failed call', () => {
  for (const method of ['eth_call', 'eth_estimateGas', 'eth_fillTransaction']) {
    it(`contains contract, function, error and source positions of ${method}`, async () => {
      const node = await start(['--artifacts', artifacts]);
      const to = await deploy(node);
      if (method === 'eth_fillTransaction') await node.call(method, { from: SENDER, to, data });
      else await node.call(method, { to, data }, 'latest');
      await node.end();
      const { output } = node.host.written;
      expect(output).toContain(`\n${[method, ...EXPLAINED].join('\n')}\n`);
      expect(output).toMatch(/\n {6}at failFreely \(contracts\/Reverts\.sol:\d+:\d+\)\n/);
      expect(output).toMatch(/\n {6}at Reverts\.freeFunction \(contracts\/Reverts\.sol:\d+:\d+\)\n/);
    });
  }

  it('explains the call by its own state, even if the chain changes before', async () => {
    const node = await start(['--artifacts', artifacts]);
    const to = await deploy(node);
    const calls = [['eth_call', { to, data }, 'latest'], ['hardhat_setCode', to, '0x'], ['evm_mine']];
    const requests = calls.map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params }));
    await fetch(node.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(requests),
    });
    await node.end();
    const { output } = node.host.written;
    expect(output).toContain(`\n${['eth_call', ...EXPLAINED].join('\n')}\n`);
    expect(output.indexOf('Reverts.freeFunction')).toBeLessThan(output.indexOf('hardhat_setCode'));
  });

  it('--json contains the same data as members of the request', async () => {
    const node = await start(['--artifacts', artifacts, '--json']);
    const to = await deploy(node);
    await node.call('eth_call', { to, data }, 'latest');
    await node.end();
    const line = node.host.written.output.split('\n').find((text) => text.includes('"method":"eth_call"'));
    expect(JSON.parse(line ?? '')).toMatchObject({
      kind: 'request',
      error: { code: -32015 },
      subject: 'Reverts.freeFunction(amount: 5)',
      failure: expect.stringContaining("custom error 'FreeError("),
      stackTrace: [{ function: 'failFreely' }, { contract: 'Reverts', function: 'freeFunction' }],
    });
  });

  it('--json adds nothing for a contract without an artifact', async () => {
    const node = await start(['--artifacts', artifacts, '--json']);
    const to = `0x${'ab'.repeat(20)}`;
    await node.call('anvil_setCode', to, '0x5f5ffd');
    await node.call('eth_call', { to, data }, 'latest');
    await node.end();
    const line = node.host.written.output.split('\n').find((text) => text.includes('"method":"eth_call"'));
    const entry: object = JSON.parse(line ?? '');
    expect(entry).toMatchObject({ kind: 'request', error: { code: -32015 } });
    expect(Object.keys(entry).sort()).toEqual(['durationMs', 'error', 'kind', 'method', 'time']);
  });

  it('--verbose logs all calls as a tree', async () => {
    const node = await start(['--artifacts', artifacts, '--verbose']);
    const to = await deploy(node);
    await node.call('eth_call', { to, data }, 'latest');
    await node.end();
    expect(node.host.written.output).toMatch(/\n {2}Reverts\.freeFunction\(amount: 5\) ✗ \d+ gas\n/);
  });

  it('--no-artifacts logs only the error', async () => {
    const node = await start(['--no-artifacts']);
    const to = await deploy(node);
    await node.call('eth_call', { to, data }, 'latest');
    await node.end();
    expect(node.host.written.output).toMatch(/\neth_call\n {2}Error -32015: [^\n]*\n/);
    expect(node.host.written.output).not.toContain('Reverts');
  });
});

describe('reverts with a widely used error', () => {
  it('the log contains the error as a guess without an artifact', async () => {
    const node = await start(['--artifacts', artifacts]);
    // Reverts with its call data.
    const to = `0x${'ab'.repeat(20)}`;
    await node.call('anvil_setCode', to, '0x365f5f37365ffd');
    const owner = `0x${'cd'.repeat(20)}`;
    const error = `0x118cdaa7${owner.slice(2).padStart(64, '0')}`;
    await node.call('eth_call', { to, data: error }, 'latest');
    await node.end();
    expect(node.host.written.output).toMatch(
      /\n {2}Error -32015: reverted with custom error 'OwnableUnauthorizedAccount\(account: 0xcd[cC][^']*\)' \(guessed by its selector\)\n/i,
    );
  });
});

describe('errors of failed executions for Hardhat', () => {
  it('the stack trace follows the first line of the message', async () => {
    const node = await start(['--artifacts', artifacts, '--compat', 'hardhat']);
    const to = await deploy(node);
    const [from] = (await node.call('eth_accounts')) as string[];
    for (const method of ['eth_call', 'eth_estimateGas', 'eth_fillTransaction', 'eth_sendTransaction']) {
      const gas = method === 'eth_fillTransaction' ? {} : { gas: '0x4c4b40' };
      const { error } = (await node.call(method, { from, to, data, ...gas })) as {
        error: { message: string };
      };
      const [first, ...places] = error.message.split('\n');
      expect(first).toMatch(
        /^VM Exception while processing transaction: reverted with custom error 'FreeError\("0x\w{40}", 5\)'$/,
      );
      expect(places).toEqual([
        expect.stringMatching(/^ {4}failFreely \(contracts\/Reverts\.sol:\d+:\d+\)$/),
        expect.stringMatching(/^ {4}Reverts\.freeFunction \(contracts\/Reverts\.sol:\d+:\d+\)$/),
      ]);
    }
    await node.end();
    const { output } = node.host.written;
    expect(output.split('at failFreely')).toHaveLength(5);
  });

  it('a failed compiler check is reported, although it has no revert data', async () => {
    const node = await start(['--artifacts', artifacts, '--compat', 'hardhat']);
    const to = await deploy(node);
    const { error } = (await node.call('eth_call', { to, data: '0x12345678' })) as {
      error: { message: string };
    };
    expect(error.message.split('\n')).toEqual([
      "Transaction reverted: function selector was not recognized and there's no fallback function",
      expect.stringMatching(/^ {4}Reverts\.<unrecognized-selector> \(contracts\/Reverts\.sol:\d+:\d+\)$/),
    ]);
  });

  it('the reason of a failed inner creation is reported, although callers do not receive it', async () => {
    const project = new URL('../../fixtures/projects/solc/0.6.12/', import.meta.url);
    const [input, compiled] = ['input.json', 'output.json'].map((file) =>
      JSON.parse(readFileSync(new URL(file, project), 'utf8')),
    );
    const { abi: legacyAbi, evm } = compiled.contracts['legacy/Legacy.sol'].Legacy;
    const node = await start(['--no-artifacts', '--compat', 'hardhat']);
    await node.call('inspect_addArtifacts', input, compiled);
    const [from] = (await node.call('eth_accounts')) as string[];
    const linked = evm.bytecode.object.replaceAll(/__\$\w{34}\$__/g, '11'.repeat(20));
    const creation = { from, gas: '0x7a1200', data: `0x${linked}` };
    const hash = await node.call('eth_sendTransaction', creation);
    const receipt = (await node.call('eth_getTransactionReceipt', hash)) as { contractAddress: string };
    const make = encodeFunctionData({ abi: legacyAbi, functionName: 'make', args: [5n] });
    const { error } = (await node.call('eth_call', { to: receipt.contractAddress, data: make })) as {
      error: { message: string };
    };
    await node.end();
    expect(error.message.split('\n')).toEqual([
      "VM Exception while processing transaction: reverted with reason string 'refused'",
      expect.stringMatching(/^ {4}LegacyChild\.constructor \(.*\)$/),
      expect.stringMatching(/^ {4}Legacy\.make \(.*\)$/),
    ]);
  });

  it('the error is one line without artifacts and in other compat modes', async () => {
    for (const options of [
      ['--no-artifacts', '--compat', 'hardhat'],
      ['--artifacts', artifacts, '--compat', 'anvil'],
      ['--artifacts', artifacts],
    ]) {
      const node = await start(options);
      const to = await deploy(node);
      for (const method of ['eth_call', 'eth_estimateGas']) {
        const { error } = (await node.call(method, { to, data }, 'latest')) as { error: { message: string } };
        expect(error.message).not.toContain('\n');
      }
      await node.end();
    }
  });
});
