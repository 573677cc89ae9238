import { encodeFunctionData } from 'viem';
import { expect } from 'vitest';
import { fromHex, toHex } from '../../src/primitives/hex.ts';
import { readOptions } from '../cli/support/read-options.ts';
import { start } from '../cli/support/started-node.ts';
import { EXAMPLE } from '../rpc/example-chain.ts';
import { readArtifact } from '../support/artifacts.ts';
import { transfer } from '../support/test-chain.ts';
import type { Mode } from './modes.ts';
import { type ConformanceChain, createConformanceChain, signedByFourth } from './scenarios.ts';

const { sender, receiver, counter, blockHashes, increaseHash } = EXAMPLE;
const COUNT = '0x06661abd';
const INCREMENT = '0xd09de08a';
const QUANTITY = /^0x(0|[1-9a-f][0-9a-f]*)$/;
const KEY = 'conformance-key-0123456789';
const INVALID = { code: -32602 };
const STRANGER = `0x${'b1'.repeat(20)}`;

type Fields = Readonly<Record<string, unknown>>;

/** Throws if a node in a mode does not follow a row. */
export type RowCheck = (mode: Mode) => Promise<void>;

function node(mode: Mode): Promise<ConformanceChain> {
  return createConformanceChain({ hosted: mode === '--hosted' });
}

const OPTIONS: Readonly<Record<Mode, string[]>> = { default: [], '--hosted': ['--hosted', '--api-key', KEY] };

/** A node in its own process, with its address and the client path of the mode. */
async function served(mode: Mode, path = mode === '--hosted' ? `/${KEY}` : '') {
  const { host } = await start(OPTIONS[mode]);
  const origin = /http:\/\/127\.0\.0\.1:\d+/.exec(host.written.output)?.[0];
  if (origin === undefined) throw new Error(`it does not listen: ${host.written.output}`);
  const url = `${origin}${path}`;
  const send = (body: string, init: RequestInit = {}) =>
    fetch(url, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body,
      ...init,
    });
  return { origin, url, send };
}

async function answer(mode: Mode, request: Fields): Promise<Fields> {
  const { send } = await served(mode);
  return (await (await send(JSON.stringify(request))).json()) as Fields;
}

const CALL = { jsonrpc: '2.0', id: 7, method: 'eth_chainId', params: [] };

/** Offset of the first argument in the data of a counter log, after a call in a new block. */
async function increase(chain: ConformanceChain): Promise<unknown> {
  const data = fromHex(INCREMENT);
  const raw = await signedByFourth(chain, { to: fromHex(counter), value: 0n, gasLimit: 90_000n, data });
  const hash = await chain.call('eth_sendRawTransaction', [raw]);
  await chain.call('evm_mine');
  return hash;
}

async function sendCounter(mode: Mode, fields: Fields): Promise<Fields> {
  const { call } = await node(mode);
  const hash = await call('eth_sendTransaction', [{ from: sender, to: counter, data: INCREMENT, ...fields }]);
  return (await call('eth_getTransactionByHash', [hash])) as Fields;
}

/** PUSH1 0, PUSH1 0, RETURN with the caller, the gas price or the value as its word. */
const RETURNS = (opcode: string) => `0x${opcode}60005260206000f3`;

async function wordOf(mode: Mode, opcode: string, fields: Fields): Promise<bigint> {
  const { call } = await node(mode);
  return BigInt(String(await call('eth_call', [{ data: RETURNS(opcode), ...fields }, 'latest'])));
}

async function logs(mode: Mode, filter: Fields): Promise<Fields[]> {
  const { call } = await node(mode);
  return (await call('eth_getLogs', [filter])) as Fields[];
}

const numbersOf = (found: readonly Fields[]) => found.map(({ blockNumber }) => blockNumber);

async function changesOf(
  mode: Mode,
  kind: string,
): Promise<{ readonly changes: Fields[]; readonly hash: unknown; readonly head: Fields }> {
  const chain = await node(mode);
  const id = await chain.call(kind, kind === 'eth_newFilter' ? [{ address: counter }] : []);
  expect(id).toMatch(QUANTITY);
  const hash = await increase(chain);
  const changes = (await chain.call('eth_getFilterChanges', [id])) as Fields[];
  const head = (await chain.call('eth_getBlockByNumber', ['latest'])) as Fields;
  return { changes, hash, head };
}

