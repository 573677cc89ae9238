import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolders } from '../../artifacts/artifact-reader.ts';
import { resultAt } from '../../support/json-rpc.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { type Agent, connectAgent, PROJECT } from './support/agent.ts';

/** Deploys the project contract that fails in every way. Returns its address. */
async function deployReverts({ succeed }: Agent, lane?: string): Promise<string> {
  const place = lane === undefined ? {} : { lane };
  const library = await succeed('deploy_contract', { artifact: 'Checks', ...place });
  const libraries = { Checks: library.content.contractAddress };
  const { content } = await succeed('deploy_contract', { artifact: 'Reverts', libraries, ...place });
  return String(content.contractAddress);
}

/** The line number of the mark in the source. */
function lineOf(mark: string): number {
  const lines = readFileSync(join(PROJECT, 'contracts/Reverts.sol'), 'utf8').split('\n');
  return lines.findIndex((line) => line.includes(`@at ${mark}`)) + 1;
}

describe('node-cli mcp', () => {
  it('lists tools with a description and read-only or destructive hints', async () => {
    const { client } = await connectAgent();
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['start_node', 'rpc_call', 'explain_failure', 'create_lane']),
    );
    expect(new Set(names).size).toBe(names.length);
    for (const { name, description = '', inputSchema, annotations } of tools) {
      expect(name).toMatch(/^[a-z_]+$/);
      expect(description.length, name).toBeGreaterThan(20);
      expect(inputSchema.type, name).toBe('object');
      expect(annotations?.readOnlyHint && annotations.destructiveHint, name).toBe(false);
    }
    const ofName = (wanted: string) => tools.find(({ name }) => name === wanted)?.annotations;
    expect(ofName('node_status')).toMatchObject({ readOnlyHint: true });
    expect(ofName('revert')).toMatchObject({ readOnlyHint: false, destructiveHint: true });
    expect(ofName('snapshot')).toMatchObject({ readOnlyHint: false, destructiveHint: false });
    expect(client.getInstructions()).toContain('explain_failure');
  });

  it('deploy_contract and explain_failure return the failing source line', async () => {
    const agent = await connectAgent();
    const to = await deployReverts(agent);
    const failed = await agent.call('send_transaction', { to, function: 'requireWithReason', args: [1] });
    expect(failed.isError).toBe(true);
    expect(failed.content).toMatchObject({ status: 'failed' });
    const hash = String(failed.content.transactionHash);
    expect(failed.text).toContain("reverted with reason string 'too small'");
    expect(failed.text).toContain(`Next: explain_failure {"hash": "${hash}"}`);

    const line = lineOf('requireWithReason');
    const { text, content } = await agent.succeed('explain_failure', { hash });
    expect(text).toContain("Error: reverted with reason string 'too small'");
    expect(text).toContain(`at Reverts.requireWithReason (contracts/Reverts.sol:${line}:`);
    expect(text).toMatch(new RegExp(`^> ${line} \\|.*require\\(number > 1, 'too small'\\)`, 'm'));
    expect(content.places).toMatchObject([{ source: 'contracts/Reverts.sol', line }]);

    const trace = await agent.succeed('trace_transaction', { hash });
    expect(trace.text).toMatch(/^Reverts\.requireWithReason\(number: 1\) ✗ .*too small/);
    expect(trace.text).toMatch(/^Gas used: [\d,]+ of [\d,]+$/m);
  });

  it('call_contract and explain_failure accept name, signature, ABI and data', async () => {
    const agent = await connectAgent();
    const to = await deployReverts(agent);
    const number = { name: '', type: 'uint256' };
    const abi = [{ type: 'function', name: 'overridden', inputs: [number], outputs: [number] }];
    const ways = [
      { function: 'overridden', args: ['11'] },
      { function: 'overridden(uint256)', args: [11] },
      { function: 'overridden', args: ['11'], abi },
      { data: `0x${(await selectorOf(agent, 'overridden(uint256)')).slice(2)}${'b'.padStart(64, '0')}` },
    ];
    for (const way of ways) {
      const { content } = await agent.succeed('call_contract', { to, ...way });
      expect(content).toMatchObject({ status: 'success', output: `0x${'b'.padStart(64, '0')}` });
    }
    const failed = await agent.call('call_contract', { to, function: 'plainError' });
    expect(failed).toMatchObject({ isError: true, content: { status: 'failed' } });
    expect(failed.text).toContain('Plain()');
    const { text } = await agent.succeed('explain_failure', { to, function: 'plainError' });
    expect(text).toContain(`contracts/Reverts.sol:${lineOf('plainError')}`);
  });

  it('revert restores a snapshot, and lists the remaining snapshots for an unknown one', async () => {
    const { succeed, call } = await connectAgent();
    const { content } = await succeed('snapshot');
    await succeed('mine', { blocks: 3 });
    expect((await succeed('revert', { id: content.id })).content).toMatchObject({ blockNumber: 0 });
    const again = await call('revert', { id: content.id });
    expect(again.isError).toBe(true);
    expect(again.text).toMatch(/^unknown snapshot 0x1; the chain has no snapshots\n\nNext: .*snapshot/);
    await succeed('snapshot');
    await succeed('snapshot', { name: 'deployed' });
    const unknown = await call('revert', { id: 'other' });
    expect(unknown.text).toMatch(/^unknown snapshot other; expected one of 0x2, deployed\n/);
  });

  it('travel_time moves the clock to a timestamp or by seconds', async () => {
    const { succeed } = await connectAgent('--timestamp', '2000000000');
    const { content } = await succeed('travel_time', { timestamp: 2_100_000_000 });
    expect(content).toMatchObject({ blockNumber: 1, timestamp: 2_100_000_000 });
    const later = await succeed('travel_time', { seconds: 86_400 });
    expect(Number(later.content.timestamp)).toBeGreaterThanOrEqual(2_100_086_400);
  });

  it('lanes are isolated, and an unknown lane is rejected', async () => {
    const agent = await connectAgent();
    const { content } = await agent.succeed('create_lane', { name: 'experiment' });
    await agent.succeed('mine', { blocks: 5, lane: 'experiment' });
    expect((await agent.succeed('node_status')).content).toMatchObject({ blockNumber: 0, lanes: 1 });
    expect((await agent.succeed('node_status', { lane: 'experiment' })).content).toMatchObject({
      blockNumber: 5,
    });
    expect(await resultAt(String(content.url), 'eth_blockNumber')).toBe('0x5');
    const from = { lane: 'experiment', block: 2 };
    await agent.succeed('create_lane', { name: 'earlier', from });
    expect((await agent.succeed('node_status', { lane: 'earlier' })).content).toMatchObject({
      blockNumber: 2,
    });
    expect((await agent.succeed('list_lanes')).content).toEqual({ lanes: ['experiment', 'earlier'] });
    await agent.succeed('drop_lane', { lane: 'experiment' });
    const gone = await agent.call('mine', { lane: 'experiment' });
    expect(gone.text).toBe(
      'unknown lane experiment; expected one of earlier\n\nNext: Create it with create_lane {"name": "experiment"}.',
    );
    expect((await agent.call('drop_lane', { lane: 'experiment' })).text).toBe(
      'unknown lane experiment; expected one of earlier\n\nNext: Pass a lane that list_lanes returns. If the lane was already removed, no call is needed.',
    );
    const to = await deployReverts(agent, 'earlier');
    expect((await agent.call('call_contract', { to, function: 'revertBare' })).text).toContain(
      'no contract at ',
    );
  });

  it('create_lane creates lanes of other chains, and travel_time moves a group', async () => {
    const { succeed, call } = await connectAgent('--timestamp', '2000000000');
    await succeed('mine', { blocks: 3 });
    const one = await succeed('create_lane', { name: 'one', chainId: 1, group: 'bridge' });
    expect(one.content).toMatchObject({ lane: 'one', chainId: 1, hardfork: 'rootstock', blockNumber: 3 });
    const options = { chainId: 10, hardfork: 'osaka', group: 'bridge' };
    const ten = await succeed('create_lane', { name: 'ten', ...options });
    expect(ten.content).toMatchObject({ chainId: 10, hardfork: 'osaka', blockNumber: 0 });
    expect(ten.text).toMatch(/^Lane ten \(chain id 10, osaka, block 0\) is at http/);
    await succeed('travel_time', { seconds: 1_000_000, lane: 'one' });
    for (const lane of ['one', 'ten']) {
      const { content } = await succeed('mine', { lane });
      expect(Number(content.timestamp), lane).toBeGreaterThanOrEqual(2_001_000_000);
    }
    const fork = { name: 'fork', forkUrl: one.content.url, forkBlockNumber: 2 };
    expect((await succeed('create_lane', fork)).content).toMatchObject({ chainId: 1, blockNumber: 2 });
    expect((await succeed('list_lanes')).content).toEqual({ lanes: ['one', 'ten', 'fork'] });
    for (const [wrong, words] of [
      [{ hardfork: 'cancan' }, /hardfork.*cancan.*Next: /s],
      [{ hardfork: 'osaka', from: { lane: 'one' } }, /from.*Next: /s],
      [
        { chainId: 0 },
        /chainId: .*The tool accepts name, from, chainId, hardfork, forkUrl, forkBlockNumber, group/s,
      ],
      [{ name: 'one' }, /an unused lane key.*Next: /s],
      [{ forkUrl: 'http://127.0.0.1:1' }, /127\.0\.0\.1:1.*Next: /s],
    ] as const)
      expect(await call('create_lane', wrong)).toMatchObject({
        isError: true,
        text: expect.stringMatching(words),
      });
  });

  it('start_node restarts the node at the same URL, and keeps the old one on an error', async () => {
    const { succeed, call } = await connectAgent('--chain-id', '77');
    const before = await succeed('node_status');
    expect(before.content).toMatchObject({ chainId: 77, hardfork: 'rootstock' });
    await succeed('mine');
    const wrong = await call('start_node', { options: { hardfrok: 'cancun' } });
    expect(wrong.text).toMatch(/^unknown option hardfrok in options; did you mean hardfork.*\n\nNext: /s);
    expect((await succeed('node_status')).content).toMatchObject({ blockNumber: 1 });

    const { content } = await succeed('start_node', { options: { hardfork: 'cancun', accounts: 2 } });
    expect(content).toMatchObject({
      url: before.content.url,
      chainId: 77,
      hardfork: 'cancun',
      blockNumber: 0,
    });
    expect(content.accounts).toHaveLength(2);
    const { content: extended } = await succeed('start_node', {
      options: { hardfork: 'prague', withEip: [7951, '7939'] },
    });
    expect(extended).toMatchObject({ hardfork: 'prague+eip7939+eip7951' });

    const missing = await call('start_node', { options: { forkUrl: 'http://127.0.0.1:9' } });
    expect(missing.text).toMatch(/127\.0\.0\.1:9.*Next: No node is running now/s);
    expect((await call('node_status')).text).toBe('no node is running\n\nNext: Start one with start_node.');
    expect((await succeed('start_node')).content).toMatchObject({ url: before.content.url, chainId: 77 });
  });

  it('add_artifacts reads build outputs, also for later nodes', async () => {
    const { succeed, call } = await connectAgent('--no-artifacts');
    expect((await call('deploy_contract', { artifact: 'Checks' })).text).toMatch(
      /^no artifacts found\n\nNext: /,
    );
    const nothing = await call('add_artifacts', { folder: './nowhere' });
    expect(nothing).toMatchObject({
      isError: true,
      text: expect.stringContaining('no build outputs in ./nowhere'),
    });
    const { content } = await succeed('add_artifacts', { folder: './artifacts' });
    expect(content.contracts).toContain('Reverts');
    await succeed('start_node');
    await succeed('deploy_contract', { artifact: 'contracts/Checks.sol:Checks' });
    const misspelled = await call('deploy_contract', { artifact: 'Cheks' });
    expect(misspelled.text).toContain('unknown artifact Cheks; did you mean Checks?');
    const unlinked = await call('deploy_contract', { artifact: 'Reverts' });
    expect(unlinked.text).toMatch(/^Reverts requires the library .*Checks\n\nNext: .*"libraries"/s);
  });

  it('add_artifacts rejects a folder with too many entries', async () => {
    const { call, succeed } = await connectAgent('--no-artifacts');
    const folder = await temporaryDirectory();
    await makeFolders(folder, 5_001);
    const around = await call('add_artifacts', { folder });
    expect(around.isError).toBe(true);
    expect(around.text).toMatch(/ has more than 5000 folders or 100000 files; .*\n\nNext: /s);
    // Later nodes do not search the folder again.
    await succeed('start_node');
    expect((await call('deploy_contract', { artifact: 'Checks' })).text).toMatch(/^no artifacts found/);
  });

  it('rpc_call runs any method and returns a remedy for errors', async () => {
    const { succeed, call } = await connectAgent();
    expect((await succeed('rpc_call', { method: 'eth_chainId' })).content).toEqual({ result: '0x21' });
    const unknown = await call('rpc_call', { method: 'eth_increaseTime', params: [1] });
    expect(unknown).toMatchObject({ isError: true });
    expect(unknown.text).toMatch(/Next: .*evm_increaseTime.*method_docs/s);
    const wrong = await call('rpc_call', { method: 'eth_getBalance', params: [1] });
    expect(wrong.text).toMatch(/invalid params: address: .*Next: method_docs \{"name": "eth_getBalance"\}/s);
  });

  it.each([
    [
      'rpc_call',
      { metod: 'eth_chainId' },
      /method: .*"metod".*Next: .*The tool accepts method, params, lane\.$/s,
    ],
    ['send_transaction', { to: '0x12' }, /to: expected an address.*Next: /s],
    ['nodestatus', {}, /^unknown tool nodestatus; did you mean node_status\?.*Next: Expected one of /s],
    ['travel_time', {}, /expected either seconds or timestamp.*Next: /s],
    ['trace_transaction', { hash: `0x${'ab'.repeat(32)}` }, /not found.*Next: .*list_lanes/s],
    ['method_docs', { name: 'evm_mien' }, /did you mean evm_mine\?.*Next: /s],
    ['help_topic', { topic: 'lane' }, /did you mean lanes\?.*Next: Expected one of /s],
    ['read_more', { id: '7', offset: 0 }, /response 7 is no longer stored.*Next: /s],
  ])('%s %j is rejected with a remedy', async (name, given, text) => {
    const { call } = await connectAgent();
    expect(await call(name, given)).toMatchObject({ isError: true, text: expect.stringMatching(text) });
  });

  it('a long response is truncated, and read_more returns the rest', async () => {
    const { succeed } = await connectAgent();
    const first = await succeed('rpc_call', { method: 'rpc.discover' });
    const [note = '', id, offset, total] =
      /\[characters 0 to \d+ of \d+; for the rest call read_more with id "(\d+)" and offset (\d+)\]$/.exec(
        first.text,
      ) ?? [];
    expect(note).not.toBe('');
    expect(total).toBeUndefined();
    let whole = first.text.slice(0, -note.length - 2);
    let at = Number(offset);
    while (at > 0) {
      const { text } = await succeed('read_more', { id, offset: at });
      const [end = '', next] =
        /\n\n\[characters \d+ to \d+ of \d+; .*?(?:offset (\d+)|end of the response)\]$/.exec(text) ?? [];
      whole += text.slice(0, -end.length);
      at = Number(next ?? 0);
    }
    expect(JSON.parse(whole)).toMatchObject({ info: { title: 'node-cli' } });
  });

  it('the reference is available as tools and as resources', async () => {
    const { client, succeed } = await connectAgent();
    expect((await succeed('method_docs', { name: 'evm_mine' })).text).toContain('Mines blocks immediately.');
    expect((await succeed('method_docs')).text).toMatch(/^inspect: .*inspect_transaction/m);
    expect((await succeed('help_topic', { topic: 'lanes' })).text).toContain('lane_create');
    expect((await succeed('help_topic')).text).toContain('Topics:');
    const { resources } = await client.listResources();
    for (const { uri } of resources) {
      const { contents } = await client.readResource({ uri });
      expect(contents, uri).toMatchObject([{ uri, text: expect.stringMatching(/\S{3}/) }]);
    }
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(['node-cli://methods/{name}']);
    const { contents } = await client.readResource({ uri: 'node-cli://methods/evm_snapshot' });
    expect(contents).toMatchObject([{ text: expect.stringContaining('Creates a snapshot of the chain') }]);
    await expect(client.readResource({ uri: 'node-cli://nothing' })).rejects.toThrow(
      'unknown resource node-cli://nothing; expected node-cli://llms.txt',
    );
    const ref = { type: 'ref/resource' as const, uri: 'node-cli://methods/{name}' };
    const { completion } = await client.complete({ ref, argument: { name: 'name', value: 'lane_' } });
    expect(completion.values).toContain('lane_create');
  });
});

async function selectorOf({ succeed }: Agent, signature: string): Promise<string> {
  const bytes = `0x${Buffer.from(signature).toString('hex')}`;
  const { content } = await succeed('rpc_call', { method: 'web3_sha3', params: [bytes] });
  return String(content.result).slice(0, 10);
}
