import { describe, expect, it } from 'vitest';
import { versionedHashes } from '../../../src/chain/blobs.ts';
import { toHex } from '../../../src/primitives/hex.ts';
import { curve } from '../../../src/primitives/secp256k1/curve.ts';
import { joinNetworkForm } from '../../../src/protocol/blobs.ts';
import { signedBy } from '../../../src/protocol/transaction-encoding.ts';
import { wantsSsz } from '../../../src/server/beacon/beacon-endpoint.ts';
import { beaconTargetOf } from '../../../src/server/beacon/beacon-target.ts';
import { type ProvenBlob, provenBlobs, sidecarOf } from '../../support/blobs.ts';
import { testAccount, transfer } from '../../support/test-chain.ts';
import { type LaneServer, type LaneServerOptions, startLaneServer } from '../lane-server.ts';
import { type HttpAnswer, send, startTestServer } from '../test-server.ts';

const [TEXT, FULL] = provenBlobs();
const { address: FROM, privateKey: KEY } = testAccount(0);
const FEES = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n, maxFeePerBlobGas: 10n ** 9n };
const HASHES = versionedHashes([TEXT, FULL].map(({ commitment }) => commitment)).map(toHex);

function rawOf(proven: readonly ProvenBlob[], nonce: bigint): string {
  const blobVersionedHashes = versionedHashes(proven.map(({ commitment }) => commitment));
  const request = { ...transfer({ ...FEES, type: 3, blobVersionedHashes }), nonce };
  const { raw } = signedBy(request, FROM, (hash) => curve.sign(hash, KEY));
  return toHex(joinNetworkForm(raw, sidecarOf(proven, 'blob proofs')));
}

interface Scene extends LaneServer {
  get(path: string, headers?: Record<string, string>): Promise<HttpAnswer>;
}

async function serve(options: LaneServerOptions = {}): Promise<Scene> {
  const scene = await startLaneServer({ ruleSet: 'cancun', ...options });
  const get = (path: string, headers: Record<string, string> = {}): Promise<HttpAnswer> =>
    send(scene.server, '', { method: 'GET', path, headers });
  return { ...scene, get };
}

/** Mines a transaction with two blobs, five seconds after the genesis. */
async function serveBlobs(options: LaneServerOptions = {}): Promise<Scene & { readonly hash: string }> {
  const scene = await serve(options);
  const { timestamp } = (await scene.call('/', 'eth_getBlockByNumber', ['earliest', false])) as {
    readonly timestamp: string;
  };
  await scene.call('/', 'evm_setNextBlockTimestamp', [Number(timestamp) + 5]);
  await scene.call('/', 'eth_sendRawTransaction', [rawOf([TEXT, FULL], 0n)]);
  const { hash } = (await scene.call('/', 'eth_getBlockByNumber', ['latest', false])) as {
    readonly hash: string;
  };
  return { ...scene, hash };
}

const BLOBS = [toHex(TEXT.blob), toHex(FULL.blob)];

describe('GET /eth/v1/beacon/genesis', () => {
  it('returns the time of the genesis block as text', async () => {
    const { get, call } = await serve();
    const genesisTime = await call('/', 'anvil_getGenesisTime');

    const { status, json, headers } = await get('/eth/v1/beacon/genesis');

    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json');
    expect(json).toEqual({
      data: {
        genesis_time: String(genesisTime),
        genesis_validators_root: `0x${'0'.repeat(64)}`,
        genesis_fork_version: '0x00000000',
      },
    });
  });
});

describe('GET /eth/v1/config/spec', () => {
  it('returns slots of one second and the chain id', async () => {
    const { get } = await serve();

    expect((await get('/eth/v1/config/spec')).json).toMatchObject({
      data: {
        SECONDS_PER_SLOT: '1',
        SLOTS_PER_EPOCH: '32',
        DEPOSIT_CHAIN_ID: '33',
        MAX_BLOBS_PER_BLOCK: '6',
      },
    });
  });
});

