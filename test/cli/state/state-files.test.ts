import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type FileSystem, systemFileSystem } from '../../../src/cli/host.ts';
import { FIRST_ACCOUNT } from '../../support/dev-accounts.ts';
import { createFakeTime, type FakeTime } from '../../support/fake-time.ts';
import { answerAt } from '../../support/json-rpc.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { FAKE_NOW } from '../support/fake-host.ts';
import { refusal, type StartedNode, start } from '../support/started-node.ts';

const STRANGER = `0x${'a1'.repeat(20)}`;
const OTHER_WORDS =
  'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';

/** Saves a chain of one block to the file and stops the node. */
async function saveChain(path: string, ...options: readonly string[]): Promise<void> {
  const { call, end } = await start(['--state', path, ...options]);
  await call('evm_mine');
  expect(await end()).toBe(0);
}

describe('--state', () => {
  it('--state restores blocks, accounts, settings, snapshots and keys', async () => {
    const path = join(await temporaryDirectory(), 'chain.json');
    const first = await start(['--state', path]);
    expect(first.host.written.output).toContain(`\nState:      saved to ${path}\n`);
    expect(first.host.written.output).not.toContain('loaded from');
    const made = await first.call('personal_newAccount', 'word');
    await first.call('eth_sendTransaction', { from: FIRST_ACCOUNT, to: STRANGER, value: '0x5' });
    await first.call('evm_snapshot');
    expect(await first.end()).toBe(0);
    expect(await readdir(join(path, '..'))).toEqual(['chain.json']);

    const second = await start(['--state', path]);
    expect(second.host.written.output).toContain(`\nState:      loaded from ${path} · saved to ${path} · `);
    expect(await second.call('eth_blockNumber')).toBe('0x1');
    expect(await second.call('eth_getBalance', STRANGER)).toBe('0x5');
    expect(await second.call('eth_accounts')).toContain(made);
    expect(await second.call('evm_revert', '0x1')).toBe(true);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('--state saves before the exit by %s', async (signal) => {
    const path = join(await temporaryDirectory(), 'chain.json');
    const { host } = await start(['--state', path]);
    host.sendSignal(signal);
    expect(await host.exited()).toBe(0);
    expect(await readFile(path, 'utf8')).toMatch(/^\{"format":"node-cli chain"/);
  });

  it('--state does not write an unchanged chain, except if the file is missing', async () => {
    const path = join(await temporaryDirectory(), 'chain.json');
    await saveChain(path);
    const before = await stat(path, { bigint: true });
    const second = await start(['--state', path]);
    await second.call('eth_blockNumber');
    expect(await second.end()).toBe(0);
    expect((await stat(path, { bigint: true })).ino).toBe(before.ino);

    const third = await start(['--state', path]);
    await systemFileSystem.remove(path);
    expect(await third.end()).toBe(0);
    expect((await stat(path)).isFile()).toBe(true);
  });

  it('--state compresses .gz files, and uses state.json in a directory', async () => {
    const folder = await temporaryDirectory();
    await saveChain(join(folder, 'chain.gz'));
    const plain = gunzipSync(await readFile(join(folder, 'chain.gz'))).toString();
    await saveChain(folder);
    expect(plain.split('\n')[0]).toBe((await readFile(join(folder, 'state.json'), 'utf8')).split('\n')[0]);
  });

  it('--state restores hardfork, chain id, limits, mining mode and accounts without options', async () => {
    const path = join(await temporaryDirectory(), 'chain.json');
    await saveChain(
      path,
      ...['--hardfork', 'prague', '--chain-id', '777', '--gas-limit', '12345678', '--no-mining'],
      ...['--mnemonic', OTHER_WORDS, '--accounts', '2'],
    );
    const { host, call } = await start(['--state', path]);
    expect(host.written.output).toContain(
      '\nChain:      777 · prague rules · mining on request · gas limit 12,345,678 · ',
    );
    expect(host.written.output).not.toContain('Note:');
    expect(await call('eth_chainId')).toBe('0x309');
    expect(await call('eth_accounts')).toEqual([
      '0x9858effd232b4033e47d90003d41ec34ecaeda94',
      '0x6fac4d18c912343bf86fa7049364dd4e424ab9c0',
    ]);
    await call('eth_sendTransaction', { from: '0x9858effd232b4033e47d90003d41ec34ecaeda94', to: STRANGER });
    expect(await call('eth_blockNumber')).toBe('0x1');
  });

  it('given options override the file, with a note', async () => {
    const path = join(await temporaryDirectory(), 'chain.json');
    await saveChain(path);
    const { host, call } = await start([
      ...['--state', path, '--gas-limit', '9000000', '--no-mining', '--min-gas-price', '7'],
      ...['--mnemonic', OTHER_WORDS, '--accounts', '1'],
    ]);
    expect(host.written.output).toContain(
      `Note: --gas-limit overrides ${path}: the value is 9000000 (in the file: 30000000)\n`,
    );
    expect(host.written.output).toContain(
      `Note: --min-gas-price overrides ${path}: the value is 7 (in the file: 0)\n`,
    );
    expect(host.written.output).toContain(`Note: the mining mode comes from the options, not from ${path}`);
    expect(host.written.output).toContain(
      `Note: the accounts from --accounts, --mnemonic, --derivation-path or --dev-accounts get no new funds; their balances come from ${path}`,
    );
    await call('evm_mine');
    expect(await call('eth_getBlockByNumber', 'latest', false)).toMatchObject({ gasLimit: '0x895440' });
    expect(await call('eth_getBlockByNumber', 'latest', false)).toMatchObject({ minimumGasPrice: '0x7' });
    const accounts = (await call('eth_accounts')) as string[];
    expect(accounts[0]).toBe('0x9858effd232b4033e47d90003d41ec34ecaeda94');
    expect(accounts).toContain(FIRST_ACCOUNT);
  });

  it('a different hardfork or chain id than in the file is rejected', async () => {
    const path = join(await temporaryDirectory(), 'chain.json');
    await saveChain(path);
    expect(await refusal(['--state', path, '--hardfork', 'prague'])).toContain(
      `--hardfork: the chain of ${path} uses the hardfork rootstock, got prague; pass --hardfork rootstock`,
    );
    expect(await refusal(['--state', path, '--with-eip', '7951'])).toContain(
      'uses the hardfork rootstock, got rootstock+eip7951; pass --hardfork rootstock and remove --with-eip',
    );
    expect(await refusal(['--state', path, '--chain', 'mainnet'])).toContain(
      `--chain-id: the chain of ${path} has the chain id 33, got 30; pass --chain-id 33`,
    );
    const other = join(await temporaryDirectory(), 'chain.json');
    await saveChain(other, '--hardfork', 'prague');
    expect(await refusal(['--state', other, '--remasc'])).toContain(
      '--remasc cannot be used with the hardfork prague of ',
    );
  });

  it('--state restores the federation, and rejects another one', async () => {
    const path = join(await temporaryDirectory(), 'chain.json');
    await saveChain(path, '--federation', 'p2wsh');
    const { call } = await start(['--state', path]);
    // getActivePowpegRedeemScript() starts with OP_NOTIF.
    const request = { to: '0x0000000000000000000000000000000001000006', data: '0x1d73d5dd' };
    expect(await call('eth_call', request, 'latest')).toMatch(/^0x(?:.{64}){2}6452/);
    expect(await refusal(['--state', path, '--federation', 'legacy'])).toContain(
      `--federation: the chain of ${path} has the federation p2wsh, got legacy; pass --federation p2wsh`,
    );
  });

  it('--state restores the difficulty and REMASC', async () => {
    const path = join(await temporaryDirectory(), 'chain.json');
    await saveChain(path, '--difficulty', '3', '--remasc');
    const { call } = await start(['--state', path]);
    await call('evm_mine');
    const block = (await call('eth_getBlockByNumber', 'latest', false)) as Record<string, unknown>;
    expect(block).toMatchObject({ number: '0x2', difficulty: '0x3' });
    expect(block.transactions).toHaveLength(1);
  });

  it('--state restores the code size limit and order unless options override them', async () => {
    const path = join(await temporaryDirectory(), 'chain.json');
    await saveChain(path, '--code-size-limit', '100', '--order', 'fifo');
    const order = async ({ call }: StartedNode): Promise<unknown> => {
      const { transactionOrder } = (await call('anvil_nodeInfo')) as { transactionOrder: string };
      // PUSH2 0x200, PUSH1 0, RETURN
      const hash = await call('eth_sendTransaction', { from: FIRST_ACCOUNT, data: '0x6102006000f3' });
      const { status } = (await call('eth_getTransactionReceipt', hash)) as { status: string };
      return [transactionOrder, status];
    };
    const second = await start(['--state', path]);
    expect(await order(second)).toEqual(['fifo', '0x0']);
    expect(second.host.written.output).not.toContain('Note:');
    await second.end();
    const third = await start(['--state', path, '--disable-code-size-limit', '--order', 'fees']);
    expect(await order(third)).toEqual(['fees', '0x1']);
    expect(third.host.written.output).toContain(
      `Note: --order overrides ${path}: the value is fees (in the file: fifo)\n`,
    );
    expect(third.host.written.output).toContain(
      `Note: --disable-code-size-limit overrides ${path}: the code size limit is none (in the file: 100 bytes)\n`,
    );
    await third.end();
    const fourth = await start(['--state', path]);
    expect(await order(fourth)).toEqual(['fees', '0x1']);
    await fourth.end();
    const other = join(await temporaryDirectory(), 'chain.json');
    await saveChain(other, '--network-limits');
    const { host } = await start(['--state', other]);
    expect(host.written.output).toContain("Rootstock's limits");
    expect(host.written.output).toContain('gas limit 10,000,000');
  });

  it('a hosted node lists no keys of the file', async () => {
    const path = join(await temporaryDirectory(), 'chain.json');
    await saveChain(path);
    const { url } = await start(['--state', path, '--hosted', '--api-key', 'key']);
    expect(await answerAt(`${url}/key`, 'eth_accounts')).toMatchObject({ result: [] });
  });
});

describe('format of the state file', () => {
  it("uses Anvil's format in compat mode anvil, and keeps the format of an Anvil file", async () => {
    const path = join(await temporaryDirectory(), 'state.json');
    await saveChain(path, '--compat', 'anvil');
    const read = async () => JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;
    expect(Object.keys(await read())).toEqual(expect.arrayContaining(['accounts', 'blocks', 'node_cli']));
    const second = await start(['--state', path]);
    expect(await second.call('eth_blockNumber')).toBe('0x1');
    await second.call('evm_mine');
    expect(await second.end()).toBe(0);
    expect(Object.keys(await read())).toContain('accounts');
    expect(await (await start(['--state', path])).call('eth_blockNumber')).toBe('0x2');
  });
});

describe('--load-state and --dump-state', () => {
  it('--load-state reads one file, and --dump-state saves to another', async () => {
    const folder = await temporaryDirectory();
    const [from, to] = [join(folder, 'from.json'), join(folder, 'to.json.gz')];
    await saveChain(from);
    const before = await readFile(from);
    const { call, end } = await start(['--load-state', from, '--dump-state', to]);
    await call('evm_mine');
    expect(await end()).toBe(0);
    expect(await readFile(from)).toEqual(before);
    expect(await (await start(['--load-state', to])).call('eth_blockNumber')).toBe('0x2');
  });

  it('--load-state adds an Anvil state file to the chain, plain or compressed', async () => {
    const path = join(await temporaryDirectory(), 'anvil.json');
    const accounts = { [STRANGER]: { nonce: 0, balance: '0x7', code: '0x', storage: {} } };
    await writeFile(path, gzipSync(JSON.stringify({ accounts })));
    const { host, call } = await start(['--load-state', path]);
    expect(await call('eth_getBalance', STRANGER)).toBe('0x7');
    expect(await call('eth_getBalance', FIRST_ACCOUNT)).toBe('0x21e19e0c9bab2400000');
    expect(host.written.output).toContain(`\nState:      loaded from ${path}`);
    const note =
      'Note: only the accounts of the Anvil state file were loaded, not its blocks: the file has no blocks';
    expect(host.written.output.split(note)).toHaveLength(2);
    await call('anvil_loadState', JSON.stringify({ accounts }));
    expect(host.written.output.split(note)).toHaveLength(3);
  });

  it('state options reject a missing, foreign or unwritable file', async () => {
    const folder = await temporaryDirectory();
    const path = join(folder, 'file.json');
    expect(await refusal(['--load-state', path])).toContain(`--load-state: no file ${path}`);
    await writeFile(path, '{"alloc":{}}');
    expect(await refusal(['--load-state', path])).toContain(
      `node-cli: --load-state ${path}: it is neither a dump of node-cli nor a state file of Anvil; it looks like a genesis file: pass it with --init`,
    );
    await writeFile(path, '{"format":"node-cli chain","version":9}\n');
    expect(await refusal(['--state', path])).toContain(`--state ${path}: it has format version 9`);
  });

  it('state options reject an unusable path in one line with option, path and reason', async () => {
    const folder = await temporaryDirectory();
    const [file, taken] = [join(folder, 'file'), join(folder, 'taken')];
    await writeFile(file, 'all my work', { mode: 0o755 });
    await mkdir(join(taken, 'state.json'), { recursive: true });
    const [below, absent] = [join(file, 'chain.json'), join(folder, 'no', 'chain.json')];
    const lines = new Map([
      [['--load-state', below], `--load-state: no file ${below}`],
      [['--init', below], `--init: no file ${below}`],
      [
        ['--load-state', taken],
        `--load-state: cannot read ${join(taken, 'state.json')}: it is a directory; `,
      ],
      [['--init', folder], `--init: cannot read ${folder}: it is a directory; `],
      [['--state', taken], `--state: cannot write ${join(taken, 'state.json')}: it is a directory; `],
      [
        ['--dump-state', taken],
        `--dump-state: cannot write ${join(taken, 'state.json')}: it is a directory; `,
      ],
      [['--dump-state', below], `--dump-state: cannot write ${below}: ${file} is a file, not a directory; `],
      [['--state', below], `--state: cannot write ${below}: ${file} is a file, not a directory; `],
      [
        ['--dump-state', absent],
        `--dump-state: cannot write ${absent}: directory ${join(folder, 'no')} does not exist; `,
      ],
    ]);
    for (const [commandLine, words] of lines) expect(await refusal(commandLine)).toContain(words);
  });

  it.skipIf(process.platform === 'win32')('--dump-state does not replace a device', async () => {
    expect(await refusal(['--dump-state', '/dev/null'])).toContain(
      '--dump-state: cannot write /dev/null: it is not a regular file; ',
    );
  });
});

describe('--state-interval', () => {
  async function startWithTime(commandLine: readonly string[], fileSystem?: FileSystem) {
    const time: FakeTime = createFakeTime(FAKE_NOW);
    const options = { timers: time.timers, ...(fileSystem === undefined ? {} : { fileSystem }) };
    return { ...(await start(commandLine, options)), time };
  }

  /** A file system whose writes wait until the test continues them. */
  function slowFiles(): { files: FileSystem; writes: (() => void)[]; written: () => Promise<void> } {
    const writes: (() => void)[] = [];
    let tell = (): void => undefined;
    const files: FileSystem = {
      ...systemFileSystem,
      async writeSynced(path, bytes, mode) {
        await new Promise<void>((go) => {
          writes.push(go);
          tell();
        });
        await systemFileSystem.writeSynced(path, bytes, mode);
      },
    };
    return { files, writes, written: () => new Promise((resolve) => (tell = resolve)) };
  }

  it('saves at the interval if the chain has changed', async () => {
    const path = join(await temporaryDirectory(), 'chain.json');
    const { files, writes, written } = slowFiles();
    const { time, call, end } = await startWithTime(['--state', path, '--state-interval', '10'], files);
    const begun = written();
    await time.advance(9_999);
    // A save that starts too early is written within some turns of the event loop.
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(writes).toHaveLength(0);
    await time.advance(1);
    await begun;
    // The next save waits for the current one.
    await time.advance(100_000);
    expect(writes).toHaveLength(1);
    writes[0]?.();
    await expect.poll(() => readFile(path, 'utf8').catch(() => '')).toContain('"present"');
    // An unchanged chain is not written.
    await time.advance(100_000);
    expect(writes).toHaveLength(1);
    await call('evm_mine');
    // The timer restarts after the check of the chain, which takes several turns.
    const nextWrite = async (): Promise<number> => {
      await time.advance(10_000);
      return writes.length;
    };
    await expect.poll(nextWrite, { timeout: 20_000 }).toBe(2);
    writes[1]?.();
    expect(await end()).toBe(0);
    expect(writes).toHaveLength(2);
    expect(await readFile(path, 'utf8')).toContain('"present":{"head":1,');
  });

  it('a second Ctrl-C aborts the save and reports unsaved changes', async () => {
    const path = join(await temporaryDirectory(), 'chain.json');
    const { files, writes, written } = slowFiles();
    const { clock, timers, advance } = createFakeTime(FAKE_NOW);
    const { host, call } = await start(['--state', path], { clock, timers, fileSystem: files });
    await call('evm_mine');
    const begun = written();
    host.sendSignal('SIGINT');
    await begun;
    await advance(501);
    host.sendSignal('SIGINT');
    expect(host.exitCodes).toEqual([130]);
    expect(host.written.errors).toBe(
      `node-cli: the chain was not saved to ${path}; the earlier file is unchanged\n`,
    );
    writes[0]?.();
    await expect.poll(() => readFile(path, 'utf8').catch(() => '')).toContain('"present"');
  });

  it('reports a failed save, keeps the old file, and exits with code 1', async () => {
    const path = join(await temporaryDirectory(), 'chain.json');
    await saveChain(path);
    const before = await readFile(path);
    const files: FileSystem = {
      ...systemFileSystem,
      writeSynced: () => Promise.reject(new Error('ENOSPC: no space left on device')),
    };
    const { host, call, end, time } = await startWithTime(['--state', path, '--quiet'], files);
    await call('evm_mine');
    await time.advance(60_000);
    const words = `node-cli: cannot save the chain to ${path}: ENOSPC: no space left on device; the earlier file is unchanged\n`;
    await expect.poll(() => host.written.errors).toBe(words);
    expect(await end()).toBe(1);
    expect(host.written.errors).toBe(words + words);
    expect(await readFile(path)).toEqual(before);
    expect(await readdir(join(path, '..'))).toEqual(['chain.json']);
  });
});

describe('--init', () => {
  async function genesisFile(content: object): Promise<string> {
    const path = join(await temporaryDirectory(), 'genesis.json');
    await writeFile(path, JSON.stringify(content));
    return path;
  }

  it('--init reports parameters of the file that differ from the hardfork', async () => {
    const blobs = { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 };
    const own = '0x00000000219ab540356cBB839Cbe05303d7705Fa';
    const write = (max: number, depositContractAddress: string): Promise<string> =>
      genesisFile({
        config: { blobSchedule: { osaka: { ...blobs, max }, prague: { max: 1 } }, depositContractAddress },
        alloc: {},
      });
    const alike = await start(['--hardfork', 'osaka', '--init', await write(9, own)]);
    expect(alike.host.written.output).not.toContain('passed over');
    const path = await write(12, STRANGER);
    const { host } = await start(['--hardfork', 'osaka', '--init', path]);
    expect(host.written.output).toContain(
      `Note: config.blobSchedule.osaka of ${path} is ignored: the hardfork sets target, max and baseFeeUpdateFraction to 6, 9, 5007716 (in the file: 6, 12, 5007716)\n`,
    );
    expect(host.written.output).toContain(
      `Note: config.depositContractAddress of ${path} is ignored: the hardfork sets the deposit contract to ${own.toLowerCase()} (in the file: ${STRANGER.toLowerCase()})\n`,
    );
  });

  it('--init creates the genesis from the file, and funds the dev accounts', async () => {
    const path = await genesisFile({
      config: { chainId: 1337 },
      timestamp: '0x64',
      gasLimit: '5000000',
      alloc: { [STRANGER]: { balance: '7' } },
    });
    const { call, host } = await start(['--init', path]);
    expect(host.written.output).toContain(
      '\nChain:      1337 · rootstock rules · automine · gas limit 5,000,000 · ',
    );
    expect(await call('eth_getBlockByNumber', '0x0', false)).toMatchObject({
      timestamp: '0x64',
      gasLimit: '0x4c4b40',
    });
    expect(await call('eth_getBalance', STRANGER)).toBe('0x7');
    expect(await call('eth_getBalance', FIRST_ACCOUNT)).toBe('0x21e19e0c9bab2400000');
  });

  it('options override the --init file, with a note', async () => {
    const path = await genesisFile({ config: { chainId: 1337 }, alloc: {} });
    const { call, host } = await start(['--init', path, '--chain-id', '5']);
    expect(host.written.output).toContain(
      `Note: --chain-id overrides ${path}: the value is 5 (in the file: 1337)\n`,
    );
    expect(await call('eth_chainId')).toBe('0x5');
  });

  it('--state continues a chain created by --init', async () => {
    const path = await genesisFile({ config: { chainId: 1337 }, alloc: {} });
    const state = join(path, '..', 'chain.json');
    await saveChain(state, '--init', path);
    const { call, host } = await start(['--init', path, '--state', state]);
    expect(host.written.output).toContain(`Note: ${path} is ignored, because ${state} exists\n`);
    expect([await call('eth_chainId'), await call('eth_blockNumber')]).toEqual(['0x539', '0x1']);
  });

  it('a data directory requires the same --init file', async () => {
    const path = await genesisFile({ config: { chainId: 1337 }, alloc: {} });
    const data = join(path, '..', 'data');
    const first = await start(['--init', path, '--data-dir', data]);
    await first.call('evm_mine');
    expect(await first.end()).toBe(0);
    const second = await start(['--init', path, '--data-dir', data]);
    expect([await second.call('eth_chainId'), await second.call('eth_blockNumber')]).toEqual([
      '0x539',
      '0x1',
    ]);
    expect(await second.end()).toBe(0);
    expect(await refusal(['--chain-id', '1337', '--data-dir', data])).toContain('the genesis file');
  });

  it('--init reports the path of an invalid field', async () => {
    const path = await genesisFile({ alloc: { [STRANGER]: { balance: 'all' } } });
    expect(await refusal(['--init', path])).toContain(
      `${path}: alloc.${STRANGER}.balance: expected a whole number of at most 256 bits, decimal or hexadecimal with 0x, got "all"`,
    );
    const small = await genesisFile({ gasLimit: '0x1', alloc: {} });
    expect(await refusal(['--init', small])).toContain(`${small}: gasLimit: expected a whole number of gas`);
    expect(await refusal(['--init', `${path}.no`])).toContain('--init: no file ');
  });
});