const logChanges: RowCheck = async (mode) => {
  const { changes, hash } = await changesOf(mode, 'eth_newFilter');
  expect(changes).toMatchObject([{ address: counter, transactionHash: hash, removed: false }]);
};
const blockChanges: RowCheck = async (mode) => {
  const { changes, head } = await changesOf(mode, 'eth_newBlockFilter');
  expect(changes).toEqual([head.hash]);
};
const transactionChanges: RowCheck = async (mode) => {
  const { changes, hash } = await changesOf(mode, 'eth_newPendingTransactionFilter');
  expect(changes).toEqual([hash]);
};

const uninstalls: RowCheck = async (mode) => {
  const { call } = await node(mode);
  const id = await call('eth_newBlockFilter');
  expect(await call('eth_uninstallFilter', [id])).toBe(true);
  expect(await call('eth_uninstallFilter', [id])).toBe(false);
  await expect(call('eth_getFilterChanges', [id])).rejects.toMatchObject({ code: -32000 });
};

const expires: RowCheck = async (mode) => {
  const { call, time } = await node(mode);
  const [polled, left] = [await call('eth_newBlockFilter'), await call('eth_newBlockFilter')];
  time.advance(200_000);
  await call('eth_getFilterChanges', [polled]);
  time.advance(200_000);
  expect(await call('eth_getFilterChanges', [polled])).toEqual([]);
  await expect(call('eth_getFilterChanges', [left])).rejects.toMatchObject({ code: -32000 });
};

/** A log search over N blocks with a log in each. */
async function searchOver(
  mode: Mode,
  limits: { readonly blocks: number; readonly logs: number },
  blocks: number,
) {
  const chain = await createConformanceChain({ hosted: mode === '--hosted', logLimits: limits });
  for (let block = 0; block < blocks; block++) await increase(chain);
  return chain.call('eth_getLogs', [{ fromBlock: '0x5', address: counter }]);
}

/** A sender without funds requests a transaction with a cost. */
const POOR = { from: STRANGER, to: receiver, value: '0xde0b6b3a7640000' };

/** A chain with the contract of failing functions. */
async function failures(mode: Mode) {
  const chain = await node(mode);
  const { abi, bytecode } = readArtifact('shanghai', 'Failures');
  const creation = transfer({ to: null, value: 0n, gasLimit: 2_000_000n, data: fromHex(bytecode) });
  const hash = toHex(await chain.chain.sendFrom(fromHex(sender), creation));
  await chain.call('evm_mine');
  const { contractAddress } = (await chain.call('eth_getTransactionReceipt', [hash])) as Fields;
  const asked = (functionName: string): Fields => ({
    to: contractAddress,
    data: encodeFunctionData({ abi, functionName }),
  });
  return { call: chain.call, asked };
}

