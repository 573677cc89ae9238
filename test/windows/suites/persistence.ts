import assert from 'node:assert/strict';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { emptyFolder, run, startNode } from './installed-package.ts';

const pause = () => new Promise((resolve) => setTimeout(resolve, 20));

describe('--state', () => {
  it('saves the chain when the node closes and loads it at the next start', async () => {
    const file = join(emptyFolder(), 'my state.json');
    const first = await startNode(['--state', file]);
    await first.call('evm_mine');
    await first.stop();

    const second = await startNode(['--state', file]);

    assert.equal(await second.call('eth_blockNumber'), '0x1');
    await second.stop();
  });

  it('replaces an existing file at intervals', async () => {
    const file = join(emptyFolder(), 'state.json');
    const first = await startNode(['--state', file]);
    await first.call('evm_mine');
    await first.stop();
    const before = readFileSync(file, 'utf8');

    const second = await startNode(['--state', file, '--state-interval', '1']);
    await second.call('evm_mine');
    while (readFileSync(file, 'utf8') === before) await pause();

    assert.deepEqual(await second.stop().then(({ errors }) => errors), '');
  });

  it('keeps a file that another program has open, and saves it after the program closes it', async () => {
    const folder = emptyFolder();
    const file = join(folder, 'state.json');
    const first = await startNode(['--state', file]);
    await first.call('evm_mine');
    await first.stop();

    const reader = openSync(file, 'r');
    const second = await startNode(['--state', file]);
    await second.call('evm_mine');
    const closed = second.stop();
    while (!readdirSync(folder).some((name) => name.endsWith('.tmp'))) await pause();
    closeSync(reader);
    await closed;

    const third = await startNode(['--state', file]);
    assert.equal(await third.call('eth_blockNumber'), '0x2');
    await third.stop();
  });

  it('reads a file with a byte order mark and the line ends of Windows', async () => {
    const file = join(emptyFolder(), 'state.json');
    const first = await startNode(['--state', file]);
    await first.call('evm_mine');
    await first.stop();
    writeFileSync(file, `\uFEFF${readFileSync(file, 'utf8').replaceAll('\n', '\r\n')}`);

    const second = await startNode(['--state', file]);

    assert.equal(await second.call('eth_blockNumber'), '0x1');
    await second.stop();
  });

  it('rejects a missing drive', async () => {
    const { code, errors } = await run(['start', '--port', '0', '--state', 'Q:\\chain\\state.json']);

    assert.equal(code, 1);
    assert.match(errors, /--state: cannot write Q:\\chain\\state\.json: directory Q:\\chain does not exist/);
  });
});

describe('--data-dir', () => {
  it('continues the chain after a restart', async () => {
    const folder = join(emptyFolder(), 'chain data');
    const first = await startNode(['--data-dir', folder]);
    await first.call('evm_mine');
    await first.stop();

    const second = await startNode(['--data-dir', folder]);

    assert.equal(await second.call('eth_blockNumber'), '0x1');
    await second.stop();
    assert.ok(existsSync(folder));
  });

  it('continues the chain after the process was killed', async () => {
    const folder = join(emptyFolder(), 'chain');
    const first = await startNode(['--data-dir', folder]);
    await first.call('evm_mine');
    first.program.kill();
    await first.program.ended;

    const second = await startNode(['--data-dir', folder]);

    assert.equal(await second.call('eth_blockNumber'), '0x1');
    await second.stop();
  });

  it('rejects a second node in the same folder', async () => {
    const folder = join(emptyFolder(), 'chain');
    const first = await startNode(['--data-dir', folder]);

    const { code, errors } = await run(['start', '--port', '0', '--data-dir', folder]);

    assert.equal(code, 1);
    assert.match(errors, /--data-dir/);
    await first.stop();
  });
});

describe('--fork-url', () => {
  it('reads the cache of an earlier fork', async () => {
    const cache = join(emptyFolder(), 'fork cache');
    const upstream = await startNode();
    await upstream.call('anvil_mine', '0x5');
    const options = ['--fork-url', upstream.url, '--fork-block-number', '3', '--fork-cache-dir', cache];
    const first = await startNode(options);
    const balance = await first.call(
      'eth_getBalance',
      '0x00000000000000000000000000000000000000aa',
      'latest',
    );
    await first.stop();

    const listed = await run(['cache', 'ls', '--fork-cache-dir', cache, '--json']);
    const packed = await run(['cache', 'pack', 'fork.json.gz', '--fork-cache-dir', cache]);
    const second = await startNode(options);

    assert.equal(await second.call('eth_blockNumber'), '0x3');
    assert.equal(
      await second.call('eth_getBalance', '0x00000000000000000000000000000000000000aa', 'latest'),
      balance,
    );
    assert.equal(listed.code, 0, listed.errors);
    assert.equal(packed.code, 0, packed.errors);
    await second.stop();
    await upstream.stop();
  });
});
