import { describe, expect, it } from 'vitest';
import { ChainEvents } from '../../src/chain/changes.ts';
import { transactionOf } from '../chain/pool/samples.ts';
import { blockOf } from './samples.ts';

describe('the events of a chain', () => {
  it('reach every listener of that name with all details, in the order they came', () => {
    const events = new ChainEvents();
    const heard: unknown[][] = [];
    events.on('block', (...details) => heard.push(['first', ...details]));
    events.on('block', (...details) => heard.push(['second', ...details]));
    events.on('removed', (...details) => heard.push(['removed', ...details]));
    const block = blockOf(1);
    const call = { method: 'evm_mine', isAnswered: false };
    events.emit('block', block, [], call);
    events.emit('removed', [block], 'none', null);
    expect(heard).toEqual([
      ['first', block, [], call],
      ['second', block, [], call],
      ['removed', [block], 'none', null],
    ]);
  });

  it('reach a listener before the one who tells of them goes on', () => {
    const events = new ChainEvents();
    let isTold = false;
    events.on('pendingTransaction', () => {
      isTold = true;
    });
    events.emit('pendingTransaction', transactionOf(0, 0));
    expect(isTold).toBe(true);
  });

  it('reach a listener no more once it has unsubscribed, and the others still', () => {
    const events = new ChainEvents();
    const heard: string[] = [];
    const unsubscribe = events.on('block', () => heard.push('leaving'));
    events.on('block', () => heard.push('staying'));
    events.emit('block', blockOf(1), [], null);
    unsubscribe();
    unsubscribe();
    events.emit('block', blockOf(2), [], null);
    expect(heard).toEqual(['leaving', 'staying', 'staying']);
  });

  it('reach the others when a listener unsubscribes while it is told', () => {
    const events = new ChainEvents();
    const heard: string[] = [];
    const unsubscribe = events.on('block', () => {
      heard.push('once');
      unsubscribe();
    });
    events.on('block', () => heard.push('always'));
    events.emit('block', blockOf(1), [], null);
    events.emit('block', blockOf(2), [], null);
    expect(heard).toEqual(['once', 'always', 'always']);
  });

  it('of one chain are not heard at another', () => {
    const [here, there] = [new ChainEvents(), new ChainEvents()];
    const heard: number[] = [];
    here.on('block', ({ header }) => heard.push(header.number));
    there.emit('block', blockOf(1), [], null);
    expect(heard).toEqual([]);
  });
});
