/** The sources of a contract, to be read. */

import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { SourceFile } from '../../contract-facts.ts';
import { shown } from '../../format.ts';
import { SourceLines } from '../../parts/source-lines.tsx';
import { Empty } from '../../parts/values.tsx';

/** One file at a time, with the numbers of its lines. */
export function Source({ files }: { readonly files: readonly SourceFile[] }): JSX.Element {
  const [chosen, setChosen] = useState(0);
  const id = useId();
  const file = files[chosen] ?? files[0];
  if (file === undefined) return <Empty>Its sources are not known.</Empty>;
  return (
    <>
      {files.length === 1 ? (
        <p class="mono">{shown(file.name, 200)}</p>
      ) : (
        <div class="field">
          <label for={id}>File</label>
          <select
            id={id}
            value={String(chosen)}
            onChange={(event) => setChosen(Number(event.currentTarget.value))}
          >
            {files.map(({ name }, index) => (
              <option key={name} value={String(index)}>
                {shown(name, 120)}
              </option>
            ))}
          </select>
        </div>
      )}
      {file.content === null ? (
        <Empty>The text of this file is not known.</Empty>
      ) : (
        <SourceLines key={file.name} text={file.content} />
      )}
    </>
  );
}
