/** The fields of a method's parameters, by their schema. */

import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import {
  accepts,
  choicesOf,
  expectedText,
  fieldsOf,
  type MethodParam,
  type RpcMethod,
  type Schema,
  textOfValue,
  valueOfText,
} from '../../console/methods.ts';
import { shown } from '../../format.ts';

/** The input of a parameter: one text, or one text per member of an object. */
export type Input = { readonly text: string } | { readonly members: Readonly<Record<string, string>> };

/** Returns the input with a value. Objects get fields, unless a member is unknown to the schema. */
export function inputOf(schema: Schema, value: unknown): Input {
  const fields = fieldsOf(schema);
  if (fields === null) return { text: textOfValue(value) };
  if (value === undefined || value === null) return { members: {} };
  const given = Object.entries(value as object);
  const isKnown = typeof value === 'object' && given.every(([name]) => fields.some(([own]) => own === name));
  if (!isKnown) return { text: textOfValue(value) };
  return { members: Object.fromEntries(given.map(([name, member]) => [name, textOfValue(member)])) };
}

/** Returns the value of an input; `undefined` if it is empty. Throws a `ParameterError` for invalid JSON. */
export function parameterOf({ name, schema }: MethodParam, input: Input): unknown {
  if ('text' in input) {
    const isJson = fieldsOf(schema) !== null;
    return valueOfText(isJson ? { type: 'object' } : schema, input.text, name);
  }
  const members = (fieldsOf(schema) ?? []).flatMap(([key, member]) => {
    const value = valueOfText(member, input.members[key] ?? '', `${name}.${key}`);
    return value === undefined ? [] : [[key, value] as const];
  });
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

/** Returns the inputs of a method with these parameters. */
export function inputsOf({ params }: RpcMethod, values: readonly unknown[] = []): readonly Input[] {
  return params.map(({ schema }, index) => inputOf(schema, values[index]));
}

function TextField({
  label,
  schema,
  isRequired,
  note = isRequired ? '' : 'optional',
  value,
  onInput,
}: {
  readonly label: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  readonly note?: string;
  readonly value: string;
  readonly onInput: (text: string) => void;
}): JSX.Element {
  const id = useId();
  const choices = choicesOf(schema);
  const isJson = !accepts(schema, 'string') && (accepts(schema, 'array') || accepts(schema, 'object'));
  const isLong = isJson || value.includes('\n') || value.length > 80;
  const expected = expectedText(schema);
  return (
    <div class="field">
      <label for={id}>
        <b class="mono">{shown(label, 80)}</b>
        {note === '' ? null : <span class="faint"> {note}</span>}
      </label>
      {schema.type === 'boolean' ? (
        <select id={id} value={value} onChange={(event) => onInput(event.currentTarget.value)}>
          <option value="">{isRequired ? 'choose' : 'default'}</option>
          <option value="true">true</option>
          <option value="false">false</option>
        </select>
      ) : isLong ? (
        <textarea
          id={id}
          class="mono"
          rows={Math.min(12, Math.max(2, value.split('\n').length))}
          value={value}
          placeholder={expected}
          spellcheck={false}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      ) : (
        <input
          id={id}
          type="text"
          class="mono"
          list={choices.length === 0 ? undefined : `${id}list`}
          value={value}
          placeholder={expected}
          title={expected}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
      {choices.length === 0 ? null : (
        <datalist id={`${id}list`}>
          {choices.map((choice) => (
            <option key={choice} value={choice} />
          ))}
        </datalist>
      )}
    </div>
  );
}

/** The usual members of calls and filters. Forms show them at first, with all members that have a value. */
const USUAL = new Set([
  'from',
  'to',
  'value',
  'data',
  'gas',
  'address',
  'topics',
  'fromBlock',
  'toBlock',
  'blockNumber',
]);
const FEW = 6;

function ObjectField({
  param: { name, schema, required },
  members,
  onChange,
}: {
  readonly param: MethodParam;
  readonly members: Readonly<Record<string, string>>;
  readonly onChange: (input: Input) => void;
}): JSX.Element {
  const fields = fieldsOf(schema) ?? [];
  const isFirst = ([key]: readonly [string, Schema]): boolean =>
    fields.length <= FEW || USUAL.has(key) || (members[key] ?? '') !== '';
  const show = ([key, member]: readonly [string, Schema]): JSX.Element => (
    <TextField
      key={key}
      label={key}
      schema={member}
      isRequired={schema.required?.includes(key) === true}
      note={schema.required?.includes(key) === true ? 'required' : ''}
      value={members[key] ?? ''}
      onInput={(text) => onChange({ members: { ...members, [key]: text } })}
    />
  );
  const others = fields.filter((field) => !isFirst(field));
  const toJson = (): void => {
    try {
      onChange({ text: textOfValue(parameterOf({ name, schema, required }, { members }) ?? {}) });
    } catch {
      // Invalid texts are lost in JSON.
      onChange({ text: '{}' });
    }
  };
  return (
    <fieldset class="arguments">
      <legend>
        <b class="mono">{shown(name, 80)}</b> {required ? null : <span class="faint">optional</span>}{' '}
        <button type="button" onClick={toJson}>
          Edit as JSON
        </button>
      </legend>
      <div class="fields">{fields.filter(isFirst).map(show)}</div>
      {others.length === 0 ? null : (
        <details class="more">
          <summary>{others.length} more fields</summary>
          <div class="fields">{others.map(show)}</div>
        </details>
      )}
    </fieldset>
  );
}

/** The fields of one parameter. */
export function ParamField({
  param,
  input,
  onChange,
}: {
  readonly param: MethodParam;
  readonly input: Input;
  readonly onChange: (input: Input) => void;
}): JSX.Element {
  if ('members' in input) return <ObjectField param={param} members={input.members} onChange={onChange} />;
  const { name, schema, required } = param;
  const isObject = fieldsOf(schema) !== null;
  return (
    <TextField
      label={name}
      schema={isObject ? { type: 'object', description: 'a JSON object' } : schema}
      isRequired={required}
      value={input.text}
      onInput={(text) => onChange({ text })}
    />
  );
}
