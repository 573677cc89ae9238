import { describe, expect, it } from 'vitest';
import { createNode } from '../../src/index.ts';
import { fromHex, toHex } from '../../src/primitives/hex.ts';
import { keccak256 } from '../../src/primitives/keccak.ts';

/** More blocks than a chain keeps states, plus the two archived states. */
const BLOCKS = 1_700;
/** Stores its call data in slot 0 of the account that runs it: PUSH0 CALLDATALOAD PUSH0 SSTORE. */
const STORING = '0x5f355f55';

type Request = (request: { method: string; params?: unknown[] }) => Promise<unknown>;

const CONTRACT = `0x${'c0'.repeat(20)}`;

function accountOf(number: number): string {
  return `0x${(0x1000 + (number % 300)).toString(16).padStart(40, '0')}`;
}

/** Mines `count` blocks. Each of them changes an account or a slot. */
async function mine(request: Request, from: string, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const data = `0x${(1 + index).toString(16).padStart(64, '0')}`;
    const transaction =
      index % 5 === 0 ? { from, to: CONTRACT, data } : { from, to: accountOf(index * 7), value: '0x1' };
    await request({ method: 'eth_sendTransaction', params: [transaction] });
  }
}

/** Checks proofs of old states, up to block `last`, against the state roots in the block headers. */
async function checkProofs(request: Request, last: number): Promise<void> {
  for (let number = 1; number <= last; number += 37) {
    const block = `0x${number.toString(16)}`;
    const header = (await request({ method: 'eth_getBlockByNumber', params: [block, false] })) as {
      stateRoot: string;
    };
    for (const address of [CONTRACT, accountOf(number)]) {
      const proof = (await request({ method: 'eth_getProof', params: [address, ['0x0'], block] })) as {
        accountProof: string[];
        storageHash: string;
        storageProof: { value: string; proof: string[] }[];
      };
      expect(toHex(keccak256(fromHex(proof.accountProof[0] ?? '0x')))).toBe(header.stateRoot);
      const [slot] = proof.storageProof;
      if (address !== CONTRACT) continue;
      expect(slot?.value).not.toBe('0x0');
      expect(toHex(keccak256(fromHex(slot?.proof[0] ?? '0x')))).toBe(proof.storageHash);
    }
  }
}

describe('old states of a long chain', () => {
  it('old states have the roots of their blocks, also after a revert to a much earlier block', async () => {
    const node = await createNode({ hardfork: 'cancun' });
    const request: Request = (made) => node.request(made);
    await request({ method: 'hardhat_setCode', params: [CONTRACT, STORING] });
    const [from = ''] = (await request({ method: 'eth_accounts' })) as string[];
    await mine(request, from, 600);
    const snapshot = await request({ method: 'evm_snapshot' });
    await mine(request, from, BLOCKS);
    await checkProofs(request, 600 + BLOCKS);
    const branch = await node.fork();
    await request({ method: 'evm_revert', params: [snapshot] });
    await mine(request, from, BLOCKS);
    await checkProofs(request, 600 + BLOCKS);
    await mine((made) => branch.request(made), from, 300);
    await checkProofs((made) => branch.request(made), 900 + BLOCKS);
    await node.close();
  });
});
