import { LANE_KEY, LANE_KEY_WORDS } from '../../node/lane.ts';
import type { OptionDefinition } from '../option-definition.ts';
import { allowedHost, seconds, secondsOrNone, text, wholeNumber } from '../value-form.ts';

const MOST_PORT = 65_535;
const MOST_BYTES = 2 ** 30;

/** The options of how the node is reached. */
export const SERVER_OPTIONS = {
  port: {
    group: 'Server',
    setBy: 'user',
    kind: 'value',
    short: 'p',
    form: wholeNumber(0, MOST_PORT, '8545'),
    default: '8545',
    description: 'Port to listen on; 0 picks a free one',
  },
  host: {
    group: 'Server',
    setBy: 'user',
    kind: 'value',
    aliases: ['hostname'],
    form: text(
      { placeholder: '<host>', allowed: 'an IP address or a host name', example: '127.0.0.1' },
      /^[^\s/]+$/,
    ),
    default: '127.0.0.1',
    description: 'Address to listen on; 0.0.0.0 lets other machines in',
  },
  allowOrigin: {
    group: 'Server',
    setBy: 'user',
    kind: 'list',
    form: text(
      {
        placeholder: '<origin>',
        allowed: 'an origin of scheme, host and port without *, or * alone',
        example: 'https://app.example',
      },
      /^(\*|null|[a-z][a-z0-9+.-]*:\/\/[^\s/*]+\/?)$/,
    ),
    otherwise: 'any origin on this machine',
    description: 'Web page origin that may call the node, instead of those on this machine',
  },
  allowHost: {
    group: 'Server',
    setBy: 'user',
    kind: 'list',
    form: allowedHost,
    otherwise: 'local names only',
    description:
      'Host name under which the node may be called, such as that of a container; *.name for all below',
  },
  apiKey: {
    group: 'Server',
    setBy: 'user',
    kind: 'list',
    form: text(
      {
        placeholder: '<key>',
        allowed: LANE_KEY_WORDS,
        example: 'my-key',
        isSecret: true,
      },
      // With --lanes the keys are those of lanes.
      LANE_KEY,
    ),
    otherwise: 'any path is served',
    description: 'Key that callers must have as the last segment of the path',
  },
  lanes: {
    group: 'Server',
    setBy: 'user',
    kind: 'switch',
    description: 'Serve a chain of its own on every path, forked from the one on / when it is called first',
  },
  laneTimeout: {
    group: 'Server',
    setBy: 'user',
    kind: 'value',
    form: secondsOrNone,
    default: '3600',
    needs: ['lanes'],
    description: 'Time after which a lane that nobody calls is gone; 0 for never',
  },
  drainTimeout: {
    group: 'Server',
    setBy: 'user',
    kind: 'value',
    form: secondsOrNone,
    default: '0',
    needs: ['lanes'],
    description:
      'Time that lanes have to finish after SIGTERM or Ctrl-C, while no new ones are made; 0 to end at once',
  },
  laneLimit: {
    group: 'Server',
    setBy: 'user',
    kind: 'value',
    form: wholeNumber(1, 1_000_000, '1000', 'lanes'),
    default: '1000',
    needs: ['lanes'],
    roomFor: { list: 'apiKey', where: 'lanes', because: 'each of which has a lane' },
    description: 'Most lanes at a time',
  },
  noExplorer: {
    group: 'Server',
    setBy: 'user',
    kind: 'switch',
    description: 'Do not show the page of the chain to browsers that open the URL of the node',
  },
  metrics: {
    group: 'Server',
    setBy: 'user',
    kind: 'switch',
    description: 'Serve what the node counts about itself at /metrics, for Prometheus',
  },
  endWithStdin: {
    group: 'Server',
    setBy: 'user',
    kind: 'switch',
    description: 'End when standard input does, as when the program that started the node is gone',
  },
  bodyLimit: {
    group: 'Server',
    setBy: 'user',
    kind: 'value',
    form: wholeNumber(1, MOST_BYTES, '10485760', 'bytes'),
    default: '10485760',
    description: 'Largest request body and WebSocket message',
  },
  batchLimit: {
    group: 'Server',
    setBy: 'user',
    kind: 'value',
    form: wholeNumber(1, 1_000_000, '1000', 'requests'),
    default: '1000',
    description: 'Most requests in one batch',
  },
  filterTimeout: {
    group: 'Server',
    setBy: 'user',
    kind: 'value',
    form: seconds,
    default: '300',
    description: 'Seconds after which a filter that nobody asks is gone',
  },
  callTimeout: {
    group: 'Server',
    setBy: 'user',
    kind: 'value',
    form: secondsOrNone,
    default: '60',
    description:
      'Seconds after which a call, estimate, trace or whole batch of them ends with an error; 0 for any time',
  },
  logBlockLimit: {
    group: 'Server',
    setBy: 'user',
    kind: 'value',
    form: wholeNumber(0, 1_000_000_000, '2000', 'blocks'),
    default: '2000',
    description: 'Blocks that a search of logs may cover however many it finds; 0 for any number',
  },
  logLimit: {
    group: 'Server',
    setBy: 'user',
    kind: 'value',
    form: wholeNumber(0, 1_000_000_000, '10000', 'logs'),
    default: '10000',
    description:
      'Logs that a search over more blocks may find; 0 for any number, else a search over fewer may find 64 MiB of JSON',
  },
} as const satisfies Readonly<Record<string, OptionDefinition>>;
