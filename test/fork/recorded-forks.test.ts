import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { HttpPost } from '../../src/fork/upstream/http-post.ts';
import { httpTransport } from '../../src/fork/upstream/http-transport.ts';
import { DEFAULT_MNEMONIC, deriveDevAccounts } from '../../src/wallet/dev-accounts.ts';
import { createForkScene } from './fork-scene.ts';
import { keep, questionsOnFork, type Recording, recordedTransactions, replaying } from './recorded-forks.ts';

/** URLs of new nodes (mnemonic `test test … junk`) to record again, by name: `{"anvil": "http://…"}`. */
const LIVE = JSON.parse(process.env.NODE_CLI_RECORD_FORKS ?? '{}') as Record<string, string>;

function path(name: string): URL {
  return new URL(`../../fixtures/forks/${name}.json`, import.meta.url);
}

const post = httpTransport();

async function send(url: string, method: string, params: unknown): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 0, method, params });
  const { signal } = new AbortController();
  const { text } = await post({ url, headers: {}, body, signal, closing: signal });
  return (JSON.parse(text) as { result: unknown }).result;
}

/** Forwards requests to the live node and records its responses. */
function recording(url: string, kept: Recording): HttpPost {
  return async (request) => {
    const answer = await post({ ...request, url });
    keep(kept, request.body, answer.text);
    return answer;
  };
}

async function record(name: string, url: string): Promise<void> {
  for (const transaction of recordedTransactions()) {
    await send(url, 'eth_sendTransaction', [transaction]);
  }
  const kept: Recording = {};
  await answersOn(recording(url, kept));
  writeFileSync(path(name), `${JSON.stringify(kept, null, 1)}\n`);
}

async function answersOn(upstream: HttpPost): Promise<unknown> {
  const devAccounts = await deriveDevAccounts({
    mnemonic: DEFAULT_MNEMONIC,
    derivationPath: "m/44'/60'/0'/0/",
    count: 1,
  });
  const scene = await createForkScene(
    { post: upstream },
    // Later rules require system contracts that these nodes did not have.
    { chain: { ruleSet: 'shanghai', devAccounts }, fork: { retries: 0, blockNumber: 3 } },
  );
  return questionsOnFork(scene);
}

describe.each(['anvil', 'ganache'])('a fork of recorded %s responses', (name) => {
  it('returns the expected values before and after the fork block', async () => {
    const live = LIVE[name];
    if (live !== undefined) await record(name, live);
    const kept = JSON.parse(readFileSync(path(name), 'utf8')) as Recording;
    const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`;
    expect(await answersOn(replaying(kept))).toEqual({
      number: '0x3',
      receipt: ['0x1', 1],
      balance: '0x5',
      balanceBefore: '0x0',
      slot: word(43),
      slotBefore: word(42),
      slotAtStart: word(0),
      nonce: '0x4',
      sent: '0x1',
      logs: [
        ['0x3', word(42)],
        ['0x4', word(43)],
      ],
      call: word(42),
      unknown: null,
    });
  });
});
