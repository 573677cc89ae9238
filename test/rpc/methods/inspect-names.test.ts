import { readFileSync } from 'node:fs';
import { encodeAbiParameters, parseAbiParameters } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { createRpcHarness } from '../rpc-harness.ts';

const run = new URL('../../../fixtures/projects/solc/0.8.28/', import.meta.url);
const input = JSON.parse(readFileSync(new URL('input.json', run), 'utf8'));
const output = JSON.parse(readFileSync(new URL('output.json', run), 'utf8'));
const codeOf = (file: string, name: string): string => output.contracts[file][name].evm.bytecode.object;

let node: Awaited<ReturnType<typeof createRpcHarness>>;

async function deploy(code: string): Promise<`0x${string}`> {
  const [from] = (await node.call('eth_accounts')) as string[];
  const hash = await node.call('eth_sendTransaction', [{ from, gas: '0x4c4b40', data: `0x${code}` }]);
  const receipt = (await node.call('eth_getTransactionReceipt', [hash])) as {
    contractAddress: `0x${string}`;
  };
  return receipt.contractAddress;
}

beforeAll(async () => {
  node = await createRpcHarness({}, { ruleSet: 'prague' });
  await node.call('inspect_addArtifacts', [input, output]);
});

describe('inspect_names', () => {
  it('returns labels, contract names and implementations of proxies', async () => {
    const [account = ''] = (await node.call('eth_accounts')) as string[];
    const safe = await deploy(codeOf('Proxies.sol', 'Safe'));
    const argument = encodeAbiParameters(parseAbiParameters('address'), [safe]).slice(2);
    const proxy = await deploy(`${codeOf('Proxies.sol', 'Proxy1967')}${argument}`);
    await node.call('inspect_label', [account, 'treasury']);

    const names = await node.call('inspect_names', [[account, safe, proxy]]);

    expect(names).toEqual([
      { address: account, label: 'treasury', contract: null, implementation: null },
      { address: safe, label: null, contract: 'Safe', implementation: null },
      {
        address: proxy,
        label: null,
        contract: 'Proxy1967',
        implementation: { address: safe, contract: 'Safe' },
      },
    ]);
  });

  it('rejects more than 100 addresses', async () => {
    const many = Array.from({ length: 101 }, () => `0x${'12'.repeat(20)}`);
    await expect(node.call('inspect_names', [many])).rejects.toThrow('at most 100 addresses');
  });
});

describe('inspect_artifact', () => {
  it('returns the ABI, the initcode, and the places of the libraries', async () => {
    const linked = await node.call('inspect_artifact', ['Linked.sol', 'Linked']);

    const { abi, evm } = output.contracts['Linked.sol'].Linked;
    const bytecode = `0x${evm.bytecode.object.replaceAll(/__\$\w{34}\$__/g, '0'.repeat(40))}`;
    const [[library = '', places = []] = []] = Object.entries<object[]>(
      evm.bytecode.linkReferences['Checks.sol'],
    );
    expect(places.length).toBeGreaterThan(0);
    expect(linked).toEqual({
      name: 'Linked',
      sourceName: 'Linked.sol',
      abi,
      bytecode,
      links: places.map((place) => ({ library: `Checks.sol:${library}`, ...place })),
    });
  });

  it('returns null for an unknown contract', async () => {
    expect(await node.call('inspect_artifact', ['Linked.sol', 'Nothing'])).toBeNull();
  });
});
