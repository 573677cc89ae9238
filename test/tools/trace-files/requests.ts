// The traced requests. This file is bundled with an instrumented copy of src, whose path the build sets.
import type { LocalNode } from '../../../src/index.ts';

/** Starts recording. Returns a function that stops it and returns function numbers in call order. */
export type Record = () => () => readonly number[];

export type CreateNode = (options: object) => Promise<LocalNode>;

/** Milliseconds without requests. A node finishes the work after its start during this time. */
const SETTLING = 2_500;

/** Reads slot 0 and returns it. */
const READER = '0x60005460005260206000f3';
const READER_ADDRESS = `0x${'c0'.repeat(20)}`;
const SLOT_OF_WARM_UP = '0x1';
/** The number of records per request. The shortest one has no work of the background in it. */
const RECORDS = 5;
const SLOTS = Array.from({ length: RECORDS }, (_, index) => `0x${index + 2}`);

async function listening(
  node: LocalNode,
): Promise<(method: string, ...params: unknown[]) => Promise<unknown>> {
  const { url } = await node.listen({ port: 0 });
  return async (method, ...params) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as {
      readonly result?: unknown;
      readonly error?: object;
    };
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  };
}

function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, SETTLING));
}

/** Runs each request once to load its code, then records it. Resolves to function numbers by request. */
export async function traceRequests(
  createNode: CreateNode,
  record: Record,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const traces = new Map<string, readonly number[]>();
  const node = await createNode({ chainId: 33 });
  const ask = await listening(node);
  const [from, to] = (await ask('eth_accounts')) as string[];
  const raw = (nonce: string): Promise<unknown> =>
    ask('eth_signTransaction', { from, to, value: '0x1', gas: '0x5208', gasPrice: '0x1', nonce });
  const first = await raw('0x0');
  const others = await Promise.all(SLOTS.map((_, index) => raw(`0x${index + 1}`)));
  await ask('hardhat_setCode', READER_ADDRESS, READER);
  for (const slot of [SLOT_OF_WARM_UP, ...SLOTS])
    await ask('hardhat_setStorageAt', READER_ADDRESS, slot, `0x${slot.slice(2).padStart(64, '0')}`);
  await ask('eth_sendRawTransaction', first);
  await ask('eth_call', { to: READER_ADDRESS }, 'latest');
  const fork = await createNode({ forkUrl: (await node.listen({ port: 0 })).url });
  const askFork = await listening(fork);
  await askFork('eth_getStorageAt', READER_ADDRESS, SLOT_OF_WARM_UP, 'latest');
  await settled();

  const traced = async (name: string, request: (index: number) => Promise<unknown>): Promise<void> => {
    const records: (readonly number[])[] = [];
    for (let index = 0; index < RECORDS; index++) {
      const stop = record();
      await request(index);
      records.push(stop());
    }
    const [shortest = []] = records.sort((a, b) => a.length - b.length);
    traces.set(name, shortest);
  };
  await traced('eth_sendRawTransaction (transfer)', (index) => ask('eth_sendRawTransaction', others[index]));
  await traced('eth_call (one SLOAD)', () => ask('eth_call', { to: READER_ADDRESS }, 'latest'));
  await traced('eth_getStorageAt (fork, not cached)', (index) =>
    askFork('eth_getStorageAt', READER_ADDRESS, SLOTS[index], 'latest'),
  );
  await fork.close();
  await node.close();
  return traces;
}
