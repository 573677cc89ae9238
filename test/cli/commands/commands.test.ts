import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getAddress } from 'viem';
import { describe, expect, it } from 'vitest';
import type { Chain } from '../../../src/chain/chain.ts';
import { helpAbout, helpText } from '../../../src/cli/help.ts';
import { runCommand } from '../../../src/cli/main.ts';
import { ALL_OPTIONS, COMMAND_ENTRIES } from '../../../src/config/commands.ts';
import { RecordFile } from '../../../src/fork/cache/record-file.ts';
import { toHex } from '../../../src/primitives/hex.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { createTestChain, nodeOf, testAccount, transfer } from '../../support/test-chain.ts';
import { fakeHost } from '../support/fake-host.ts';

const FIRST_KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
const INIT_CODE = Uint8Array.from(Buffer.from('602a60005560006000a06160016000526002601ef3', 'hex'));

async function run(commandLine: readonly string[], environment: Record<string, string> = {}) {
  const host = fakeHost({ commandLine, environment });
  await runCommand(host);
  return { ...host.written, code: await host.exited() };
}

async function runForJson(...commandLine: readonly string[]): Promise<unknown> {
  const { output, errors } = await run([...commandLine, '--json']);
  expect(errors).toBe('');
  return JSON.parse(output);
}

async function fileOf(chain: Chain): Promise<string> {
  const path = join(await temporaryDirectory(), 'chain.json');
  await writeFile(path, await nodeOf(chain).dump.write({ isCompressed: false, withKeys: true }));
  return path;
}

describe('commands', () => {
  it.each(COMMAND_ENTRIES)('%s --help prints usage, operands and options', async (name, definition) => {
    const { output, code } = await run([...name.split(' '), '--help']);
    expect(code).toBe(0);
    expect(output).toBe(helpText(name));
    if (name === 'start') return;
    const { operands, options } = definition;
    const words = options === null ? ['[options]', ...operands] : [...operands, '[options]'];
    expect(output).toContain(`Usage: node-cli ${[name, ...words].join(' ')}\n\n`);
    if (options?.includes('json')) expect(output).toContain('--json');
    expect(output.includes('--port')).toBe(options === null);
    expect(await helpAbout(ALL_OPTIONS)).toContain(`\n  ${[name, ...operands].join(' ')} `);
  });

  it.each<[readonly string[], string]>([
    [['acounts'], 'unknown command "acounts"; did you mean accounts?'],
    [['state'], 'state: missing command; expected one of state inspect, state diff'],
    [['state', 'show'], 'unknown command "state show"; expected one of state inspect, state diff'],
    [
      ['cache', 'list'],
      'unknown command "cache list"; expected one of cache ls, cache clean, cache pack, cache unpack',
    ],
    [
      ['state', 'inspect', 'a', 'b'],
      'state inspect: unexpected argument "b"; expected only <file>, for example npx node-cli state inspect chain.json.gz',
    ],
    [
      ['state', 'diff', 'a'],
      'state diff: missing <file>; for example npx node-cli state diff before.json after.json',
    ],
    [['accounts', 'all'], 'accounts: unexpected argument "all"; expected only options'],
    [
      ['accounts', '--port', '1'],
      '--port is not an option of accounts; npx node-cli accounts --help lists its options',
    ],
    [['state', 'inspect', '/no/file'], 'no file /no/file'],
  ])('%j exits with code 2 and one line', async (commandLine, message) => {
    expect(await run(commandLine)).toEqual({ output: '', errors: `node-cli: ${message}\n`, code: 2 });
  });

  it('--json prints one object on one line', async () => {
    const { output } = await run(['accounts', '--json']);
    expect(output.split('\n')).toEqual([expect.stringMatching(/^\{.*\}$/), '']);
  });

  it('variables of other commands are ignored', async () => {
    const { code } = await run(['accounts'], { NODE_CLI_FORK_URL: 'no url', NODE_CLI_PORT: 'x' });
    expect(code).toBe(0);
  });

  it('a command group without a subcommand prints the help of the group', async () => {
    expect(await run(['cache', '--help'])).toMatchObject({ output: helpText('cache'), code: 0 });
  });
});

