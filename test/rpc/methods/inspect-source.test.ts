import { readFileSync } from 'node:fs';
import { encodeAbiParameters, parseAbiParameters } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { createRpcHarness } from '../rpc-harness.ts';

const run = new URL('../../../fixtures/projects/solc/0.8.28/', import.meta.url);
const input = JSON.parse(readFileSync(new URL('input.json', run), 'utf8'));
const output = JSON.parse(readFileSync(new URL('output.json', run), 'utf8'));
const codeOf = (file: string, name: string): string => output.contracts[file][name].evm.bytecode.object;

describe('inspect_source', () => {
  let node: Awaited<ReturnType<typeof createRpcHarness>>;
  const deploy = async (code: string): Promise<`0x${string}`> => {
    const [from] = (await node.call('eth_accounts')) as string[];
    const hash = await node.call('eth_sendTransaction', [{ from, gas: '0x4c4b40', data: `0x${code}` }]);
    const receipt = (await node.call('eth_getTransactionReceipt', [hash])) as {
      contractAddress: `0x${string}`;
    };
    return receipt.contractAddress;
  };

  beforeAll(async () => {
    node = await createRpcHarness({}, { ruleSet: 'prague' });
    await node.call('inspect_addArtifacts', [input, output, '0.8.28+commit.7893614a']);
  });

  it('returns files with content, the compiler with its settings and the ABI', async () => {
    const checks = await deploy(codeOf('Checks.sol', 'Checks'));
    const code = codeOf('Linked.sol', 'Linked').replaceAll(/__\$\w{34}\$__/g, checks.slice(2));
    const address = await deploy(`${code}${'3'.padStart(64, '0')}`);
    expect(await node.call('inspect_source', [address])).toEqual({
      address,
      contract: {
        name: 'Linked',
        names: ['Linked'],
        sourceName: 'Linked.sol',
        fit: 'exact',
        compiler: {
          language: 'Solidity',
          version: '0.8.28',
          optimizer: false,
          viaIR: false,
          runs: null,
          evmVersion: null,
        },
        abi: output.contracts['Linked.sol'].Linked.abi,
        files: ['Linked.sol', 'Checks.sol'].map((name) => ({ name, content: input.sources[name].content })),
        artifact: null,
      },
      implementation: null,
    });
  });

  it('omits the files on request', async () => {
    const address = await deploy(codeOf('Checks.sol', 'Checks'));
    expect(await node.call('inspect_source', [address, false])).toMatchObject({
      contract: { name: 'Checks', abi: output.contracts['Checks.sol'].Checks.abi, files: [] },
    });
    await expect(node.call('inspect_source', [address, 'no'])).rejects.toThrow('files');
  });

  it('reports fit "similar" if only the metadata differ', async () => {
    // The hash of the metadata as CBOR, at the end of the code.
    const code = codeOf('Proxies.sol', 'Safe').replace(
      /(a2646970667358221220)(?:[0-9a-f]{64})/,
      `$1${'ab'.repeat(32)}`,
    );
    expect(await node.call('inspect_source', [await deploy(code)])).toMatchObject({
      contract: { name: 'Safe', fit: 'similar' },
    });
  });

  it("includes the source of a proxy's implementation", async () => {
    const safe = await deploy(codeOf('Proxies.sol', 'Safe'));
    const argument = encodeAbiParameters(parseAbiParameters('address'), [safe]).slice(2);
    const address = await deploy(`${codeOf('Proxies.sol', 'Proxy1967')}${argument}`);
    expect(await node.call('inspect_source', [address])).toMatchObject({
      address,
      contract: { name: 'Proxy1967' },
      implementation: { address: safe, contract: { name: 'Safe', sourceName: 'Proxies.sol' } },
    });
  });

  it('returns null for an account without code and for unknown code', async () => {
    expect(await node.call('inspect_source', [`0x${'ab'.repeat(20)}`])).toBe(null);
    expect(
      await node.call('inspect_source', [await deploy('600a600c600039600a6000f3602a60005260206000f3')]),
    ).toBe(null);
  });
});
