import { expect, it } from 'vitest';
import { Subscriptions } from '../../src/rpc/connection.ts';
import { countingRandom } from '../support/counting-random.ts';
import { testConnection } from './rpc-harness.ts';

it('closing a connection ends its subscriptions, also one added after the close', () => {
  const connection = testConnection();
  const subscriptions = new Subscriptions(countingRandom());
  let listeners = 0;
  const start = (): (() => void) => {
    listeners++;
    return () => void listeners--;
  };
  const id = subscriptions.add(connection, () => undefined, start);
  expect(listeners).toBe(1);
  connection.close();
  expect(listeners).toBe(0);
  const late = subscriptions.add(connection, () => undefined, start);
  expect(listeners).toBe(0);
  for (const ended of [id, late]) expect(subscriptions.remove(connection, ended)).toBe(false);
});
