import { describe, expect, it } from 'vitest';
import type { LocalNode, LocalNodeEvents } from '../../src/index.ts';
import { resultAt } from '../support/json-rpc.ts';
import { kept, start } from './started-node.ts';

const STRANGER = `0x${'ab'.repeat(20)}`;

const call = (node: LocalNode, method: string, ...params: unknown[]): Promise<unknown> =>
  node.request({ method, params });

/** Collects the values of each event with this name from now on. */
function heard<Event extends keyof LocalNodeEvents>(node: LocalNode, event: Event): LocalNodeEvents[Event][] {
  const details: LocalNodeEvents[Event][] = [];
  node.on(event, (detail) => details.push(detail));
  return details;
}

describe('connect event', () => {
  it('the event is sent once to each listener with the current chain id, whenever it was added', async () => {
    const node = await start();
    const early = heard(node, 'connect');
    expect(early).toEqual([]);
    await call(node, 'hardhat_setChainId', 77);
    const late = heard(node, 'connect');
    await call(node, 'eth_chainId');
    expect(early).toEqual([{ chainId: '0x21' }]);
    expect(late).toEqual([{ chainId: '0x4d' }]);
  });

  it('the event is not sent to a listener of a closed node, or after its removal', async () => {
    const node = await start();
    const details: unknown[] = [];
    const listener = (detail: unknown): void => void details.push(detail);
    node.on('connect', listener).removeListener('connect', listener);
    await node.close();
    node.on('connect', listener);
    await Promise.resolve();
    expect(details).toEqual([]);
  });
});

describe('disconnect event', () => {
  it('the event is sent once, after the node is closed and all pending requests are answered', async () => {
    const node = await start();
    const details = heard(node, 'disconnect');
    const answer = call(node, 'evm_mine').then(() => details.length);
    await Promise.all([node.close(), node.close()]);
    expect(await answer).toBe(0);
    expect(details).toHaveLength(1);
    expect(details[0]).toBeInstanceOf(Error);
    expect(details[0]).toMatchObject({ code: 4900, message: 'the node is closed' });
  });
});

describe('chainChanged event', () => {
  it('the event is sent for each change of the chain id, before the response to the request', async () => {
    const node = await start();
    const details = heard(node, 'chainChanged');
    const snapshot = await node.snapshot();
    await call(node, 'evm_mine');
    await call(node, 'hardhat_setChainId', 77);
    await call(node, 'hardhat_setChainId', 77);
    expect(details).toEqual(['0x4d']);
    await snapshot.revert();
    expect(details).toEqual(['0x4d', '0x21']);
    const { url } = await node.listen();
    await resultAt(url, 'anvil_setChainId', [78]);
    await call(node, 'evm_reset');
    expect(details).toEqual(['0x4d', '0x21', '0x4e', '0x21']);
  });

  it('the event is not sent to removed listeners or for changes on the original of a fork', async () => {
    const node = await start();
    const fork = await node.fork();
    kept(fork);
    const ofFork = heard(fork, 'chainChanged');
    const details: string[] = [];
    const listener = (detail: string): void => void details.push(detail);
    node.on('chainChanged', listener).removeListener('chainChanged', listener);
    await call(node, 'hardhat_setChainId', 77);
    node.on('chainChanged', listener);
    await call(node, 'hardhat_setChainId', 78);
    expect(details).toEqual(['0x4e']);
    expect(ofFork).toEqual([]);
  });
});

describe('accountsChanged event', () => {
  it('the event is sent with the current result of eth_accounts', async () => {
    const node = await start({ accounts: 1 });
    const details = heard(node, 'accountsChanged');
    const [own] = (await call(node, 'eth_accounts')) as string[];
    const made = await call(node, 'personal_newAccount', 'secret');
    await call(node, 'personal_lockAccount', made);
    expect(details).toEqual([[own, made]]);
  });

  it('the event is sent for impersonation if eth_accounts lists impersonated accounts', async () => {
    for (const [compat, times] of [
      ['hardhat', 0],
      ['anvil', 2],
    ] as const) {
      const node = await start({ compat });
      const details = heard(node, 'accountsChanged');
      const accounts = (await call(node, 'eth_accounts')) as string[];
      await call(node, 'hardhat_impersonateAccount', STRANGER);
      await call(node, 'hardhat_stopImpersonatingAccount', STRANGER);
      const all = [[...accounts, STRANGER], accounts];
      expect(details).toEqual(all.slice(0, times));
    }
  });
});