describe('accounts', () => {
  it('accounts prints the accounts of a node with the same options', async () => {
    const { output } = await run(['accounts', '--accounts', '2', '--chain-id', '1']);
    expect(output.split('\n')).toEqual([
      expect.stringMatching(`^\\(0\\) 0x[0-9a-fA-F]{40} ${FIRST_KEY}$`),
      expect.stringMatching(/^\(1\) 0x[0-9a-fA-F]{40} 0x[0-9a-f]{64}$/),
      '',
    ]);
  });

  it('accounts --json includes the source of the accounts', async () => {
    const words = 'test test test test test test test test test test test junk';
    expect(await runForJson('accounts', '-a', '1')).toMatchObject({
      wallet: { mnemonic: words, derivationPath: "m/44'/60'/0'/0/" },
      accounts: [{ privateKey: FIRST_KEY }],
    });
    expect(await runForJson('accounts', '--dev-accounts', 'network')).toMatchObject({ wallet: null });
  });

  it("accounts prints checksums that every client accepts, also for Rootstock's chain ids", async () => {
    const { output } = await run(['accounts', '-a', '1']);
    expect(output).toBe(`(0) ${getAddress('0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266')} ${FIRST_KEY}\n`);
  });
});

describe('state inspect', () => {
  it('state inspect reads state.json of a directory, like --state', async () => {
    const directory = await temporaryDirectory();
    expect(await run(['state', 'inspect', directory])).toMatchObject({
      errors: `node-cli: no file ${join(directory, 'state.json')}\n`,
      code: 2,
    });
    const { chain } = await createTestChain();
    await writeFile(
      join(directory, 'state.json'),
      await nodeOf(chain).dump.write({ isCompressed: false, withKeys: true }),
    );
    expect(await runForJson('state', 'inspect', directory)).toMatchObject({
      path: join(directory, 'state.json'),
      format: 'node-cli',
    });
  });

  it('state inspect prints the contents of a dump', async () => {
    const { chain } = await createTestChain();
    await chain.sendFrom(testAccount(0).address, transfer({ to: null, data: INIT_CODE, gasLimit: 200_000n }));
    await chain.mineBulk({ count: 200 });
    await chain.snapshots.take();
    const path = await fileOf(chain);
    expect(await runForJson('state', 'inspect', path)).toMatchObject({
      path,
      format: 'node-cli',
      version: 2,
      limits: { networkLimits: false, codeSizeLimit: 24_576, order: 'fees' },
      ruleSet: 'rootstock',
      chainId: 33,
      head: { number: 201 },
      blocks: 202,
      transactions: 1,
      snapshots: 1,
      keys: 3,
      accounts: 5,
      contracts: 1,
    });
    const { output } = await run(['state', 'inspect', path]);
    expect(output).toMatch(
      /^File +\S+chain.json, \d+ bytes\nFormat +node-cli dump, version 2\nHardfork +rootstock\n/,
    );
    expect(output).toMatch(/\nAccounts +5 \(contracts: 1\)\n/);
    expect(output).toMatch(new RegExp(`\nHead +#201 ${toHex(chain.head().hash)}\n`));
    expect(output).toMatch(/\nNetwork limits +off\nCode size limit +24576 bytes\nOrder +fees\n/);
  });

  it('state inspect prints the contents of an Anvil state file', async () => {
    const file = join(await temporaryDirectory(), 'anvil.json');
    const accounts = { [`0x${'a1'.repeat(20)}`]: { nonce: 0, balance: '0x7', code: '0x6001', storage: {} } };
    await writeFile(file, JSON.stringify({ accounts }));
    expect(await runForJson('state', 'inspect', file)).toMatchObject({
      format: 'anvil',
      head: null,
      accounts: 1,
      contracts: 1,
    });
    const { output, errors } = await run(['state', 'inspect', file]);
    expect(errors).toBe('');
    expect(output).toMatch(/^File .+\nFormat +Anvil state file\nBlocks +0\n/);
  });
});

