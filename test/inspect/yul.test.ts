import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { start } from '../cli/support/started-node.ts';
import { word } from '../support/words.ts';

const solc = createRequire(import.meta.url)('solc') as { readonly compile: (input: string) => string };

const SOURCE = `object "Raw" {
  code {
    datacopy(0, dataoffset("runtime"), datasize("runtime"))
    return(0, datasize("runtime"))
  }
  object "runtime" {
    code {
      function check(value) {
        if gt(value, 10) { mstore(0, 0x42) revert(0, 32) }
        sstore(0, value)
      }
      check(calldataload(0))
    }
  }
}
`;

describe('Yul contracts', () => {
  it('a Yul contract is added without an ABI, and has no unrecognized selectors', async () => {
    const input = {
      language: 'Yul',
      sources: { 'Raw.yul': { content: SOURCE } },
      settings: {
        evmVersion: 'london',
        outputSelection: { '*': { '*': ['abi', 'evm.bytecode', 'evm.deployedBytecode'] } },
      },
    };
    const output = JSON.parse(solc.compile(JSON.stringify(input)));
    const node = await start(['--no-artifacts', '--compat', 'hardhat']);
    await node.call('inspect_addArtifacts', input, output);
    const [from] = (await node.call('eth_accounts')) as string[];
    const send = async (message: object): Promise<{ hash: string; contractAddress: string | null }> => {
      const sent = await node
        .call('eth_sendTransaction', { from, gas: '0x1e8480', ...message })
        .catch(() => null);
      const { transactions } = (await node.call('eth_getBlockByNumber', 'latest', false)) as {
        transactions: string[];
      };
      const hash = typeof sent === 'string' ? sent : (transactions[0] ?? '');
      const receipt = (await node.call('eth_getTransactionReceipt', hash)) as {
        contractAddress: string | null;
      };
      return { hash, ...receipt };
    };
    const { object } = output.contracts['Raw.yul'].Raw.evm.bytecode;
    const { contractAddress: to } = await send({ data: `0x${object}` });
    await send({ to, data: word(5) });
    const { hash } = await send({ to, data: word(50) });
    const { stack } = (await node.call('inspect_transaction', hash)) as { stack: string };
    await node.end();
    // solc maps the code to its own print of the source, not to the source.
    expect(stack.trim()).toBe('at Raw (Raw.yul)');
    expect(node.host.written.output).toContain('Contract call:  Raw.0x00000000(28 bytes)\n');
    // The message contains the data of the error.
    expect(node.host.written.output).toMatch(/\(return data: 0x0+42\)\n {6}at Raw/);
  });
});