describe('GET /eth/v1/beacon/blobs', () => {
  it('returns the blobs of a block by slot, hash and tag', async () => {
    const { get, hash } = await serveBlobs();

    for (const id of ['5', hash, 'head', 'finalized', 'justified']) {
      const { status, json, headers } = await get(`/eth/v1/beacon/blobs/${id}`);
      expect({ id, status }).toEqual({ id, status: 200 });
      expect(json).toEqual({ execution_optimistic: false, finalized: true, data: BLOBS });
      expect(headers['eth-consensus-version']).toBe('deneb');
    }
    expect((await get('/eth/v1/beacon/blobs/genesis')).json).toMatchObject({ data: [] });
  });

  it('returns whether the block is final', async () => {
    const { get, call } = await serveBlobs({ chain: { slotsInAnEpoch: 1 } });

    expect((await get('/eth/v1/beacon/blobs/5')).json).toMatchObject({ finalized: false });
    await call('/', 'anvil_mine', [2]);
    expect((await get('/eth/v1/beacon/blobs/5')).json).toMatchObject({ finalized: true });
  });

  it('counts the slots from a pruned genesis block', async () => {
    const { get, call } = await serveBlobs({ chain: { keptBlocks: 2 } });
    const genesis = (await get('/eth/v1/beacon/genesis')).json;

    await call('/', 'anvil_mine', [1]);

    await expect(call('/', 'eth_getBlockByNumber', ['0x0', false])).rejects.toThrow(/pruned/);
    expect((await get('/eth/v1/beacon/genesis')).json).toEqual(genesis);
    expect((await get('/eth/v1/beacon/blobs/5')).json).toMatchObject({ data: BLOBS });
    expect(genesis).toMatchObject({
      data: { genesis_time: String(await call('/', 'anvil_getGenesisTime')) },
    });
  });

  it('names the fork of a hardfork with single EIPs', async () => {
    const { get } = await serve({ ruleSet: 'cancun+eip7951' });

    expect((await get('/eth/v1/beacon/blobs/head')).headers['eth-consensus-version']).toBe('deneb');
  });

  it('selects blobs by versioned hashes, repeated or separated by commas', async () => {
    const { get } = await serveBlobs();
    const [first, second] = HASHES;

    const one = await get(`/eth/v1/beacon/blobs/head?versioned_hashes=${second}`);
    const repeated = await get(
      `/eth/v1/beacon/blobs/head?versioned_hashes=${first}&versioned_hashes=${second}`,
    );
    const listed = await get(`/eth/v1/beacon/blobs/head?versioned_hashes=${first},0x01${'0'.repeat(62)}`);

    expect(one.json).toMatchObject({ data: [BLOBS[1]] });
    expect(repeated.json).toMatchObject({ data: BLOBS });
    expect(listed.json).toMatchObject({ data: [BLOBS[0]] });
  });

  it('returns the bytes of the blobs if the client prefers SSZ', async () => {
    const { server } = await serveBlobs();

    const response = await fetch(`${server.url}/eth/v1/beacon/blobs/head`, {
      headers: { Accept: 'application/octet-stream' },
    });

    expect(response.headers.get('content-type')).toBe('application/octet-stream');
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.equals(Buffer.concat([TEXT.blob, FULL.blob]))).toBe(true);
  });

  it('returns the blobs of all blocks of a slot', async () => {
    const scene = await serve({ allowsSameTimestamp: true });
    const { call, get } = scene;
    const { timestamp } = (await call('/', 'eth_getBlockByNumber', ['earliest', false])) as {
      readonly timestamp: string;
    };
    for (const [nonce, blob] of [TEXT, FULL].entries()) {
      await call('/', 'evm_setNextBlockTimestamp', [Number(timestamp) + 5]);
      await call('/', 'eth_sendRawTransaction', [rawOf([blob], BigInt(nonce))]);
    }

    expect((await get('/eth/v1/beacon/blobs/5')).json).toMatchObject({ data: BLOBS });
  });

  it.each([
    ['/eth/v1/beacon/blobs/nothing', 400, /invalid block id "nothing"/],
    ['/eth/v1/beacon/blobs/-1', 400, /invalid block id/],
    ['/eth/v1/beacon/blobs/head?versioned_hashes=0x12', 400, /invalid versioned hash "0x12"/],
    ['/eth/v1/beacon/blobs/4', 404, /block not found: 4/],
    [`/eth/v1/beacon/blobs/0x${'ee'.repeat(32)}`, 404, /block not found/],
    ['/eth/v1/beacon/blob_sidecars/head?indices=x', 400, /invalid index "x"/],
    ['/eth/v1/beacon/states/head', 404, /not found/],
    ['/eth/v1/', 404, /not found/],
  ])('rejects %s with the status in the body', async (path, status, message) => {
    const { get } = await serve();

    const answer = await get(path);

    expect(answer).toMatchObject({ status, json: { code: status, message: expect.stringMatching(message) } });
  });
});

