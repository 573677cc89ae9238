import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { readArtifact } from '../support/artifacts.ts';
import { FIRST_ACCOUNT } from '../support/dev-accounts.ts';
import { answerAt, resultAt } from '../support/json-rpc.ts';
import { compileSolidity } from '../support/solidity.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { start } from './support/started-node.ts';

const KEYS = ['--api-key', 'first', '--api-key', 'second'];

const CONTRACT = compileSolidity({
  'secret.sol': `// SPDX-License-Identifier: MIT
    contract SecretVault {
      error SecretFailure(uint256 amount);
      event SecretEvent(uint256 amount);
      uint256 public secretValue = 7;
      constructor() { emit SecretEvent(1); }
      function secretFail() external pure { revert SecretFailure(5); }
    }`,
});
const BYTECODE = CONTRACT.output.contracts['secret.sol']?.SecretVault?.evm.bytecode.object ?? '';
/** The selector of `secretFail()`. */
const FAIL = '0xcd4c2268';

/** Matches the names set by the first key. */
const NAMES = /secret/i;

/** A contract that the first key has described, deployed, labelled and called. */
interface Deployed {
  readonly address: string;
  readonly hash: string;
  readonly failed: string;
}

async function deployAs(url: string): Promise<Deployed> {
  const call = (method: string, params: readonly unknown[]): Promise<unknown> =>
    resultAt(url, method, params);
  const hash = String(await call('eth_sendTransaction', [{ from: FIRST_ACCOUNT, data: `0x${BYTECODE}` }]));
  const { contractAddress } = (await call('eth_getTransactionReceipt', [hash])) as {
    contractAddress: string;
  };
  const answer = await answerAt(url, 'eth_sendTransaction', [
    { from: FIRST_ACCOUNT, to: contractAddress, data: FAIL, gas: '0x30d40' },
  ]);
  const block = (await call('eth_getBlockByNumber', ['latest', false])) as { transactions: string[] };
  expect(answer.error ?? answer.result).toBeDefined();
  return { address: contractAddress, hash, failed: block.transactions[0] ?? '' };
}

/** Calls whose results may contain names. */
function questions({ address, hash, failed }: Deployed): readonly (readonly [string, readonly unknown[]])[] {
  const call = { to: address, data: FAIL };
  return [
    ['inspect_contracts', []],
    ['inspect_find', ['secret']],
    ['inspect_source', [address]],
    ['inspect_storage', [address]],
    ['inspect_transaction', [hash]],
    ['inspect_transaction', [failed]],
    ['inspect_steps', [hash, {}]],
    ['inspect_evaluate', [hash, '0x0', 'msg.sender']],
    ['inspect_state', [hash, '0x0']],
    ['inspect_call', [call]],
    ['inspect_failures', ['0x10']],
    ['inspect_events', [{}]],
    ['inspect_deployments', []],
    ['inspect_transactions', [{}]],
    ['inspect_profile', [hash]],
    ['inspect_compare', [hash, ['rootstock']]],
    ['inspect_gasReport', []],
    ['inspect_timeline', []],
    ['eth_call', [call, 'latest']],
    ['eth_estimateGas', [call]],
    ['eth_sendTransaction', [{ from: FIRST_ACCOUNT, ...call }]],
    ['debug_traceTransaction', [hash, { tracer: 'callTracer' }]],
    ['debug_traceTransaction', [failed]],
    ['debug_traceCall', [call, 'latest']],
    ['trace_transaction', [failed]],
    ['ots_getTransactionError', [failed]],
    ['anvil_nodeInfo', []],
    ['txpool_content', []],
  ];
}

async function described(url: string): Promise<Deployed> {
  expect(await resultAt(url, 'inspect_addArtifacts', [CONTRACT.input, CONTRACT.output])).toBe(1);
  const deployed = await deployAs(url);
  await resultAt(url, 'inspect_label', [deployed.address, 'Secret label']);
  await resultAt(url, 'inspect_label', [FIRST_ACCOUNT, 'Secret sender']);
  // A failing call, for inspect_failures.
  await answerAt(url, 'eth_call', [{ to: deployed.address, data: FAIL }, 'latest']);
  return deployed;
}

