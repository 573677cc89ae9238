import { readFileSync } from 'node:fs';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { encodeDeployData, encodeFunctionData, getAddress, getContractAddress } from 'viem';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { type StartedNode, start } from './support/started-node.ts';

const project = fileURLToPath(new URL('../../fixtures/projects/hardhat-2/', import.meta.url));
const artifacts = `${project}artifacts`;
const { abi, bytecode } = JSON.parse(readFileSync(`${artifacts}/contracts/Panics.sol/Panics.json`, 'utf8'));
const overflow = encodeFunctionData({ abi, functionName: 'overflow', args: [100] });
function readArtifact(name: string) {
  return JSON.parse(readFileSync(`${artifacts}/contracts/${name}.sol/${name}.json`, 'utf8'));
}
/** A contract that is not part of the project. */
const token = JSON.parse(
  readFileSync(new URL('../../fixtures/artifacts/cancun/Token.json', import.meta.url), 'utf8'),
);
const GAS = '0x4c4b40';

/** Deploys Panics and sends an overflow. Resolves to the log after the node has stopped. */
async function logOfFailure(node: StartedNode): Promise<string> {
  const [from] = (await node.call('eth_accounts')) as string[];
  const creation = await node.call('eth_sendTransaction', { from, gas: GAS, data: bytecode });
  const { contractAddress: to } = (await node.call('eth_getTransactionReceipt', creation)) as {
    contractAddress: string;
  };
  await node.call('eth_sendTransaction', { from, to, gas: GAS, data: overflow });
  await node.end();
  const { output } = node.host.written;
  return output.slice(Math.max(output.indexOf('Listening on'), 0));
}

