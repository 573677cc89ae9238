import { describe, expect, it } from 'vitest';
import { ChainEvents } from '../../src/chain/changes.ts';
import { transactionOf } from '../chain/pool/samples.ts';
import { blockOf } from './samples.ts';

describe('ChainEvents', () => {
  it('an event calls every listener with all details, in order', () => {
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

  it('emit returns after the listeners were called', () => {
    const events = new ChainEvents();
    let isTold = false;
    events.on('pendingTransaction', () => {
      isTold = true;
    });
    events.emit('pendingTransaction', transactionOf(0, 0));
    expect(isTold).toBe(true);
  });

  it('an event does not call a listener after it unsubscribes, and still calls the others', () => {
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

  it('an event calls the other listeners if one unsubscribes during its call', () => {
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

  it('an event does not call the listeners of another chain', () => {
    const [here, there] = [new ChainEvents(), new ChainEvents()];
    const heard: number[] = [];
    here.on('block', ({ header }) => heard.push(header.number));
    there.emit('block', blockOf(1), [], null);
    expect(heard).toEqual([]);
  });
});
