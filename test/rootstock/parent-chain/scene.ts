import { finish } from '../../../src/primitives/steps.ts';
import { callParentChain } from '../../../src/rootstock/parent-chain/bitcoin-rpc.ts';
import { newParentChain, ParentChain } from '../../../src/rootstock/parent-chain/parent-chain.ts';

/** A time after the genesis block's, in seconds. */
export const START_TIME = 1_700_000_000;

/** A parent chain with a clock that tests move. */
export class ParentScene {
  readonly clock = { time: START_TIME, now: (): number => this.clock.time };
  readonly chain: ParentChain;

  constructor(seed = 'test') {
    this.chain = new ParentChain(newParentChain(seed), this.clock);
  }

  /** Runs a call with positional parameters, without a wallet name. */
  call(method: string, ...params: readonly unknown[]): unknown {
    return finish(callParentChain(this.chain, { method, params, wallet: null }));
  }

  callNamed(method: string, params: object): unknown {
    return finish(callParentChain(this.chain, { method, params, wallet: null }));
  }

  callWallet(wallet: string, method: string, ...params: readonly unknown[]): unknown {
    return finish(callParentChain(this.chain, { method, params, wallet }));
  }

  text(method: string, ...params: readonly unknown[]): string {
    return String(this.call(method, ...params));
  }

  /** Runs a call whose result is an object. */
  object(method: string, ...params: readonly unknown[]): Record<string, unknown> {
    return Object(this.call(method, ...params));
  }

  /** Runs a call whose result is an array of objects. */
  list(method: string, ...params: readonly unknown[]): Record<string, unknown>[] {
    return Array.from(this.call(method, ...params) as Iterable<Record<string, unknown>>);
  }

  /** Mines blocks to a new address of the wallet. Returns the hashes. */
  mine(count: number): string[] {
    return this.list('generatetoaddress', count, this.text('getnewaddress')).map(String);
  }

  /** Mines until the wallet has spendable coins of `blocks` rewards. */
  fund(blocks = 1): void {
    this.mine(blocks);
    this.call('generatetoaddress', 100, SINK);
  }
}

/** An address that no wallet owns. */
export const SINK = 'bcrt1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqdku202';

/** Returns the error that a call throws. */
export function errorOf(action: () => unknown): { code: number; message: string; name: string } {
  try {
    action();
  } catch (error) {
    const { code, message, name } = Object(error);
    return { code, message, name };
  }
  throw new Error('expected an error');
}