describe('state diff', () => {
  it('state diff prints nothing and exits with code 0 for equal chains', async () => {
    const { chain } = await createTestChain();
    const path = await fileOf(chain);
    expect(await run(['state', 'diff', path, path])).toEqual({ output: '', errors: '', code: 0 });
  });

  it('state diff prints head, balances, nonces, code and storage, and exits with code 1', async () => {
    const { chain } = await createTestChain();
    const before = await fileOf(chain);
    await chain.sendFrom(
      testAccount(0).address,
      transfer({ to: null, data: INIT_CODE, gasLimit: 200_000n, value: 0n }),
    );
    await chain.sendFrom(testAccount(0).address, transfer());
    const after = await fileOf(chain);
    const { output, code } = await run(['state', 'diff', before, after]);
    expect(code).toBe(1);
    expect(output).toMatch(/^head: #0 0x[0-9a-f]{64} → #2 0x[0-9a-f]{64}\n/);
    expect(output).toContain(`\n0x${Buffer.from(testAccount(0).address).toString('hex')}\n`);
    expect(output).toContain('  nonce: 0 → 2\n');
    expect(output).toContain('  balance: 100000000000000000000 → 100000000000000000001 wei\n');
    expect(output).toMatch(
      /\n0x[0-9a-f]{40} only in \S+\n {2}balance: none → 0 wei\n {2}nonce: none → 0\n {2}code: none → 0x/,
    );
    expect(output).toContain(`  slot 0x${'0'.repeat(64)}: 0x${'0'.repeat(64)} → 0x${'0'.repeat(62)}2a\n`);
    const back = (await runJsonOfDifferent('state', 'diff', after, before)) as {
      isSame: boolean;
      chain: { name: string }[];
      accounts: { isIn: string }[];
    };
    expect(back.isSame).toBe(false);
    expect(back.chain.map(({ name }) => name)).toEqual(['head']);
    expect(back.accounts.map(({ isIn }) => isIn).sort()).toEqual(['both', 'both', 'left', 'left']);
  });

  it('state diff prints different limits and order', async () => {
    const left = await fileOf((await createTestChain()).chain);
    const options = { networkLimits: true, codeSizeLimit: null, order: 'fifo' } as const;
    const right = await fileOf((await createTestChain(options)).chain);
    const { output } = await run(['state', 'diff', left, right]);
    expect(output).toBe('network limits: false → true\ncode size limit: 24576 → off\norder: fees → fifo\n');
  });

  async function runJsonOfDifferent(...commandLine: readonly string[]): Promise<unknown> {
    const { output, code } = await run([...commandLine, '--json']);
    expect(code).toBe(1);
    return JSON.parse(output);
  }

  it('state inspect exits with code 2 if a file is missing or a directory', async () => {
    const directory = await temporaryDirectory();
    await mkdir(join(directory, 'state.json'));
    await writeFile(join(directory, 'file'), '');
    const below = join(directory, 'file', 'chain.json');
    for (const [path, words] of [
      [directory, `cannot read ${join(directory, 'state.json')}: it is a directory`],
      [below, `no file ${below}`],
    ] as const) {
      const ended = { output: '', errors: `node-cli: ${words}\n`, code: 2 };
      expect(await run(['state', 'inspect', path])).toEqual(ended);
    }
  });

  it('state diff exits with code 2 if a file is not a chain', async () => {
    const path = join(await temporaryDirectory(), 'file');
    await writeFile(path, 'no chain');
    expect(await run(['state', 'diff', path, path])).toEqual({
      output: '',
      errors: `node-cli: ${path}: it is not JSON\n`,
      code: 2,
    });
  });
});

describe('cache', () => {
  const UPSTREAM = `upstream-${'0a'.repeat(20)}`;

  async function cacheWith(): Promise<string> {
    const directory = await temporaryDirectory();
    const chain = join(directory, UPSTREAM, '30');
    await mkdir(chain, { recursive: true });
    new RecordFile(join(directory, UPSTREAM, 'upstream.jsonl')).set('urls', ['https://a.b/***']);
    await writeFile(join(chain, 'blocks.jsonl'), '345');
    await writeFile(join(chain, `${'ab'.repeat(32)}.jsonl`), '6789');
    await writeFile(join(chain, 'notes.txt'), 'mine');
    await writeFile(join(directory, 'README'), 'mine');
    await mkdir(join(directory, '31'));
    await writeFile(join(directory, '31', 'blocks.jsonl'), '12345');
    await writeFile(join(directory, 'urls.jsonl'), '12');
    await mkdir(join(directory, 'upstream-mine', '31'), { recursive: true });
    await writeFile(join(directory, 'upstream-mine', '31', 'blocks.jsonl'), 'mine');
    return directory;
  }

  it('cache ls lists the files of each upstream with their sizes', async () => {
    const directory = await cacheWith();
    const { output } = await run(['cache', 'ls', '--fork-cache-dir', directory]);
    expect(output.split('\n').map((line) => line.replace(/ +/g, ' '))).toEqual([
      'Bytes Content',
      '5 chain 31, blocks of unknown URLs (file of an earlier node-cli version; no longer used)',
      '2 chain id of unknown URLs (file of an earlier node-cli version; no longer used)',
      `4 chain 30, state after block 0x${'ab'.repeat(32)} of https://a.b/***`,
      '3 chain 30, blocks of https://a.b/***',
      '38 chain id of https://a.b/***',
      `52 bytes in total in ${directory}`,
      '',
    ]);
    const { size, files } = (await runForJson('cache', 'ls', '--fork-cache-dir', directory)) as {
      size: number;
      files: readonly object[];
    };
    expect(size).toBe(52);
    expect(files).toContainEqual({
      path: join(directory, UPSTREAM, '30', 'blocks.jsonl'),
      upstream: ['https://a.b/***'],
      chainId: 30,
      blockHash: null,
      size: 3,
    });
  });

  it('cache ls prints the block number if the cache contains it', async () => {
    const directory = await temporaryDirectory();
    const chain = join(directory, UPSTREAM, '30');
    await mkdir(chain, { recursive: true });
    const blocks = new RecordFile(join(chain, 'blocks.jsonl'));
    blocks.set('7', { block: { number: '0x7', hash: `0x${'AB'.repeat(32)}` }, isDeep: true });
    blocks.set('8', null);
    blocks.set('9', { block: { number: 'nine', hash: `0x${'cd'.repeat(32)}` }, isDeep: true });
    for (const byte of ['ab', 'cd']) await writeFile(join(chain, `${byte.repeat(32)}.jsonl`), '6789');
    const { output } = await run(['cache', 'ls', '--fork-cache-dir', directory]);
    expect(output).toContain(`chain 30, state after block 7 (0x${'ab'.repeat(32)}) of an unknown URL\n`);
    expect(output).toContain(`chain 30, state after block 0x${'cd'.repeat(32)} of an unknown URL\n`);
    const { files } = (await runForJson('cache', 'ls', '--fork-cache-dir', directory)) as {
      files: readonly object[];
    };
    expect(files).toContainEqual({
      path: join(chain, `${'ab'.repeat(32)}.jsonl`),
      upstream: [],
      chainId: 30,
      blockHash: `0x${'ab'.repeat(32)}`,
      size: 4,
    });
  });

  it('cache clean deletes only its own files', async () => {
    const directory = await cacheWith();
    const { output } = await run(['cache', 'clean', '--fork-cache-dir', directory]);
    expect(output).toBe(`Deleted 5 files (52 bytes) from ${directory}\n`);
    expect((await readdir(directory, { recursive: true })).sort()).toEqual([
      '31',
      'README',
      UPSTREAM,
      `${UPSTREAM}/30`,
      `${UPSTREAM}/30/notes.txt`,
      'upstream-mine',
      'upstream-mine/31',
      'upstream-mine/31/blocks.jsonl',
    ]);
  });

  it.each(['ls', 'clean'])('cache %s exits with one line if the directory is invalid', async (word) => {
    const file = join(await temporaryDirectory(), 'file');
    await writeFile(file, '');
    for (const directory of [file, join(file, 'cache')]) {
      expect(await run(['cache', word, '--fork-cache-dir', directory])).toEqual({
        output: '',
        errors: `node-cli: --fork-cache-dir: cannot read ${directory}: a parent directory in the path is a file; pass the directory of a fork cache\n`,
        code: 1,
      });
    }
  });

  it('cache ls prints 0 bytes without a directory, and uses XDG_CACHE_HOME', async () => {
    const directory = await temporaryDirectory();
    const { output } = await run(['cache', 'ls'], { XDG_CACHE_HOME: directory });
    expect(output).toBe(`0  bytes in total in ${join(directory, 'node-cli', 'fork')}\n`);
  });
});
