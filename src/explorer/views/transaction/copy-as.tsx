/** A transaction as code that sends it again. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { chainUrl } from '../../chain.ts';
import { Code, Copy } from '../../parts/values.tsx';
import { codesOf, type SentFields } from '../../sent-again.ts';

/** The transaction for several clients. */
export function CopyAs({ fields }: { readonly fields: SentFields }): JSX.Element {
  const [client, choose] = useState('viem');
  const codes = codesOf(fields, chainUrl);
  const code = codes[client] ?? '';
  return (
    <>
      <div class="filters" role="toolbar" aria-label="Client">
        {Object.keys(codes).map((name) => (
          <button key={name} type="button" aria-pressed={name === client} onClick={() => choose(name)}>
            {name}
          </button>
        ))}
        <Copy text={code} label="Copy the code" />
      </div>
      <Code label="The code" text={code.length > 4_000 ? `${code.slice(0, 4_000)}…` : code} />
    </>
  );
}
