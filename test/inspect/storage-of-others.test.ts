// Storage by variable of Vyper contracts, and of contracts from before the fork block.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { encodeFunctionData, toFunctionSelector } from 'viem';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createNode } from '../../src/index.ts';
import type { LocalNode } from '../../src/library/local-node.ts';

const BUILD = fileURLToPath(new URL('../../fixtures/projects/vyper/0.4.3', import.meta.url));
const GAS = '0x4c4b40';

interface Compiled {
  readonly abi: readonly Record<string, unknown>[];
  readonly evm: { readonly bytecode: { readonly object: string } };
}

function failing(): { readonly abi: Compiled['abi']; readonly code: string } {
  const output = JSON.parse(readFileSync(`${BUILD}/output.json`, 'utf8')) as {
    contracts: Record<string, Record<string, Compiled>>;
  };
  const found = output.contracts['vyper-0.4/Failing.vy']?.Failing;
  if (found === undefined) throw new Error('the build has no Failing');
  const { object } = found.evm.bytecode;
  return { abi: found.abi, code: object.startsWith('0x') ? object : `0x${object}` };
}

interface ReadState {
  readonly node: LocalNode;
  readonly from: string;
  request(method: string, ...params: unknown[]): Promise<unknown>;
  /** Sends and inspects a transaction. Resolves to its changes by variable. */
  changesOf(fields: object): Promise<Record<string, readonly [before: unknown, after: unknown]>>;
  /** Deploys the contract with limit 5. */
  deploy(): Promise<string>;
  variables(address: string): Promise<Record<string, unknown>>;
}

async function asked(options: Parameters<typeof createNode>[0]): Promise<ReadState> {
  const node = await createNode({ artifacts: BUILD, ...options });
  onTestFinished(() => node.close());
  const request = (method: string, ...params: unknown[]): Promise<unknown> =>
    node.request({ method, params });
  const [from = ''] = (await request('eth_accounts')) as string[];
  const send = (fields: object): Promise<unknown> =>
    request('eth_sendTransaction', { from, gas: GAS, ...fields });
  return {
    node,
    from,
    request,
    async changesOf(fields) {
      const told = (await request('inspect_transaction', await send(fields))) as {
        failure: unknown;
        changes: { storage: { variable: string; before: unknown; after: unknown }[] };
      };
      expect(told.failure).toBeNull();
      return Object.fromEntries(
        told.changes.storage.map(({ variable, before, after }) => [variable.toLowerCase(), [before, after]]),
      );
    },
    async deploy() {
      const data = `${failing().code}${(5).toString(16).padStart(64, '0')}`;
      const receipt = (await request('eth_getTransactionReceipt', await send({ data }))) as {
        contractAddress: string;
      };
      return receipt.contractAddress;
    },
    async variables(address) {
      const { variables, unnamedCount, contract } = (await request('inspect_storage', address)) as {
        variables: { name?: string; variable?: string; value: unknown; items: unknown }[];
        unnamedCount: number | null;
        contract: string;
      };
      const values = variables.map((each) => [each.variable ?? each.name, each.items ?? each.value]);
      return { ...Object.fromEntries(values), unnamedCount, contract };
    },
  };
}

const FILL = toFunctionSelector('fill()');

function filled(from: string): Record<string, readonly unknown[]> {
  const sender = from.toLowerCase();
  return {
    [`balances[${sender}]`]: ['0', '5'],
    [`nested[${sender}][2]`]: [false, true],
    'list.length': ['0', '2'],
    'list[0]': ['0', '1'],
    'list[1]': ['0', '2'],
    text: ['', 'a text of Vyper'],
    filled: [false, true],
  };
}

describe('storage of a Vyper contract', () => {
  it('storage and changes have the names of its layout', async () => {
    const node = await asked({});
    const to = await node.deploy();
    expect(await node.changesOf({ to, data: FILL })).toEqual(filled(node.from));
    const variables = await node.variables(to);
    expect(variables).toMatchObject({
      contract: 'Failing',
      unnamedCount: 0,
      text: 'a text of Vyper',
      filled: true,
    });
    expect(String(variables.owner).toLowerCase()).toBe(node.from.toLowerCase());
    // Vyper hashes the slot of the map before the key. Solidity hashes the key first.
    expect(variables.balances).toMatchObject([{ value: '5' }]);
    expect(JSON.stringify(variables.balances).toLowerCase()).toContain(node.from.toLowerCase());
  });
});

describe('storage of a contract of a forked chain', () => {
  async function forked(): Promise<{
    readonly upstream: ReadState;
    readonly fork: ReadState;
    readonly to: string;
  }> {
    const upstream = await asked({});
    const to = await upstream.deploy();
    const server = await upstream.node.listen({ port: 0 });
    const fork = await asked({ forkUrl: server.url });
    return { upstream, fork, to };
  }

  it('changes on the fork have names, and values before from the upstream', async () => {
    const { upstream, fork, to } = await forked();
    expect(await fork.changesOf({ to, data: FILL })).toEqual(filled(fork.from));
    expect(await fork.changesOf({ to, data: FILL })).toEqual({});
    // The upstream is unchanged.
    expect(await upstream.variables(to)).toMatchObject({ filled: false, text: '' });
  });

  it('storage contains values of upstream and fork, and is not marked as complete', async () => {
    const { upstream, fork, to } = await forked();
    const before = await fork.variables(to);
    expect(String(before.owner).toLowerCase()).toBe(upstream.from.toLowerCase());
    expect(before).toMatchObject({ contract: 'Failing', filled: false, unnamedCount: null });
    await fork.changesOf({ to, data: FILL });
    expect(await fork.variables(to)).toMatchObject({
      filled: true,
      text: 'a text of Vyper',
      unnamedCount: null,
    });
    // All slots of a contract created on the fork are known.
    const own = await fork.deploy();
    await fork.changesOf({ to: own, data: FILL });
    expect(await fork.variables(own)).toMatchObject({ filled: true, unnamedCount: 0 });
  });

  it('failures have the source lines of the contract', async () => {
    const { fork, to } = await forked();
    const data = encodeFunctionData({ abi: failing().abi, functionName: 'small', args: [0n] } as never);
    const told = (await fork.request('inspect_call', { from: fork.from, to, data })) as {
      failure: { message: string };
      stackTrace: { function: string; line: number }[];
    };
    expect(told.failure.message).toContain('small');
    expect(told.stackTrace).toMatchObject([{ contract: 'Failing', function: 'small', line: 28 }]);
  });
});
