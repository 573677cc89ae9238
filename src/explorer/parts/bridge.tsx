/** Renders the Bitcoin transactions and the remarks of Bridge calls. The node decodes them. */

import type { ComponentChildren, JSX } from 'preact';
import { decimal, grouped, SATOSHI_DIGITS, shortHex } from '../format.ts';
import type { CallLine, ParentOutput, ParentTransaction } from '../inspection.ts';
import { Address, Copy, Facts, Text } from './values.tsx';

/** An amount of Bitcoin in coins; the tooltip shows satoshi. */
export function Coins({ satoshis }: { readonly satoshis: string | number | bigint }): JSX.Element {
  const amount = BigInt(satoshis);
  return (
    <span class="mono" title={`${grouped(amount)} satoshi`}>
      {decimal(amount, SATOSHI_DIGITS)} <span class="faint">BTC</span>
    </span>
  );
}

/** The id of a Bitcoin transaction or block, or a Bitcoin address, with a button to copy it. */
export function ParentText({
  text,
  digits = 64,
  label,
}: {
  readonly text: string;
  readonly digits?: number;
  readonly label: string;
}): JSX.Element {
  const isShort = text.length > digits;
  return (
    <span class="value">
      <code title={text}>{isShort ? `${text.slice(0, digits / 2)}…${text.slice(-digits / 2)}` : text}</code>
      <Copy text={text} label={label} />
    </span>
  );
}

function Output({ output }: { readonly output: ParentOutput }): JSX.Element {
  const { satoshis, address, isToFederation, data, instructions } = output;
  if (instructions !== null)
    return (
      <>
        peg-in instructions, version {instructions.version}: coins to{' '}
        <Address address={instructions.receiver} />
        {instructions.refundAddress === null ? null : (
          <>
            {' '}
            refunds to <ParentText text={instructions.refundAddress} label="Copy address" />
          </>
        )}
      </>
    );
  if (data !== null)
    return (
      <>
        data <code title={data}>{shortHex(data, 24)}</code>
      </>
    );
  return (
    <>
      <Coins satoshis={satoshis} /> to{' '}
      {address === null ? 'a script without address' : <ParentText text={address} label="Copy address" />}
      {isToFederation ? <span class="tag">federation</span> : null}
    </>
  );
}

/** The id of the spent transaction in the input of a coinbase transaction. */
const COINBASE_ID = '0'.repeat(64);

function TransactionRows({ transaction }: { readonly transaction: ParentTransaction }): JSX.Element {
  const { id, inputs, outputs, omitted } = transaction;
  const rows: (readonly [string, ComponentChildren])[] = [
    ['Bitcoin id', <ParentText key="id" text={id} label="Copy transaction id" />],
    ...inputs.map(
      (input, index) =>
        [
          `Input ${index}`,
          input.id === COINBASE_ID ? (
            'coinbase'
          ) : (
            <>
              {input.address === null ? null : (
                <>
                  <ParentText text={input.address} label="Copy address" />{' '}
                </>
              )}
              <span class="faint">
                output {input.index} of <ParentText text={input.id} digits={16} label="Copy transaction id" />
              </span>
            </>
          ),
        ] as const,
    ),
    ...outputs.map((output, index) => [`Output ${index}`, <Output key={index} output={output} />] as const),
    ...(omitted === 0 ? [] : [['Omitted', `${grouped(omitted)} more inputs and outputs`] as const]),
  ];
  return <Facts rows={rows} />;
}

/** The Bitcoin transactions and the decisions of the Bridge in the lines of an execution; empty for none. */
export function BridgeReport({ lines }: { readonly lines: readonly CallLine[] }): JSX.Element | null {
  const transactions = lines.flatMap(({ item, index }) =>
    item.kind === 'console' || item.parentTransaction === undefined
      ? []
      : [{ index, transaction: item.parentTransaction }],
  );
  const remarks = lines.flatMap(({ item }) => (item.kind === 'call' ? (item.remarks ?? []) : []));
  if (transactions.length === 0 && remarks.length === 0) return null;
  return (
    <section aria-label="Bridge" class="bridge">
      <h2>Bridge</h2>
      {remarks.map((text) => (
        <p key={text} role="note">
          <Text text={text} longest={1_000} />
        </p>
      ))}
      {transactions.map(({ index, transaction }) => (
        <TransactionRows key={index} transaction={transaction} />
      ))}
    </section>
  );
}
