/** Renders decoded calls, events and values. */

import { createContext, type JSX } from 'preact';
import { useContext } from 'preact/hooks';
import { type ScaledAmount, scaledAmount } from '../argument-units.ts';
import { decimal, grouped, itemCount, shortHex, shown } from '../format.ts';
import type { DecodedEntry, DecodedParameter, Failure, InspectedCall } from '../inspection.ts';
import { checksummed } from '../names.ts';
import { type AmountSide, amountIndexes, exactAmount, tokenAmount } from '../token-facts.ts';
import { Text, useLinks, useName, useTokenFacts } from './values.tsx';

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const MAX_VALUE_LENGTH = 120;
const MAX_MEMBERS = 12;

/** Formats a member of a list or struct. The node adds names and types to members that it decodes. */
function memberText(member: unknown): string {
  if (typeof member !== 'object' || member === null || !('type' in member) || !('value' in member))
    return valueText(member, '');
  const name = 'name' in member && typeof member.name === 'string' ? member.name : '';
  const type = typeof member.type === 'string' ? member.type : '';
  return `${name === '' ? '' : `${shown(name, MAX_VALUE_LENGTH)}: `}${valueText(member.value, type)}`;
}

/** Formats a decoded value of an ABI type. Lists and structs include their members; long ones are cut. */
function valueText(value: unknown, type: string): string {
  if (Array.isArray(value)) {
    const [open, close] = type === 'tuple' ? ['{ ', ' }'] : ['[', ']'];
    const first = value.slice(0, MAX_MEMBERS).map(memberText).join(', ');
    const count = itemCount(value);
    return `${open}${first}${count > MAX_MEMBERS ? `, … ${grouped(count - MAX_MEMBERS)} more` : ''}${close}`;
  }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).slice(0, MAX_MEMBERS);
    return `{ ${members.map(([name, member]) => `${name}: ${valueText(member, '')}`).join(', ')} }`;
  }
  const text = String(value);
  if (type === 'string') return `"${shown(text, MAX_VALUE_LENGTH)}"`;
  return /^0x[0-9a-fA-F]{41,}$/.test(text) ? shortHex(text, 8) : shown(text, MAX_VALUE_LENGTH);
}

/** Integers with more digits are hard to read. */
const LONG_INTEGER = /^-?\d{13,40}$/;
const COIN_DIGITS = 18;

/** Returns a readable form of a long integer, without a unit; `undefined` for other values. */
function largeText(value: unknown, type: string): string | undefined {
  if (typeof value !== 'string' || type === 'string' || !LONG_INTEGER.test(value)) return undefined;
  return `${grouped(value)} = ${decimal(BigInt(value), COIN_DIGITS)} × 10^18`;
}

/** True inside a button, which cannot contain links. */
export const WithoutLinks = createContext(false);

/** An address in a value: its name, otherwise its short form. Without a button, so that it fits into a text. */
function NamedAddress({ address }: { readonly address: string }): JSX.Element {
  const pathOf = useLinks();
  const named = useName(address);
  const whole = checksummed(address);
  const text = (
    <>
      {named === null ? shortHex(whole) : <bdi class="name">{shown(named.text, 60)}</bdi>}
      {named?.isShared === true ? ` ${shortHex(whole)}` : null}
    </>
  );
  if (useContext(WithoutLinks))
    return (
      <span class="mono" title={whole}>
        {text}
      </span>
    );
  return (
    <a class="mono" href={pathOf('address', address.toLowerCase())} title={whole}>
      {text}
    </a>
  );
}

/** One value. An address links to its account; a `string` has quotation marks. */
export function Value({
  value,
  type = '',
}: {
  readonly value: unknown;
  readonly type?: string | null | undefined;
}): JSX.Element {
  if (type !== 'string' && typeof value === 'string' && ADDRESS.test(value))
    return <NamedAddress address={value} />;
  return (
    <bdi
      title={largeText(value, type ?? '')}
      class={
        type === 'string' || (typeof value === 'string' && !/^-?\d+$/.test(value) && !value.startsWith('0x'))
          ? 'string'
          : 'mono'
      }
    >
      {valueText(value, type ?? '')}
    </bdi>
  );
}

/** The token and the entry of parameters. Amounts of the token are shown in its decimals. */
export interface AmountsOf {
  readonly token: string;
  readonly signature: string;
  readonly side: AmountSide;
}

/** A token amount in the decimals of the token; the tooltip shows the exact number. */
function TokenAmount({ value, token }: { readonly value: string; readonly token: string }): JSX.Element {
  const facts = useTokenFacts(token);
  const text = facts === null ? null : tokenAmount(BigInt(value), facts);
  if (text === null) return <Value value={value} type="uint256" />;
  return (
    <bdi class="mono" title={exactAmount(BigInt(value))}>
      {text}
    </bdi>
  );
}

