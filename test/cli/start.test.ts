import { EventEmitter, once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { getAddress as ethersAddress } from 'ethers';
import { getAddress } from 'viem';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../../src/cli/main.ts';
import { FIRST_ACCOUNT, SECOND_ACCOUNT } from '../support/dev-accounts.ts';
import { answerAt as call } from '../support/json-rpc.ts';
import { deployedAt, TALKER_BYTECODE, talkerCall } from '../support/talker.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { hexWord } from '../support/words.ts';
import { fakeHost } from './support/fake-host.ts';
import { type ProcessOptions, start } from './support/started-node.ts';

/** Initcode that reverts with `Error("not yours")`, whose data follows the code. */
const REVERTING_INITCODE = (() => {
  const reason = Buffer.from('not yours').toString('hex').padEnd(64, '0');
  const data = `08c379a0${hexWord(32)}${hexWord(9)}${reason}`;
  return `0x6064600c60003960646000fd${data}`;
})();

function isHash(value: unknown): boolean {
  return typeof value === 'string' && value.length === 66;
}

/** Every call that requires a key of the node. */
const SIGNING_CALLS: readonly (readonly [method: string, params: readonly unknown[]])[] = [
  ['eth_sign', [FIRST_ACCOUNT, '0x00']],
  ['eth_sendTransaction', [{ from: FIRST_ACCOUNT, to: SECOND_ACCOUNT }]],
  ['personal_sendTransaction', [{ from: FIRST_ACCOUNT, to: SECOND_ACCOUNT }, '']],
  ['personal_newAccount', ['words']],
  ['personal_newAccountWithSeed', ['seed']],
  ['personal_importRawKey', [`0x${'11'.repeat(32)}`, 'words']],
  ['personal_dumpRawKey', [FIRST_ACCOUNT]],
  ['personal_unlockAccount', [FIRST_ACCOUNT, '']],
  ['personal_lockAccount', [FIRST_ACCOUNT]],
];

describe('a started node', () => {
  it('prints its URL on the last line and nothing to stderr', async () => {
    const { host, url } = await start();
    expect(host.written.output).toMatch(/\nListening on http:\/\/127\.0\.0\.1:\d+\n$/);
    expect(host.written.output).toContain(`WebSocket: ${url.replace('http', 'ws')}\n`);
    expect(host.written.output).toContain(
      ' 0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80\n',
    );
    expect(host.written.output).toContain(
      '\nChain:      33 · rootstock rules · automine · gas limit 30,000,000 · ',
    );
    expect(host.written.errors).toBe('');
  });

  it('prints the accounts of eth_accounts, limited by --accounts', async () => {
    const { host, url } = await start(['--accounts', '2']);
    expect(await call(url, 'eth_accounts')).toMatchObject({ result: [FIRST_ACCOUNT, SECOND_ACCOUNT] });
    expect(host.written.output.toLowerCase()).toContain(`(1) ${SECOND_ACCOUNT} `);
    expect(host.written.output).not.toContain('(2)');
  });

  it("--dev-accounts network lists Rootstock's own accounts", async () => {
    const { host, url } = await start(['--dev-accounts', 'network']);
    expect(host.written.output).toContain(`(0) ${getAddress('0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826')} `);
    expect(host.written.output).not.toContain('Mnemonic');
    const { result } = (await call(url, 'eth_accounts')) as { result: string[] };
    expect(result[0]).toBe('0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826');
  });

  it.each([[], ['--chain-id', '30'], ['--chain-id', '1']])(
    'prints addresses with a checksum that every client accepts, with %j',
    async (...options) => {
      const { host } = await start(options);
      const printed = [...host.written.output.matchAll(/^\(\d\) (0x\w{40}) /gm)].map(
        ([, address = '']) => address,
      );
      expect(printed).toHaveLength(5);
      expect(printed.map((address) => ethersAddress(address))).toEqual(printed);
    },
  );

  it('prints the compat mode of each kind of client and the reason', async () => {
    const chosen = await start();
    expect(chosen.host.written.output).toContain(
      "\nCompat:     Hardhat's errors for Hardhat, Rootstock's errors (service) for other clients (no viem, wagmi or foundry.toml in this project; ",
    );
    const fixed = await start(['--compat', 'anvil']);
    expect(fixed.host.written.output).toContain("\nCompat:     Anvil's errors for all clients (--compat)\n");
    const hosted = await start(['--hosted', '--api-key', 'my-key']);
    expect(hosted.host.written.output).toContain(
      "\nCompat:     Rootstock's errors (service) for all clients (--compat)\n",
    );
  });

  it.each([
    [[], true],
    [['--no-artifacts'], false],
    [['--hosted'], false],
    [['--artifacts', 'out'], false],
  ])('a node with %j prints the hint for a missing project: %s', async (options, isPrinted) => {
    const { host } = await start(options);
    expect(host.written.output.includes('\nProject:    no build outputs found; ')).toBe(isPrinted);
  });

  it('prints each account with one address in the JSON banner', async () => {
    const { host } = await start(['--json', '--accounts', '1']);
    const [line = ''] = host.written.output.split('\n');
    const { kind, accounts } = JSON.parse(line);
    expect({ kind, accounts }).toEqual({
      kind: 'banner',
      accounts: [{ address: getAddress(FIRST_ACCOUNT), privateKey: expect.stringMatching(/^0x\w{64}$/) }],
    });
  });

  it('uses compat mode anvil for other clients in a viem project', async () => {
    const project = await temporaryDirectory();
    await writeFile(join(project, 'package.json'), JSON.stringify({ devDependencies: { viem: '2' } }));
    const { url, host } = await start([], { workingDirectory: project });
    expect(host.written.output).toContain(
      "\nCompat:     Hardhat's errors for Hardhat, Anvil's errors for other clients (viem in package.json)\n",
    );
    const message = { data: '0x60006000fd' };
    expect(await call(url, 'eth_call', [message, 'latest'])).toMatchObject({ error: { code: 3 } });
    expect(host.written.output).not.toContain('-32015');
  });

  it('prints one hint for the first revert with code -32015', async () => {
    const { url, host } = await start();
    const message = { data: '0x60006000fd' };
    for (let count = 0; count < 2; count++)
      expect(await call(url, 'eth_call', [message, 'latest'])).toMatchObject({ error: { code: -32015 } });
    expect(host.written.output.split('for viem, wagmi or Foundry, pass --compat anvil')).toHaveLength(2);
  });

  it("funds Rootstock's own accounts even if they are not listed", async () => {
    const { url } = await start(['--balance', '1']);
    const params = ['0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826', 'latest'];
    expect(await call(url, 'eth_getBalance', params)).toMatchObject({ result: '0xde0b6b3a7640000' });
  });

  it('--hosted requires the API key, has no keys and funds the accounts', async () => {
    const { host, url } = await start(['--hosted', '--api-key', 'my-key']);
    expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401);
    const served = `${url}/my-key`;
    expect(await call(served, 'eth_accounts')).toMatchObject({ result: [] });
    expect(await call(served, 'eth_getBalance', [FIRST_ACCOUNT])).toMatchObject({
      result: '0x21e19e0c9bab2400000',
    });
    for (const [method, params] of SIGNING_CALLS) {
      expect(await call(served, method, params), method).toMatchObject({
        error: { code: -32601, message: expect.stringContaining('has no keys') },
      });
    }
    expect(await call(served, 'eth_estimateGas', [{ data: REVERTING_INITCODE }])).toMatchObject({
      result: expect.stringMatching(/^0x[0-9a-f]+$/),
    });
    expect(host.written.output.toLowerCase()).toContain(`(0) ${FIRST_ACCOUNT} `);
  });

  it('a hosted estimate is at least the intrinsic gas', async () => {
    const { url } = await start(['--hosted', '--api-key', 'my-key']);
    const params = [{ to: SECOND_ACCOUNT, data: '0xffff', gas: '0x5207' }];
    // 21000 gas, and 16 for each byte that is not zero (EIP-2028).
    expect(await call(`${url}/my-key`, 'eth_estimateGas', params)).toMatchObject({ result: '0x5228' });
  });

  it('prints the URL without the API key, and writes the full URL only to --config-out', async () => {
    const { host, url } = await start(['--api-key', 'first-key,other-key', '--config-out', 'node.json']);
    expect(host.written.output).toContain(`\nAPI key:    ${url}/<API_KEY>; the API key is the URL path\n`);
    expect(host.written.output).toMatch(/\nListening on http:\/\/127\.0\.0\.1:\d+\n$/);
    expect(host.written.output).not.toMatch(/first-key|other-key/);
    const file: { url: string } = JSON.parse(host.files.get('node.json') ?? '');
    expect(file.url).toBe(`${url}/first-key`);
    expect(await call(file.url, 'eth_chainId')).toMatchObject({ result: '0x21' });
  });

  it('warns if other machines can use its unlocked accounts', async () => {
    const warning = 'Warning: every client that can reach this port can use the unlocked accounts.\n';
    expect((await start(['--host', '0.0.0.0'])).host.written.output).toContain(warning);
    expect((await start()).host.written.output).not.toContain('can use the unlocked accounts');
    const hosted = await start(['--host', '0.0.0.0', '--hosted', '--api-key', 'my-key']);
    expect(hosted.host.written.output).not.toContain('can use the unlocked accounts');
  });

  it('--hosted without --api-key exits with code 2', async () => {
    const { host } = await start(['--hosted']);
    expect(host.exitCodes).toEqual([2]);
    expect(host.written.errors).toBe('node-cli: --hosted requires --api-key; add --api-key my-key\n');
  });

  it('applies the options and environment variables to the chain', async () => {
    const commandLine = [
      '--chain-id',
      '31337',
      '--network-id',
      '7',
      '--hardfork',
      'cancun',
      '--timestamp',
      '1700000000',
    ];
    const { host, url } = await start(commandLine, { environment: { NODE_CLI_GAS_LIMIT: '10000000' } });
    expect(host.written.output).toContain(
      '\nChain:      31337 (network id 7) · cancun rules · automine · gas limit 10,000,000 · ',
    );
    expect(await call(url, 'eth_chainId')).toMatchObject({ result: '0x7a69' });
    expect(await call(url, 'net_version')).toMatchObject({ result: '7' });
    expect(await call(url, 'eth_getBlockByNumber', ['0x0'])).toMatchObject({
      result: { gasLimit: '0x989680', timestamp: '0x6553f100' },
    });
  });

  it.each([
    [[], 'automine'],
    [['--no-mining'], 'mining on request'],
    [['--block-time', '2.5'], 'a block every 2.5 s'],
    [['--block-time', '2', '--mixed-mining'], 'automine and a block every 2 s'],
  ])('prints the mining mode of %j as %s', async (commandLine, words) => {
    const { host } = await start(commandLine);
    expect(host.written.output).toContain(` · ${words} · gas limit `);
  });

  it.each(['--data-dir', '--state'])('prints the mining mode and balances restored by %s', async (option) => {
    const place = [option, join(await temporaryDirectory(), 'chain')];
    const first = await start(place);
    expect(first.host.written.output).toContain(
      '10 accounts with 10,000 ether each, and their private keys\n',
    );
    await first.call('evm_setAutomine', false);
    await first.call('evm_setIntervalMining', 7);
    await first.call('evm_setBlockGasLimit', '0x989680');
    await first.call('hardhat_setMinGasPrice', '0x5');
    await first.call('hardhat_setBalance', SECOND_ACCOUNT, '0x0');
    expect(await first.end()).toBe(0);
    const { host } = await start(place);
    expect(host.written.output).toContain('\n10 accounts and their private keys\n');
    expect(host.written.output).toContain(
      ' · a block every 7 s · gas limit 10,000,000 · minimum gas price 5 wei\n',
    );
  });

  it('prints both bounds of a random block interval', async () => {
    const place = ['--data-dir', join(await temporaryDirectory(), 'chain')];
    const first = await start([...place, '--compat', 'hardhat']);
    await first.call('evm_setIntervalMining', [2000, 4500]);
    expect(await first.end()).toBe(0);
    const { host } = await start(place);
    expect(host.written.output).toContain(' · automine and a block every 2 to 4.5 s · ');
  });

  it('--auto-impersonate sends from any account, also on a lane', async () => {
    const from = `0x${'ab'.repeat(20)}`;
    const sent = [{ from, to: SECOND_ACCOUNT, gasPrice: '0x0', gas: '0x5208' }];
    const { url } = await start(['--auto-impersonate', '--lanes']);
    expect(await call(url, 'eth_sendTransaction', sent)).toHaveProperty('result');
    expect(await call(`${url}/lane`, 'eth_sendTransaction', sent)).toHaveProperty('result');
    const without = await start();
    expect(await call(without.url, 'eth_sendTransaction', sent)).toHaveProperty('error');
  });

  it('--auto-impersonate applies to a chain saved without it', async () => {
    const from = `0x${'ab'.repeat(20)}`;
    const sent = [{ from, to: SECOND_ACCOUNT, gasPrice: '0x0', gas: '0x5208' }];
    const directory = await temporaryDirectory();
    for (const place of [
      ['--state', join(directory, 'chain.json')],
      ['--data-dir', join(directory, 'data')],
    ]) {
      const first = await start(place);
      await first.call('evm_mine');
      await first.end();
      const again = await start([...place, '--auto-impersonate']);
      expect(await call(again.url, 'eth_sendTransaction', sent), place[0]).toHaveProperty('result');
      await again.end();
    }
  });

  it('--block-base-fee-per-gas sets the base fee of the genesis', async () => {
    const { url } = await start(['--hardfork', 'prague', '--block-base-fee-per-gas', '4096']);
    expect(await call(url, 'eth_getBlockByNumber', ['0x0'])).toMatchObject({
      result: { baseFeePerGas: '0x1000' },
    });
  });

  it('logs a transaction below its request', async () => {
    const { host, url } = await start();
    const transaction = { from: FIRST_ACCOUNT, to: SECOND_ACCOUNT, value: '0xde0b6b3a7640000', data: '0x' };
    const { result } = (await call(url, 'eth_sendTransaction', [transaction])) as { result: string };
    await expect
      .poll(() => host.written.output)
      .toMatch(
        new RegExp(
          `\\neth_sendTransaction\\n  Transaction:  ${result}\\n  From:         ${FIRST_ACCOUNT}\\n` +
            `  To:           ${SECOND_ACCOUNT}\\n  Value:        1 ether\\n` +
            '  Gas used:     21000 of \\d+\\n  Block #1:     0x[0-9a-f]{64}\\n' +
            '  Block time:   2026-01-02T03:04:\\d\\dZ \\(\\d+\\)\\n\\n$',
        ),
      );
  });

  it('logs the revert reason of a failed transaction', async () => {
    const { host, url } = await start();
    await call(url, 'eth_sendTransaction', [
      { from: FIRST_ACCOUNT, gas: '0x30d40', data: REVERTING_INITCODE },
    ]);
    await expect.poll(() => host.written.output).toMatch(/Contract deployment: {2}failed\n/);
    expect(host.written.output).toContain("\n  Error: reverted with reason string 'not yours'\n");
  });

  it('logs the error of a request below its method, and blocks of evm_mine', async () => {
    const { host, url } = await start();
    await call(url, 'eth_nothing');
    await call(url, 'evm_mine');
    await expect.poll(() => host.written.output).toContain('\nevm_mine\nMined empty block #1 at 2026-');
    expect(host.written.output).toContain(
      '\neth_nothing\n  Error -32601: the method eth_nothing does not exist/is not available\n',
    );
    expect(host.written.errors).toBe('');
  });

  it('--fund-accounts funds addresses with the given or the default balance', async () => {
    const [one, other] = [`0x${'a1'.repeat(20)}`, `0x${'b2'.repeat(20)}`];
    const { url } = await start([
      '--balance',
      '3',
      '--fund-accounts',
      `${one}:1.5,${FIRST_ACCOUNT}:7`,
      '--fund-accounts',
      other,
    ]);
    const balanceOf = (address: string) => call(url, 'eth_getBalance', [address, 'latest']);
    const ether = 10n ** 18n;
    const toHex = (wei: bigint): string => `0x${wei.toString(16)}`;
    expect(await balanceOf(one)).toMatchObject({ result: toHex((3n * ether) / 2n) });
    expect(await balanceOf(FIRST_ACCOUNT)).toMatchObject({ result: toHex(7n * ether) });
    expect(await balanceOf(other)).toMatchObject({ result: toHex(3n * ether) });
  });

  it('--mnemonic-random and --mnemonic-seed-unsafe print their mnemonic', async () => {
    const shownWords = async (...options: readonly string[]): Promise<string> => {
      const { host, url } = await start(options);
      const words = /--mnemonic "(.*)" /.exec(host.written.output)?.[1] ?? '';
      const again = await start(['--mnemonic', words]);
      expect(await call(url, 'eth_accounts')).toEqual(await call(again.url, 'eth_accounts'));
      return words;
    };
    expect((await shownWords('--mnemonic-random')).split(' ')).toHaveLength(12);
    expect((await shownWords('--mnemonic-random', '24')).split(' ')).toHaveLength(24);
    const seeded = await shownWords('--mnemonic-seed-unsafe', '7');
    expect(seeded.split(' ')).toHaveLength(12);
    expect(await shownWords('--mnemonic-seed-unsafe', '7')).toBe(seeded);
    expect(await shownWords('--mnemonic-seed-unsafe', '8')).not.toBe(seeded);
  });

  it('logs the lane of blocks that are not on the base chain', async () => {
    const { host, url } = await start(['--lanes']);
    await call(`${url}/tokens`, 'eth_sendTransaction', [{ from: FIRST_ACCOUNT, to: SECOND_ACCOUNT }]);
    await call(`${url}/tokens`, 'evm_mine');
    await call(url, 'evm_mine');
    await call(`${url}/tokens`, 'lane_reset');
    await expect.poll(() => host.written.output).toContain('\nRemoved blocks #1 to #2 on lane tokens\n');
    expect(host.written.output).toMatch(/\n {2}Block #1: +0x[0-9a-f]{64}\n.*\n {2}Lane: +tokens\n/);
    expect(host.written.output).toContain(
      '\nevm_mine on lane tokens\nMined empty block #2 on lane tokens at 2026-',
    );
    expect(host.written.output).toContain('\nMined empty block #1 at 2026-');
    expect(host.written.errors).toBe('');
  });

  it('logs a lane with its new key after lane_rename', async () => {
    const { host, url } = await start(['--lanes']);
    await call(`${url}/work`, 'eth_chainId');
    await call(url, 'lane_rename', ['work', 'first.test']);
    await call(`${url}/first.test`, 'evm_mine');
    await call(`${url}/work`, 'eth_chainId');
    const lines = [
      '\neth_chainId on lane work',
      'lane_rename',
      'evm_mine on lane first.test',
      'Mined empty block #1 on lane first.test at 2026-',
    ];
    await expect.poll(() => host.written.output).toContain(lines.join('\n'));
    await expect.poll(() => host.written.output).toMatch(/\neth_chainId on lane work\n$/);
  });

  it('logs the lane of requests that are not on the base chain', async () => {
    const { host, url } = await start(['--lanes']);
    for (const path of ['', '/tokens', '/others']) await call(`${url}${path}`, 'eth_chainId');
    await call(`${url}/tokens`, 'eth_nothing');
    const lines = [
      '\neth_chainId',
      'eth_chainId on lane tokens',
      'eth_chainId on lane others',
      'eth_nothing on lane tokens',
      '  Error -32601: the method eth_nothing does not exist/is not available\n',
    ];
    await expect.poll(() => host.written.output).toContain(lines.join('\n'));
  });

  it('logs the lane of requests in JSON lines', async () => {
    const { host, url } = await start(['--lanes', '--json']);
    await call(`${url}/tokens`, 'eth_chainId');
    await call(url, 'eth_blockNumber');
    await expect
      .poll(() => host.written.output)
      .toContain('"kind":"request","method":"eth_blockNumber","durationMs":0}');
    expect(host.written.output).toContain(
      '"kind":"request","method":"eth_chainId","durationMs":0,"lane":"tokens"}',
    );
  });

  it('logs the index of an API key as lane name in JSON lines', async () => {
    const { host, url } = await start([
      '--lanes',
      '--json',
      '--api-key',
      'first-secret',
      '--api-key',
      'other-secret',
    ]);
    await call(`${url}/other-secret`, 'evm_mine');
    await expect.poll(() => host.written.output).toContain('"lane":"of API key 2"');
    expect(host.written.output).not.toContain('other-secret');
  });

  it('never logs an API key', async () => {
    const { host, url } = await start(['--lanes', '--json', '--api-key', 'first-secret']);
    const lane = `${url}/first-secret`;
    await call(lane, 'lane_create', [{ key: 'first-secret' }]);
    await call(lane, 'lane_create', [{ key: 'first-secret' }]);
    await call(lane, 'first-secret_method');
    await call(lane, 'eth_getBalance', ['first-secret']);
    await call(lane, 'eth_chainId');
    await expect.poll(() => host.written.output).toContain('eth_chainId');
    expect(host.written.output).toContain('"method":"***_method"');
    expect(host.written.output + host.written.errors).not.toContain('first-secret');
  });

  it('logs each reason for a rejected request once', async () => {
    const { host, url } = await start(['--body-limit', '300']);
    const post = (headers: Record<string, string>, body = '{}', path = ''): Promise<Response> =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      });
    for (let round = 0; round < 2; round++) {
      await post({ origin: 'https://app.example' });
      await post({ 'content-type': 'text/plain' });
      await post({}, 'no JSON');
      await post({}, ' '.repeat(301));
    }
    await expect.poll(() => host.written.output).toContain('--body-limit');
    const notices = host.written.output.split('\n').filter((line) => line.includes('Rejected'));
    expect(notices).toEqual([
      expect.stringMatching(
        /^Note: Rejected a request from the page https:\/\/app.example: .*--allow-origin$/,
      ),
      expect.stringMatching(
        /^Note: Rejected a request: unsupported media type: .*Content-Type: application\/json$/,
      ),
      expect.stringMatching(/^Note: Rejected a request from \S+: its body is not JSON$/),
      expect.stringMatching(/^Note: Rejected a request: the body exceeds .*--body-limit$/),
    ]);
    await call(url, 'evm_mine');
    const health = await fetch(`${url}/health`);
    expect(await health.json()).toEqual({ status: 'ok', chainId: 33, blockNumber: 1, lanes: 0 });
  });

  it('logs each block below its own request if requests overlap', async () => {
    const { host, url } = await start(['--json']);
    const transaction = { from: FIRST_ACCOUNT, to: SECOND_ACCOUNT };
    const sent = await Promise.all([
      call(url, 'eth_sendTransaction', [transaction]),
      call(url, 'eth_chainId'),
      call(url, 'eth_sendUnsignedTransaction', [transaction]),
      call(url, 'eth_getBalance', [FIRST_ACCOUNT, 'latest']),
      call(url, 'personal_sendTransaction', [transaction, '']),
    ]);
    const batch = ['eth_sendTransaction', 'eth_blockNumber', 'eth_sendUnsignedTransaction'].map(
      (method, id) => ({
        jsonrpc: '2.0',
        id,
        method,
        params: method === 'eth_blockNumber' ? [] : [transaction],
      }),
    );
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(batch),
    });
    const inBatch = (await response.json()) as readonly { result: unknown }[];
    const hashes = [...sent, ...inBatch].map(({ result }) => result).filter(isHash);
    expect(hashes).toHaveLength(5);
    const lines = (): readonly Record<string, unknown>[] =>
      host.written.output
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    await expect.poll(() => lines().filter(({ kind }) => kind === 'transaction').length).toBe(5);
    const methodsByHash = new Map<unknown, unknown>();
    for (const [index, { kind, hash }] of lines().entries()) {
      if (kind !== 'transaction') continue;
      const [request, block] = lines().slice(index - 2, index);
      expect(block).toMatchObject({ kind: 'block' });
      methodsByHash.set(hash, request?.method);
    }
    expect(hashes.map((hash) => methodsByHash.get(hash))).toEqual([
      'eth_sendTransaction',
      'eth_sendUnsignedTransaction',
      'personal_sendTransaction',
      'eth_sendTransaction',
      'eth_sendUnsignedTransaction',
    ]);
  });

  it('logs blocks removed by evm_revert', async () => {
    const { host, url } = await start();
    await call(url, 'evm_snapshot');
    await call(url, 'evm_mine');
    await call(url, 'evm_revert', ['0x1']);
    await expect.poll(() => host.written.output).toContain('Removed block #1\n');
  });

  it('logs nothing while logging is disabled', async () => {
    const { host, url } = await start();
    await call(url, 'hardhat_setLoggingEnabled', [false]);
    await call(url, 'eth_gasPrice');
    await call(url, 'evm_mine');
    await call(url, 'anvil_rollback');
    await call(url, 'anvil_setLoggingEnabled', [true]);
    await call(url, 'eth_chainId');
    await expect.poll(() => host.written.output).toContain('\neth_chainId\n');
    for (const hexWord of ['eth_gasPrice', 'evm_mine', 'Mined', 'Removed', 'setLoggingEnabled'])
      expect(host.written.output).not.toContain(hexWord);
  });

  it('--quiet prints only the listening line', async () => {
    const { host, url } = await start(['--quiet']);
    await call(url, 'eth_chainId');
    await call(url, 'evm_mine');
    expect(host.written).toEqual({ output: `Listening on ${url}\n`, errors: '' });
  });

  it('--json prints only JSON objects', async () => {
    const { host, url } = await start(['--json'], { isTerminal: true });
    await call(url, 'evm_mine');
    await expect.poll(() => host.written.output).toContain('"kind":"block"');
    const kinds = host.written.output
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).kind);
    expect(kinds).toEqual(['banner', 'listening', 'request', 'block']);
  });

  it('--json prints console.log output as separate objects', async () => {
    const { host, url } = await start(['--json']);
    await call(url, 'eth_sendTransaction', [{ from: FIRST_ACCOUNT, data: TALKER_BYTECODE }]);
    const contract = deployedAt(FIRST_ACCOUNT, 0n);
    await call(url, 'eth_call', [{ to: contract, data: talkerCall('ask', 5n) }, 'latest']);
    const lines = host.written.output.trimEnd().split('\n').slice(2);
    const { transactionHash } = JSON.parse(lines[3] ?? '') as { transactionHash: string };
    expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
      { kind: 'request', method: 'eth_sendTransaction' },
      { kind: 'block', number: 1 },
      { kind: 'transaction', hash: transactionHash },
      { kind: 'console', contract, text: 'born', blockNumber: 1 },
      { kind: 'request', method: 'eth_call' },
      { kind: 'console', contract, text: 'asked for 5' },
      { kind: 'console', contract, text: '0' },
    ]);
  });

  it('prints escape sequences only on a terminal', async () => {
    const onTerminal = await start([], { isTerminal: true });
    expect(onTerminal.host.written.output).toContain('\u001b[');
    const plain: readonly (readonly [commandLine: readonly string[], options: ProcessOptions])[] = [
      [[], {}],
      [['--no-color'], { isTerminal: true }],
      [[], { isTerminal: true, environment: { NO_COLOR: '1' } }],
    ];
    for (const [commandLine, options] of plain) {
      const { host, url } = await start(commandLine, options);
      await call(url, 'eth_chainId');
      await call(url, 'eth_chainId');
      expect(host.written.output).toContain('\neth_chainId\neth_chainId\n');
      expect(host.written.output).not.toContain('\u001b');
    }
  });

  it('writes the --config-out file before the listening line', async () => {
    const { host, url } = await start(['--config-out', 'node.json', '--accounts', '1']);
    expect(JSON.parse(host.files.get('node.json') ?? '')).toMatchObject({
      available_accounts: [getAddress(FIRST_ACCOUNT)],
      checksum_addresses: [getAddress(FIRST_ACCOUNT, 33)],
      gas_limit: '30000000',
      genesis_timestamp: '1767323045',
      chain_id: 33,
      url,
    });
  });

  it('saves the chain on a signal during the write of --config-out', async () => {
    const state = join(await temporaryDirectory(), 'chain.json');
    const events = new EventEmitter();
    const writeFile = async (_path: string, text: string): Promise<void> => {
      events.emit('writing', JSON.parse(text).url);
      await once(events, 'written');
    };
    const commandLine = ['--port', '0', '--quiet', '--state', state, '--config-out', 'a.json'];
    const host = fakeHost({ commandLine, writeFile });
    const writing = once(events, 'writing');
    const started = runCommand(host);
    const [url] = await writing;
    await call(url, 'evm_mine');
    host.sendSignal('SIGINT');
    expect(await host.exited()).toBe(0);
    events.emit('written');
    await started;
    expect(host.exitCodes).toEqual([0]);
    expect(host.written).toEqual({ output: '', errors: '' });
    const again = await start(['--state', state]);
    expect(await again.call('eth_blockNumber')).toBe('0x1');
  });

  it('stops serving on SIGINT', async () => {
    const { host, url } = await start();
    host.sendSignal('SIGINT');
    expect(await host.exited()).toBe(0);
    await expect(fetch(url)).rejects.toThrow();
  });

  it('prints Stopped as the last line after the reports', async () => {
    const { host } = await start(['--gas-report']);
    host.sendSignal('SIGINT');
    await host.exited();
    expect(host.written.output).toMatch(/Listening on [^\n]+\n[\s\S]*Gas report[\s\S]*\nStopped\n$/);
    expect(host.written.errors).toBe('');
  });

  it.each(['--quiet', '--json'])('%s does not print Stopped', async (option) => {
    const { host } = await start([option]);
    host.sendSignal('SIGINT');
    await host.exited();
    expect(host.written.output).toContain('istening');
    expect(host.written.output).not.toContain('Stopped');
  });
});

describe('a node that cannot start', () => {
  it('exits with code 1 and one line if the port is in use', async () => {
    const other = createServer();
    const port = await new Promise<number>((resolve) => {
      other.listen(0, '127.0.0.1', () => {
        const address = other.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
    const host = fakeHost({ commandLine: ['--port', String(port)] });
    await runCommand(host);
    other.close();
    expect(host.written).toEqual({
      output: '',
      errors: `node-cli: port ${port} on 127.0.0.1 is already in use; choose another with --port (0 picks a free one)\n`,
    });
    expect(host.exitCodes).toEqual([1]);
  });

  it('exits with code 1 if the --config-out file cannot be written', async () => {
    const writeFile = (): Promise<void> => Promise.reject(new Error('permission denied'));
    const { host } = await start(['--config-out', 'a/b.json'], { writeFile });
    expect(host.written).toEqual({
      output: '',
      errors:
        'node-cli: --config-out: cannot write a/b.json: permission denied; pass a file in an existing directory\n',
    });
    expect(host.exitCodes).toEqual([1]);
  });
});
