/** Formats the value of an expression like the variables of other inspections. */

import type { DecodedParameter } from '../../artifacts/decoding.ts';
import type { ValueType } from '../../artifacts/layout/storage-type.ts';
import { bigIntToFixedBytes } from '../../primitives/bytes.ts';
import { toHex } from '../../primitives/hex.ts';
import { yieldToOthers } from '../../scheduling/cancel-check.ts';
import { commonChecksumAddress } from '../../wallet/address.ts';
import { type StorageNode, StorageTree } from '../storage/storage-tree.ts';
import { shownBytes, valueIn } from '../storage/storage-value.ts';
import type { EvaluationSite } from './evaluation-site.ts';
import { OperationError } from './operators.ts';
import type { ValueParts } from './value-parts.ts';
import type { ScalarType } from './value-types.ts';
import { type Scalar, typeLabel, type Value, wordOf } from './values.ts';

/** Maximum items of each array and mapping to return. */
const MAX_ITEMS = 100;
/** Maximum values to return in total. */
const MAX_VALUES = 2_000;
/** Maximum bytes of a text or `bytes` value to return. */
const MAX_BYTES = 4_096;
const ADDRESS_SIZE = 20;

/** The value of an expression. */
export interface EvaluatedExpression {
  /** The type in the source. */
  readonly type: string;
  /** Decimal numbers, bytes and addresses in hex, unchanged text, or members, items and entries. */
  readonly value: DecodedParameter['value'];
  /** The word of a single value, or the bytes of a text; absent for other values. */
  readonly raw?: string;
  /** True if more items or bytes follow. */
  readonly hasMore?: true;
  /** True for a mapping that may have entries with unknown keys. */
  readonly hasUnknownKeys?: true;
}

function shownScalar({ type, number }: Scalar): string | boolean {
  return shownNumber(type, number, () => wordOf({ kind: 'scalar', type, number }));
}

function shownNumber(type: ScalarType, number: bigint, word: () => Uint8Array): string | boolean {
  switch (type.kind) {
    case 'integer':
      return number.toString();
    case 'bool':
      return number !== 0n;
    case 'address':
    case 'contract':
      return commonChecksumAddress(bigIntToFixedBytes(number, ADDRESS_SIZE));
    case 'fixedBytes':
      return toHex(bigIntToFixedBytes(number, type.size));
    case 'enum':
      return type.names?.[Number(number)] ?? number.toString();
    case 'named':
      return shownNumber(type.underlying, number, word);
    case 'other': {
      const whole: ValueType = { ...type.shape, bytes: 32 };
      return valueIn(whole, word(), 0);
    }
  }
}

/** Builds the result of one expression. */
export class ResultBuilder {
  readonly #site: EvaluationSite;
  readonly #parts: ValueParts;
  #left = MAX_VALUES;
  #hasMore = false;
  #hasUnknownKeys = false;

  constructor(site: EvaluationSite, parts: ValueParts) {
    this.#site = site;
    this.#parts = parts;
  }

  async build(value: Value): Promise<EvaluatedExpression> {
    const shown = await this.#shown(value);
    const raw =
      value.kind === 'scalar'
        ? toHex(wordOf(value))
        : value.kind === 'bytes' || value.kind === 'text'
          ? toHex(value.bytes.subarray(0, MAX_BYTES))
          : null;
    return {
      type: typeLabel(value),
      value: shown,
      ...(raw === null ? {} : { raw }),
      ...(this.#hasMore ? { hasMore: true } : {}),
      ...(this.#hasUnknownKeys ? { hasUnknownKeys: true } : {}),
    };
  }

  async #shown(value: Value): Promise<DecodedParameter['value']> {
    await yieldToOthers(this.#site.checkCancelled);
    this.#left--;
    switch (value.kind) {
      case 'scalar':
        return shownScalar(value);
      case 'number':
        return value.denominator === 1n
          ? value.numerator.toString()
          : `${value.numerator}/${value.denominator}`;
      case 'text':
      case 'bytes': {
        const isText = value.kind === 'bytes' ? value.isText : !value.isHex;
        if (value.bytes.length > MAX_BYTES) this.#hasMore = true;
        return shownBytes(value.bytes.subarray(0, MAX_BYTES), value.bytes.length, isText);
      }
      case 'storage':
        return this.#stored(value);
      default:
        return this.#items(value);
    }
  }

  async #items(value: Value): Promise<readonly DecodedParameter[]> {
    const { items, hasMore } = await this.#parts.firstItems(value, Math.min(MAX_ITEMS, this.#left));
    if (hasMore) this.#hasMore = true;
    const shown: DecodedParameter[] = [];
    for (const item of items) {
      if (this.#left <= 0) {
        this.#hasMore = true;
        break;
      }
      shown.push({ name: item.name, type: typeLabel(item.value), value: await this.#shown(item.value) });
    }
    return shown;
  }

  /** Reads all slots together, because a fork fetches them in batches. */
  async #stored(value: Value & { readonly kind: 'storage' }): Promise<DecodedParameter['value']> {
    const { places, preimages, checkCancelled } = this.#site;
    const { type, slot, offset } = value;
    const root = { name: '', slot, offset, type };
    const tree = new StorageTree([root], places.readerOf(value), preimages, checkCancelled);
    if (type.kind !== 'fixedArray' && type.kind !== 'dynamicArray') await tree.learn();
    const nodes = await tree.nodes({ variable: null, first: 0, count: MAX_ITEMS }, true);
    const [node] = nodes ?? [];
    if (node === undefined) throw new OperationError(`a value of type ${type.label} cannot be read`);
    this.#note(node);
    return decoded(node).value;
  }

  #note({ hasMore, hasUnknownKeys, items }: StorageNode): void {
    if (hasMore) this.#hasMore = true;
    if (hasUnknownKeys) this.#hasUnknownKeys = true;
    for (const item of items ?? []) this.#note(item);
  }
}

const INDEX = /^\[\d+\]$/;

/** Items of arrays have no name. The name of a mapping's entry is its key in brackets. */
function decoded({ name, type, value, items, length }: StorageNode, isItem = false): DecodedParameter {
  const isArray = length !== null;
  return {
    name: isItem ? name.replace(INDEX, '') : name,
    type,
    value: items === null ? (value ?? '') : items.map((item) => decoded(item, isArray)),
  };
}
