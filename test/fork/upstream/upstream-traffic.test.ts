import { describe, expect, it } from 'vitest';
import type { UpstreamTraffic } from '../../../src/fork/upstream/upstream-call.ts';
import { UpstreamClient } from '../../../src/fork/upstream/upstream-client.ts';
import { nextIteration } from '../../../src/scheduling/cancel-check.ts';
import { createFakeTime } from '../../support/fake-time.ts';
import { failedAnswer, ScriptedUpstream } from '../scripted-upstream.ts';

const FIRST = 'https://user:password@first.example:8545/v3/abcdef0123456789abcd?token=query-secret';
const SECOND = 'https://second.example/';

interface Scene {
  readonly client: UpstreamClient;
  readonly upstream: ScriptedUpstream;
  /** The reported traffic in order. */
  readonly heard: string[];
}

function scene(): Scene {
  const heard: string[] = [];
  const traffic: UpstreamTraffic = {
    begun: (host) => void heard.push(`begun ${host}`),
    unreachable: (reasons) => void heard.push(`unreachable ${reasons}`),
    answered: (host, answers) => void heard.push(`${answers} by ${host}`),
    ended: () => void heard.push('ended'),
    closed: () => void heard.push('closed'),
  };
  const upstream = new ScriptedUpstream((method) => method);
  const { clock, timers } = createFakeTime(1_700_000_000_000);
  const options = {
    headers: {},
    timeout: 5_000,
    retries: 0,
    retryBackoff: 1_000,
    computeUnitsPerSecond: null,
    noRateLimit: false,
  };
  const random = (length: number): Uint8Array => new Uint8Array(length);
  const parts = { post: upstream.post, clock, timers, random, traffic };
  return { client: new UpstreamClient([FIRST, SECOND], options, parts), upstream, heard };
}

describe('UpstreamTraffic', () => {
  it('reports each request with its number of answers and a host without secrets', async () => {
    const { client, heard } = scene();
    const calls = Array.from({ length: 150 }, (_, index) =>
      client.ask({ method: 'm', params: [index], expects: 'anything' }),
    );
    await Promise.all(calls);
    await nextIteration();
    expect(heard.slice(0, 2)).toEqual(['begun first.example:8545', 'begun first.example:8545']);
    expect(heard.slice(2).sort()).toEqual([
      '100 by first.example:8545',
      '50 by first.example:8545',
      'ended',
      'ended',
    ]);
  });

  it('reports the host that answered instead of a failed host', async () => {
    const { client, upstream, heard } = scene();
    upstream.script = ({ url }) => (url === FIRST ? failedAnswer(503) : undefined);
    await client.ask({ method: 'm', params: [], expects: 'anything' });
    await client.ask({ method: 'n', params: [], expects: 'anything' });
    await nextIteration();
    expect(heard).toEqual([
      'begun first.example:8545',
      '1 by second.example',
      'ended',
      'begun second.example',
      '1 by second.example',
      'ended',
    ]);
  });

  it('reports the end of a request without answers, and the close of the client', async () => {
    const { client, upstream, heard } = scene();
    upstream.script = () => failedAnswer(503);
    await expect(client.ask({ method: 'm', params: [], expects: 'anything' })).rejects.toThrow('HTTP 503');
    client.close();
    expect(heard).toEqual(['begun first.example:8545', 'ended', 'closed']);
  });
});
