/** Finds the places in a result that do not match a JSON Schema of the Ethereum execution APIs. */

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly not?: Schema;
}

/** The schemas of one version of the execution APIs. */
export interface ExecutionSchemas {
  /** The commit of github.com/ethereum/execution-apis. */
  readonly commit: string;
  /** By name, for `$ref`. */
  readonly schemas: Readonly<Record<string, Schema>>;
  /** By method: the schema of its result. */
  readonly results: Readonly<Record<string, Schema>>;
}

const REFERENCE = '#/components/schemas/';

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}

function hasType(value: unknown, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value);
  return typeOf(value) === type;
}

function below(place: string, name: string): string {
  return place === '' ? name : `${place}.${name}`;
}

/** Returns the places of the faults without indexes (`calls[].logs[].data`); none for a valid value. */
export function schemaFaults(
  { schemas }: Pick<ExecutionSchemas, 'schemas'>,
  root: Schema,
  result: unknown,
): string[] {
  const resolved = (schema: Schema): Schema => {
    if (schema.$ref === undefined) return schema;
    const path = schema.$ref.slice(REFERENCE.length).split('/');
    const named = path.reduce<unknown>(
      (part, name) => (typeof part === 'object' && part !== null ? Reflect.get(part, name) : undefined),
      schemas,
    );
    if (named === undefined) throw new Error(`unknown reference ${schema.$ref}`);
    return resolved(named as Schema);
  };

  /** The faults of the branch that fits best. Only one branch of `oneOf` may be valid. */
  const choice = (branches: readonly Schema[], value: unknown, place: string, isOne: boolean): string[] => {
    const all = branches.map((branch) => faults(branch, value, place));
    const valid = all.filter(({ length }) => length === 0).length;
    if (valid > 0) return isOne && valid > 1 ? [place] : [];
    // The meant branch has the type of the value, so its faults are deeper.
    const depth = (found: readonly string[]): number => Math.min(...found.map(({ length }) => length));
    return all.reduce((best, found) => {
      const deeper = depth(found) - depth(best);
      return deeper > 0 || (deeper === 0 && found.length < best.length) ? found : best;
    });
  };

  const members = (schema: Schema, value: object, place: string): string[] => {
    const found = (schema.required ?? [])
      .filter((name) => !Object.hasOwn(value, name))
      .map((name) => below(place, name));
    for (const [name, member] of Object.entries(value)) {
      const pattern = Object.entries(schema.patternProperties ?? {}).find(([text]) =>
        new RegExp(text).test(name),
      );
      const known = schema.properties?.[name] ?? pattern?.[1];
      const other = schema.additionalProperties;
      if (known !== undefined) found.push(...faults(known, member, below(place, name)));
      else if (other === false) found.push(below(place, name));
      else if (typeof other === 'object') found.push(...faults(other, member, below(place, '*')));
    }
    return found;
  };

  const own = (schema: Schema, value: unknown): boolean => {
    const types = schema.type === undefined ? [] : [schema.type].flat();
    if (types.length > 0 && !types.some((type) => hasType(value, type))) return false;
    if (schema.const !== undefined && value !== schema.const) return false;
    if (schema.enum !== undefined && !schema.enum.includes(value)) return false;
    if (typeof value === 'string' && schema.pattern !== undefined)
      return new RegExp(schema.pattern).test(value);
    if (typeof value !== 'number') return true;
    return value >= (schema.minimum ?? value) && value <= (schema.maximum ?? value);
  };

  function faults(given: Schema, value: unknown, place: string): string[] {
    const schema = resolved(given);
    if (!own(schema, value)) return [place];
    const found: string[] = [];
    for (const part of schema.allOf ?? []) found.push(...faults(part, value, place));
    if (schema.oneOf !== undefined) found.push(...choice(schema.oneOf, value, place, true));
    if (schema.anyOf !== undefined) found.push(...choice(schema.anyOf, value, place, false));
    if (schema.not !== undefined && faults(schema.not, value, place).length === 0) found.push(place);
    if (Array.isArray(value) && schema.items !== undefined) {
      for (const item of value) found.push(...faults(schema.items, item, `${place}[]`));
    } else if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      found.push(...members(schema, value, place));
    }
    return found;
  }

  return [...new Set(faults(root, result, ''))];
}
