/** The mining data of a Rootstock block: its merged-mining proof, its uncles, and the fees paid by REMASC. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { client, headNumber, moment } from '../chain.ts';
import { blockText, grouped, numberOf } from '../format.ts';
import { isRootstock, type MinedBlock } from '../mined-block.ts';
import { Table } from '../parts/table.tsx';
import { useCalmHead, useRead, useReadState } from '../parts/use-read.ts';
import {
  Address,
  Amount,
  BlockNumber,
  Empty,
  Facts,
  Failure,
  Hex,
  Loaded,
  NoBlock,
} from '../parts/values.tsx';
import { pathTo } from '../router.ts';
import { Payments } from './mining/payments.tsx';
import { Proof } from './mining/proof.tsx';

/** The uncles in a block. */
function Uncles({ block }: { readonly block: MinedBlock }): JSX.Element {
  const asked = useReadState(
    () =>
      Promise.all(
        block.uncles.map((_, index) =>
          client.read<MinedBlock | null>('eth_getUncleByBlockHashAndIndex', [
            block.hash,
            `0x${index.toString(16)}`,
          ]),
        ),
      ),
    [block.hash],
  );
  if (block.uncles.length === 0) return <Empty>No uncles</Empty>;
  return (
    <Loaded asked={asked}>
      {(uncles) => (
        <div class="scrolled">
          <Table columns={['Uncle', 'Hash', 'Miner', { number: 'Fees' }, { number: 'Difficulty' }]}>
            {uncles.map((uncle, index) =>
              uncle === null ? null : (
                <tr key={uncle.hash ?? index}>
                  <td class="mono">{blockText(numberOf(uncle.number))}</td>
                  <td>
                    <Hex hex={uncle.hash} digits={8} />
                  </td>
                  <td>
                    <Address address={uncle.miner} />
                  </td>
                  <td class="number">
                    <Amount wei={BigInt(uncle.paidFees ?? '0x0')} />
                  </td>
                  <td class="number">{grouped(BigInt(uncle.difficulty))}</td>
                </tr>
              ),
            )}
          </Table>
        </div>
      )}
    </Loaded>
  );
}

interface SideBlock {
  readonly number: string;
  readonly hash: string;
  readonly gasUsed: string;
  readonly reason: 'lost' | 'removed';
}

interface Work {
  readonly blockHashForMergedMining: string;
  readonly target: string;
  readonly feesPaidToMiner: string;
  readonly parentBlockHash: string;
}

/** Timeline cells to search for orphaned blocks. */
const CELLS = 200;

function LostBlocks(): JSX.Element {
  const newest = useCalmHead();
  const asked = useRead<{ readonly side: readonly SideBlock[] }>('inspect_timeline', [null, CELLS], [newest]);
  return (
    <Loaded asked={asked}>
      {({ side }) => {
        const lost = side.filter(({ reason }) => reason === 'lost');
        if (lost.length === 0) return <Empty>No orphaned blocks</Empty>;
        return (
          <Table class="narrow" columns={['Block', 'Hash']}>
            {lost.map(({ number, hash }) => (
              <tr key={hash}>
                <td>
                  <a class="mono" href={pathTo('mining', hash)}>
                    {blockText(numberOf(number))}
                  </a>
                </td>
                <td>
                  <Hex hex={hash} digits={8} />
                </td>
              </tr>
            ))}
          </Table>
        );
      }}
    </Loaded>
  );
}

/**
 * The work for the next block. It is only requested by a button, because each request occupies one of the
 * twenty works that the node keeps for miners.
 */
