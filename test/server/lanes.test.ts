import { describe, expect, it, vi } from 'vitest';
import { submitCompeting } from '../support/competing-blocks.ts';
import { ALICE, BOB } from '../support/test-chain.ts';
import { startLaneServer } from './lane-server.ts';
import { openSocket, rawPost, receive, requestText } from './test-server.ts';
import { WebSocketClient } from './websocket-client.ts';

const TRANSFER = { from: ALICE, to: BOB, value: '0x1' };

describe('server with lanes', () => {
  it('each path has its own chain, forked from the base chain at the first request', async () => {
    const { call } = await startLaneServer();
    await call('/', 'eth_sendTransaction', [TRANSFER]);
    expect(await call('/a', 'eth_blockNumber')).toBe('0x1');
    await call('/', 'eth_sendTransaction', [TRANSFER]);
    await call('/b', 'eth_sendTransaction', [TRANSFER]);
    await call('/b', 'evm_increaseTime', [3_600]);
    expect(await call('/', 'eth_blockNumber')).toBe('0x2');
    expect(await call('/a', 'eth_blockNumber')).toBe('0x1');
    expect(await call('/b', 'eth_blockNumber')).toBe('0x3');
    expect(await call('/', 'lane_list')).toEqual([
      { key: 'a', blockNumber: '0x1' },
      { key: 'b', blockNumber: '0x3' },
    ]);
  });

  it('lane_label stores the label of a lane, and lane_list returns it', async () => {
    const { call } = await startLaneServer();
    for (const path of ['/a', '/b']) await call(path, 'eth_chainId');
    await call('/a', 'lane_label', [{ name: 'moves tokens', outcome: 'running' }]);
    await call('/b', 'lane_label', [{ outcome: 'failed', note: 'out of gas' }, 'a']);
    expect(await call('/', 'lane_list')).toEqual([
      { key: 'a', blockNumber: '0x0', label: { name: null, outcome: 'failed', note: 'out of gas' } },
      { key: 'b', blockNumber: '0x0' },
    ]);
    await call('/a', 'lane_label', [{}]);
    expect(await call('/', 'lane_list')).toMatchObject([{ key: 'a' }, { key: 'b' }]);
    await expect(call('/', 'lane_label', [{ name: 'base' }])).rejects.toThrow();
    await expect(call('/', 'lane_label', [{ name: 'x' }, 'nobody'])).rejects.toThrow(
      'invalid params: key: expected the key of an existing lane',
    );
    await expect(call('/a', 'lane_label', [{ outcome: 'red' }])).rejects.toThrow(
      "expected one of 'running', 'passed', 'failed'",
    );
  });

  it('lane_rename moves a lane to a new key, and the old key gets a new lane', async () => {
    const { call } = await startLaneServer();
    await call('/work', 'eth_sendTransaction', [TRANSFER]);
    await call('/work', 'lane_label', [{ name: 'first', outcome: 'failed' }]);
    expect(await call('/', 'lane_rename', ['work', 'first'])).toBe(true);
    expect(await call('/work', 'eth_blockNumber')).toBe('0x0');
    expect(await call('/first', 'eth_blockNumber')).toBe('0x1');
    expect(await call('/', 'lane_list')).toMatchObject([
      { key: 'first', label: { name: 'first', outcome: 'failed' } },
      { key: 'work' },
    ]);
    await expect(call('/', 'lane_rename', ['nobody', 'second'])).rejects.toThrow(
      'invalid params: key: expected the key of an existing lane',
    );
    await expect(call('/', 'lane_rename', ['work', 'first'])).rejects.toThrow(
      'invalid params: newKey: expected an unused lane key',
    );
    expect(await call('/', 'lane_drop', ['first'])).toBe(true);
    expect(await call('/', 'lane_list')).toMatchObject([{ key: 'work' }]);
  });

  it('a lane that cannot be closed is reported, and the server continues', async () => {
    const { call, lanes, internalErrors } = await startLaneServer();
    await call('/a', 'evm_mine');
    const [lane] = lanes.list();
    const ended = vi.fn();
    lane?.node.chain.events.on('closed', ended);
    const error = new Error('the disk is full');
    const close = lane && vi.spyOn(lane.node.chain, 'close').mockRejectedValue(error);
    expect(await call('/', 'lane_drop', ['a'])).toBe(true);
    await expect.poll(() => internalErrors).toEqual([error]);
    expect(ended).toHaveBeenCalledOnce();
    close?.mockRestore();
    await lane?.node.chain.close();
    expect(await call('/a', 'eth_blockNumber')).toBe('0x0');
  });

  it('concurrent first requests create one lane', async () => {
    const { call, lanes } = await startLaneServer();
    await Promise.all(Array.from({ length: 20 }, () => call('/a', 'eth_sendTransaction', [TRANSFER])));
    expect(await call('/a', 'eth_blockNumber')).toBe('0x14');
    expect(lanes.list()).toHaveLength(1);
  });

  it('filter polls on a removed lane do not create a lane', async () => {
    const { call, lanes } = await startLaneServer();
    const id = await call('/a', 'eth_newBlockFilter');
    expect(await call('/a', 'eth_getFilterChanges', [id])).toEqual([]);
    lanes.drop('a');
    for (const path of ['/a', '/never']) {
      await expect(call(path, 'eth_getFilterChanges', [id])).rejects.toThrow('filter not found');
      await expect(call(path, 'eth_getFilterLogs', [id])).rejects.toThrow('filter not found');
      expect(await call(path, 'eth_uninstallFilter', [id])).toBe(false);
      await expect(call(path, 'eth_getFilterChanges', ['id'])).rejects.toThrow('invalid params: filterId');
    }
    expect(lanes.list()).toEqual([]);
    const base = await call('/', 'eth_newBlockFilter');
    await expect(call('/a', 'eth_getFilterChanges', [base])).rejects.toThrow('filter not found');
    await call('/a', 'eth_chainId');
    await expect(call('/a', 'eth_getFilterChanges', [id])).rejects.toThrow('filter not found');
  });

  it('lanes work in the fast HTTP parser and in node:http', async () => {
    const { call, server } = await startLaneServer();
    await call('/a', 'eth_sendTransaction', [TRANSFER]);
    for (const header of [[], ['Expect-CT: no', 'Origin: http://localhost']]) {
      const socket = await openSocket(server);
      const request = rawPost(requestText('eth_blockNumber'), header).replace('POST / ', 'POST /a ');
      socket.write(request);
      expect(await receive(socket, (text) => text.endsWith('}'))).toContain('"result":"0x1"');
    }
  });

  it('a WebSocket receives only events of its lane', async () => {
    const { call, server } = await startLaneServer();
    await call('/', 'evm_mine');
    const client = await WebSocketClient.open(server, '/a');
    client.socket.send(requestText('eth_subscribe', ['newHeads']));
    await client.take(1);
    await call('/', 'evm_mine');
    await call('/b', 'evm_mine');
    await call('/a', 'eth_sendTransaction', [TRANSFER]);
    client.socket.send(requestText('eth_blockNumber'));
    const [, told, answer] = await client.take(3);
    expect(told).toMatchObject({ method: 'eth_subscription', params: { result: { number: '0x2' } } });
    expect(answer).toMatchObject({ result: '0x2' });
  });

  it('lane_create creates lanes at blocks and snapshots, also of other lanes', async () => {
    const { call } = await startLaneServer();
    await call('/', 'eth_sendTransaction', [TRANSFER]);
    const snapshot = await call('/', 'evm_snapshot');
    await call('/', 'eth_sendTransaction', [TRANSFER]);
    expect(await call('/', 'lane_create', [{ key: 'early', from: { block: '0x0' } }])).toBe('early');
    await call('/', 'lane_create', [{ key: 'kept', from: { snapshot } }]);
    await call('/kept', 'evm_mine');
    const key = await call('/', 'lane_create', [{ from: { lane: 'kept' } }]);
    const numbers = await Promise.all(
      ['/early', '/kept', `/${key}`].map((path) => call(path, 'eth_blockNumber')),
    );
    expect(numbers).toEqual(['0x0', '0x2', '0x2']);
    await expect(call('/', 'lane_create', [{ key: 'kept' }])).rejects.toThrow('an unused lane key');
    await expect(call('/', 'lane_create', [{ from: { lane: 'none' } }])).rejects.toThrow('options.from.lane');
    await expect(call('/', 'lane_create', [{ from: { block: '0x9' } }])).rejects.toThrow('Block 9 not found');
    await expect(call('/', 'lane_create', [{ from: { block: '0x0', snapshot } }])).rejects.toThrow(
      'options.from.snapshot',
    );
    expect(await call('/', 'lane_list')).toHaveLength(3);
  });

  it('lane_create accepts the hash of a canonical block only', async () => {
    const { base, call } = await startLaneServer();
    await submitCompeting(base, 2);
    await call('/', 'evm_mine');
    const { parentHash, uncles } = (await call('/', 'eth_getBlockByNumber', ['latest', false])) as {
      readonly parentHash: string;
      readonly uncles: readonly string[];
    };
    const [uncle = ''] = uncles;
    expect(await call('/', 'eth_getBlockByHash', [uncle, false])).toMatchObject({ number: '0x1' });
    await call('/', 'lane_create', [{ key: 'first', from: { block: { blockHash: parentHash } } }]);
    expect(await call('/first', 'eth_getBlockByNumber', ['latest', false])).toMatchObject({
      hash: parentHash,
    });
    await expect(call('/', 'lane_create', [{ from: { block: { blockHash: uncle } } }])).rejects.toThrow(
      `Block with hash ${uncle}`,
    );
  });

  it('lane_reset restores the start of a lane, and lane_drop removes the lane', async () => {
    const { call } = await startLaneServer();
    await call('/', 'evm_mine');
    await call('/a', 'eth_sendTransaction', [TRANSFER]);
    await call('/a', 'lane_reset');
    expect(await call('/a', 'eth_blockNumber')).toBe('0x1');
    await call('/a', 'eth_sendTransaction', [TRANSFER]);
    expect(await call('/', 'lane_drop', ['a'])).toBe(true);
    expect(await call('/a', 'lane_drop')).toBe(false);
    expect(await call('/a', 'eth_blockNumber')).toBe('0x1');
    await expect(call('/', 'lane_reset')).rejects.toThrow(
      'the key of a lane, because the request was sent to the base chain',
    );
  });

  it('lanes above the limit and invalid keys are rejected', async () => {
    const { call } = await startLaneServer({ limit: 1 });
    await call('/a', 'evm_mine');
    await expect(call('/b', 'evm_mine')).rejects.toThrow('lane limit reached (1)');
    await expect(call('/a%20b', 'evm_mine')).rejects.toThrow('invalid lane key "a b"');
    // Clients that resolve paths would call the base chain instead.
    await expect(call('/%2e%2e', 'evm_mine')).rejects.toThrow('invalid lane key "..": expected 1 to 128');
    await expect(call('/', 'lane_create', [{ key: '.' }])).rejects.toThrow('invalid params: options.key');
    expect(await call('/', 'eth_blockNumber')).toBe('0x0');
  });

  it('idle lanes expire after the timeout', async () => {
    const { call, lanes, time, server } = await startLaneServer({ timeout: 60 });
    await call('/idle', 'evm_mine');
    const client = await WebSocketClient.open(server, '/held');
    client.socket.send(requestText('eth_blockNumber'));
    await client.take(1);
    await time.advance(30_000);
    await call('/used', 'evm_mine');
    await time.advance(30_000);
    const keys = () => lanes.list().map(({ key }) => key);
    expect(keys()).toEqual(['held', 'used']);
    await time.advance(30_000);
    expect(keys()).toEqual(['held']);
    client.socket.close();
    await vi.waitFor(async () => {
      await time.advance(60_000);
      expect(keys()).toEqual([]);
    });
  });

  it('each API key has its own lane and no access to others', async () => {
    const { call } = await startLaneServer({ apiKeys: ['one', 'two'] });
    await call('/one', 'evm_mine');
    await call('/two', 'eth_chainId');
    expect(await call('/one', 'lane_list')).toEqual([{ key: 'one', blockNumber: '0x1' }]);
    await expect(call('/one', 'lane_drop', ['two'])).rejects.toThrow('gives access only to your own lane');
    await expect(call('/one', 'lane_create', [{ key: 'three' }])).rejects.toThrow(
      'gives access only to your own lane',
    );
    await expect(call('/', 'eth_chainId')).rejects.toThrow('unauthorized');
    expect(await call('/two', 'eth_blockNumber')).toBe('0x0');
  });

  it('lane methods report the path of an invalid parameter', async () => {
    const { call, base } = await startLaneServer();
    await call('/a', 'evm_mine');
    for (const [options, words] of [
      [{ key: 'a' }, 'options.key: expected an unused lane key, got "a"'],
      [{ from: { lane: 'b' } }, 'options.from.lane: expected the key of an existing lane, got "b"'],
      [{ from: { snapshot: '0x9' } }, 'params: options.from.snapshot:'],
      [{ from: { block: 'pending' } }, 'params: options.from.block:'],
      [{ block: '0x0' }, 'params: options.block:'],
      [{ from: { blok: '0x0' } }, 'params: options.from.blok:'],
    ] as const) {
      await expect(call('/', 'lane_create', [options])).rejects.toThrow(words);
    }
    await expect(call('/', 'lane_reset', ['b'])).rejects.toThrow('params: key:');
    expect(base.head().header.number).toBe(0);
    expect(await call('/', 'lane_list')).toEqual([{ key: 'a', blockNumber: '0x1' }]);
  });

  it('lane_reset restores the accounts of the lane', async () => {
    const { call } = await startLaneServer();
    const accounts = await call('/a', 'eth_accounts');
    await call('/a', 'personal_newAccount', ['secret']);
    await call('/a', 'personal_lockAccount', [ALICE]);
    await call('/a', 'lane_reset');
    expect(await call('/a', 'eth_accounts')).toEqual(accounts);
    await call('/a', 'eth_sendTransaction', [TRANSFER]);
    await call('/a', 'personal_newAccount', ['secret']);
    await call('/a', 'lane_reset');
    expect(await call('/a', 'eth_accounts')).toEqual(accounts);
    expect(await call('/b', 'eth_accounts')).toEqual(accounts);
  });

  it('lane_drop closes the WebSockets of the lane with its key in the reason', async () => {
    const { call, server, lanes } = await startLaneServer();
    const [client, other] = [
      await WebSocketClient.open(server, '/a'),
      await WebSocketClient.open(server, '/b'),
    ];
    for (const { socket } of [client, other]) socket.send(requestText('eth_subscribe', ['newHeads']));
    await client.take(1);
    await other.take(1);
    await call('/', 'lane_drop', ['a']);
    expect(await client.closed).toEqual({
      code: 1001,
      reason: 'lane a was dropped; connect again for a new lane',
    });
    other.socket.send(requestText('eth_blockNumber', [], 2));
    expect((await other.take(2))[1]).toMatchObject({ id: 2, result: '0x0' });
    expect(lanes.list().map(({ key }) => key)).toEqual(['b']);
  });

  it('a WebSocket that drops its lane gets the response, and later requests get none', async () => {
    const { server, lanes } = await startLaneServer();
    const key = 'k'.repeat(128);
    const client = await WebSocketClient.open(server, `/${key}`);
    client.socket.send(requestText('eth_blockNumber'));
    await client.take(1);
    client.socket.send(requestText('lane_drop', [], 2));
    client.socket.send(requestText('eth_blockNumber', [], 3));
    expect(await client.closed).toMatchObject({ code: 1001, reason: expect.stringMatching(/^lane k+… was/) });
    expect(client.received.slice(1)).toEqual([{ jsonrpc: '2.0', id: 2, result: true }]);
    expect(lanes.list()).toEqual([]);
  });

  it('each lane has its own client table and bans', async () => {
    const { call, server, lanes } = await startLaneServer();
    await call('/a', 'eth_sendTransaction', [TRANSFER]);
    await call('/a', 'sco_banAddress', ['10.0.0.1']);
    expect(await call('/a', 'sco_bannedAddresses')).toEqual(['10.0.0.1']);
    expect(await call('/b', 'sco_bannedAddresses')).toEqual([]);
    expect(await call('/', 'sco_bannedAddresses')).toEqual([]);
    expect(await call('/a', 'sco_peerList')).toMatchObject([{ id: '127.0.0.1', validTransactions: 1 }]);
    expect(await call('/b', 'sco_peerList')).toMatchObject([{ id: '127.0.0.1', validTransactions: 0 }]);
    await call('/a', 'lane_reset');
    expect(await call('/a', 'sco_bannedAddresses')).toEqual([]);
    const client = await WebSocketClient.open(server, '/a');
    client.socket.send(requestText('eth_blockNumber'));
    await client.take(1);
    const lane = await lanes.enter('a', null);
    lane.node.peers.ban('127.0.0.1');
    lanes.leave(lane);
    expect(await client.closed).toEqual({ code: 1008, reason: 'the address of the client is banned' });
    await expect(call('/a', 'eth_blockNumber')).rejects.toThrow(
      'forbidden: address 127.0.0.1 is banned on this lane; sco_unbanAddress lifts the ban',
    );
    expect(await call('/b', 'eth_blockNumber')).toBe('0x0');
  });

  it('an open lane is entered without waiting', async () => {
    const { call, lanes } = await startLaneServer();
    await call('/a', 'eth_chainId');
    const lane = lanes.enter('a', null);
    expect(lane).toHaveProperty('key', 'a');
    lanes.leave(await lane);
  });

  it('a WebSocket registers one close listener, regardless of the number of removed lanes', async () => {
    const { lanes } = await startLaneServer();
    const onClose = vi.fn<(action: () => void) => void>();
    for (let count = 0; count < 3; count++) {
      lanes.leave(await lanes.enter('a', { remoteAddress: 'unknown', onClose }));
      lanes.drop('a');
    }
    const holder = { remoteAddress: 'unknown', onClose };
    onClose.mockClear();
    for (let count = 0; count < 3; count++) {
      lanes.leave(await lanes.enter('a', holder));
      lanes.drop('a');
    }
    expect(onClose).toHaveBeenCalledTimes(1);
  });

  it('a closed WebSocket does not keep its lane alive', async () => {
    const { lanes, time } = await startLaneServer({ timeout: 10 });
    let close: () => void = () => undefined;
    const holder = { remoteAddress: 'unknown', onClose: (action: () => void) => (close = action) };
    lanes.leave(await lanes.enter('a', holder));
    close();
    lanes.leave(await lanes.enter('a', holder));
    await time.advance(30_000);
    expect(lanes.list()).toEqual([]);
  });

  it('dropping a lane ends its search for a proof of work', async () => {
    const { lanes } = await startLaneServer();
    const lane = await lanes.enter('a', null);
    const stopSearching = vi.spyOn(lane.node.chain, 'stopSearching');
    lanes.drop('a');
    expect(stopSearching).toHaveBeenCalled();
    lanes.leave(lane);
  });

  it('concurrent entries create as many lanes as the limit allows', async () => {
    const { lanes } = await startLaneServer({ limit: 3 });
    const entered = [lanes.enter('a', null), lanes.enter('b', null)];
    lanes.onOpen(() => {
      if (lanes.list().length === 1) entered.push(lanes.enter('c', null));
      return () => undefined;
    });
    await Promise.all(entered);
    expect((await Promise.all(entered)).map(({ key }) => key)).toEqual(['a', 'b', 'c']);
  });

  it('closing the lanes does not wait for pending requests', async () => {
    const { lanes } = await startLaneServer();
    await lanes.enter('a', null);
    await lanes.enter('b', null);
    lanes.drop('b');
    await lanes.close();
    expect(lanes.list()).toEqual([]);
  });
});
