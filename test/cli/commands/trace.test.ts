import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { encodeDeployData, encodeFunctionData, parseAbi } from 'viem';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCommand } from '../../../src/cli/main.ts';
import { grouped } from '../../../src/primitives/grouped.ts';
import { answerAt } from '../../support/json-rpc.ts';
import { type FakeHostOptions, fakeHost } from '../support/fake-host.ts';
import { type StartedNode, start } from '../support/started-node.ts';

const artifacts = fileURLToPath(new URL('../../../fixtures/projects/hardhat-2/artifacts', import.meta.url));
const contract = JSON.parse(readFileSync(`${artifacts}/contracts/Panics.sol/Panics.json`, 'utf8'));
const overflow = encodeFunctionData({ abi: contract.abi, functionName: 'overflow', args: [100] });
const token = JSON.parse(
  readFileSync(new URL('../../../fixtures/artifacts/cancun/Token.json', import.meta.url), 'utf8'),
);
const GAS = '0x4c4b40';
const HASH = `0x${'12'.repeat(32)}`;

async function trace(words: readonly string[], options: FakeHostOptions = {}) {
  const host = fakeHost({ ...options, commandLine: ['trace', ...words] });
  await runCommand(host);
  return { ...host.written, code: await host.exited() };
}

/** Starts a node and sends a failing call to Panics. */
async function nodeWithFailure(
  options: readonly string[] = ['--artifacts', artifacts],
): Promise<{ readonly node: StartedNode; readonly to: string; readonly hash: string }> {
  const node = await start(options);
  const [from] = (await node.call('eth_accounts')) as string[];
  const creation = await node.call('eth_sendTransaction', { from, gas: GAS, data: contract.bytecode });
  const { contractAddress: to } = (await node.call('eth_getTransactionReceipt', creation)) as {
    contractAddress: string;
  };
  const hash = (await node.call('eth_sendTransaction', { from, to, gas: GAS, data: overflow })) as string;
  return { node, to, hash };
}

