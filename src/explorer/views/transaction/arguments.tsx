/** Fields for the arguments of a call. They edit its input data. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { encodeAbiParameters, toFunctionSelector } from 'viem/utils';
import { argumentOf, argumentText, encodable, expectedOf, nameOf, typeOf } from '../../abi-input.ts';
import { knownCall } from '../../contract-facts.ts';
import { errorText, shown } from '../../format.ts';
import { ArgumentField } from '../../parts/argument-field.tsx';
import { useReadState } from '../../parts/use-read.ts';

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
  if (known == null || known.args.length === 0) return null;
  const { entry } = known;
  const texts = typed ?? known.args.map(argumentText);
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
