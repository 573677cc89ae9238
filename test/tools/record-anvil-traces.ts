// Records Anvil's traces of a scene for the tests: `npm run tool -- record:anvil-traces <program>`.

import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { ANVIL_TRACES } from '../support/anvil-traces.ts';
import { type Ask, playTraceScene, SCENE_CHAIN_ID } from '../support/trace-scene.ts';

const USAGE = 'Usage: npm run tool -- record:anvil-traces <path of the program anvil>';
const LISTENING = /Listening on ([\d.]+:\d+)/;

function asker(url: string): Ask {
  return async (method, params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const answer = (await response.json()) as {
      readonly result?: unknown;
      readonly error?: { readonly code: number; readonly message: string };
    };
    if (answer.error !== undefined) throw Object.assign(new Error(answer.error.message), answer.error);
    return answer.result;
  };
}

async function main(program: string | undefined): Promise<number> {
  if (program === undefined) {
    process.stdout.write(`${USAGE}\n`);
    return 2;
  }
  const options = ['--port', '0', '--chain-id', String(SCENE_CHAIN_ID), '--hardfork', 'osaka'];
  const anvil = spawn(program, [...options, '--gas-limit', '30000000', '--steps-tracing'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const url = await new Promise<string>((resolve, reject) => {
      let output = '';
      anvil.stdout.on('data', (text: Buffer) => {
        output += text.toString();
        const [, host] = LISTENING.exec(output) ?? [];
        if (host !== undefined) resolve(`http://${host}`);
      });
      anvil.once('exit', () => reject(new Error(`anvil ended: ${output}`)));
      anvil.once('error', reject);
    });
    const ask = asker(url);
    const answers = await playTraceScene(ask);
    const client = await ask('web3_clientVersion', []);
    const recorded = JSON.stringify({ client, answers });
    writeFileSync(ANVIL_TRACES, `${gzipSync(recorded, { level: 9 }).toString('hex')}\n`);
    process.stdout.write(`${Object.keys(answers).length} answers of ${String(client)}\n`);
    return 0;
  } finally {
    anvil.kill();
  }
}

process.exitCode = await main(process.argv[2]);
