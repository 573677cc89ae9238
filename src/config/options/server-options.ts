import { LANE_KEY, LANE_KEY_WORDS } from '../../rpc/lanes/lane.ts';
import { LARGEST_BODY } from '../../server/body-limit.ts';
import type { OptionDefinition } from '../option-definition.ts';
import {
  allowedHost,
  DEFAULT_EDITOR_LINK,
  editorLink,
  seconds,
  secondsOrNone,
  text,
  wholeNumber,
} from '../value-form.ts';

const MAX_PORT = 65_535;

/** The options of the server. */
export const SERVER_OPTIONS = {
  port: {
    common: 'Server',
    setBy: 'user',
    kind: 'value',
    short: 'p',
    form: wholeNumber(0, MAX_PORT, '8545'),
    default: '8545',
    description: 'Port to listen on; 0 = any free port',
  },
  host: {
    common: 'Server',
    setBy: 'user',
    kind: 'value',
    aliases: ['hostname'],
    form: text(
      { placeholder: '<host>', allowed: 'an IP address or a host name', example: '127.0.0.1' },
      /^[^\s/]+$/,
    ),
    default: '127.0.0.1',
    description: 'Address to listen on; 0.0.0.0 = all interfaces',
  },
  ipc: {
    setBy: 'user',
    kind: 'value',
    aliases: ['ipcpath'],
    form: text(
      {
        placeholder: '[path]',
        allowed: 'the path of a socket, the name of a pipe on Windows, or "default"',
        example: '/tmp/node-cli.ipc',
      },
      /^[^\0]+$/s,
    ),
    default: null,
    bare: 'default',
    description: 'Also serve JSON-RPC on an IPC socket (default: <tmp>/node-cli.ipc)',
  },
  allowOrigin: {
    setBy: 'user',
    kind: 'list',
    form: text(
      {
        placeholder: '<origin>',
        allowed: 'an origin (scheme, host and port, without *), or * alone',
        example: 'https://app.example',
      },
      /^(\*|null|[a-z][a-z0-9+.-]*:\/\/[^\s/*]+\/?)$/,
    ),
    otherwise: 'origins on this machine',
    description: 'Allow browser requests from this origin instead of local origins',
  },
  noCors: {
    setBy: 'user',
    kind: 'switch',
    conflicts: ['allowOrigin'],
    description: 'Reject browser requests from all other origins, also on this machine',
  },
  allowHost: {
    setBy: 'user',
    kind: 'list',
    form: allowedHost,
    otherwise: 'local names only',
    description: 'Allow requests to this host name; *.name allows its subdomains',
  },
  apiKey: {
    setBy: 'user',
    kind: 'list',
    form: text(
      {
        placeholder: '<key>',
        allowed: LANE_KEY_WORDS,
        example: 'my-key',
        isSecret: true,
      },
      // With --lanes, the keys are also lane keys.
      LANE_KEY,
    ),
    otherwise: 'no key required',
    description: 'Require this key as the last segment of the URL path',
  },
  lanes: {
    common: 'Server',
    setBy: 'user',
    kind: 'switch',
    description: 'Give every URL path except / its own chain, a copy of the chain on /',
  },
  laneTimeout: {
    setBy: 'user',
    kind: 'value',
    form: secondsOrNone,
    default: '3600',
    needs: ['lanes'],
    description: 'Remove a lane after N seconds without requests (0 = never)',
  },
  drainTimeout: {
    setBy: 'user',
    kind: 'value',
    form: secondsOrNone,
    default: '0',
    needs: ['lanes'],
    description: 'On SIGTERM or Ctrl-C, wait up to N seconds for the lanes to finish',
  },
  laneLimit: {
    setBy: 'user',
    kind: 'value',
    form: wholeNumber(1, 1_000_000, '1000', 'lanes'),
    default: '1000',
    needs: ['lanes'],
    description: 'Maximum number of lanes',
  },
  noExplorer: {
    setBy: 'user',
    kind: 'switch',
    description: 'Do not serve the explorer at the URL of the node',
  },
  editorLink: {
    setBy: 'user',
    kind: 'value',
    form: editorLink,
    default: DEFAULT_EDITOR_LINK,
    conflicts: ['hosted'],
    description: 'Link of “Open in editor” in the explorer; none = no links',
  },
  metrics: {
    setBy: 'user',
    kind: 'switch',
    description: 'Serve Prometheus metrics at /metrics',
  },
  endWithStdin: {
    setBy: 'user',
    kind: 'switch',
    description: 'Exit when stdin closes, for example because the parent process ended',
  },
  bodyLimit: {
    setBy: 'user',
    kind: 'value',
    form: wholeNumber(1, LARGEST_BODY, '10485760', 'bytes'),
    default: '10485760',
    description: 'Maximum size of a request body or WebSocket message',
  },
  noRequestSizeLimit: {
    setBy: 'user',
    kind: 'switch',
    conflicts: ['bodyLimit'],
    implies: { bodyLimit: String(LARGEST_BODY) },
    description: `Set --body-limit to its maximum of ${LARGEST_BODY} bytes`,
  },
  batchLimit: {
    setBy: 'user',
    kind: 'value',
    form: wholeNumber(1, 1_000_000, '1000', 'requests'),
    default: '1000',
    description: 'Maximum number of requests in a batch',
  },
  filterTimeout: {
    setBy: 'user',
    kind: 'value',
    form: seconds,
    default: '300',
    description: 'Remove a filter that is not polled for N seconds',
  },
  callTimeout: {
    setBy: 'user',
    kind: 'value',
    form: secondsOrNone,
    default: '60',
    description: 'Maximum seconds of a call, estimate, trace or batch (0 = no limit)',
  },
  logBlockLimit: {
    setBy: 'user',
    kind: 'value',
    form: wholeNumber(0, 1_000_000_000, '2000', 'blocks'),
    default: '2000',
    description: 'Apply --log-limit only to searches of more than N blocks (0 = never)',
  },
  logLimit: {
    setBy: 'user',
    kind: 'value',
    form: wholeNumber(0, 1_000_000_000, '10000', 'logs'),
    default: '10000',
    description: 'Maximum logs of a search that exceeds --log-block-limit (0 = no limit)',
  },
} as const satisfies Readonly<Record<string, OptionDefinition>>;