/** Returns the methods whose response contains one of the names. */
async function namedAnswers(url: string, deployed: Deployed): Promise<string[]> {
  const named: string[] = [];
  for (const [method, params] of questions(deployed)) {
    const answer = JSON.stringify(await answerAt(url, method, params));
    expect(answer).not.toContain('-32603');
    if (NAMES.test(answer)) named.push(method);
  }
  return named;
}

describe('names and contracts of an API key', () => {
  it('names and contracts are visible only to their key if keys share one chain', async () => {
    const { url } = await start(KEYS);
    const deployed = await described(`${url}/first`);

    expect(await namedAnswers(`${url}/first`, deployed)).toEqual(
      expect.arrayContaining([
        'inspect_contracts',
        'inspect_source',
        'inspect_transaction',
        'inspect_failures',
      ]),
    );
    expect(await namedAnswers(`${url}/second`, deployed)).toEqual([]);
  });

  it('names and contracts are visible only to their key if each key has a lane', async () => {
    const folder = await temporaryDirectory();
    const reports = ['--gas-report', join(folder, 'gas.json'), '--profile', join(folder, 'profile.json')];
    const { url } = await start([...KEYS, '--lanes', ...reports]);
    await described(`${url}/first`);
    const same = await deployAs(`${url}/second`);

    expect(await namedAnswers(`${url}/first`, same)).toContain('inspect_transaction');
    expect(await namedAnswers(`${url}/second`, same)).toEqual([]);
  });

  it('inspect_coverage is rejected with several API keys', async () => {
    const folder = await temporaryDirectory();
    const { url } = await start([...KEYS, '--coverage', join(folder, 'lcov.info')]);
    await described(`${url}/first`);

    for (const key of ['first', 'second'])
      expect(await answerAt(`${url}/${key}`, 'inspect_coverage')).toMatchObject({
        error: { code: -32000, message: expect.stringContaining('of all API keys') },
      });
  });

  it('names and contracts are shared by all clients of one key', async () => {
    const { url } = await start(['--api-key', 'only']);

    const deployed = await described(`${url}/only`);

    expect(await namedAnswers(`${url}/only`, deployed)).toContain('inspect_transaction');
  });

  it('contracts of a key do not replace the contracts of --artifacts, which every key can see', async () => {
    const folder = await temporaryDirectory();
    mkdirSync(join(folder, 'out'));
    writeFileSync(join(folder, 'out', 'Counter.json'), JSON.stringify(readArtifact('cancun', 'Counter')));
    const { url } = await start([...KEYS, '--artifacts', join(folder, 'out')]);
    await resultAt(`${url}/first`, 'inspect_addArtifacts', [CONTRACT.input, CONTRACT.output]);

    const namesOf = async (key: string): Promise<string[]> => {
      const contracts = (await resultAt(`${url}/${key}`, 'inspect_contracts')) as { name: string }[];
      return contracts.map(({ name }) => name).sort();
    };

    expect(await namesOf('first')).toEqual(['Counter', 'SecretVault']);
    expect(await namesOf('second')).toEqual(['Counter']);
  });
});

describe('activity of a chain shared by API keys', () => {
  it('contains only the requests of the own key', async () => {
    const { url } = await start(KEYS);
    const socket = new WebSocket(`${url.replace('http', 'ws')}/second`);
    onTestFinished(() => socket.terminate());
    await new Promise((resolve) => socket.once('open', resolve));
    const entries: unknown[] = [];
    const subscribed = new Promise<void>((resolve) => {
      socket.on('message', (data: Buffer) => {
        const message = JSON.parse(data.toString());
        if (message.id === 1) resolve();
        else entries.push(message.params.result);
      });
    });
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['activity'] }));
    await subscribed;

    await resultAt(`${url}/first`, 'eth_getBalance', [FIRST_ACCOUNT]);
    await resultAt(`${url}/second`, 'eth_gasPrice', []);
    await resultAt(`${url}/first`, 'evm_mine', []);
    while (!entries.some((entry) => (entry as { kind: string }).kind === 'block'))
      await new Promise((resolve) => socket.once('message', resolve));

    const shown = entries.map((entry) => {
      const { kind, method } = entry as { kind: string; method?: string };
      return method ?? kind;
    });
    expect(shown).toEqual(['eth_subscribe', 'eth_gasPrice', 'block']);
  });
});
