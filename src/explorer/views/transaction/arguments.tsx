/** Fields for the arguments of a call. They edit its input data. */

import type { AbiFunction } from 'abitype';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { decodeAbiParameters, encodeAbiParameters, toFunctionSelector } from 'viem/utils';
import { argumentOf, argumentText, encodable, expectedOf, nameOf, typeOf } from '../../abi-input.ts';
import { contractsAt, functionsOf, selectedContract } from '../../contract-facts.ts';
import { errorText, shown } from '../../format.ts';
import { ArgumentField } from '../../parts/argument-field.tsx';
import { useReadState } from '../../parts/use-read.ts';

const SELECTOR = 10;

/** A known function, with the arguments of a call as texts. */
interface KnownCall {
  readonly entry: AbiFunction;
  readonly texts: readonly string[];
}

function hasSelector(entry: AbiFunction, selector: string): boolean {
  try {
    return toFunctionSelector(entry) === selector;
  } catch {
    // An invalid entry has no selector.
    return false;
  }
}

/**
 * Resolves to the function and arguments of the input data; `null` if the function is unknown, or if the data
 * do not match its types.
 */
async function knownCall(to: string, input: string): Promise<KnownCall | null> {
  const contract = selectedContract(await contractsAt(to));
  const selector = input.slice(0, SELECTOR).toLowerCase();
  const entry = functionsOf(contract?.abi ?? []).find((one) => hasSelector(one, selector));
  if (entry === undefined || entry.inputs.length === 0) return null;
  try {
    const values = decodeAbiParameters(encodable(entry.inputs), `0x${input.slice(SELECTOR)}`);
    return { entry, texts: values.map(argumentText) };
  } catch {
    return null;
  }
}

/** The fields. `onInput` is called with the new input data if all arguments are valid. */
export function Arguments({
  to,
  input,
  onInput,
}: {
  readonly to: string;
  /** The initial input data. */
  readonly input: string;
  readonly onInput: (input: string) => void;
}): JSX.Element | null {
  const { value: known } = useReadState(() => knownCall(to, input), [to, input]);
  const [typed, setTyped] = useState<readonly string[] | null>(null);
  const [wrong, setWrong] = useState('');
  if (known == null) return null;
  const { entry } = known;
  const texts = typed ?? known.texts;
  const change = (place: number, text: string): void => {
    const changed = texts.map((old, index) => (index === place ? text : old));
    setTyped(changed);
    try {
      const values = entry.inputs.map((parameter, index) =>
        argumentOf(parameter, changed[index] ?? '', nameOf(parameter, index)),
      );
      onInput(`${toFunctionSelector(entry)}${encodeAbiParameters(encodable(entry.inputs), values).slice(2)}`);
      setWrong('');
    } catch (error) {
      setWrong(errorText(error));
    }
  };
  return (
    <fieldset class="arguments">
      <legend>
        Arguments of <b class="mono">{shown(entry.name, 80)}</b>
      </legend>
      <div class="fields">
        {entry.inputs.map((parameter, index) => (
          <ArgumentField
            key={`${index}${parameter.name}`}
            label={nameOf(parameter, index)}
            type={typeOf(parameter)}
            expected={expectedOf(parameter)}
            value={texts[index] ?? ''}
            onInput={(text) => change(index, text)}
          />
        ))}
      </div>
      {wrong === '' ? null : (
        <p class="reason" role="status">
          {shown(wrong, 300)} (input unchanged)
        </p>
      )}
    </fieldset>
  );
}
