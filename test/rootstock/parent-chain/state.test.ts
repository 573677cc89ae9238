import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GENESIS_BLOCK, type ParentBlock } from '../../../src/rootstock/parent-chain/parent-block.ts';
import { ParentChain, type ParentChainState } from '../../../src/rootstock/parent-chain/parent-chain.ts';
import {
  parentBlockFromBytes,
  parentBlockToBytes,
  parentChainFromJson,
  parentChainToJson,
} from '../../../src/rootstock/parent-chain/parent-chain-json.ts';
import { errorOf, ParentScene, SINK } from './scene.ts';

/** One change of the chain. Invalid payments fail, and change nothing. */
const CHANGE = fc.oneof(
  fc.record({ kind: fc.constant('mine' as const), count: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant('pay' as const), amount: fc.integer({ min: 1, max: 60 }) }),
  fc.record({ kind: fc.constant('payOwn' as const), amount: fc.integer({ min: 1, max: 60 }) }),
  fc.record({ kind: fc.constant('import' as const) }),
  fc.record({ kind: fc.constant('wait' as const), seconds: fc.integer({ min: 0, max: 1000 }) }),
);

type Change = typeof CHANGE extends fc.Arbitrary<infer Value> ? Value : never;

function apply(scene: ParentScene, change: Change): void {
  if (change.kind === 'mine') scene.mine(change.count);
  else if (change.kind === 'import') scene.call('importaddress', SINK);
  else if (change.kind === 'wait') scene.clock.time += change.seconds;
  else pay(scene, change.kind === 'pay' ? SINK : scene.text('getnewaddress'), change.amount);
}

function pay(scene: ParentScene, address: string, amount: number): void {
  try {
    scene.call('sendtoaddress', address, amount);
  } catch (error) {
    expect(error).toMatchObject({ code: -6 });
  }
}

/** Returns the results of calls that depend on all parts of the state. */
function answers(scene: ParentScene): unknown[] {
  return [
    scene.call('getblockchaininfo'),
    scene.call('getrawmempool', true),
    scene.call('listunspent', 0),
    scene.call('listtransactions', '*', 1000),
    scene.call('getbalances'),
    scene.call('getwalletinfo'),
    scene.call('scantxoutset', 'start', [`addr(${SINK})`]),
  ];
}

function fundedScene(): ParentScene {
  const scene = new ParentScene();
  scene.fund(2);
  return scene;
}

describe('ParentChain', () => {
  it('gives the same answers after a state is restored', () => {
    fc.assert(
      fc.property(fc.array(CHANGE, { maxLength: 6 }), fc.array(CHANGE, { maxLength: 6 }), (before, after) => {
        const scene = fundedScene();
        for (const change of before) apply(scene, change);
        const { state } = scene.chain;
        const expected = answers(scene);

        for (const change of after) apply(scene, change);
        scene.chain.restore(state);

        expect(answers(scene)).toEqual(expected);
      }),
      { numRuns: 15 },
    );
  });

  it('gives the same answers if a chain is opened on the state', () => {
    fc.assert(
      fc.property(fc.array(CHANGE, { maxLength: 6 }), (changes) => {
        const scene = fundedScene();
        for (const change of changes) apply(scene, change);
        const opened = new ParentScene();

        opened.chain.restore(scene.chain.state);

        expect(answers(opened)).toEqual(answers(scene));
      }),
      { numRuns: 10 },
    );
  });

  it('gives the same hashes for the same calls', () => {
    fc.assert(
      fc.property(fc.array(CHANGE, { maxLength: 6 }), (changes) => {
        const results = [fundedScene(), fundedScene()].map((scene) => {
          for (const change of changes) apply(scene, change);
          return answers(scene);
        });

        expect(results[0]).toEqual(results[1]);
      }),
      { numRuns: 5 },
    );
  });

  it('keeps a state unchanged while the chain continues', () => {
    const scene = fundedScene();
    scene.call('sendtoaddress', SINK, 1);
    const { state } = scene.chain;
    const [entry] = state.mempool;

    scene.mine(2);

    expect(state.tip.height).toBe(102);
    expect(state.mempool).toEqual([entry]);
  });

  it('moves between two branches', () => {
    const scene = fundedScene();
    const { state } = scene.chain;
    const payment = scene.text('sendtoaddress', SINK, 1);
    scene.mine(1);
    const left = scene.chain.state;
    scene.chain.restore(state);
    scene.clock.time += 500;
    scene.mine(3);

    expect(errorOf(() => scene.call('getrawtransaction', payment)).code).toBe(-5);
    scene.chain.restore(left);
    expect(scene.object('getrawtransaction', payment, 1).confirmations).toBe(1);
  });
});

