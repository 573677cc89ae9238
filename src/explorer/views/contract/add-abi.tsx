/** A form to add the ABI of a contract without an artifact. The node then decodes the contract everywhere. */

import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { client } from '../../chain.ts';
import { isEntry } from '../../contract-facts.ts';
import { errorText, shown } from '../../format.ts';

/** The source name of contracts with a manually added ABI. */
export const BY_HAND = 'by hand';

const NAME = /^[A-Za-z_$][\w$]{0,60}$/;

/** Returns the entries of an ABI or an artifact. Throws an `Error` with a readable message otherwise. */
function abiOf(text: string): readonly unknown[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error('ABI: expected JSON: an array of entries, or an artifact with an abi field.');
  }
  const abi: unknown = Array.isArray(value) ? value : Object(value).abi;
  if (!Array.isArray(abi) || abi.length === 0) throw new Error('ABI: expected at least one entry.');
  const wrong = abi.findIndex((entry) => !isEntry(entry));
  if (wrong >= 0)
    throw new Error(
      `ABI: entry ${wrong + 1} is invalid: expected a type, and a name and inputs for functions, events and errors.`,
    );
  return abi;
}

/** The form. `onAdded` is called for an accepted ABI. `known` names the contract whose ABI it replaces. */
export function AddAbi({
  code,
  known = null,
  onAdded,
}: {
  readonly code: string;
  readonly known?: string | null;
  readonly onAdded: () => void;
}): JSX.Element {
  const [name, setName] = useState(known ?? 'Contract');
  const [text, setText] = useState('');
  const [error, setError] = useState('');
  const [nameId, textId] = [useId(), useId()];
  const add = async (): Promise<void> => {
    try {
      if (!NAME.test(name))
        throw new Error('Name: expected a Solidity identifier (letters, digits, _ and $).');
      const described = { abi: abiOf(text), evm: { deployedBytecode: { object: code.slice(2) } } };
      const output = { contracts: { [BY_HAND]: { [name]: described } } };
      await client.act('inspect_addArtifacts', [{ language: 'Solidity', sources: {} }, output]);
      setError('');
      onAdded();
    } catch (cause) {
      setError(errorText(cause));
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      {known !== null ? null : (
        <>
          <p>
            No artifact matches this code. Add the ABI to decode the contract in the explorer, the log and RPC
            results until the node stops.
          </p>
          <div class="field">
            <label for={nameId}>Name</label>
            <input
              id={nameId}
              type="text"
              value={name}
              onInput={(event) => setName(event.currentTarget.value)}
            />
          </div>
        </>
      )}
      <div class="field">
        <label for={textId}>ABI as JSON</label>
        <textarea
          id={textId}
          rows={6}
          class="mono"
          spellcheck={false}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </div>
      <p class="buttons">
        <button type="submit">{known === null ? 'Add' : 'Replace'}</button>
      </p>
      {error === '' ? null : (
        <p class="failure" role="alert">
          {shown(error, 400)}
        </p>
      )}
    </form>
  );
}
