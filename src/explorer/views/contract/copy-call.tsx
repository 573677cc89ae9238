/** The button that copies the call of a form as code for viem. */

import type { AbiFunction } from 'abitype';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { chainUrl, moment } from '../../chain.ts';
import { callOf, isEncodedAs } from '../../known-call.ts';
import { announcement } from '../../parts/values.tsx';
import { readCode, writeCode } from '../../viem-code.ts';

/** The fields of the call. */
interface FormCall {
  readonly from: string;
  readonly to: string;
  readonly data: string;
  readonly value: string;
}

/** Returns the code. Throws an `Error` if viem does not encode the same input data. */
function codeOf(entry: AbiFunction, { from, to, data, value }: FormCall, isView: boolean): string {
  const call = callOf(entry, data);
  if (call === null || !isEncodedAs(call, data))
    throw new Error(`Copy as viem: viem cannot encode the arguments of ${entry.name}`);
  const block = moment.peek();
  if (isView) return readCode(call, { from, to, block: block === null ? null : BigInt(block) }, chainUrl);
  return writeCode(call, { from, to, value: BigInt(value), gas: null }, chainUrl);
}

/** Milliseconds of the confirmation. */
const CONFIRMATION = 1_200;

export function CopyCall({
  entry,
  isView,
  fields,
  onError,
}: {
  readonly entry: AbiFunction;
  readonly isView: boolean;
  /** Returns the fields of the form. Throws an `Error` if an argument is invalid. */
  readonly fields: () => FormCall;
  readonly onError: (error: unknown) => void;
}): JSX.Element {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(codeOf(entry, fields(), isView));
      announcement.value = 'Copied';
      setCopied(true);
      setTimeout(() => setCopied(false), CONFIRMATION);
    } catch (error) {
      onError(error);
    }
  };
  return (
    <button type="button" onClick={() => void copy()}>
      {isCopied ? 'Copied' : 'Copy as viem'}
    </button>
  );
}
