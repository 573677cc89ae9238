import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { build } from 'esbuild';
import { expect, it, onTestFinished } from 'vitest';
import { readArtifact } from '../support/artifacts.ts';
import { describeInBrowser, untilTrue } from '../support/browser/browser.ts';
import { startNode } from '../support/node-process.ts';
import { REPOSITORY } from '../support/repository.ts';

const { abi, bytecode } = readArtifact('shanghai', 'Vault');

/** Bundles a module for browsers as an app's bundler does: the package by its exports, no polyfills, no modules of Node. */
async function bundled(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: REPOSITORY },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

/** Serves a page that runs the script; resolves to its URL. */
async function served(script: () => string): Promise<string> {
  const server = createServer(({ url }, response) => {
    const [type, body] =
      url === '/app.js'
        ? ['text/javascript', script()]
        : [
            'text/html',
            '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/app.js"></script>',
          ];
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describeInBrowser('an app bundled for browsers', (opened) => {
  /** Runs a module in a page of another origin than the node; resolves to the value that it puts into `window.result`. */
  async function run(app: (nodeUrl: string) => string): Promise<unknown> {
    let script = '';
    const pageUrl = await served(() => script);
    const node = await startNode('--lanes', '--allow-origin', pageUrl);
    onTestFinished(() => node.stop());
    script = await bundled(app(node.url));
    const page = await opened.openTab();
    onTestFinished(() => page.close());
    const fault = new Promise<never>((_, reject) => {
      page.on('pageerror', reject);
      page.on('console', (message) => reject(new Error(`${message.type()}: ${message.text()}`)));
    });
    const result = page
      .goto(pageUrl)
      .then(() => untilTrue(page, 'window.result !== undefined'))
      .then(() => page.evaluate('window.result'));
    return Promise.race([result, fault]);
  }

  it('uses the chain and the transport of node-cli/viem', async () => {
    const result = await run(
      (nodeUrl) => `
      import { createPublicClient, createWalletClient, http, parseEther } from 'viem';
      import { localNetwork33, localNetwork33At, withRevertData } from 'node-cli/viem';
      const abi = ${JSON.stringify(abi)};
      const chain = localNetwork33At(${JSON.stringify(nodeUrl)});
      const transport = withRevertData(http());
      const reader = createPublicClient({ chain, transport });
      const wallet = createWalletClient({ chain, transport });
      const [account] = await wallet.getAddresses();
      const hash = await wallet.deployContract({ abi, bytecode: ${JSON.stringify(bytecode)}, account });
      const { contractAddress: address } = await reader.waitForTransactionReceipt({ hash });
      await wallet.sendTransaction({ account, to: address, value: parseEther('1') });
      const deposit = { address, abi, functionName: 'deposits', args: [account] };
      const deposits = await reader.multicall({ contracts: [deposit, deposit], allowFailure: false });
      const failed = await reader
        .simulateContract({ address, abi, functionName: 'withdraw', args: [parseEther('2')], account })
        .catch((error) => error.walk((each) => each.name === 'ContractFunctionRevertedError'));
      window.result = {
        chain: localNetwork33.name,
        deposits: deposits.map(String),
        failed: [failed.name, failed.reason],
        node: [typeof Buffer, typeof process],
      };`,
    );

    expect(result).toEqual({
      chain: 'Local Network 33',
      deposits: ['1000000000000000000', '1000000000000000000'],
      failed: ['ContractFunctionRevertedError', 'Arithmetic operation resulted in underflow or overflow.'],
      node: ['undefined', 'undefined'],
    });
  });

  it('opens and reverts lanes with node-cli/lanes', async () => {
    const result = await run(
      (nodeUrl) => `
      import { openLane, snapshotLanes } from 'node-cli/lanes';
      const lane = await openLane(${JSON.stringify(nodeUrl)}, { key: 'page', chainId: 77 });
      const before = await snapshotLanes([lane]);
      await lane.request({ method: 'evm_mine' });
      const mined = await lane.request({ method: 'eth_blockNumber' });
      await before.revert();
      window.result = {
        chainId: await lane.request({ method: 'eth_chainId' }),
        mined,
        reverted: await lane.request({ method: 'eth_blockNumber' }),
      };`,
    );

    expect(result).toEqual({ chainId: '0x4d', mined: '0x1', reverted: '0x0' });
  });
});