function isTokenAmount({ type, value }: DecodedParameter, index: number, of: AmountsOf | null): boolean {
  const isAmount = of !== null && amountIndexes(of.signature, of.side).includes(index);
  return isAmount && type === 'uint256' && /^\d{1,78}$/.test(String(value));
}

/** One value of an entry: an amount of the token, or any other value. */
export function EntryValue({
  parameter,
  index,
  of,
}: {
  readonly parameter: DecodedParameter;
  readonly index: number;
  readonly of: AmountsOf | null;
}): JSX.Element {
  const { type, value, meaning } = parameter;
  if (of !== null && isTokenAmount(parameter, index, of))
    return <TokenAmount value={String(value)} token={of.token} />;
  return (
    <>
      <Value value={value} type={type} />
      {meaning === undefined ? null : <span class="faint"> ({shown(meaning, 60)})</span>}
    </>
  );
}

/**
 * The parameters of a call, event or error, in brackets. `scale` returns the amount of a parameter, if known. It is
 * shown beside the value.
 */
export function Parameters({
  parameters,
  of = null,
  scale = () => null,
}: {
  readonly parameters: readonly DecodedParameter[];
  readonly of?: AmountsOf | null;
  readonly scale?: (parameter: DecodedParameter) => ScaledAmount | null;
}): JSX.Element {
  return (
    <span class="parameters">
      (
      {parameters.map((parameter, index) => {
        const { name } = parameter;
        const amount = isTokenAmount(parameter, index, of) ? null : scale(parameter);
        return (
          <span key={`${index}${name}`}>
            {index === 0 ? '' : ', '}
            {name === '' ? null : <span class="faint">{shown(name, 40)}: </span>}
            <EntryValue parameter={parameter} index={index} of={of} />
            {amount === null ? null : (
              <span class="scaled" title={`${shown(amount.text, 120)} ${shown(amount.reason, 200)}`}>
                {' '}
                ({shown(amount.text, 120)})
              </span>
            )}
          </span>
        );
      })}
      )
    </span>
  );
}

/** The arguments of a call. Amounts have the unit of the called token, or of ether. */
export function CallArguments({
  entry: { signature, parameters },
  to,
}: {
  readonly entry: DecodedEntry;
  readonly to: string;
}): JSX.Element {
  const canBeAmounts = parameters.some((parameter) => scaledAmount(parameter, null) !== null);
  const facts = useTokenFacts(canBeAmounts ? to : null);
  const unit = facts?.decimals == null ? null : { decimals: facts.decimals, symbol: facts.symbol ?? '' };
  return (
    <Parameters
      parameters={parameters}
      of={{ token: to, signature, side: 'inputs' }}
      scale={(parameter) => (facts === null ? null : scaledAmount(parameter, unit))}
    />
  );
}

/** The called function with its arguments. */
export function CalledFunction({
  entry,
  to,
}: {
  readonly entry: DecodedEntry;
  readonly to: string;
}): JSX.Element {
  return (
    <span>
      <b>{shown(entry.name, 80)}</b>
      <CallArguments entry={entry} to={to} />
    </span>
  );
}

/** The called contract with its implementation, and the function. The name links to the account. */
export function Callee({ call }: { readonly call: InspectedCall }): JSX.Element {
  const pathOf = useLinks();
  const { to, implementation } = call;
  const named = useName(to.address, to.name);
  const whole = checksummed(to.address);
  const isCreation = call.type.startsWith('CREATE');
  const name = call.call?.name ?? call.meant;
  return (
    <span>
      <a class={named === null ? 'mono' : ''} href={pathOf('address', to.address)} title={whole}>
        <bdi>{named === null ? shortHex(whole) : shown(to.name ?? named.text, 60)}</bdi>
        {named?.isShared === true ? <span class="mono faint"> {shortHex(whole)}</span> : null}
      </a>
      {implementation === null ? null : (
        <span class="faint"> → {shown(implementation.name ?? shortHex(implementation.address), 60)}</span>
      )}
      {isCreation || name === null ? null : (
        <>
          .<b>{shown(name, 80)}</b>
        </>
      )}
    </span>
  );
}

/** The short reason: the custom error with its arguments, otherwise the message. */
export function ShortReason({ failure: { message, error } }: { readonly failure: Failure }): JSX.Element {
  if (error === null) return <Text text={message} longest={500} />;
  return (
    <>
      <bdi>{shown(error.name, 80)}</bdi>
      <Parameters parameters={error.parameters} />
    </>
  );
}