/** Stores a state as a data directory does, and reads it again. */
function storedAndRead(state: ParentChainState): ParentChainState {
  const stored: Uint8Array[] = [];
  for (let block: ParentBlock = state.tip; block.parent !== null; block = block.parent) {
    stored.push(parentBlockToBytes(block));
  }
  const json = JSON.parse(JSON.stringify(parentChainToJson(state)));
  const tip = stored.toReversed().reduce(parentBlockFromBytes, GENESIS_BLOCK);
  return parentChainFromJson(tip, json);
}

describe('the stored form of a parent chain', () => {
  it('contains the whole state', () => {
    const scene = fundedScene();
    scene.call('createwallet', 'peg');
    scene.callWallet('', 'importaddress', SINK, 'sink');
    scene.callWallet('', 'sendtoaddress', scene.callWallet('peg', 'getnewaddress'), 1);

    const read = new ParentScene();
    read.chain.restore(storedAndRead(scene.chain.state));

    expect(answers(read)).toEqual(answers(scene));
    expect(read.callWallet('', 'listunspent', 0)).toEqual(scene.callWallet('', 'listunspent', 0));
    expect(read.callWallet('peg', 'getnewaddress')).toBe(scene.callWallet('peg', 'getnewaddress'));
  });

  it('rejects a block with another parent, and another best block', () => {
    const scene = fundedScene();
    const { state } = scene.chain;

    expect(() => parentBlockFromBytes(GENESIS_BLOCK, parentBlockToBytes(state.tip))).toThrow(
      'the parent of block',
    );
    expect(() => parentChainFromJson(GENESIS_BLOCK, parentChainToJson(state))).toThrow('the best block');
  });

  it('rejects invalid members with their paths', () => {
    const { state } = fundedScene().chain;
    const json = JSON.parse(JSON.stringify(parentChainToJson(state)));
    const read = (changed: object) => () => parentChainFromJson(state.tip, { ...json, ...changed });

    expect(read({ seed: 1 })).toThrow('parentChain.seed: expected a string');
    expect(read({ mempool: [{}] })).toThrow(
      'parentChain.mempool[0].transaction: expected hexadecimal digits',
    );
    expect(read({ wallets: [{ ...json.wallets[0], keys: [{ script: 'x' }] }] })).toThrow(
      'parentChain.wallets[0].keys[0].script: expected hexadecimal digits',
    );
    expect(read({ wallets: null })).toThrow('parentChain.wallets: expected an array');
    expect(() => parentChainFromJson(state.tip, null)).toThrow('parentChain: expected an object');
  });

  it('rejects a block without proof of work', () => {
    const { tip } = fundedScene().chain;
    const { parent } = tip;
    const bytes = Array.from({ length: 30 }, (_, nonce) =>
      parentBlockToBytes({ ...tip, header: { ...tip.header, nonce } }),
    );

    const outcomes = bytes.map((block) => {
      try {
        return parentBlockFromBytes(parent ?? GENESIS_BLOCK, block).height;
      } catch {
        return 'rejected';
      }
    });

    expect(new Set(outcomes)).toEqual(new Set([102, 'rejected']));
  });

  it('opens a chain on a state without blocks', () => {
    const { state, clock } = new ParentScene().chain;

    expect(new ParentChain(storedAndRead(state), clock).tip.height).toBe(0);
  });
});
