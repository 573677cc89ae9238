/** The merged-mining proof of a block. */

import type { JSX } from 'preact';
import { absoluteTime, counted, grouped, numberOf } from '../../format.ts';
import {
  branchLength,
  commitmentOf,
  type ParentHeader,
  parentHeaderOf,
  targetOf,
} from '../../merged-mining.ts';
import { type MinedBlock, proofField } from '../../mined-block.ts';
import { Empty, Facts, Hex } from '../../parts/values.tsx';

function Verdict({ isRight, text }: { readonly isRight: boolean; readonly text: string }): JSX.Element {
  return <span class={isRight ? 'tag good' : 'tag bad'}>{text}</span>;
}

function ParentFacts({
  header,
  target,
}: {
  readonly header: ParentHeader;
  readonly target: string;
}): JSX.Element {
  const isSolved = header.hash <= target;
  return (
    <Facts
      rows={[
        [
          'Hash',
          <>
            <Hex hex={header.hash} digits={64} />{' '}
            <Verdict isRight={isSolved} text={isSolved ? 'meets the target' : 'misses the target'} />
          </>,
        ],
        ['Target', <Hex key="target" hex={target} digits={64} />],
        ['Previous block', <Hex key="previous" hex={header.previousHash} digits={64} />],
        ['Merkle root', <Hex key="root" hex={header.merkleRoot} digits={64} />],
        ['Time', absoluteTime(header.time)],
        ['Bits', <code key="bits">{header.bits}</code>],
        ['Nonce', grouped(header.nonce)],
        ['Version', <code key="version">0x{header.version.toString(16)}</code>],
      ]}
    />
  );
}

/** The header, coinbase transaction and Merkle branch of the Bitcoin block, with the result of the checks. */
export function Proof({ block }: { readonly block: MinedBlock }): JSX.Element {
  const header = parentHeaderOf(proofField(block, 'Header'));
  const coinbase = proofField(block, 'CoinbaseTransaction');
  const branch = proofField(block, 'MerkleProof');
  if (header === null)
    return (
      <Empty>
        {numberOf(block.number) === 0 ? 'The genesis block has no proof of work.' : 'No parent-chain header'}
      </Empty>
    );
  const commitment = commitmentOf(coinbase);
  const isCommitted = commitment === block.hashForMergedMining;
  const siblings = branchLength(branch);
  return (
    <>
      <p>
        A block of the parent chain proves this block: its header meets the target, and its coinbase
        transaction commits to the merged-mining hash.
      </p>
      <h3>Parent-chain header</h3>
      <ParentFacts header={header} target={targetOf(BigInt(block.difficulty))} />
      <h3>Parent-chain coinbase transaction</h3>
      <Facts
        rows={[
          [
            'Commits to',
            commitment === null ? (
              'no block'
            ) : (
              <>
                <Hex hex={commitment} digits={64} />{' '}
                <Verdict isRight={isCommitted} text={isCommitted ? 'this block' : 'another block'} />
              </>
            ),
          ],
          ['Bytes', <Hex key="coinbase" hex={coinbase} digits={30} />],
          [
            'Merkle branch',
            siblings === 0 ? (
              'empty: the block has one transaction'
            ) : (
              <>
                {counted(siblings, 'hash', 'hashes')} <Hex hex={branch} />
              </>
            ),
          ],
        ]}
      />
    </>
  );
}