export const RULE_CHECKS: Readonly<Record<string, RowCheck>> = {
  'What the service does: 1': async (mode) => {
    const { url, send } = await served(mode);
    expect(await (await send(JSON.stringify(CALL))).json()).toEqual({
      jsonrpc: '2.0',
      id: 7,
      result: '0x21',
    });
    const put = await fetch(url, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(CALL),
    });
    expect(put.status).toBe(405);
  },
  'What the service does: 2': async (mode) => {
    const { send } = await served(mode);
    const plain = await send(JSON.stringify(CALL));
    expect(plain.headers.get('content-type')).toMatch(/^application\/json/);
    const text = await send(JSON.stringify(CALL), { headers: { 'content-type': 'text/plain' } });
    expect(text.status).toBe(415);
  },
  'What the service does: 3': async (mode) => {
    const { call } = await node(mode);
    expect([await call('eth_chainId'), await call('net_version')]).toEqual(['0x21', '33']);
  },
  'What the service does: 5': async (mode) => {
    const { call } = await node(mode);
    expect(await call('eth_accounts')).toEqual([]);
  },
  'What the service does: 6': async (mode) => {
    const chain = await node(mode);
    expect(await chain.call('eth_getBalance', [receiver])).toBe(`0x${(10_001n * 10n ** 18n).toString(16)}`);
    expect(await chain.call('eth_getBalance', [counter])).toBe('0x0');
  },
  'Request envelope: jsonrpc': async (mode) => {
    expect(await answer(mode, CALL)).toMatchObject({ result: '0x21' });
    expect(await answer(mode, { ...CALL, jsonrpc: '1.0' })).toMatchObject({ error: { code: -32600 } });
  },
  'Request envelope: method': async (mode) => {
    expect(await answer(mode, { ...CALL, method: 7 })).toMatchObject({ error: { code: -32600 } });
    expect(await answer(mode, { ...CALL, method: 'eth_nothing' })).toMatchObject({ error: { code: -32601 } });
  },
  'Request envelope: params': async (mode) => {
    expect(await answer(mode, { ...CALL, method: 'web3_sha3', params: ['0x68656c6c6f'] })).toMatchObject({
      result: '0x1c8aff950685c2ed4bc3174f3472287b56d9517b9c948127319a09a7a36deac8',
    });
    expect(await answer(mode, { ...CALL, params: ['0x1'] })).toMatchObject({ error: INVALID });
  },
  'Request envelope: id': async (mode) => {
    expect(await answer(mode, { ...CALL, id: 123_456 })).toMatchObject({ id: 123_456 });
    expect(await answer(mode, { ...CALL, id: {} })).toMatchObject({ error: { code: -32600 } });
  },
  'Response envelope: jsonrpc': async (mode) => {
    expect(await answer(mode, CALL)).toMatchObject({ jsonrpc: '2.0' });
    expect(await answer(mode, { ...CALL, method: 'eth_nothing' })).toMatchObject({ jsonrpc: '2.0' });
  },
  'Response envelope: id': async (mode) => {
    expect(await answer(mode, { ...CALL, method: 'eth_nothing', id: 8 })).toMatchObject({ id: 8 });
  },
  'Response envelope: result': async (mode) => {
    expect(Object.keys(await answer(mode, CALL)).sort()).toEqual(['id', 'jsonrpc', 'result']);
  },
  'Response envelope: error': async (mode) => {
    const failed = await answer(mode, { ...CALL, method: 'eth_nothing' });
    expect(Object.keys(failed).sort()).toEqual(['error', 'id', 'jsonrpc']);
  },
  'Value encodings: QUANTITY': async (mode) => {
    const { call } = await node(mode);
    for (const method of ['eth_blockNumber', 'eth_gasPrice', 'net_peerCount'])
      expect(await call(method)).toMatch(QUANTITY);
    await expect(call('eth_getBlockByNumber', ['0x'])).rejects.toMatchObject(INVALID);
  },
  'Value encodings: DATA': async (mode) => {
    const { call } = await node(mode);
    expect(await call('eth_getCode', [counter, 'latest'])).toMatch(/^0x([0-9a-f]{2})+$/);
    await expect(call('eth_getBalance', [counter.slice(0, -2)])).rejects.toMatchObject(INVALID);
    await expect(call('eth_getBlockByHash', [`${blockHashes[1]}00`])).rejects.toMatchObject(INVALID);
  },
  'Value encodings: TAG (block tag)': async (mode) => {
    const { call } = await node(mode);
    const count = (tag: string) => call('eth_getTransactionCount', [sender, tag]);
    expect([await count('earliest'), await count('latest'), await count('pending')]).toEqual([
      '0x0',
      '0x4',
      '0x5',
    ]);
    await expect(count('newest')).rejects.toMatchObject(INVALID);
  },
  'Value encodings: Block selector': async (mode) => {
    const { call } = await node(mode);
    const selectors = ['0x1', blockHashes[1], { blockHash: blockHashes[1] }, { blockNumber: '0x1' }];
    const counts = selectors.map((selector) => call('eth_getTransactionCount', [sender, selector]));
    expect(await Promise.all(counts)).toEqual(['0x1', '0x1', '0x1', '0x1']);
  },
  'Value encodings: Unix timestamp': async (mode) => {
    const { call } = await node(mode);
    expect(await call('eth_getBlockByNumber', ['0x1'])).toMatchObject({ timestamp: '0x6553f101' });
  },
  'States and transitions: Transaction, pending (in the mempool; blockHash, blockNumber, transactionIndex are null; no receipt), not shown':
    async (mode) => {
      const { call, waiting } = await node(mode);
      expect(await call('eth_getTransactionByHash', [waiting.transferHash])).toMatchObject({
        blockHash: null,
        blockNumber: null,
        transactionIndex: null,
      });
      expect(await call('eth_getTransactionReceipt', [waiting.transferHash])).toBeNull();
    },
  'States and transitions: Transaction, included in a block (fields set; receipt available), not shown':
    async (mode) => {
      const { call } = await node(mode);
      const place = { blockHash: blockHashes[3], blockNumber: '0x3', transactionIndex: '0x0' };
      expect(await call('eth_getTransactionByHash', [increaseHash])).toMatchObject(place);
      expect(await call('eth_getTransactionReceipt', [increaseHash])).toMatchObject(place);
    },
  'States and transitions: Filter, installed, eth_uninstallFilter with its id': uninstalls,
  'States and transitions: Filter, installed, inactivity timeout': expires,
  'Call object: from': async (mode) => {
    expect(await wordOf(mode, '33', { from: STRANGER })).toBe(BigInt(STRANGER));
    expect(await wordOf(mode, '33', {})).toBe(0n);
  },
  'Call object: to': async (mode) => {
    const { call } = await node(mode);
    expect(await call('eth_call', [{ to: counter, data: COUNT }, 'latest'])).toMatch(/2a$/);
    await expect(call('eth_call', [{ data: COUNT }, 'latest'])).rejects.toMatchObject(INVALID);
  },
  'Call object: gas': async (mode) => {
    expect(await wordOf(mode, '5a', { gas: '0x186a0' })).toBeLessThan(100_000n);
    expect(await wordOf(mode, '5a', {})).toBeGreaterThan(100_000n);
  },
  'Call object: gasPrice': async (mode) => {
    expect(await wordOf(mode, '3a', { from: sender, gas: '0x30d40', gasPrice: '0x7' })).toBe(7n);
    expect(await wordOf(mode, '3a', {})).toBe(0n);
  },
  'Call object: value': async (mode) => {
    expect(await wordOf(mode, '34', { from: sender, value: '0x5' })).toBe(5n);
    expect(await wordOf(mode, '34', {})).toBe(0n);
  },
  'Call object: data or input': async (mode) => {
    const { call } = await node(mode);
    const count = await call('eth_call', [{ to: counter, data: COUNT }, 'latest']);
    expect(await call('eth_call', [{ to: counter, input: COUNT }, 'latest'])).toBe(count);
    expect(await call('eth_call', [{ to: sender }, 'latest'])).toBe('0x');
  },
  'Transaction object for eth_sendTransaction: from': async (mode) => {
    expect(await sendCounter(mode, {})).toMatchObject({ from: sender });
    await expect(sendCounter(mode, { from: undefined })).rejects.toMatchObject(INVALID);
  },
  'Transaction object for eth_sendTransaction: to': async (mode) => {
    expect(await sendCounter(mode, {})).toMatchObject({ to: counter });
    expect(await sendCounter(mode, { to: undefined, data: '0x6001600055' })).toMatchObject({ to: null });
  },
  'Transaction object for eth_sendTransaction: gas': async (mode) => {
    expect(await sendCounter(mode, { gas: '0x13880' })).toMatchObject({ gas: '0x13880' });
    expect(await sendCounter(mode, {})).toMatchObject({ gas: '0x15f90' });
  },
  'Transaction object for eth_sendTransaction: gasPrice': async (mode) => {
    expect(await sendCounter(mode, { gasPrice: '0x9' })).toMatchObject({ gasPrice: '0x9' });
    expect(await sendCounter(mode, {})).toMatchObject({ gasPrice: '0x0' });
  },
  'Transaction object for eth_sendTransaction: value': async (mode) => {
    expect(await sendCounter(mode, { to: receiver, value: '0x3' })).toMatchObject({ value: '0x3' });
    expect(await sendCounter(mode, {})).toMatchObject({ value: '0x0' });
  },
  'Transaction object for eth_sendTransaction: data': async (mode) => {
    expect(await sendCounter(mode, {})).toMatchObject({ input: INCREMENT });
    await expect(sendCounter(mode, { data: undefined })).rejects.toMatchObject(INVALID);
  },
  'Transaction object for eth_sendTransaction: nonce': async (mode) => {
    const { call } = await node(mode);
    const send = (fields: Fields) =>
      call('eth_sendTransaction', [
        { from: receiver, to: counter, data: INCREMENT, nonce: '0x0', ...fields },
      ]);
    const first = await send({ gasPrice: '0x5' });
    const second = await send({ gasPrice: '0x7' });
    expect(await call('eth_getTransactionByHash', [first])).toBeNull();
    expect(await call('eth_getTransactionByHash', [second])).toMatchObject({ nonce: '0x0', gasPrice: '0x7' });
  },
  'Rules for eth_estimateGas: 1': async (mode) => {
    const { call } = await node(mode);
    const head = await call('eth_blockNumber');
    const estimate = await call('eth_estimateGas', [{ from: sender, to: counter, data: INCREMENT }]);
    expect(BigInt(String(estimate))).toBeGreaterThan(21_000n);
    expect(await call('eth_blockNumber')).toBe(head);
    expect(await call('txpool_status')).toMatchObject({ pending: 2, queued: 1 });
  },
  'Rules for eth_estimateGas: 2': async (mode) => {
    const { call, asked } = await failures(mode);
    expect(await call('eth_estimateGas', [POOR])).toMatch(QUANTITY);
    expect(await call('eth_estimateGas', [asked('reason')])).toMatch(QUANTITY);
    expect(await call('eth_estimateGas', [{ data: '0xfe' }])).toMatch(QUANTITY);
  },
  'Rules for eth_estimateGas: 3': async (mode) => {
    const { call } = await node(mode);
    const { gasLimit } = (await call('eth_getBlockByNumber', ['latest'])) as { readonly gasLimit: string };
    const estimate = BigInt(
      String(await call('eth_estimateGas', [{ from: sender, data: '0x5b5a61ffff106000575b' }])),
    );
    expect(estimate).toBeLessThanOrEqual(BigInt(gasLimit));
    expect(estimate).toBeGreaterThan(53_000n);
  },
  'Rules for eth_estimateGas: 4': async (mode) => {
    const { call } = await node(mode);
    const used = 43_743n;
    const data = `0x30f3f0db${'2a'.padStart(64, '0')}`;
    const estimate = await call('eth_estimateGas', [{ from: sender, to: counter, data }, '0x2']);
    expect(BigInt(String(estimate))).toBeGreaterThanOrEqual(used);
  },
  'Filter object: fromBlock': async (mode) => {
    expect(numbersOf(await logs(mode, { fromBlock: '0x1' }))).toEqual(['0x3']);
    expect(await logs(mode, { fromBlock: '0x4' })).toEqual([]);
    expect(await logs(mode, { toBlock: '0x4' })).toEqual([]);
  },
  'Filter object: toBlock': async (mode) => {
    expect(numbersOf(await logs(mode, { fromBlock: 'earliest', toBlock: '0x3' }))).toEqual(['0x3']);
    expect(await logs(mode, { fromBlock: 'earliest', toBlock: '0x2' })).toEqual([]);
    expect(numbersOf(await logs(mode, { fromBlock: '0x3' }))).toEqual(['0x3']);
  },
  'Filter object: address': async (mode) => {
    expect(await logs(mode, { fromBlock: '0x0', address: counter })).toHaveLength(1);
    expect(await logs(mode, { fromBlock: '0x0', address: [STRANGER, counter] })).toHaveLength(1);
    expect(await logs(mode, { fromBlock: '0x0', address: STRANGER })).toEqual([]);
  },
  'Filter object: topics': async (mode) => {
    const [found] = await logs(mode, { fromBlock: '0x0' });
    const [event, who] = (found?.topics ?? []) as readonly string[];
    const other = `0x${'12'.repeat(32)}`;
    const matching = [[], [event], [null, who], [[other, event]], [event, [other, who]]];
    for (const topics of matching) expect(await logs(mode, { fromBlock: '0x0', topics })).toHaveLength(1);
    for (const topics of [[who], [event, other], [[other]]]) {
      expect(await logs(mode, { fromBlock: '0x0', topics }), JSON.stringify(topics)).toEqual([]);
    }
  },
  'Filter object: blockHash': async (mode) => {
    expect(numbersOf(await logs(mode, { blockHash: blockHashes[3] }))).toEqual(['0x3']);
    await expect(logs(mode, { blockHash: blockHashes[3], fromBlock: '0x1' })).rejects.toMatchObject(INVALID);
    const { call } = await node(mode);
    await expect(call('eth_newFilter', [{ blockHash: blockHashes[3] }])).rejects.toMatchObject(INVALID);
  },
  'Rules of logs: 1': async (mode) => {
    for (const range of [{ fromBlock: '0x1' }, { toBlock: '0x3' }, { fromBlock: '0x1', toBlock: '0x3' }]) {
      await expect(logs(mode, { blockHash: blockHashes[3], ...range })).rejects.toMatchObject(INVALID);
    }
  },
  'Rules of logs: 2': async (mode) => {
    const chain = await node(mode);
    expect(await chain.call('eth_getLogs', [{}])).toEqual([]);
    await increase(chain);
    expect(await chain.call('eth_getLogs', [{}])).toMatchObject([{ blockNumber: '0x5' }]);
  },
  'Rules of logs: 3': async (mode) => {
    for (const check of [logChanges, blockChanges, transactionChanges]) await check(mode);
  },
  'Authentication: 1': async (mode) => {
    const { origin, send } = await served(mode, `/${KEY}`);
    expect(await (await send(JSON.stringify(CALL))).json()).toMatchObject({ result: '0x21' });
    const others = ['', '/', '/other', `/${KEY}/more`, `/more/${KEY}`].map(async (path) => {
      const headers = { 'content-type': 'application/json' };
      return (await fetch(`${origin}${path}`, { method: 'POST', headers, body: JSON.stringify(CALL) }))
        .status;
    });
    expect(await Promise.all(others)).toEqual([401, 401, 401, 404, 404]);
  },
  'Authentication: 2': async (mode) => {
    const { origin, send } = await served(mode);
    const answered = await send(JSON.stringify(CALL));
    expect([answered.status, answered.headers.get('set-cookie')]).toEqual([200, null]);
    if (mode === 'default') return;
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${KEY}`,
      cookie: `key=${KEY}`,
    };
    const body = JSON.stringify({ ...CALL, apiKey: KEY });
    expect((await fetch(origin, { method: 'POST', headers, body })).status).toBe(401);
  },
  'Authentication: 5': async (mode) => {
    const { call } = await node(mode);
    await expect(call('eth_sign', [STRANGER, '0x00'])).rejects.toMatchObject({
      code: mode === '--hosted' ? -32601 : -32602,
    });
  },
  'Events: 2': async (mode) => {
    for (const check of [logChanges, blockChanges, transactionChanges]) await check(mode);
  },
  'Events: eth_newFilter': logChanges,
  'Events: eth_newBlockFilter': blockChanges,
  'Events: eth_newPendingTransactionFilter': transactionChanges,
  'Events: 3': uninstalls,
  'Error object: code': async (mode) => {
    const { error } = await answer(mode, { ...CALL, method: 'eth_nothing' });
    expect((error as Fields).code).toBe(-32601);
  },
  'Error object: message': async (mode) => {
    const { error } = await answer(mode, { ...CALL, method: 'eth_nothing' });
    expect((error as Fields).message).toBe('the method eth_nothing does not exist/is not available');
  },
  'Error object: data': async (mode) => {
    const { error } = await answer(mode, { ...CALL, method: 'eth_nothing' });
    expect(error).not.toHaveProperty('data');
    const { call, asked } = await failures(mode);
    await expect(call('eth_call', [asked('reason'), 'latest'])).rejects.toMatchObject({
      data: expect.stringMatching(/^0x08c379a0/),
    });
  },
  'Error codes: -32015': async (mode) => {
    const { call, asked } = await failures(mode);
    const failure = (name: string) => call('eth_call', [asked(name), 'latest']);
    const prefix = 'VM Exception while processing transaction: ';
    await expect(failure('reason')).rejects.toEqual(
      expect.objectContaining({ code: -32015, message: `${prefix}revert not today` }),
    );
    await expect(failure('assertion')).rejects.toEqual(
      expect.objectContaining({ code: -32015, message: `${prefix}transaction reverted` }),
    );
  },
  'Error codes: -32000': async (mode) => {
    const { call } = await node(mode);
    expect(await call('eth_estimateGas', [POOR])).toMatch(QUANTITY);
  },
  'Limits: Logs per response': async (mode) => {
    await expect(searchOver(mode, { blocks: 2, logs: 3 }, 4)).rejects.toMatchObject({ code: -32012 });
    expect(await searchOver(mode, { blocks: 2, logs: 4 }, 4)).toHaveLength(4);
  },
  'Limits: Block range': async (mode) => {
    expect(await searchOver(mode, { blocks: 4, logs: 1 }, 4)).toHaveLength(4);
    const { logBlockLimit, logLimit } = readOptions(OPTIONS[mode], {});
    expect([logBlockLimit, logLimit]).toEqual([2_000, 10_000]);
  },
  'Limits: Filter inactivity timeout': expires,
  'Limits: Default gas': async (mode) => {
    expect(await sendCounter(mode, {})).toMatchObject({ gas: '0x15f90' });
  },
  'Versioning: 1': async (mode) => {
    expect(await answer(mode, CALL)).toMatchObject({ jsonrpc: '2.0' });
  },
  'Versioning: 2': async (mode) => {
    const { call } = await node(mode);
    expect(await call('web3_clientVersion')).toMatch(/.+/);
    expect(await call('eth_protocolVersion')).toMatch(QUANTITY);
  },
};
