import type { OptionDefinition } from '../option-definition.ts';
import { address, seconds, text } from '../value-form.ts';
import { HARDFORK_FORM } from './hardfork-forms.ts';

/** The options of commands for a running node. */
export const RUNNING_NODE_OPTIONS = {
  url: {
    setBy: 'user',
    isOfCommand: true,
    kind: 'value',
    form: text(
      {
        placeholder: '<url>',
        allowed: 'the URL of a running node (http:// or https://)',
        example: 'http://127.0.0.1:8545',
      },
      /^https?:\/\/[^\s/]+\S*$/,
    ),
    default: 'http://127.0.0.1:8545',
    description: 'URL of a running node, including the lane or API key in the path',
  },
  within: {
    setBy: 'user',
    isOfCommand: true,
    kind: 'value',
    form: seconds,
    default: '60',
    description: 'Maximum time to wait',
  },
} as const satisfies Readonly<Record<string, OptionDefinition>>;

/** The options of `trace`. */
export const TRACE_OPTIONS = {
  call: {
    setBy: 'user',
    isOfCommand: true,
    kind: 'switch',
    description: 'Trace a call without sending it: signature, data or JSON object',
  },
  from: {
    setBy: 'user',
    isOfCommand: true,
    kind: 'value',
    form: address,
    default: null,
    otherwise: 'the zero address',
    needs: ['call'],
    description: 'Sender of the call',
  },
  value: {
    setBy: 'user',
    isOfCommand: true,
    kind: 'value',
    form: text(
      {
        placeholder: '<wei>',
        allowed: 'an amount of wei, or an amount with a unit (1ether, 2.5gwei)',
        example: '1ether',
      },
      /^\d+$|^\d+(?:\.\d+)?(?:ether|gwei|wei)$/,
    ),
    default: null,
    otherwise: '0',
    needs: ['call'],
    description: 'Value of the call, in wei or with a unit (1ether)',
  },
  block: {
    setBy: 'user',
    isOfCommand: true,
    kind: 'value',
    form: text(
      {
        placeholder: '<block>',
        allowed: 'a block number, a block hash, or earliest, latest, pending, safe or finalized',
        example: 'latest',
      },
      /^(?:\d{1,15}|0x[0-9a-fA-F]{1,64}|earliest|latest|pending|safe|finalized)$/,
    ),
    default: 'latest',
    needs: ['call'],
    description: 'Run the call after this block',
  },
  hardforks: {
    setBy: 'user',
    isOfCommand: true,
    kind: 'list',
    form: HARDFORK_FORM,
    otherwise: 'the hardfork of the chain, the newest final hardfork and the previews',
    description: 'Hardforks to compare (if only one: with the hardfork of the chain)',
  },
} as const satisfies Readonly<Record<string, OptionDefinition>>;
