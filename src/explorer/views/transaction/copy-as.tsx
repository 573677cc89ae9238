/** Code snippets of a transaction or a call for several clients. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { chainUrl } from '../../chain.ts';
import { knownCall } from '../../contract-facts.ts';
import { useReadState } from '../../parts/use-read.ts';
import { Code, Copy, Failure } from '../../parts/values.tsx';
import { callCodesOf, codesOf, type SentFields } from '../../sent-again.ts';

/** `isCall` is true if the code must not change the chain. */
export function CopyAs({
  fields,
  isCall = false,
}: {
  readonly fields: SentFields;
  readonly isCall?: boolean;
}): JSX.Element {
  const [client, choose] = useState('viem');
  const { to, input } = fields;
  const {
    value: known = null,
    error,
    isLoading,
  } = useReadState(async () => (to === null ? null : knownCall(to, input)), [to, input]);
  if (isLoading) return <p class="loading">Loading…</p>;
  const codes = (isCall ? callCodesOf : codesOf)(fields, chainUrl, known);
  const code = codes[client] ?? '';
  return (
    <>
      <div class="filters" role="toolbar" aria-label="Client">
        {Object.keys(codes).map((name) => (
          <button key={name} type="button" aria-pressed={name === client} onClick={() => choose(name)}>
            {name}
          </button>
        ))}
        <Copy text={code} label="Copy code" />
      </div>
      {error === null ? null : <Failure error={error} />}
      <Code label="Code" text={code.length > 4_000 ? `${code.slice(0, 4_000)}…` : code} />
    </>
  );
}
