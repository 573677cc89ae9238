import { createHash } from 'node:crypto';
import {
  type Address,
  createPublicClient,
  createWalletClient,
  type Hex,
  hexToBigInt,
  hexToBytes,
  http,
  parseEther,
  toHex,
} from 'viem';
import { afterAll, describe, expect, it } from 'vitest';
import { createNode, type LocalNode } from '../../src/index.ts';
import { localNetwork33At } from '../../src/viem.ts';
import { readArtifact } from '../support/artifacts.ts';

const { abi, bytecode } = readArtifact('cancun', 'PasskeyWallet');
const TARGET: Address = `0x${'0c'.repeat(20)}`;
const CURVE = { name: 'ECDSA', namedCurve: 'P-256' } as const;

const nodes: LocalNode[] = [];
afterAll(async () => {
  for (const node of nodes) await node.close();
});

/** A wallet of a new passkey on its own node, with the actions of a page. */
async function openWallet(hardfork: 'prague' | 'osaka') {
  const node = await createNode({ hardfork, compat: 'anvil' });
  nodes.push(node);
  const { url } = await node.listen({ port: 0 });
  const chain = localNetwork33At(url);
  const client = createPublicClient({ chain, transport: http(url) });
  const [account] = (await node.request({ method: 'eth_accounts' })) as [Address];
  const relayer = createWalletClient({ chain, transport: http(url), account });
  const passkey = await crypto.subtle.generateKey(CURVE, false, ['sign', 'verify']);
  const point = Buffer.from(await crypto.subtle.exportKey('raw', passkey.publicKey));
  const numberAt = (bytes: Uint8Array, offset: number) =>
    hexToBigInt(toHex(bytes.subarray(offset, offset + 32)));
  const creation = await relayer.deployContract({
    abi,
    bytecode,
    args: [numberAt(point, 1), numberAt(point, 33)],
    value: parseEther('1'),
  });
  const { contractAddress: address } = await client.getTransactionReceipt({ hash: creation });
  if (address == null || account === undefined) throw new Error('no wallet was created');
  const challengeOf = (to: Address, value: bigint) =>
    client.readContract({
      address,
      abi,
      functionName: 'challengeOf',
      args: [to, value, '0x'],
    }) as Promise<Hex>;

  /** Signs a challenge as an authenticator does (WebAuthn, section 7.2). */
  async function sign(challenge: Hex, key = passkey.privateKey) {
    const authenticatorData = Buffer.concat([
      createHash('sha256').update('example.org').digest(),
      Buffer.from([0x05, 0, 0, 0, 1]),
    ]);
    const clientDataJSON = JSON.stringify({
      type: 'webauthn.get',
      challenge: Buffer.from(hexToBytes(challenge)).toString('base64url'),
      origin: 'https://example.org',
      crossOrigin: false,
    });
    const hash = createHash('sha256').update(clientDataJSON).digest();
    const signed = await crypto.subtle.sign(
      { name: 'ECDSA', hash: 'SHA-256' },
      key,
      Buffer.concat([authenticatorData, hash]),
    );
    const bytes = new Uint8Array(signed);
    return {
      authenticatorData: toHex(authenticatorData),
      clientDataJSON,
      r: numberAt(bytes, 0),
      s: numberAt(bytes, 32),
    };
  }

  const send = async (to: Address, value: bigint, signature: Awaited<ReturnType<typeof sign>>) => {
    const { request } = await client.simulateContract({
      account,
      address,
      abi,
      functionName: 'execute',
      args: [to, value, '0x', signature],
    });
    return client.getTransactionReceipt({ hash: await relayer.writeContract(request) });
  };

  return { client, challengeOf, sign, send };
}

describe('a wallet with a passkey', () => {
  it('makes each signed call once under Osaka', async () => {
    const { client, challengeOf, sign, send } = await openWallet('osaka');
    for (let round = 1n; round <= 3n; round++) {
      const signature = await sign(await challengeOf(TARGET, round));
      expect(await send(TARGET, round, signature)).toMatchObject({ status: 'success' });
      await expect(send(TARGET, round, signature)).rejects.toThrow('OtherChallenge');
    }
    expect(await client.getBalance({ address: TARGET })).toBe(6n);
  });

  it('rejects calls with a signature of another key or for another call', async () => {
    const { client, challengeOf, sign, send } = await openWallet('osaka');
    const challenge = await challengeOf(TARGET, 1n);
    const stranger = await crypto.subtle.generateKey(CURVE, false, ['sign']);
    await expect(send(TARGET, 1n, await sign(challenge, stranger.privateKey))).rejects.toThrow('NotSigned');
    const signature = await sign(challenge);
    await expect(send(TARGET, 2n, signature)).rejects.toThrow('OtherChallenge');
    await expect(send(TARGET, 1n, { ...signature, s: signature.s ^ 1n })).rejects.toThrow('NotSigned');
    const other = { ...signature, authenticatorData: toHex(new Uint8Array(37).fill(7)) };
    await expect(send(TARGET, 1n, other)).rejects.toThrow('NotSigned');
    expect(await client.getBalance({ address: TARGET })).toBe(0n);
  });

  it('rejects signatures under Prague, which has no P-256 precompile', async () => {
    const { challengeOf, sign, send } = await openWallet('prague');
    await expect(send(TARGET, 1n, await sign(await challengeOf(TARGET, 1n)))).rejects.toThrow('NotSigned');
  });
});