describe('GET /eth/v1/beacon/blob_sidecars', () => {
  it('returns the selected blobs with commitments, proofs and the slot', async () => {
    const { get, hash } = await serveBlobs();

    const { json } = await get(`/eth/v1/beacon/blob_sidecars/${hash}?indices=1,7`);

    expect(json).toMatchObject({
      version: 'deneb',
      data: [
        {
          index: '1',
          blob: BLOBS[1],
          kzg_commitment: toHex(FULL.commitment),
          kzg_proof: toHex(FULL.blobProof),
          signed_block_header: { message: { slot: '5' } },
        },
      ],
    });
  });
});

describe('paths of the Beacon API', () => {
  it('a lane serves its own blobs, and eth is no key of a lane', async () => {
    const { get, call } = await serve();
    await call('/alone', 'eth_sendRawTransaction', [rawOf([TEXT], 0n)]);

    expect((await get('/alone/eth/v1/beacon/blobs/head')).json).toMatchObject({ data: [BLOBS[0]] });
    expect((await get('/eth/v1/beacon/blobs/head')).json).toMatchObject({ data: [] });
    await expect(call('/eth', 'eth_blockNumber')).rejects.toThrow('a lane other than eth');
    await expect(call('/', 'lane_create', [{ key: 'eth' }])).rejects.toThrow(/eth alone/);
  });

  it('requires an API key in the path if clients need one', async () => {
    const { get } = await serve({ apiKeys: ['secret'] });

    expect(await get('/eth/v1/beacon/genesis')).toMatchObject({ status: 401, json: { code: 401 } });
    expect(await get('/wrong/eth/v1/beacon/genesis')).toMatchObject({ status: 401 });
    expect(await get('/secret/eth/v1/beacon/genesis')).toMatchObject({ status: 200 });
  });

  it('rejects other verbs, hosts and origins', async () => {
    const server = await startTestServer();
    const asked = { method: 'GET', path: '/eth/v1/beacon/genesis' };

    const posted = await send(server, '{}', { ...asked, method: 'POST', headers: {} });

    expect(posted).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
    expect(posted.json).toEqual({ code: 405, message: 'POST is not supported: use GET for the Beacon API' });
    expect(await send(server, '', { ...asked, headers: { Host: 'rebound.example' } })).toMatchObject({
      status: 403,
    });
    expect(await send(server, '', { ...asked, headers: { Origin: 'https://evil.example' } })).toMatchObject({
      status: 403,
    });
  });

  it.each([
    ['/eth/v1/beacon/genesis', { key: undefined, path: ['beacon', 'genesis'] }],
    ['/lane/eth/v1/a%20b?x=1', { key: 'lane', path: ['a b'] }],
    ['/eth/v2/beacon/genesis', null],
    ['/a/b/eth/v1/beacon', null],
    ['/?path=/eth/v1/', null],
  ])('reads the target of %s', (url, target) => {
    expect(beaconTargetOf(url)).toEqual(target);
  });

  it.each([
    [undefined, false],
    ['application/json', false],
    ['application/octet-stream', true],
    ['application/octet-stream;q=1.0, application/json;q=0.9', true],
    ['application/json;q=1.0,application/octet-stream;q=0.9', false],
    ['application/octet-stream;q=0.5,application/json;q=0.5', false],
  ])('an Accept header of %s prefers SSZ: %s', (accept, expected) => {
    expect(wantsSsz(accept)).toBe(expected);
  });
});
