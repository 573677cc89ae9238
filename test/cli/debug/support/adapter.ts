// A debug adapter in this process, and the protocol's test client.

import { createRequire } from 'node:module';
import type { DebugClient as Client } from '@vscode/debugadapter-testsupport';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { onTestFinished } from 'vitest';
import { type AdapterParts, listenForEditors } from '../../../../src/cli/debug/adapter-server.ts';
import type { DebugNode } from '../../../../src/cli/debug/execution.ts';
import type { RpcHarness } from '../../../rpc/rpc-harness.ts';

const { DebugClient } = createRequire(import.meta.url)('@vscode/debugadapter-testsupport') as {
  DebugClient: typeof Client;
};

/** A node that the harness calls in this process. */
export function nodeOf({ call }: Pick<RpcHarness, 'call'>): DebugNode {
  return {
    name: 'http://test',
    ask: (method, params) => call(method, params),
    connect: () => {
      throw new Error('this node has no WebSocket');
    },
  };
}

export interface Adapter {
  readonly client: Client;
  /** The text of the error output. */
  readonly reports: string[];
  /** The events of the adapter, in order. */
  readonly events: DebugProtocol.Event[];
  /** Disconnects as an editor does. */
  disconnect(): Promise<void>;
}

/** Starts an adapter on a free port, and connects a client. Both end with the test. */
export async function connectAdapter(
  call: RpcHarness['call'],
  changes: Partial<AdapterParts> = {},
): Promise<Adapter> {
  const reports: string[] = [];
  const base = nodeOf({ call });
  const server = await listenForEditors(0, {
    nodes: Promise.resolve({ base, lane: () => base, key: () => base }),
    workingDirectory: '/project',
    host: 'posix',
    exists: async () => false,
    report: (text) => void reports.push(text),
    ...changes,
  });
  const client = new DebugClient('node', '', 'node-cli');
  client.defaultTimeout = 30_000;
  const events: DebugProtocol.Event[] = [];
  for (const name of ['stopped', 'terminated', 'output', 'breakpoint', 'initialized', 'thread'])
    client.on(name, (event: DebugProtocol.Event) => void events.push(event));
  await client.start(server.port);
  let isConnected = true;
  const disconnect = async (): Promise<void> => {
    // The client would wait for a second response for ever.
    if (!isConnected) return;
    isConnected = false;
    await client.stop();
  };
  onTestFinished(async () => {
    await disconnect();
    server.close();
  });
  return { client, reports, events, disconnect };
}

/** A stop, or the end of the execution. */
export type Halt = DebugProtocol.StoppedEvent['body'] | 'terminated';

/** Resolves to the next stop or to the end. Call it before the request that runs. */
export function nextHalt(client: Client): Promise<Halt> {
  return new Promise((resolve) => {
    const onStop = ({ body }: DebugProtocol.StoppedEvent): void => settle(body);
    const onEnd = (): void => settle('terminated');
    const settle = (halt: Halt): void => {
      client.removeListener('stopped', onStop);
      client.removeListener('terminated', onEnd);
      resolve(halt);
    };
    client.on('stopped', onStop);
    client.on('terminated', onEnd);
  });
}

export interface LaunchSettings {
  readonly breakpoints?: Readonly<Record<string, readonly DebugProtocol.SourceBreakpoint[]>>;
  readonly functions?: readonly DebugProtocol.FunctionBreakpoint[];
  readonly filters?: readonly string[];
}

/** Launches as an editor does. Resolves to the first halt. */
export async function launch(client: Client, args: object, settings: LaunchSettings = {}): Promise<Halt> {
  const halted = nextHalt(client);
  await begin(client, () => client.launchRequest(args as DebugProtocol.LaunchRequestArguments), settings);
  return halted;
}

/** Attaches as an editor does. */
export async function attach(client: Client, args: object, settings: LaunchSettings = {}): Promise<void> {
  await begin(client, () => client.attachRequest(args as DebugProtocol.AttachRequestArguments), settings);
}

async function begin(
  client: Client,
  request: () => Promise<unknown>,
  settings: LaunchSettings,
): Promise<void> {
  const initialized = client.waitForEvent('initialized');
  await client.initializeRequest({ adapterID: 'node-cli', pathFormat: 'path' });
  const begun = request();
  await initialized;
  for (const [path, breakpoints] of Object.entries(settings.breakpoints ?? {}))
    await client.setBreakpointsRequest({ source: { path }, breakpoints: [...breakpoints] });
  if (settings.functions !== undefined)
    await client.setFunctionBreakpointsRequest({ breakpoints: [...settings.functions] });
  if (settings.filters !== undefined)
    await client.setExceptionBreakpointsRequest({ filters: [...settings.filters] });
  await client.configurationDoneRequest();
  await begun;
}

/** Runs a request that moves the execution. Resolves to the halt after it. */
export async function move(client: Client, run: () => Promise<unknown>): Promise<Halt> {
  const halted = nextHalt(client);
  await run();
  return halted;
}

export const THREAD = { threadId: 1 };

/** The place of the innermost frame, as `Contract.function:line`. */
export async function topOf(client: Client, threadId = 1): Promise<string> {
  const { body } = await client.stackTraceRequest({ threadId, levels: 1 });
  const [frame] = body.stackFrames;
  return `${frame?.name}:${frame?.line}`;
}

/** The names and values of a scope of a frame. */
export async function scopeOf(client: Client, name: string, frame = 0): Promise<Record<string, string>> {
  const variables = await variablesOf(client, name, frame);
  return Object.fromEntries(variables.map((each) => [each.name, each.value]));
}

export async function variablesOf(
  client: Client,
  name: string,
  frame = 0,
): Promise<DebugProtocol.Variable[]> {
  const { body } = await client.stackTraceRequest(THREAD);
  const { body: found } = await client.scopesRequest({ frameId: body.stackFrames[frame]?.id ?? -1 });
  const scope = found.scopes.find((each) => each.name === name);
  const { variablesReference = -1 } = scope ?? {};
  return (await client.variablesRequest({ variablesReference })).body.variables;
}
