import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPublicClient, createTestClient, type Hex, http, publicActions, toHex } from 'viem';
import { entryPoint08Address } from 'viem/account-abstraction';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { codesOf, type SentFields } from '../../src/explorer/sent-again.ts';
import { DEV_ACCOUNTS } from '../support/dev-accounts.ts';
import { type RunningNode, startNode } from '../support/node-process.ts';
import { startServiceFork } from '../support/service-fork.ts';
import { recipe } from './readme-recipe.ts';
import { copyProject, install, type ToolProject } from './tool-project.ts';

/** In milliseconds. */
const MAX_INSTALL_TIME = 600_000;
const MAX_RUN_TIME = 120_000;

/** Each npm package of Foundry contains the programs of one platform. */
const HAS_FOUNDRY = process.platform === 'linux' && process.arch === 'x64';
const SYSTEM = HAS_FOUNDRY
  ? 'Linux on x64'
  : 'any system but Linux on x64: skipped, its programs are not installed';

const [deployer, sender, first, second] = DEV_ACCOUNTS;
const DEPLOYED = /Deployed to: (0x[0-9a-fA-F]{40})/;

describe.skipIf(!HAS_FOUNDRY)(`Foundry with default compiler settings on ${SYSTEM}`, () => {
  let project: ToolProject;
  let node: RunningNode;

  beforeAll(async () => {
    await install('foundry');
    project = copyProject('foundry');
    node = await startNode('--hardfork', 'latest');
    const built = await project.start('forge', ['build'], node.url).ended;
    expect(built.code, built.output).toBe(0);
  }, MAX_INSTALL_TIME);

  afterAll(async () => {
    await node?.stop();
    project?.remove();
  });

  async function runAt(url: string, program: 'forge' | 'cast', ...args: readonly string[]): Promise<string> {
    const remote = program === 'forge' ? 'node33' : url;
    const { code, output } = await project.start(program, [...args, '--rpc-url', remote], url).ended;
    expect(code, output).toBe(0);
    return output;
  }

  function run(program: 'forge' | 'cast', ...args: readonly string[]): Promise<string> {
    return runAt(node.url, program, ...args);
  }

  /** Sends a transaction by cast, and returns its receipt. */
  async function send(key: Hex, ...args: readonly string[]) {
    const receipt = JSON.parse(await run('cast', 'send', ...args, '--private-key', key, '--json'));
    expect(receipt.status).toBe('0x1');
    return receipt;
  }

  async function create(contract: string): Promise<string> {
    const key = ['--private-key', deployer.privateKey];
    const output = await run('forge', 'create', `src/${contract}.sol:${contract}`, ...key, '--broadcast');
    return DEPLOYED.exec(output)?.[1] ?? expect.unreachable(output);
  }

  it(
    'creates and calls a contract with an Osaka opcode, and replays the transaction',
    async () => {
      const widths = await create('Widths');
      const { transactionHash, gasUsed } = await send(
        sender.privateKey,
        widths,
        'record(uint256)',
        `${2 ** 40}`,
      );
      expect(await run('cast', 'call', widths, 'largest()(uint256)')).toBe('41\n');
      const replayed = await run('cast', 'run', transactionHash, '--evm-version', 'osaka');
      expect(replayed).toContain(`Gas used: ${Number(gasUsed)}`);
      expect(replayed).toContain('Transaction successfully executed.');
      const refused = project.start(
        'cast',
        ['call', widths, 'record(uint256)', '1', '--rpc-url', node.url],
        node.url,
      );
      expect((await refused.ended).output).toContain('not wider');
    },
    MAX_RUN_TIME,
  );

  it(
    'runs tests on a fork of the node',
    async () => {
      expect(await run('forge', 'test')).toContain('2 tests passed, 0 failed');
    },
    MAX_RUN_TIME,
  );

  it(
    'tests, deploys, calls and replays on a fork of a service with few methods',
    async () => {
      const widths = await create('Widths');
      const { transactionHash, blockNumber } = await send(sender.privateKey, widths, 'record(uint256)', '7');
      await run('cast', 'rpc', 'evm_mine');
      const fork = await startServiceFork(node.url, '--hardfork', 'latest');
      onTestFinished(() => fork.stop());
      const key = ['--private-key', deployer.privateKey];
      const onFork = (program: 'forge' | 'cast', ...args: readonly string[]): Promise<string> =>
        runAt(fork.url, program, ...args);

      expect(await onFork('forge', 'test')).toContain('2 tests passed, 0 failed');
      for (const options of [[], ['--slow'], ['--legacy']])
        expect(
          await onFork('forge', 'script', 'script/Deploy.s.sol', ...key, '--broadcast', ...options),
        ).toContain('ONCHAIN EXECUTION COMPLETE & SUCCESSFUL');
      await onFork('cast', 'send', widths, 'record(uint256)', `${2 ** 40}`, ...key);
      expect(await onFork('cast', 'call', widths, 'largest()(uint256)')).toBe('41\n');
      const older = `${Number(blockNumber)}`;
      expect(await onFork('cast', 'call', widths, 'largest()(uint256)', '--block', older)).toBe('3\n');
      const logs = await onFork('cast', 'logs', '--address', widths, '--from-block', '1', '--json');
      expect(JSON.parse(logs)).toHaveLength(2);
      for (const command of [
        ['run', transactionHash, '--evm-version', 'osaka'],
        ['receipt', transactionHash, '--json'],
        ['block', older, '--full', '--json'],
        ['estimate', widths, 'record(uint256)', '4096', '--block', older],
        ['access-list', widths, 'record(uint256)', '4096', '--block', older],
        ['proof', widths, '0', '--block', older],
        ['rpc', 'debug_traceTransaction', transactionHash],
      ])
        expect(await onFork('cast', ...command)).toBe(await run('cast', ...command));
    },
    MAX_RUN_TIME,
  );

  it(
    'deploys with a script under amsterdam with gas estimates of the node',
    async () => {
      const preview = await startNode('--hardfork', 'amsterdam');
      onTestFinished(() => preview.stop());
      const key = ['--private-key', deployer.privateKey, '--broadcast', '--skip-simulation'];
      const script = ['script', 'script/Deploy.s.sol', ...key, '--rpc-url', 'node33'];
      const { code, output } = await project.start('forge', script, preview.url).ended;
      expect(code, output).toBe(0);
      expect(output).toContain('ONCHAIN EXECUTION COMPLETE & SUCCESSFUL');
    },
    MAX_RUN_TIME,
  );

  it(
    'cast sends type 2 under rootstock-next by itself, at no less than the minimum gas price',
    async () => {
      const preview = await startNode('--hardfork', 'rootstock-next', '--min-gas-price', '60000000');
      onTestFinished(() => preview.stop());
      const options = ['--value', '1', '--private-key', sender.privateKey, '--json'];
      const receipt = JSON.parse(await runAt(preview.url, 'cast', 'send', first.address, ...options));
      expect(receipt).toMatchObject({ type: '0x2', status: '0x1', gasUsed: '0x5208' });
      expect(Number(receipt.effectiveGasPrice)).toBeGreaterThanOrEqual(60_000_000);
    },
    MAX_RUN_TIME,
  );

  it(
    'deploys with a script',
    async () => {
      const script = ['script', 'script/Deploy.s.sol', '--private-key', deployer.privateKey, '--broadcast'];
      expect(await run('forge', ...script)).toContain('ONCHAIN EXECUTION COMPLETE & SUCCESSFUL');
    },
    MAX_RUN_TIME,
  );

  it.each([
    ['one of two transactions', ['--slow'], 1],
    ['both transactions', [], 2],
  ])(
    'resumes a broadcast that was interrupted after it had sent %s',
    async (_, options, sentCount) => {
      const other = await startNode('--hardfork', 'latest', '--no-mining');
      onTestFinished(() => other.stop());
      const client = createTestClient({ mode: 'anvil', transport: http(other.url) }).extend(publicActions);
      const script = ['script', 'script/Deploy.s.sol', '--private-key', deployer.privateKey];
      const common = [...script, '--rpc-url', 'node33', '--broadcast', ...options];
      rmSync(join(project.directory, 'broadcast'), { recursive: true, force: true });
      const interrupted = project.start('forge', common, other.url);
      const file = join(project.directory, 'broadcast/Deploy.s.sol/33/run-latest.json');
      const recorded = () => JSON.parse(readFileSync(file, 'utf8')).pending;
      // forge records a transaction only after it has received the hash.
      await expect.poll(recorded, { timeout: MAX_RUN_TIME }).toHaveLength(sentCount);
      expect((await client.getTxpoolStatus()).pending).toBe(sentCount);
      interrupted.process.kill('SIGKILL');
      await interrupted.ended;
      await client.mine({ blocks: 1 });
      await client.setAutomine(true);
      const { code, output } = await project.start('forge', [...common, '--resume'], other.url).ended;
      expect(code, output).toBe(0);
      expect(output).toContain('ONCHAIN EXECUTION COMPLETE & SUCCESSFUL');
      expect(await client.getTransactionCount({ address: deployer.address })).toBe(2);
    },
    MAX_RUN_TIME,
  );

  it.each([
    ['proofs of cells', []],
    ['proofs of blobs', ['--eip4844']],
  ])(
    'sends a blob with %s',
    async (_, options) => {
      const file = join(project.directory, 'blob.txt');
      writeFileSync(file, 'What a rollup has to say. '.repeat(200));
      const blob = ['--blob', '--path', file, '--blob-gas-price', '100', ...options];
      const receipt = await send(sender.privateKey, first.address, ...blob);
      expect(receipt).toMatchObject({ type: '0x3', blobGasUsed: '0x20000', blobGasPrice: '0x1' });
      const client = createPublicClient({ transport: http(node.url) });
      const kept = await client.request({
        method: 'anvil_getBlobsByTransactionHash',
        params: [receipt.transactionHash],
      } as never);
      expect(kept).toHaveLength(1);
      expect(Buffer.from((kept as Hex[])[0]?.slice(2) ?? '', 'hex').toString('latin1')).toContain('rollup');
    },
    MAX_RUN_TIME,
  );

  it.each([
    ['of the network', []],
    ['with a base fee', ['--hardfork', 'latest']],
  ])(
    'sends a transaction with the cast command of the explorer, on a chain %s',
    async (_, options) => {
      const other = await startNode(...options);
      onTestFinished(() => other.stop());
      const client = createPublicClient({ transport: http(other.url) });
      const ask = <Result>(method: string, params: readonly unknown[]): Promise<Result> =>
        client.request({ method, params } as never) as Promise<Result>;
      const transfer = { to: first.address, value: '0x7b', gas: '0x5208' };
      // The first transaction creates a contract without code.
      const kinds = [
        { data: '0x60016000f3', gas: '0x186a0' },
        transfer,
        { ...transfer, data: '0x00c0ffee', gas: '0x186a0' },
      ];
      for (const fields of kinds) {
        const hash = await ask<Hex>('eth_sendTransaction', [{ from: sender.address, ...fields }]);
        const sent = await ask<SentFields>('eth_getTransactionByHash', [hash]);
        const code = codesOf(sent, other.url).cast ?? expect.unreachable('there is none for cast');
        const { code: exit, output } = await project.start('sh', ['-c', code], other.url).ended;
        expect(exit, output).toBe(0);
        const { transactions } = await ask<{ transactions: readonly object[] }>('eth_getBlockByNumber', [
          'latest',
          true,
        ]);
        const { type, from, to, value, gas, input } = sent;
        expect(transactions).toMatchObject([{ type, from, to, value, gas, input }]);
      }
    },
    MAX_RUN_TIME,
  );

  it(
    'sends several calls of an account that delegates in the same transaction (EIP-7702)',
    async () => {
      const batch = await create('Batch');
      const client = createPublicClient({ transport: http(node.url) });
      const before = await client.getBalance({ address: second.address });
      const calls = `[(${first.address},1,0x),(${second.address},2,0x)]`;
      const call = [sender.address, 'run((address,uint256,bytes)[])', calls, '--auth', batch];
      expect(await send(sender.privateKey, ...call)).toMatchObject({ type: '0x4' });
      expect(await client.getBalance({ address: second.address })).toBe(before + 2n);
      expect(await run('cast', 'code', sender.address)).toBe(`0xef0100${batch.slice(2).toLowerCase()}\n`);
    },
    MAX_RUN_TIME,
  );

  it(
    'sends a signed user operation and reads its receipt (ERC-4337)',
    async () => {
      const account = await create('Account');
      await send(sender.privateKey, account, '--value', '1ether');
      const pay = ['pay(address,uint256)', first.address, '5'];
      const encoded = await project.start('cast', ['calldata', ...pay], node.url).ended;
      const callData = encoded.output.trim();
      const [maxFeePerGas, maxPriorityFeePerGas, gas] = [4_000_000_000n, 1_000_000_000n, 200_000n];
      const pairOf = (high: bigint, low: bigint) => toHex((high << 128n) | low, { size: 32 });
      const limits = `${pairOf(gas, gas)},${gas},${pairOf(maxPriorityFeePerGas, maxFeePerGas)}`;
      const hash = await run(
        'cast',
        'call',
        entryPoint08Address,
        'getUserOpHash((address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes))(bytes32)',
        `(${account},0,0x,${callData},${limits},0x,0x)`,
      );
      const key = ['--private-key', deployer.privateKey];
      const signing = ['wallet', 'sign', '--no-hash', hash.trim(), ...key];
      const signed = await project.start('cast', signing, node.url).ended;
      const operation = {
        sender: account,
        nonce: '0x0',
        callData,
        callGasLimit: toHex(gas),
        verificationGasLimit: toHex(gas),
        preVerificationGas: toHex(gas),
        maxFeePerGas: toHex(maxFeePerGas),
        maxPriorityFeePerGas: toHex(maxPriorityFeePerGas),
        signature: signed.output.trim(),
      };
      const rpc = async (method: string, ...params: readonly string[]) =>
        JSON.parse(await run('cast', 'rpc', method, ...params));
      const client = createPublicClient({ transport: http(node.url) });
      const before = await client.getBalance({ address: first.address });
      const sent = await rpc('eth_sendUserOperation', JSON.stringify(operation), entryPoint08Address);
      expect(sent).toBe(hash.trim());
      expect(await rpc('eth_getUserOperationReceipt', sent)).toMatchObject({ success: true });
      expect(await client.getBalance({ address: first.address })).toBe(before + 5n);
    },
    MAX_RUN_TIME,
  );

  it(
    'runs the commands of the README',
    async () => {
      const counter =
        'contract Counter { uint256 public number; function increment() external { number++; } }';
      writeFileSync(join(project.directory, 'src', 'Counter.sol'), `pragma solidity ^0.8.0;\n${counter}\n`);
      writeFileSync(join(project.directory, 'recipe.sh'), `set -e\n${recipe('Foundry')}`);
      const other = await startNode();
      onTestFinished(() => other.stop());
      const { code, output } = await project.start('sh', ['recipe.sh'], other.url).ended;
      expect(code, output).toBe(0);
      expect(output).toContain('Deployed to: 0x');
      expect(output).toMatch(/status +1 \(success\)/);
    },
    MAX_RUN_TIME,
  );
});
