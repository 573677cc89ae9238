import { encodeDeployData, encodeFunctionData, type Hex, toEventSelector } from 'viem';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createNode } from '../../../src/index.ts';
import { Inspector } from '../../../src/inspect/inspector.ts';
import { compileSolidity } from '../../support/solidity.ts';
import { countTurns } from '../../support/turns.ts';

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

contract Bell {
    event Rang(address indexed who, uint256 times);
    event Done();
    function ring(uint256 times) external {
        for (uint256 i = 1; i <= times; i++) emit Rang(msg.sender, i);
        emit Done();
    }
}
contract Proxy {
    // keccak256('eip1967.proxy.implementation') - 1
    constructor(address target) {
        assembly { sstore(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc, target) }
    }
    fallback() external payable {
        assembly {
            calldatacopy(0, 0, calldatasize())
            let target := sload(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc)
            if iszero(delegatecall(gas(), target, 0, calldatasize(), 0, 0)) { revert(0, 0) }
        }
    }
}
`;
const compiled = compileSolidity({ 'Bell.sol': SOURCE });
const DONE = toEventSelector('Done()');
const RANG = toEventSelector('Rang(address,uint256)');

interface EventView {
  readonly address: string;
  readonly topics: readonly string[];
  readonly blockNumber: string;
  readonly logIndex: string;
  readonly transactionHash: string;
  readonly contract: string | null;
  readonly event: { readonly name: string; readonly parameters: readonly { value: string }[] } | null;
  readonly isGuess: boolean;
}

interface Page {
  readonly events: readonly EventView[];
  readonly next: { readonly blockNumber: string; readonly logIndex?: string } | null;
}

async function scene(knowsContracts = true) {
  const node = await createNode({ gasLimit: 100_000_000n });
  onTestFinished(() => node.close());
  const call = <Result>(method: string, params: readonly unknown[] = []): Promise<Result> =>
    node.request({ method, params }) as Promise<Result>;
  if (knowsContracts) await call('inspect_addArtifacts', [compiled.input, compiled.output]);
  const [from] = await call<Hex[]>('eth_accounts');
  const send = async (fields: object): Promise<Hex> => {
    const hash = await call('eth_sendTransaction', [{ from, gas: '0x5000000', ...fields }]);
    const { contractAddress } = await call<{ contractAddress: Hex }>('eth_getTransactionReceipt', [hash]);
    return contractAddress;
  };
  const contract = (name: string) => {
    const found = compiled.output.contracts['Bell.sol']?.[name];
    if (found === undefined) throw new Error(`no ${name}`);
    return { abi: found.abi, bytecode: `0x${found.evm.bytecode.object}` as const };
  };
  const create = (name: string, args: readonly unknown[] = []): Promise<Hex> =>
    send({ data: encodeDeployData({ ...contract(name), args }) });
  const ring = (to: Hex, times: bigint): Promise<Hex> =>
    send({
      to,
      data: encodeFunctionData({ abi: contract('Bell').abi, functionName: 'ring', args: [times] }),
    });
  /** All events in pages of `count`. */
  const pages = async (filter: object, count: number): Promise<Page[]> => {
    const all: Page[] = [];
    let next: Page['next'] | undefined;
    do {
      const page: Page = await call('inspect_events', [filter, next ?? null, `0x${count.toString(16)}`]);
      all.push(page);
      next = page.next;
    } while (next !== null);
    return all;
  };
  const logs = (filter: object): Promise<EventView[]> =>
    call('eth_getLogs', [{ ...filter, fromBlock: 'earliest', toBlock: 'latest' }]);
  return { call, create, ring, pages, logs, from };
}

const placeOf = ({ blockNumber, logIndex }: EventView): string =>
  `${Number(blockNumber)}:${Number(logIndex)}`;

it.each([1, 3, 7, 200])(
  'inspect_events returns all logs once, newest first, in pages of %i',
  async (count) => {
    const { call, create, ring, pages, logs } = await scene();
    const [bell, other] = [await create('Bell'), await create('Bell')];
    await ring(bell, 5n);
    await call('hardhat_mine', ['0x1388']);
    await ring(other, 2n);
    await ring(bell, 3n);
    for (const filter of [{}, { address: bell }, { topics: [[DONE]] }, { address: other, topics: [RANG] }]) {
      const found = await pages(filter, count);
      const expected = (await logs(filter)).map(placeOf).reverse();
      expect(expected.length).toBeGreaterThan(1);
      expect(found.flatMap(({ events }) => events.map(placeOf))).toEqual(expected);
      expect(found.every(({ events }) => events.length <= count)).toBe(true);
    }
  },
);

it('inspect_events decodes with the contract or its implementation, and marks guesses', async () => {
  const { call, create, ring, from } = await scene();
  const bell = await create('Bell');
  const proxy = await create('Proxy', [bell]);
  await ring(proxy, 1n);
  const { events } = await call<Page>('inspect_events');
  expect(events).toMatchObject([
    { address: proxy, contract: 'Proxy', event: { name: 'Done', parameters: [] }, isGuess: false },
    { address: proxy, contract: 'Proxy', event: { name: 'Rang' }, isGuess: false },
  ]);
  expect(events[1]?.event?.parameters[0]?.value.toLowerCase()).toBe(from);
  const unknown = await scene(false);
  await unknown.ring(await unknown.create('Bell'), 1n);
  const page = await unknown.call<Page>('inspect_events');
  expect(page.events).toMatchObject([{ contract: null, event: null, isGuess: false }, { event: null }]);
});

it('inspect_events pages through a block of 10,000 logs with bounded pages', async () => {
  const { call, create, ring } = await scene();
  const bell = await create('Bell');
  await ring(bell, 9_999n);
  const first = await call<Page>('inspect_events', [{ address: bell }]);
  expect(first.events).toHaveLength(50);
  expect(first.next).toEqual({ blockNumber: '0x2', logIndex: `0x${(9_999 - 50).toString(16)}` });
  expect(JSON.stringify(first).length).toBeLessThan(50_000);
  const last = await call<Page>('inspect_events', [
    { address: bell },
    { blockNumber: '0x2', logIndex: '0x1' },
  ]);
  expect(last.events.map(placeOf)).toEqual(['2:1', '2:0']);
  expect(last.next).toBeNull();
});

/** The length of the page as JSON. */
const lengthOf = (page: Page): number => JSON.stringify(page.events).length;

it('inspect_events limits a page to 8 MiB of logs, with at least one log', async () => {
  const { call, pages, logs, from } = await scene();
  const emitter = `0x${'e1'.repeat(20)}`;
  // Logs N bytes. N is the call data.
  await call('anvil_setCode', [emitter, '0x5f355fa0']);
  const MEGABYTE = 1_000_000;
  const sizes = [
    1,
    MEGABYTE,
    MEGABYTE,
    MEGABYTE,
    5 * MEGABYTE,
    2,
    MEGABYTE,
    MEGABYTE,
    MEGABYTE,
    MEGABYTE,
    MEGABYTE,
  ];
  for (const size of sizes) {
    const data = `0x${size.toString(16).padStart(64, '0')}`;
    await call('eth_sendTransaction', [{ from, to: emitter, gas: '0x5f5e100', data }]);
  }
  const found = await pages({ address: emitter }, 200);
  expect(found.map(({ events }) => events.length)).toEqual([4, 2, 1, 4]);
  const lengths = found.map(lengthOf);
  expect(lengths.filter((length) => length > 2 ** 23)).toEqual([lengths[2]]);
  const all = (await logs({ address: emitter, fromBlock: 'earliest' })).map(placeOf).reverse();
  expect(found.flatMap(({ events }) => events.map(placeOf))).toEqual(all);
});

it('inspect_events yields between the long events of a page', async () => {
  const { call, pages, from } = await scene();
  // Logs 2^15 bytes 100 times.
  const data = '0x60645b6180005fa060019003806002570000';
  await call('eth_sendTransaction', [{ from, data, gas: '0x5f5e100' }]);
  const { eventNames } = Inspector.prototype;
  const heard: number[] = [];
  let turns = 0;
  vi.spyOn(Inspector.prototype, 'eventNames').mockImplementation(function (this: Inspector, ...site) {
    const name = eventNames.apply(this, site);
    return (log) => {
      heard.push(turns);
      return name(log);
    };
  });
  onTestFinished(() => void vi.restoreAllMocks());
  await countTurns(
    () => pages({}, 200),
    () => turns++,
  );
  expect(heard).toHaveLength(100);
  // Two events exceed the work of one slice.
  expect(new Set(heard).size).toBeGreaterThanOrEqual(50);
});