/** A server that returns the given result for each method, or an unknown-method error. */
async function otherServer(answer: (method: string) => object | string): Promise<string> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const { id, method } = JSON.parse(body);
      const given = answer(method);
      response.end(typeof given === 'string' ? given : JSON.stringify({ jsonrpc: '2.0', id, ...given }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('trace <hash>', () => {
  it('trace <hash> prints the call tree and the stack trace', async () => {
    const { node, hash } = await nodeWithFailure();
    const { output, errors, code } = await trace([hash, '--url', node.url]);
    const { gasUsed } = (await node.call('eth_getTransactionReceipt', hash)) as { gasUsed: string };
    const used = BigInt(gasUsed);
    expect(used).toBeGreaterThan(21_000n);
    expect(output.replaceAll(/\d+ gas/g, 'N gas')).toBe(
      [
        'Panics.overflow(number: 100) ✗ reverted with panic code 0x11 (arithmetic underflow or overflow) N gas',
        `Gas used: ${grouped(used)} of 5,000,000`,
        '',
        'Error: reverted with panic code 0x11 (arithmetic underflow or overflow)',
        '    at Panics.overflow (contracts/Panics.sol:20:16)',
        '',
      ].join('\n'),
    );
    expect({ errors, code }).toEqual({ errors: '', code: 0 });
  });

  it('trace leaves no line in the log of the node', async () => {
    const { node, hash, to } = await nodeWithFailure();
    await trace([hash, '--url', node.url]);
    await trace(['--call', to, overflow, '--url', node.url]);
    await node.call('net_version');
    await node.end();
    expect(node.host.written.output).toContain('\nnet_version\n');
    expect(node.host.written.output).not.toMatch(/inspect_/);
  });

  it('trace prints labels in addresses, arguments, results and events', async () => {
    const node = await start(['--no-artifacts']);
    const [from = '0x', to = '0x'] = (await node.call('eth_accounts')) as `0x${string}`[];
    const { abi, bytecode } = token;
    const data = encodeDeployData({ abi, bytecode, args: ['Token', 'TKN', from, 1_000n] });
    const creation = await node.call('eth_sendTransaction', { from, gas: GAS, data });
    const { contractAddress } = (await node.call('eth_getTransactionReceipt', creation)) as {
      contractAddress: string;
    };
    const transfer = encodeFunctionData({ abi, functionName: 'transfer', args: [to, 5n] });
    const call = { from, to: contractAddress, gas: GAS, data: transfer };
    const hash = (await node.call('eth_sendTransaction', call)) as string;
    await node.call('inspect_label', from, 'owner');
    await node.call('inspect_label', to, 'alice');
    const { output } = await trace([hash, '--url', node.url]);
    expect(output).toContain(`${contractAddress}.transfer(to: alice, amount: 5) (guessed by its selector)`);
    expect(output).toContain('emit Transfer(from: owner, to: alice, value: 5) (guessed by its topic)\n');
    const { labels } = (await node.call('inspect_transaction', hash)) as { labels: object[] };
    expect(labels).toHaveLength(2);
    expect(labels).toEqual(
      expect.arrayContaining([
        { address: from, name: 'owner' },
        { address: to, name: 'alice' },
      ]),
    );
  });

  it('trace prints colours only on a terminal without NO_COLOR and --no-color', async () => {
    const { node, hash } = await nodeWithFailure();
    const isColored = async (words: readonly string[], options: FakeHostOptions): Promise<boolean> =>
      (await trace([hash, '--url', node.url, ...words], options)).output.includes('\u001b[');
    expect(await isColored([], { isTerminal: true })).toBe(true);
    expect(await isColored([], { isTerminal: false })).toBe(false);
    expect(await isColored([], { isTerminal: true, environment: { NO_COLOR: '1' } })).toBe(false);
    expect(await isColored(['--no-color'], { isTerminal: true })).toBe(false);
  });

  it('trace --verbose prints addresses, gas limits and data', async () => {
    const { node, hash, to } = await nodeWithFailure();
    const { output } = await trace([hash, '--url', node.url, '--verbose']);
    expect(output).toMatch(new RegExp(`^ {4}from 0x[0-9a-f]{40} to Panics \\(${to}\\)$`, 'm'));
    expect(output).toContain(`    input ${overflow}\n`);
    expect(output).toMatch(/gas limit \d+, own gas \d+, overflow\(uint8\)/);
  });

  it('trace --json prints the response of the node unchanged', async () => {
    const { node, hash } = await nodeWithFailure();
    const { output } = await trace([hash, '--url', node.url, '--json']);
    expect(output.split('\n')).toHaveLength(2);
    expect(JSON.parse(output)).toEqual(await node.call('inspect_transaction', hash));
  });

  it('trace --url reads the lane or key in the path', async () => {
    const node = await start(['--artifacts', artifacts, '--lanes']);
    const url = `${node.url}/mine`;
    const [from] = (await node.call('eth_accounts')) as string[];
    const params = [{ from, gas: GAS, data: contract.bytecode }];
    const { result } = await answerAt(url, 'eth_sendTransaction', params);
    const hash = String(result);
    expect((await trace([hash, '--url', url])).output).toMatch(
      /^new Panics\(\) → 0x[0-9a-f]{40} \d+ gas\nGas used: [\d,]+ of 5,000,000\n$/,
    );
    expect(await trace([hash, '--url', node.url])).toEqual({
      output: '',
      errors: `node-cli: error from ${node.url}: transaction ${hash} not found; if it is on a lane, pass --url <url>/<lane>\n`,
      code: 1,
    });
  });

  it('trace suggests --artifacts for a node without artifacts', async () => {
    const { node, hash } = await nodeWithFailure(['--no-artifacts']);
    const { output, errors, code } = await trace([hash, '--url', node.url]);
    expect(output).toMatch(/^0x[0-9a-f]{40}\.0x[0-9a-f]{8}\(32 bytes\) ✗ reverted with panic code 0x11/);
    expect(errors).toBe(
      'node-cli: note: the node has no build outputs, so some calls are not decoded; start the node in your project folder, pass --artifacts <dir>, or call inspect_addArtifacts\n',
    );
    expect(code).toBe(0);
  });

  it('trace does not mention lanes if the node has none', async () => {
    const node = await start(['--no-artifacts']);
    const { errors } = await trace([HASH, '--url', node.url]);
    expect(errors).toBe(`node-cli: error from ${node.url}: transaction ${HASH} not found\n`);
  });

  it('trace prints the gas and the value of a plain transfer', async () => {
    const node = await start(['--no-artifacts']);
    const [from, to] = (await node.call('eth_accounts')) as string[];
    const transfer = { from, to, value: '0xde0b6b3a7640000', gas: '0x186a0' };
    const hash = (await node.call('eth_sendTransaction', transfer)) as string;
    const { output } = await trace([hash, '--url', node.url]);
    const [call, ...rest] = output.split('\n');
    expect(call).toBe(`transfer to ${to} with 1 ether 0 gas`);
    expect(rest).toContain('Gas used: 21,000 of 100,000');
  });

  it('trace omits the gas limit if the server does not return the transaction', async () => {
    const { node, hash } = await nodeWithFailure();
    const result = await node.call('inspect_transaction', hash);
    const refusal = { error: { code: -32601, message: 'method not allowed' } };
    const url = await otherServer((method) => (method === 'inspect_transaction' ? { result } : refusal));
    const { output, code } = await trace([hash, '--url', url]);
    expect(output).toMatch(/^Gas used: [\d,]+$/m);
    expect(code).toBe(0);
  });

  it('trace suggests nothing if all calls are decoded', async () => {
    const node = await start(['--no-artifacts']);
    const [from, to] = (await node.call('eth_accounts')) as string[];
    const hash = (await node.call('eth_sendTransaction', { from, to, value: '0x1' })) as string;
    expect(await trace([hash, '--url', node.url])).toMatchObject({ errors: '', code: 0 });
  });

  it('trace reports that no node responds', async () => {
    const url = await otherServer(() => ({}));
    const closed = url.replace(/\d+$/, '2');
    const { errors, code } = await trace([HASH, '--url', closed]);
    expect(errors).toMatch(
      /^node-cli: no node at http:\/\/127\.0\.0\.1:2 \(.+\); start one or pass --url\n$/,
    );
    expect(code).toBe(1);
  });

  it('trace reports a node without inspect_transaction', async () => {
    const unknown = { error: { code: -32601, message: 'Method not found' } };
    const url = await otherServer((method) =>
      method === 'web3_clientVersion' ? { result: 'anvil/v1.5.0' } : unknown,
    );
    expect(await trace([HASH, '--url', url])).toEqual({
      output: '',
      errors: `node-cli: the node at ${url} (anvil/v1.5.0) does not support inspect_transaction; pass --url with the URL of a node-cli node\n`,
      code: 1,
    });
  });

  it('trace reports a web server, and a response of another version', async () => {
    const page = await otherServer(() => '<html></html>');
    expect((await trace([HASH, '--url', page])).errors).toBe(
      `node-cli: ${page} is not a JSON-RPC node: it replied to inspect_transaction with HTTP status 200 without JSON-RPC; pass another URL with --url\n`,
    );
    const other = await otherServer(() => ({ result: { call: 5 } }));
    expect(await trace([HASH, '--url', other])).toMatchObject({
      errors: `node-cli: this version of node-cli cannot read the response of ${other} (call is not an object); --json prints the response unchanged\n`,
      code: 1,
    });
  });

  it.each<[readonly string[], string]>([
    [[], 'trace: missing <hash|to>; for example npx node-cli trace <hash>'],
    [
      ['0x12'],
      'trace: expected a transaction hash (0x and 64 hexadecimal digits), got "0x12"; add --call to trace a call',
    ],
    [[HASH, 'f()'], 'trace: unexpected argument "f()" after the hash; add --call to trace a call'],
    [[HASH, '--block', '5'], '--block requires --call'],
    [[HASH, '--url', 'ws://127.0.0.1'], '--url: expected the URL of a running node'],
  ])('trace rejects %j', async (words, message) => {
    const { errors, code } = await trace(words);
    expect(errors).toContain(`node-cli: ${message}`);
    expect(code).toBe(2);
  });

  it('start rejects the options of trace', async () => {
    const host = fakeHost({ commandLine: ['--url', 'http://127.0.0.1:2'] });
    await runCommand(host);
    expect(host.written.errors).toBe(
      'node-cli: --url is not an option of start; npx node-cli help --all lists all options\n',
    );
  });
});

describe('trace --call', () => {
  it('trace --call accepts an address, a signature and arguments', async () => {
    const { node, to } = await nodeWithFailure();
    const { output, code } = await trace(['--call', to, 'overflow(uint8)', '100', '--url', node.url]);
    expect(output).toMatch(/^Panics\.overflow\(number: 100\) ✗ reverted with panic code 0x11/);
    expect(output).toContain('    at Panics.overflow (contracts/Panics.sol:20:16)\n');
    expect(code).toBe(0);
  });

  it('trace --call accepts an address and data, or a call object', async () => {
    const { node, to } = await nodeWithFailure();
    const expected = expect.stringMatching(/^Panics\.overflow\(number: 100\) ✗/);
    expect((await trace(['--call', to, overflow, '--url', node.url])).output).toEqual(expected);
    const call = JSON.stringify({ to, data: overflow });
    expect((await trace(['--call', call, '--url', node.url])).output).toEqual(expected);
  });

  it('trace --call --block runs after the given block', async () => {
    const { node, to } = await nodeWithFailure();
    const { output } = await trace(['--call', to, overflow, '--url', node.url, '--block', '0']);
    expect(output).toContain(`${to}.`);
    const missing = await trace(['--call', to, overflow, '--url', node.url, '--block', '99']);
    expect(missing).toMatchObject({ errors: expect.stringContaining('99'), code: 1 });
  });

  it('trace --call --from --value sets the sender and the value', async () => {
    const { url, seen } = await recordingServer();
    const from = `0x${'ab'.repeat(20)}`;
    const to = `0x${'cd'.repeat(20)}`;
    await trace(['--call', to, '--from', from, '--value', '1.5ether', '--block', 'pending', '--url', url]);
    expect(seen[0]).toEqual([{ to, from, value: '0x14d1120d7b160000' }, 'pending']);
  });

  it('trace --call encodes arguments of all types', async () => {
    const { url, seen } = await recordingServer();
    const to = `0x${'cd'.repeat(20)}`;
    const signature = 'f(uint256,int8,bool,bytes,bytes4,string,address[2],(uint8,string)[])(uint256)';
    const words = [
      '1e18',
      '--',
      '-5',
      'true',
      '0x1234',
      '0x12345678',
      'a, (b',
      `[${to},${to}]`,
      '[(1,"x,y"),(2,z)]',
    ];
    await trace(['--call', '--url', url, to, signature, ...words]);
    const data = encodeFunctionData({
      abi: parseAbi([
        'struct S { uint8 a; string b; }',
        'function f(uint256,int8,bool,bytes,bytes4,string,address[2],S[])',
      ]),
      args: [
        10n ** 18n,
        -5,
        true,
        '0x1234',
        '0x12345678',
        'a, (b',
        [to as `0x${string}`, to as `0x${string}`],
        [
          { a: 1, b: 'x,y' },
          { a: 2, b: 'z' },
        ],
      ],
    });
    expect(seen[0]).toEqual([{ to, data }, 'latest']);
  });

  const to = `0x${'cd'.repeat(20)}`;
  it.each<[readonly string[], string]>([
    [
      ['Token', 'f()'],
      'trace --call: expected an address (0x and 40 hexadecimal digits) or a JSON call object, got "Token"; for example',
    ],
    [
      [to, 'transfer to'],
      'trace --call: expected a signature or data after the address, got "transfer to"; for example',
    ],
    [
      [to, 'f(uint257)'],
      'trace --call: expected a signature or data after the address, got "f(uint257)"; for example',
    ],
    [[to, 'f(uint8)'], 'f: expected 1 argument (uint8), got 0'],
    [[to, 'f(uint8)', '256'], 'trace --call: argument 1 of f: expected a number for uint8, got "256"'],
    [
      [to, 'f(bytes4)', '0x12'],
      'trace --call: argument 1 of f: expected bytes4 (0x and 8 hexadecimal digits), got "0x12"',
    ],
    [
      [to, 'f(uint8[2])', '[1]'],
      'trace --call: argument 1 of f: expected a list in brackets for uint8[2], got "[1]"',
    ],
    [
      [to, 'f((uint8,bool))', '(1)'],
      'trace --call: argument 1 of f: expected members in parentheses for (uint8,bool), got "(1)"',
    ],
    [
      [to, 'f(address who, uint8 age)', to, 'x'],
      'trace --call: age of f: expected a number for uint8, got "x"',
    ],
    [[to, '0x12', '5'], 'trace --call: unexpected argument "5" after the data; remove it'],
    [['{"to":'], 'trace --call: invalid JSON in the call object: '],
    [
      ['{"value":"0x1"}', '--value', '1'],
      '--value cannot be used with a call object that contains value; remove one of them',
    ],
    [[to, '--value', '0.5'], '--value: expected an amount of wei'],
    [[to, '--value', '0.5wei'], '--value: expected at most 0 decimal places for wei, got 0.5wei'],
  ])('trace --call rejects %j', async (words, message) => {
    const { errors, code } = await trace(['--call', ...words]);
    expect(errors).toContain(`node-cli: ${message}`);
    expect(code).toBe(2);
  });

  it('trace --call accepts the bare name of a known function', async () => {
    const { node, to } = await nodeWithFailure();
    const { output, code } = await trace(['--call', to, 'overflow', '100', '--url', node.url]);
    expect(output).toMatch(/^Panics\.overflow\(number: 100\) ✗ reverted with panic code 0x11/);
    expect(code).toBe(0);
    const wrong = await trace(['--call', to, 'overflow', 'much', '--url', node.url]);
    expect(wrong.errors).toContain('number of overflow: expected a number for uint8, got "much"');
  });

  it.each<[readonly string[], string]>([
    [
      ['mint'],
      'no overload of mint takes 0 arguments; expected one of mint(address), mint(uint256), mint(address,uint256)',
    ],
    [['mint', '5'], 'mint with 1 argument is ambiguous; write one of mint(address), mint(uint256) in quotes'],
    [['burn', '5', '6'], 'burn((uint8,bool)[]): expected 1 argument, got 2'],
    [
      ['bun'],
      'unknown function bun; expected one of mint(address), mint(uint256), mint(address,uint256), burn(',
    ],
  ])('trace --call lists the candidate functions for %j', async (words, message) => {
    const parameter = (type: string) => ({ name: 'x', type });
    const mint = (...types: string[]) => ({ type: 'function', name: 'mint', inputs: types.map(parameter) });
    const components = [parameter('uint8'), parameter('bool')];
    const burn = { type: 'function', name: 'burn', inputs: [{ name: 'x', type: 'tuple[]', components }] };
    const abi = [mint('address'), mint('uint256'), mint('address', 'uint256'), burn];
    // The ABI of a proxy is the ABI of its implementation.
    const implementation = { address: to, contract: { abi } };
    const url = await otherServer(() => ({ result: { address: to, contract: null, implementation } }));
    const { errors, code } = await trace(['--call', to, ...words, '--url', url]);
    expect(errors).toContain(`node-cli: ${message}`);
    expect(code).toBe(2);
  });

  it('trace --call requires parameter types for an unknown contract', async () => {
    const { url } = await recordingServer();
    const { errors, code } = await trace(['--call', to, 'transfer', '--url', url]);
    expect(errors).toContain(
      `trace --call: the node has no ABI of ${to}; write transfer with the parameter types`,
    );
    expect(code).toBe(2);
  });

  async function recordingServer(): Promise<{ readonly url: string; readonly seen: unknown[][] }> {
    const seen: unknown[][] = [];
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        seen.push(JSON.parse(body).params);
        response.end('{"jsonrpc":"2.0","id":1,"result":null}');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
  }
});
