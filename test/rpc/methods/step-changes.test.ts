import { encodeDeployData, encodeFunctionData } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { compileSolidity } from '../../support/solidity.ts';
import { createRpcHarness, type RpcHarness } from '../rpc-harness.ts';

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

contract Inner {
    uint256 total;

    function add(uint256 value) external {
        total += value;
        require(value != 7, "seven");
    }
}

contract Outer {
    uint128 first;
    mapping(address => uint256) balances;
    Inner inner = new Inner();

    function run(uint256 value) external {
        first = 1;
        balances[msg.sender] += value;
        try inner.add(7) {} catch {}
        first = 2;
        require(false, "end");
    }
}
`;
const LINES = SOURCE.split('\n');

interface Change {
  readonly account: { readonly name: string | null };
  readonly variable: string | null;
  readonly before: unknown;
  readonly after: unknown;
}

interface Steps {
  readonly failedAt: number;
  readonly statements: readonly (readonly [number, number, number, number])[];
  readonly changes?: { readonly storage: readonly Change[]; readonly omitted: number };
}

describe('the changes of inspect_steps', () => {
  let harness: RpcHarness;
  let hash: unknown;
  let from = '';

  beforeAll(async () => {
    harness = await createRpcHarness({ compat: 'service' }, { ruleSet: 'prague' });
    const { call } = harness;
    [from = ''] = (await call('eth_accounts')) as string[];
    const { input, output } = compileSolidity({ 'Outer.sol': SOURCE });
    await call('inspect_addArtifacts', [input, output]);
    const { abi = [], evm } = output.contracts['Outer.sol']?.Outer ?? {};
    const send = (fields: object) => call('eth_sendTransaction', [{ from, gas: '0x4c4b40', ...fields }]);
    const creation = await send({ data: encodeDeployData({ abi, bytecode: `0x${evm?.bytecode.object}` }) });
    const { contractAddress: to } = (await call('eth_getTransactionReceipt', [creation])) as {
      contractAddress: string;
    };
    hash = await send({ to, data: encodeFunctionData({ abi, functionName: 'run', args: [5n] }) });
  });

  const stepsOf = async (page: object): Promise<Steps> =>
    (await harness.call('inspect_steps', [hash, { count: 0, ...page }])) as Steps;

  const changesAt = async (first: number): Promise<readonly string[]> =>
    ((await stepsOf({ first, changes: true })).changes?.storage ?? []).map(
      ({ account, variable, before, after }) => `${account.name}.${variable}: ${before} → ${after}`,
    );

  /** The first step of the statement on the line that contains the text. */
  const stepAt = async (text: string): Promise<number> => {
    const line = LINES.findIndex((each) => each.includes(text)) + 1;
    return (await stepsOf({})).statements.find(([, , , at]) => at === line)?.[0] ?? -1;
  };

  it('are the storage variables that changed before the step', async () => {
    const balance = new RegExp(`^Outer.balances\\[${from}\\]: 0 → 5$`, 'i');
    expect(await changesAt(0)).toEqual([]);
    expect(await changesAt(await stepAt('balances[msg.sender] +='))).toEqual(['Outer.first: 0 → 1']);
    expect(await changesAt(await stepAt('"seven"'))).toEqual([
      'Outer.first: 0 → 1',
      expect.stringMatching(balance),
      'Inner.total: 0 → 7',
    ]);
  });

  it('omit the writes of a call that failed before the step', async () => {
    const { failedAt } = await stepsOf({});
    expect(await changesAt(failedAt)).toEqual([
      'Outer.first: 0 → 2',
      expect.stringMatching(/^Outer.balances.*→ 5$/),
    ]);
  });

  it('are absent unless requested, and reject a step after the last one', async () => {
    expect(await stepsOf({})).not.toHaveProperty('changes');
    await expect(changesAt(1_000_000)).rejects.toThrow('step: expected one of the');
  });
});

const RETRIES = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

contract Retries {
    uint256 count;

    function run() external {
        this.write(5);
        this.nested();
        for (uint256 round; round < 20; round++) {
            try this.fail(round) {} catch {}
        }
        require(false, "end");
    }

    function write(uint256 value) public {
        count = value;
        assembly {
            tstore(1, value)
        }
    }

    function nested() external {
        try this.manyThenFail() {} catch {}
    }

    function manyThenFail() external {
        for (uint256 round; round < 20; round++) this.write(round + 100);
        require(false, "many");
    }

    function fail(uint256 round) external {
        write(round + 200);
        require(false, "again");
    }
}
`;

describe('the changes of inspect_steps after many failed writes', () => {
  it('are the last writes that were not reverted, with their names', async () => {
    const { call } = await createRpcHarness({ compat: 'service' }, { ruleSet: 'prague' });
    const [from] = (await call('eth_accounts')) as string[];
    const { input, output } = compileSolidity({ 'Retries.sol': RETRIES });
    await call('inspect_addArtifacts', [input, output]);
    const { abi = [], evm } = output.contracts['Retries.sol']?.Retries ?? {};
    const send = (fields: object) => call('eth_sendTransaction', [{ from, gas: '0x4c4b40', ...fields }]);
    const creation = await send({ data: `0x${evm?.bytecode.object}` });
    const receipt = await call('eth_getTransactionReceipt', [creation]);
    const { contractAddress: to } = receipt as { contractAddress: string };
    const hash = await send({ to, data: encodeFunctionData({ abi, functionName: 'run' }) });
    const { failedAt } = (await call('inspect_steps', [hash, { count: 0 }])) as Steps;
    const page = { first: failedAt, count: 0, changes: true };
    const { changes } = (await call('inspect_steps', [hash, page])) as { changes: object };
    expect(changes).toMatchObject({
      storage: [{ variable: 'count', before: '0', after: '5' }],
      transientStorage: [{ slot: '0x1', after: `0x${'5'.padStart(64, '0')}` }],
    });
  });
});
