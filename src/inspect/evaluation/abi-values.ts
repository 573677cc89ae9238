/** Converts values of expressions to ABI data, and results of functions to values. */

import type { AbiParameter } from 'abitype';
import { decodeAbiParameters, encodeAbiParameters } from 'viem/utils';
import { isBounded } from '../../artifacts/decoding-bound.ts';
import type { StorageType } from '../../artifacts/layout/storage-type.ts';
import { bigIntToFixedBytes, bytesToBigInt } from '../../primitives/bytes.ts';
import { fromHex, toHex } from '../../primitives/hex.ts';
import { implicitScalar } from './conversions.ts';
import { contractType, elementaryType, type ScalarType, scalarType } from './value-types.ts';
import { type NamedValue, scalar, scalarIn, type Value, wordOf } from './values.ts';

const WORD = 32;
/** Maximum bytes of a result to decode. */
const MAX_RESULT_LENGTH = 128 * 1024;
const ARRAY = /^(?<item>.*)\[(?<count>\d*)\]$/;

function componentsOf(parameter: AbiParameter): readonly AbiParameter[] | null {
  return 'components' in parameter && parameter.components !== undefined ? parameter.components : null;
}

/** Returns the parameter without names. Text is encoded like bytes, so that it need not be valid UTF-8. */
function plain(parameter: AbiParameter): AbiParameter {
  const type = parameter.type
    .replace(/^function(?=$|\[)/, 'bytes24')
    .replace(/^address(?=$|\[)/, 'uint256')
    .replace(/^string(?=$|\[)/, 'bytes');
  const components = componentsOf(parameter);
  return components === null ? { type } : { type, components: components.map(plain) };
}

/** Resolves to the items of an array, or the members of a struct; `null` for other values. */
export type ItemsOf = (value: Value) => Promise<readonly { readonly value: Value }[] | null>;

/** Finds a type that the source declares, by its label (`enum Color`, `struct C.Order`). */
export type TypeOfLabel = (label: string) => StorageType | null;

function scalarOf(parameter: AbiParameter, typeOf: TypeOfLabel): ScalarType | null {
  const { type, internalType = '' } = parameter;
  if (internalType.startsWith('contract ')) return contractType(internalType.slice('contract '.length));
  const declared = internalType === type ? null : typeOf(internalType);
  if (declared?.kind === 'value') return scalarType(declared);
  return elementaryType(type);
}

/** Resolves to an argument for viem; `null` if the value does not convert to the parameter. */
async function argumentOf(
  parameter: AbiParameter,
  value: Value,
  itemsOf: ItemsOf,
  typeOf: TypeOfLabel,
): Promise<unknown> {
  const { type } = parameter;
  const array = ARRAY.exec(type)?.groups;
  const components = componentsOf(parameter);
  if (array !== undefined || components !== null) {
    const items = await itemsOf(value);
    if (items === null) return null;
    const item = { ...parameter, type: array?.item ?? '', internalType: '' };
    const count =
      array === undefined
        ? (components?.length ?? 0)
        : array.count === ''
          ? items.length
          : Number(array.count);
    if (items.length !== count) return null;
    const converted: unknown[] = [];
    for (const [index, each] of items.entries()) {
      const part = array === undefined ? components?.[index] : item;
      const argument = part === undefined ? null : await argumentOf(part, each.value, itemsOf, typeOf);
      if (argument === null) return null;
      converted.push(argument);
    }
    return converted;
  }
  if (type === 'string' || type === 'bytes') {
    if (value.kind !== 'text' && (value.kind !== 'bytes' || value.isText !== (type === 'string')))
      return null;
    return toHex(value.bytes);
  }
  return wordArgument(parameter, value, typeOf);
}

function wordArgument(parameter: AbiParameter, value: Value, typeOf: TypeOfLabel): unknown {
  const declared = scalarOf(parameter, typeOf);
  const elementary = elementaryType(parameter.type);
  if (declared === null || elementary === null) return null;
  const converted = implicitScalar(value, declared) ?? implicitScalar(value, elementary);
  // An interface type in the ABI accepts any address.
  const isAddress = elementary.kind === 'address' && value.kind === 'scalar' && value.type.kind === 'address';
  const found = converted ?? (isAddress ? value : null);
  if (found === null) return null;
  switch (elementary.kind) {
    case 'bool':
      return found.number !== 0n;
    case 'fixedBytes':
      return toHex(bigIntToFixedBytes(found.number, elementary.size));
    default:
      return found.number;
  }
}

/** Resolves to the encoded arguments; `null` if a value does not convert to its parameter. */
export async function encodedArguments(
  parameters: readonly AbiParameter[],
  values: readonly Value[],
  itemsOf: ItemsOf,
  typeOf: TypeOfLabel,
): Promise<Uint8Array | null> {
  if (parameters.length !== values.length) return null;
  const converted: unknown[] = [];
  for (const [index, parameter] of parameters.entries()) {
    const value = values[index];
    const argument = value === undefined ? null : await argumentOf(parameter, value, itemsOf, typeOf);
    if (argument === null) return null;
    converted.push(argument);
  }
  return fromHex(encodeAbiParameters(parameters.map(plain), converted));
}

function decodedValue(parameter: AbiParameter, decoded: unknown, typeOf: TypeOfLabel): Value {
  const { type, internalType = type } = parameter;
  const array = ARRAY.exec(type)?.groups;
  if (array !== undefined) {
    const itemType = {
      ...parameter,
      name: '',
      type: array.item ?? '',
      internalType: ARRAY.exec(internalType)?.groups?.item ?? '',
    };
    const items = Array.isArray(decoded) ? decoded : [];
    return {
      kind: 'list',
      label: internalType,
      isArray: true,
      items: items.map((item) => ({ name: '', value: decodedValue(itemType, item, typeOf) })),
    };
  }
  const components = componentsOf(parameter);
  if (components !== null) {
    const items = Array.isArray(decoded) ? decoded : [];
    return {
      kind: 'list',
      label: internalType,
      isArray: false,
      items: components.map((component, index) => ({
        name: component.name ?? '',
        value: decodedValue(component, items[index], typeOf),
      })),
    };
  }
  if (type === 'string' || type === 'bytes')
    return { kind: 'bytes', isText: type === 'string', bytes: fromHex(String(decoded)) };
  return wordValue(parameter, decoded, typeOf);
}

function wordValue(parameter: AbiParameter, decoded: unknown, typeOf: TypeOfLabel): Value {
  const elementary = elementaryType(parameter.type);
  if (elementary === null) {
    // A function reference: an address and a selector.
    return { kind: 'bytes', isText: false, bytes: fromHex(String(decoded)) };
  }
  const declared = scalarOf(parameter, typeOf) ?? elementary;
  switch (elementary.kind) {
    case 'bool':
      return scalar(declared, decoded === true ? 1n : 0n);
    case 'fixedBytes':
      return scalar(declared, bytesToBigInt(fromHex(String(decoded))));
    case 'integer':
      return scalar(declared, BigInt(String(decoded)));
    default:
      return scalarIn(declared, wordOf(scalar(elementary, BigInt(String(decoded)))), 0, WORD);
  }
}

/** Returns the results of a function; `null` if the data do not fit its ABI. */
export function decodedResults(
  parameters: readonly AbiParameter[],
  data: Uint8Array,
  typeOf: TypeOfLabel,
): readonly NamedValue[] | null {
  const types = parameters.map(plain);
  if (data.length > MAX_RESULT_LENGTH || !isBounded(types, data)) return null;
  try {
    const decoded: readonly unknown[] = types.length === 0 ? [] : decodeAbiParameters(types, data);
    return parameters.map((parameter, index) => ({
      name: parameter.name ?? '',
      value: decodedValue(parameter, decoded[index], typeOf),
    }));
  } catch {
    // The account has the code of another contract.
    return null;
  }
}
