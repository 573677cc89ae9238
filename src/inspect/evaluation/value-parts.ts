/** The members of structs, and the items of arrays, wherever they are. */

import type { EvaluationSite } from './evaluation-site.ts';
import { calldataParts, memoryParts, type Parts } from './machine-places.ts';
import { OperationError } from './operators.ts';
import { BYTES1, integer, UINT256 } from './value-types.ts';
import { type NamedValue, scalar, typeLabel, type Value } from './values.ts';

function fail(reason: string): never {
  throw new OperationError(reason);
}

export class ValueParts {
  readonly #site: EvaluationSite;

  constructor(site: EvaluationSite) {
    this.#site = site;
  }

  /** Resolves to a member of a struct or tuple; `null` if it has none of this name. */
  async named(value: Value, name: string): Promise<Value | null> {
    if (value.kind === 'storage') {
      const place = this.#site.places.memberOf(value, name);
      return place === null ? null : this.#site.places.value(place);
    }
    if (value.kind === 'list')
      return value.items.find((item) => !value.isArray && item.name === name)?.value ?? null;
    const parts = this.#partsOf(value);
    const index = parts?.names?.indexOf(name) ?? -1;
    return parts === null || index < 0 ? null : parts.part(BigInt(index));
  }

  /** Returns the names of the members. */
  memberNames(value: Value): readonly string[] {
    if (value.kind === 'storage')
      return value.type.kind === 'struct' ? value.type.members.map((member) => member.name) : ['length'];
    if (value.kind === 'list') return value.items.map((item) => item.name);
    return this.#partsOf(value)?.names ?? ['length'];
  }

  #partsOf(value: Value): Parts | null {
    const data = { memory: this.#site.moment.memory, input: this.#site.moment.frame.input };
    if (value.kind === 'memory') return memoryParts(value, data);
    return value.kind === 'calldata' ? calldataParts(value, data) : null;
  }

  /** Resolves to the length; `null` for a value without one. */
  async lengthOf(value: Value): Promise<Value | null> {
    if (value.kind === 'bytes' && value.isText) return fail('a string has no length; use bytes(…).length');
    if (value.kind === 'bytes') return scalar(UINT256, BigInt(value.bytes.length));
    if (value.kind === 'scalar' && value.type.kind === 'fixedBytes')
      return scalar(integer(8, false), BigInt(value.type.size));
    const count = await this.#countOf(value);
    return count === null ? null : scalar(UINT256, count);
  }

  /** Resolves to the number of items of an array; `null` for other values. */
  async #countOf(value: Value): Promise<bigint | null> {
    if (value.kind === 'list') return value.isArray ? BigInt(value.items.length) : null;
    if (value.kind === 'storage') return this.#site.places.lengthOf(value);
    const parts = this.#partsOf(value);
    return parts === null || parts.names !== null ? null : parts.count;
  }

  /**
   * Resolves to the items of an array or the members of a struct; `null` for other values. Rejects with
   * {@link OperationError} above the maximum.
   */
  async itemsOf(value: Value, most: number): Promise<readonly NamedValue[] | null> {
    const count = await this.#partCount(value);
    if (count === null) return null;
    if (count > BigInt(most)) return fail(`the value has ${count} items; at most ${most} can be used`);
    return (await this.firstItems(value, most)).items;
  }

  /** Resolves to the first items of an array, or the first members of a struct. */
  async firstItems(
    value: Value,
    most: number,
  ): Promise<{ readonly items: readonly NamedValue[]; readonly hasMore: boolean }> {
    const count = (await this.#partCount(value)) ?? 0n;
    const items: NamedValue[] = [];
    for (let index = 0n; index < count && items.length < most; index++)
      items.push(await this.#partAt(value, index));
    return { items, hasMore: count > BigInt(items.length) };
  }

  /** Resolves to the number of items or members; `null` for other values. */
  async #partCount(value: Value): Promise<bigint | null> {
    if (value.kind === 'list') return BigInt(value.items.length);
    if (value.kind === 'storage' && value.type.kind === 'struct') return BigInt(value.type.members.length);
    return this.#partsOf(value)?.count ?? this.#countOf(value);
  }

  async #partAt(value: Value, index: bigint): Promise<NamedValue> {
    const at = Number(index);
    if (value.kind === 'list') return value.items[at] ?? fail(`${typeLabel(value)} has no item ${index}`);
    if (value.kind === 'storage' && value.type.kind === 'struct') {
      const { name } = value.type.members[at] ?? fail(`${typeLabel(value)} has no member ${index}`);
      const part = await this.named(value, name);
      return { name, value: part ?? fail(`${typeLabel(value)} has no member ${name}`) };
    }
    return { name: this.#partsOf(value)?.names?.[at] ?? '', value: await this.#itemAt(value, index) };
  }

  async #itemAt(value: Value, index: bigint): Promise<Value> {
    if (value.kind === 'storage') return this.#site.places.value(this.#site.places.itemAt(value, index));
    const item =
      value.kind === 'list' ? value.items[Number(index)]?.value : this.#partsOf(value)?.part(index);
    return item ?? fail(`${typeLabel(value)} has no items`);
  }

  /** Resolves to an item of an array or of bytes. Rejects with {@link OperationError} outside of its length. */
  async item(value: Value, index: bigint): Promise<Value> {
    const count = await this.#indexLimit(value);
    if (count === null) return fail(`${typeLabel(value)} has no items`);
    if (index >= count) return fail(`index ${index} is out of range: the length is ${count}`);
    if (value.kind === 'bytes') return scalar(BYTES1, BigInt(value.bytes[Number(index)] ?? 0));
    if (value.kind === 'scalar') return scalar(BYTES1, (value.number >> (8n * (count - 1n - index))) & 0xffn);
    return this.#itemAt(value, index);
  }

  async #indexLimit(value: Value): Promise<bigint | null> {
    if (value.kind === 'scalar') return value.type.kind === 'fixedBytes' ? BigInt(value.type.size) : null;
    if (value.kind === 'bytes') return value.isText ? null : BigInt(value.bytes.length);
    return this.#countOf(value);
  }
}