function NextBlock(): JSX.Element {
  const [work, setWork] = useState<Work | null>(null);
  const [error, setError] = useState<unknown>(null);
  const ask = async (): Promise<void> => {
    try {
      setWork(await client.read<Work>('mnr_getWork'));
      setError(null);
    } catch (cause) {
      setError(cause);
    }
  };
  return (
    <>
      <p>
        Mining software reads the work with mnr_getWork and submits solutions with mnr_submitBitcoinBlock.{' '}
        <button type="button" onClick={() => void ask()}>
          Show work
        </button>
      </p>
      {error === null ? null : <Failure error={error} />}
      {work === null ? null : (
        <Facts
          rows={[
            ['Merged mining hash', <Hex key="hash" hex={work.blockHashForMergedMining} digits={64} />],
            ['Target', <Hex key="target" hex={work.target} digits={64} />],
            ['Parent', <Hex key="parent" hex={work.parentBlockHash} digits={64} />],
            ['Fees', <Amount key="fees" wei={BigInt(work.feesPaidToMiner)} />],
          ]}
        />
      )}
    </>
  );
}

function difficultyText(value: string | undefined): string {
  return value === undefined ? '' : grouped(BigInt(value));
}

function Shown({ block, isNewest }: { readonly block: MinedBlock; readonly isNewest: boolean }): JSX.Element {
  const number = numberOf(block.number);
  if (!isRootstock(block))
    return (
      <Empty>
        Ethereum's rules have no merged mining, uncles or REMASC. To use them, start the node with --hardfork
        rootstock.
      </Empty>
    );
  return (
    <>
      <Facts
        rows={[
          ['Block', <BlockNumber key="number" number={number} />],
          ['Hash', <Hex key="hash" hex={block.hash} />],
          ['Merged mining hash', <Hex key="merged" hex={block.hashForMergedMining ?? ''} />],
          ['Miner', <Address key="miner" address={block.miner} isWhole />],
          ['Fees paid', <Amount key="fees" wei={BigInt(block.paidFees ?? '0x0')} />],
          ['Minimum gas price', <Amount key="price" wei={BigInt(block.minimumGasPrice ?? '0x0')} isPrice />],
          ['Difficulty', difficultyText(block.difficulty)],
          ['Cumulative difficulty', difficultyText(block.cumulativeDifficulty)],
          ['Total difficulty', difficultyText(block.totalDifficulty)],
        ]}
      />
      <section aria-label="Proof of work">
        <h2>Proof of work</h2>
        <Proof block={block} />
      </section>
      <section aria-label="Uncles">
        <h2>Uncles</h2>
        <Uncles block={block} />
      </section>
      <section aria-label="REMASC">
        <h2>REMASC</h2>
        <Payments block={block} />
      </section>
      {isNewest ? (
        <>
          <section aria-label="Orphaned blocks">
            <h2>Orphaned blocks</h2>
            <LostBlocks />
          </section>
          <section aria-label="Next block">
            <h2>Next block</h2>
            <NextBlock />
          </section>
        </>
      ) : null}
    </>
  );
}

/** The mining data of the block in the URL (number or hash), otherwise of the selected block. */
export function Mining({ subject }: { readonly subject: string }): JSX.Element {
  const newest = useCalmHead();
  const isHash = subject.startsWith('0x');
  const isNewest = subject === '' && moment.value === null;
  const number = subject === '' ? (moment.value ?? headNumber.peek()) : Number(subject) || 0;
  const asked = useRead<MinedBlock | null>(
    isHash ? 'eth_getBlockByHash' : 'eth_getBlockByNumber',
    [isHash ? subject : isNewest ? 'latest' : `0x${number.toString(16)}`, false],
    isNewest ? [newest] : [],
  );
  return (
    <Loaded asked={asked}>
      {(block) =>
        block === null ? (
          <>
            <h1>Mining</h1>
            <NoBlock subject={subject} newest={pathTo('mining')} />
          </>
        ) : (
          <>
            <h1>
              Mining of block {blockText(numberOf(block.number))}{' '}
              <span class="steps">
                {numberOf(block.number) === 0 ? null : (
                  <a href={pathTo('mining', String(numberOf(block.number) - 1))}>‹ previous</a>
                )}{' '}
                {isNewest ? null : (
                  <>
                    <a href={pathTo('mining', String(numberOf(block.number) + 1))}>next ›</a>{' '}
                    <a href={pathTo('mining')}>latest</a>
                  </>
                )}
              </span>
            </h1>
            <Shown block={block} isNewest={isNewest} />
          </>
        )
      }
    </Loaded>
  );
}
