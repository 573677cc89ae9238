import { describe, expect, it } from 'vitest';
import type { LocalNode, LocalNodeEvents } from '../../src/index.ts';
import { resultAt } from '../support/json-rpc.ts';
import { kept, start } from './started-node.ts';

const STRANGER = `0x${'ab'.repeat(20)}`;

const call = (node: LocalNode, method: string, ...params: unknown[]): Promise<unknown> =>
  node.request({ method, params });

/** The values of each event of that name from now on. */
function heard<Event extends keyof LocalNodeEvents>(node: LocalNode, event: Event): LocalNodeEvents[Event][] {
  const details: LocalNodeEvents[Event][] = [];
  node.on(event, (detail) => details.push(detail));
  return details;
}

describe('the event connect', () => {
  it('comes to each listener once, with the chain id, as the node is connected from the start', async () => {
    const node = await start();
    const early = heard(node, 'connect');
    expect(early).toEqual([]);
    await call(node, 'hardhat_setChainId', 77);
    const late = heard(node, 'connect');
    await call(node, 'eth_chainId');
    expect(early).toEqual([{ chainId: '0x21' }]);
    expect(late).toEqual([{ chainId: '0x4d' }]);
  });

  it('comes neither to a listener that was removed at once nor from a node that is closed', async () => {
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

describe('the event disconnect', () => {
  it('comes once, when the node is closed and what was in hand is answered', async () => {
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

describe('the event chainChanged', () => {
  it('comes with each change of the chain id, whatever makes it, before that is answered', async () => {
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

  it('is of changes that come while somebody listens', async () => {
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

describe('the event accountsChanged', () => {
  it('comes with what eth_accounts answers then', async () => {
    const node = await start({ accounts: 1 });
    const details = heard(node, 'accountsChanged');
    const [own] = (await call(node, 'eth_accounts')) as string[];
    const made = await call(node, 'personal_newAccount', 'secret');
    await call(node, 'personal_lockAccount', made);
    expect(details).toEqual([[own, made]]);
  });

  it('comes with impersonation where the dialect lists who is impersonated', async () => {
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