describe('log of a node with artifacts', () => {
  it('--artifacts adds contracts, arguments, failures and a stack trace to the log', async () => {
    const text = await logOfFailure(await start(['--artifacts', artifacts]));
    expect(text).toMatch(/Contract deployment: {2}new Panics\(\) at 0x[0-9a-f]{40}\n/);
    expect(text).toMatch(/Contract call: {2}Panics\.overflow\(number: 100\)\n/);
    expect(text).toContain('  Error: reverted with panic code 0x11 (arithmetic underflow or overflow)\n');
    expect(text).toContain('      at Panics.overflow (contracts/Panics.sol:20:16)\n');
  });

  it('the log uses the artifacts of the project in the working directory', async () => {
    const text = await logOfFailure(await start([], { workingDirectory: project }));
    expect(text).toMatch(/Contract call: {2}Panics\.overflow\(number: 100\)\n/);
  });

  it('the banner lists the artifact folders found and expected', async () => {
    const found = await start([], { workingDirectory: project });
    expect(found.host.written.output).toContain(`\nProject:    Hardhat artifacts: ${artifacts}\n`);
    const named = await start(['--artifacts', artifacts]);
    expect(named.host.written.output).toContain(`\nProject:    artifacts: ${artifacts}\n`);
    const empty = await temporaryDirectory();
    await writeFile(join(empty, 'foundry.toml'), '');
    const awaited = await start([], { workingDirectory: empty });
    expect(awaited.host.written.output).toContain(
      `\nProject:    Foundry artifacts: ${empty}/out (not built yet)\n`,
    );
    const none = await start(['--no-artifacts'], { workingDirectory: project });
    expect(none.host.written.output).not.toContain('Artifacts');
  });

  it('--no-artifacts logs as without a project', async () => {
    const text = await logOfFailure(await start(['--no-artifacts'], { workingDirectory: project }));
    expect(text).toMatch(/Contract call: {2}selector 0x[0-9a-f]{8}\n/);
    expect(text).not.toContain(' at Panics');
  });

  it('--verbose logs all calls as a tree', async () => {
    const text = await logOfFailure(await start(['--artifacts', artifacts, '--verbose']));
    expect(text).toMatch(/\n {2}Panics\.overflow\(number: 100\) ✗ \d+ gas\n/);
    expect(text.match(/reverted with panic code 0x11/g)).toHaveLength(1);
  });

  it('an unreadable artifact is noted after the transaction', async () => {
    const root = await temporaryDirectory();
    await cp(artifacts, root, { recursive: true });
    await writeFile(join(root, 'contracts', 'Broken.json'), '{"abi": [');
    const text = await logOfFailure(await start(['--artifacts', root]));
    expect(text).toMatch(/^Note: cannot read \S+Broken\.json as an artifact: /m);
    expect(text).toMatch(/\neth_sendTransaction\n {2}Contract deployment:/);
    expect(text).not.toMatch(/\n {2}[^\n]*\nNote:/);
  });

  it('a block is explained even if it is reverted before the artifacts are read', async () => {
    const node = await start(['--artifacts', artifacts, '--no-mining']);
    const [from = '0x'] = (await node.call('eth_accounts')) as `0x${string}`[];
    const snapshot = await node.call('evm_snapshot');
    const to = getContractAddress({ from, nonce: 0n });
    const calls = [
      ['eth_sendTransaction', { from, gas: GAS, data: bytecode }],
      ['evm_mine'],
      ['eth_sendTransaction', { from, to, gas: GAS, data: overflow }],
      ['evm_mine'],
      ['evm_revert', snapshot],
    ];
    const requests = calls.map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params }));
    await fetch(node.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(requests),
    });
    await node.end();
    expect(node.host.written.output).toContain('      at Panics.overflow (contracts/Panics.sol:20:16)\n');
    expect(node.host.written.output).toContain('Removed blocks #1 to #2');
  });

  it('--verbose logs state changes below the calls', async () => {
    const node = await start(['--artifacts', artifacts, '--verbose']);
    const [from] = (await node.call('eth_accounts')) as string[];
    const deploy = async (data: string): Promise<string> => {
      const hash = await node.call('eth_sendTransaction', { from, gas: GAS, data });
      const receipt = (await node.call('eth_getTransactionReceipt', hash)) as { contractAddress: string };
      return receipt.contractAddress;
    };
    const linked = readArtifact('Linked');
    const library = await deploy(readArtifact('Checks').bytecode);
    const code = linked.bytecode.replaceAll(/__\$\w{34}\$__/g, library.slice(2));
    const to = await deploy(`${code}${(3).toString(16).padStart(64, '0')}`);
    const data = encodeFunctionData({ abi: linked.abi, functionName: 'add' });
    await node.call('eth_sendTransaction', { from, to, gas: GAS, data });
    await node.end();
    expect(node.host.written.output).toMatch(
      /\n {2}Linked\.add\(\) \d+ gas\n[\s\S]*\n {2}storage Linked\.list\.length: 0 → 1\n/,
    );
  });

  it('calls and events of unknown contracts are logged as guesses', async () => {
    const node = await start(['--artifacts', artifacts]);
    const [from = '0x', to = '0x'] = (await node.call('eth_accounts')) as `0x${string}`[];
    const creationOf = { abi: token.abi, args: ['Token', 'TKN', from, 1_000n] };
    const data = encodeDeployData({ ...creationOf, bytecode: token.bytecode });
    const creation = await node.call('eth_sendTransaction', { from, gas: GAS, data });
    const { contractAddress } = (await node.call('eth_getTransactionReceipt', creation)) as {
      contractAddress: string;
    };
    await node.call('inspect_label', to, 'alice');
    const transfer = encodeFunctionData({ abi: token.abi, functionName: 'transfer', args: [to, 5n] });
    await node.call('eth_sendTransaction', { from, to: contractAddress, gas: GAS, data: transfer });
    await node.end();
    const { output } = node.host.written;
    expect(output).toContain(
      `Contract call:  ${contractAddress}.transfer(to: alice, amount: 5) (guessed by its selector)\n`,
    );
    expect(output).toContain(
      `Events:         Transfer(from: ${getAddress(from)}, to: alice, value: 5) (guessed by its topic)\n`,
    );
  });

  it('arguments and events contain the labels of addresses', async () => {
    const root = await temporaryDirectory();
    await writeFile(join(root, 'Token.json'), JSON.stringify(token));
    for (const options of [[], ['--verbose']]) {
      const node = await start(['--artifacts', root, ...options]);
      const [from = '0x', to = '0x'] = (await node.call('eth_accounts')) as `0x${string}`[];
      const creationOf = { abi: token.abi, args: ['Token', 'TKN', from, 1_000n] };
      await node.call('inspect_label', from, 'owner');
      await node.call('inspect_label', to, 'alice');
      const data = encodeDeployData({ ...creationOf, bytecode: token.bytecode });
      const creation = await node.call('eth_sendTransaction', { from, gas: GAS, data });
      const { contractAddress } = (await node.call('eth_getTransactionReceipt', creation)) as {
        contractAddress: string;
      };
      const transfer = encodeFunctionData({ abi: token.abi, functionName: 'transfer', args: [to, 5n] });
      await node.call('eth_sendTransaction', { from, to: contractAddress, gas: GAS, data: transfer });
      await node.end();
      const { output } = node.host.written;
      expect(output).toContain('new Token(name: "Token", symbol: "TKN", holder: owner, supply: 1000)');
      expect(output).toContain('Token.transfer(to: alice, value: 5)');
      expect(output).toContain('Transfer(from: owner, to: alice, value: 5)');
      expect(output).toContain(`  From:           owner (${from})\n  To:             ${contractAddress}\n`);
    }
  });

  it('a facet of a diamond with a facet mapping is logged by name', async () => {
    const solc = new URL('../../fixtures/projects/solc/0.8.28/output.json', import.meta.url);
    const { contracts } = JSON.parse(readFileSync(solc, 'utf8'));
    const { Safe, Diamond } = contracts['Proxies.sol'];
    const node = await start(['--artifacts', fileURLToPath(new URL('.', solc))]);
    const [from = '0x'] = (await node.call('eth_accounts')) as `0x${string}`[];
    const deploy = async (data: string): Promise<unknown> => {
      const hash = await node.call('eth_sendTransaction', { from, gas: GAS, data });
      const receipt = (await node.call('eth_getTransactionReceipt', hash)) as { contractAddress: unknown };
      return receipt.contractAddress;
    };
    const facet = await deploy(`0x${Safe.evm.bytecode.object}`);
    const withdraw = encodeFunctionData({ abi: Safe.abi, functionName: 'withdraw', args: [0n] });
    const bytecode = `0x${Diamond.evm.bytecode.object}` as const;
    const args = [facet, [withdraw.slice(0, 10)]];
    const to = await deploy(encodeDeployData({ abi: Diamond.abi, bytecode, args }));
    await node.call('eth_sendTransaction', { from, to, gas: GAS, data: withdraw });
    await node.end();
    expect(node.host.written.output).toContain('Contract call:  Diamond → Safe.withdraw(asked: 0)\n');
  });

  it('labels are logged without artifacts, also for transfers', async () => {
    const node = await start([]);
    const [from = '0x', to = '0x'] = (await node.call('eth_accounts')) as `0x${string}`[];
    await node.call('inspect_label', to, 'alice');
    await node.call('eth_sendTransaction', { from, to, value: '0x1' });
    await node.call('eth_sendTransaction', { from: to, to: from, value: '0x1' });
    await node.end();
    const { output } = node.host.written;
    expect(output).toMatch(new RegExp(` From: +${from}\n +To: +alice \\(${to}\\)\n`));
    expect(output).toMatch(new RegExp(` From: +alice \\(${to}\\)\n +To: +${from}\n`));
  });

  it('--json contains the same data as members', async () => {
    const text = await logOfFailure(await start(['--artifacts', artifacts, '--json']));
    const lines = text.split('\n').filter((line) => line.includes('"kind":"transaction"'));
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
      subject: 'Panics.overflow(number: 100)',
      stack: '    at Panics.overflow (contracts/Panics.sol:20:16)',
      stackTrace: [
        { contract: 'Panics', function: 'overflow', source: 'contracts/Panics.sol', line: 20, column: 16 },
      ],
    });
  });
});

describe('folders of --artifacts', () => {
  it('a missing folder of --artifacts is noted', async () => {
    const { host } = await start(['--artifacts', '/no/such/folder']);
    expect(host.written.output).toContain(
      'Note: --artifacts: /no/such/folder does not exist yet; the node reads it as soon as it exists\n',
    );
  });

  it('the error of the first failure is explained in compat mode hardhat', async () => {
    const node = await start(['--artifacts', artifacts, '--compat', 'hardhat']);
    const [from] = (await node.call('eth_accounts')) as string[];
    const creation = await node.call('eth_sendTransaction', { from, gas: GAS, data: bytecode });
    const { contractAddress: to } = (await node.call('eth_getTransactionReceipt', creation)) as {
      contractAddress: string;
    };
    const answer = await node.call('eth_sendTransaction', { from, to, gas: GAS, data: overflow });
    expect(answer).toMatchObject({
      error: { data: { stack: '    at Panics.overflow (contracts/Panics.sol:20:16)' } },
    });
  });
});
