import { availableParallelism } from 'node:os';
import { Reputations } from '../bundler/reputations.ts';
import type { Durability } from '../chain/chain-core.ts';
import { ChainClosedError } from '../chain/errors.ts';
import { TracerThreads } from '../evm/javascript-tracer/tracer-threads.ts';
import { namesOf } from '../json/json-writer.ts';
import { UnpackingBudget } from '../persistence/dump/dump-bytes.ts';
import { type Awaitable, endingWith, isPromise, whenReady } from '../primitives/awaitable.ts';
import { CodedError } from '../primitives/coded-error.ts';
import { misspelled } from '../primitives/nearest-word.ts';
import type { RandomSource } from '../primitives/random.ts';
import { ActivityFeed } from './activity.ts';
import { CallBatches } from './call-batches.ts';
import { type Compat, type CompatChoice, type CompatName, compatNamed, compatNameFor } from './compat.ts';
import {
  type BeaconResponse,
  type Call,
  type Connection,
  type PushText,
  type RpcService,
  Subscriptions,
} from './connection.ts';
import { type NodeDescription, openRpcDocument } from './discovery.ts';
import { BannedOnLaneError, CompatError } from './errors.ts';
import { HintStreams } from './hint-streams.ts';
import type { Lane, Lanes } from './lanes/lane.ts';
import type { Method } from './method.ts';
import { MethodFinder } from './method-finder.ts';
import { ParentChainOffError } from './pegs/errors.ts';
import { methodNotFound } from './registry.ts';
import { CALL_LIMITS, type CallLimits, CallSlots, type RequestTime } from './request-check.ts';
import { RequestContext } from './request-context.ts';
import type { LaneAccess, RpcContext, RpcServices, RpcSettings } from './rpc-context.ts';
import type { ParentChainAccess, RpcNode } from './rpc-node.ts';

/** The default limits of a log search (service document, Limits). */
const DEFAULT_LOG_LIMITS = { blocks: 2_000, logs: 10_000 } as const;

/** Default seconds of a request. */
const DEFAULT_CALL_TIMEOUT = 60;

/** Maximum bytes of all dumps that are unpacked at the same time. */
const MAX_UNPACKED = 2 ** 28;

/** Maximum unknown names of an object that are checked; clients send a few. */
const MAX_UNKNOWN = 16;

/** Fields that clients send intentionally. No method reads them, but their names are similar to others. */
const FAMILIAR: ReadonlySet<string> = new Set(['chain', 'hash']);

function warningsAbout(place: string, value: unknown, known: ReadonlySet<string>): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const unknown: string[] = [];
  for (const name of namesOf(value)) {
    if (known.has(name) || FAMILIAR.has(name)) continue;
    unknown.push(name);
    if (unknown.length === MAX_UNKNOWN) break;
  }
  return unknown.flatMap((name) => {
    const meant = misspelled(name, known);
    return meant === undefined ? [] : [`ignored unknown field ${place}.${name}; did you mean ${meant}?`];
  });
}

/**
 * Returns a warning for each unknown field of the parameters with a name similar to a known one; `undefined`
 * for none. Other unknown fields are ignored, because clients send fields of other nodes.
 */
function misspeltFields({ params }: Pick<Method, 'params'>, given: unknown): string[] | undefined {
  let warnings: string[] | undefined;
  // Every request runs this code, so it allocates nothing if no parameter is an object.
  let position = -1;
  for (const { name, codec } of params) {
    position++;
    if (codec.fieldNames === undefined || typeof given !== 'object' || given === null) continue;
    const value = Reflect.get(given, Array.isArray(given) ? position : name);
    const found = warningsAbout(name, value, codec.fieldNames);
    if (found.length > 0) warnings = [...(warnings ?? []), ...found];
  }
  return warnings;
}

/**
 * Returns the error in the form of the compat mode. Clients recognize some errors by their code and message.
 */
function inDialect({ errorForms, namesErrors }: Compat, error: unknown): unknown {
  for (const form of errorForms) {
    const inForm = form(error);
    if (inForm !== undefined) return namesErrors ? named(inForm) : inForm;
  }
  return namesErrors && error instanceof CodedError ? named(error) : error;
}

/** Returns the error with its name as its data, unless it has data. */
function named(error: CodedError): CodedError {
  const { code, message, entry, data } = error;
  return data === undefined ? new CompatError(code, message, { entry, data: { name: entry.name } }) : error;
}

/** The result of web3_clientVersion in hosted-node mode. It must not look like a development node. */
function hostedVersion(version: string): string {
  return `node-cli/${version}/${process.platform}/node${process.versions.node}`;
}

/** The options of the RPC service. */
export interface RpcServiceOptions
  extends Omit<
    RpcSettings,
    | 'compat'
    | 'clientVersion'
    | 'logLimits'
    | 'callTimeout'
    | 'erc7562'
    | 'impersonationFunds'
    | 'separatesKeys'
    | 'editorLink'
  > {
  readonly compat: CompatChoice;
  /** The result of web3_clientVersion; by default, the compat mode's form of `version`. */
  readonly clientVersion?: string;
  /** By default false. */
  readonly erc7562?: boolean;
  /** By default `null`. */
  readonly impersonationFunds?: bigint | null;
  readonly logLimits?: RpcSettings['logLimits'];
  readonly callTimeout?: RpcSettings['callTimeout'];
  /** By default false: all clients share names and contracts. */
  readonly separatesKeys?: boolean;
  /** By default `null`. */
  readonly editorLink?: string | null;
  /** Limits of concurrent long requests. */
  readonly callLimits?: CallLimits;
}

/** Runs an action on the connection's lane. A WebSocket or an event stream keeps it open. Rejects if the address is banned. */
function onLane<Result>(
  lanes: Lanes,
  connection: Connection,
  action: (lane: Lane) => Awaitable<Result>,
  holdsLane = connection.transport === 'websocket',
): Awaitable<Result> {
  const { remoteAddress } = connection;
  const act = (lane: Lane): Awaitable<Result> => {
    if (lane.node.peers.isBanned(remoteAddress)) throw new BannedOnLaneError(remoteAddress);
    return action(lane);
  };
  return whenReady(lanes.enter(connection.key ?? '', holdsLane ? connection : null), (lane) =>
    endingWith(
      () => act(lane),
      () => lanes.leave(lane),
    ),
  );
}

/**
 * Creates a service that answers JSON-RPC requests for a node or its lanes. Its calls reject with
 * `CodedError` for an error of the client. `activity` is absent if activities are not recorded.
 */
export type RpcServiceFactory = (
  node: RpcNode,
  lanes: LaneAccess | null,
  activity?: ActivityFeed,
) => RpcService;

/**
 * Returns the error in the form of the compat mode. If the chain of the request was closed in the meantime, a
 * failed read is not a bug.
 */
function failureOf(error: unknown, { compat }: RpcSettings, context: RpcContext | undefined): unknown {
  const isOfClosing = context?.node.chain.isClosed === true && !(error instanceof CodedError);
  return inDialect(compat, isOfClosing ? new ChainClosedError() : error);
}

/**
 * Returns the result of a request, synchronously if it is available. `contextOf` returns its context when it has
 * begun.
 */
function settled(
  answer: () => unknown,
  settings: RpcSettings,
  contextOf: () => RequestContext | undefined,
): unknown {
  const succeeded = (result: unknown): unknown => {
    contextOf()?.end();
    return result;
  };
  const failed = (error: unknown): never => {
    contextOf()?.end();
    throw failureOf(error, settings, contextOf());
  };
  let answered: unknown;
  try {
    answered = answer();
  } catch (error) {
    return failed(error);
  }
  return isPromise(answered) ? answered.then(succeeded, failed) : succeeded(answered);
}

/** Waits for the disk, because no result may contain data that a crash could revert. */
async function durable(answer: () => unknown, durability: Durability): Promise<unknown> {
  try {
    return await answer();
  } finally {
    await durability.settle();
  }
}

/** Shared, because building the registry takes a quarter of the time of `createNode`. */
const finder = new MethodFinder(async () => (await import('./method-table.ts')).METHODS);

/** Returns a factory of services with the same options. They share everything except the chain. */
export function createRpcServiceFactory(
  options: RpcServiceOptions,
  random: RandomSource,
  time: RequestTime,
): RpcServiceFactory {
  const { callTimeout = DEFAULT_CALL_TIMEOUT, separatesKeys = false } = options;
  const settingsIn = (name: CompatName): RpcSettings => {
    const compat = compatNamed(name);
    return {
      compat,
      version: options.version,
      clientVersion:
        options.clientVersion ?? (options.hosted ? hostedVersion : compat.clientVersion)(options.version),
      hosted: options.hosted,
      erc7562: options.erc7562 ?? false,
      impersonationFunds: options.impersonationFunds ?? null,
      fieldNames: options.fieldNames,
      logLimits: options.logLimits ?? DEFAULT_LOG_LIMITS,
      callTimeout,
      separatesKeys,
      editorLink: options.editorLink ?? null,
    };
  };
  const settingsByDialect: Readonly<Record<CompatName, RpcSettings>> = {
    service: settingsIn('service'),
    anvil: settingsIn('anvil'),
    hardhat: settingsIn('hardhat'),
  };
  const slots = new CallSlots(options.callLimits ?? CALL_LIMITS);
  const limits = { time, timeout: callTimeout, slots };
  const openRpcDocumentOfAll = async (rules: NodeDescription['rules']): Promise<unknown> => {
    const { METHOD_EXAMPLES } = await import('./method-examples.ts');
    return openRpcDocument(
      { title: 'node-cli', version: options.version, rules },
      (await finder.complete()).methods,
      METHOD_EXAMPLES,
    );
  };
  const subscriptions = new Subscriptions(random);
  const hintStreams = new HintStreams();
  const callBatches = new CallBatches();
  const reputations = new Reputations();
  const unpackingBudget = new UnpackingBudget(MAX_UNPACKED);
  const tracerThreads = new TracerThreads(Math.max(1, availableParallelism() - 1));

  return (base, lanes, activity = new ActivityFeed()) => {
    const { durability } = base.chain;
    const services: RpcServices = Object.freeze({
      modules: async () => (await finder.complete()).modules(lanes !== null),
      openRpcDocument: openRpcDocumentOfAll,
      subscriptions,
      hintStreams,
      callBatches,
      reputations,
      random,
      timers: time.timers,
      activity,
      unpackingBudget,
      tracerThreads,
      served: base.served,
      lanes,
    });
    const contextOn = (
      node: RpcNode,
      connection: Connection,
      settings: RpcSettings,
      call: Call | null,
      begunAt: number,
    ): RequestContext => {
      const seen = separatesKeys ? node.ownedBy(connection.key) : node;
      return new RequestContext(seen, services, settings, connection, call, limits, begunAt);
    };

    /** Without lanes, all paths serve the base chain. */
    const onParentChain = async <Result>(
      connection: Connection,
      use: (parentChain: ParentChainAccess) => Promise<Result>,
    ): Promise<Result> => {
      const useOn = async ({ parentChain }: RpcNode): Promise<Result> => {
        if (parentChain === null) throw new ParentChainOffError();
        return use(parentChain);
      };
      return lanes === null || connection.key === undefined
        ? useOn(base)
        : onLane(lanes.lanes, connection, ({ node }) => useOn(node));
    };
    const parentCalls: Pick<RpcService, 'callParent' | 'getBlockbook'> = {
      callParent: (call, connection, token) =>
        onParentChain(connection, (parentChain) => parentChain.call(call, token ?? null)),
      getBlockbook: (path, connection) =>
        onParentChain(connection, (parentChain) => parentChain.getBlockbook(path)),
    };

    const watchHints = ({ chain }: RpcNode, push: PushText, end: () => void): (() => void) => {
      const stopHints = hintStreams.watch(chain, push);
      const stopWaiting = chain.events.on('closed', end);
      return () => {
        stopHints();
        stopWaiting();
      };
    };

    const callMethod = (
      method: Method | undefined,
      name: string,
      params: unknown,
      connection: Connection,
      token?: Call,
    ): unknown => {
      const settings = settingsByDialect[compatNameFor(options.compat, connection.userAgent)];
      if (method === undefined) throw inDialect(settings.compat, methodNotFound(name, finder.registry));
      if (token !== undefined) {
        if (separatesKeys) token.owner = connection.key;
        token.isLogged = method.isLogged && connection.isQuiet !== true;
        const warnings = token.isLogged ? misspeltFields(method, params) : undefined;
        if (warnings !== undefined) token.warnings = warnings;
      }
      const batch = token?.batch;
      const begunAt = batch?.begunAt ?? time.clock.now();
      if (batch !== undefined) batch.begunAt = begunAt;
      if (lanes !== null && connection.key !== undefined && !method.asksBase) {
        const all = lanes.lanes;
        const isGone = method.answerWithoutLane !== undefined && !all.has(connection.key);
        let entered: RequestContext | undefined;
        const enter = (node: RpcNode): RequestContext => {
          entered = contextOn(node, connection, settings, token ?? null, begunAt);
          return entered;
        };
        const answer = (): unknown =>
          isGone
            ? method.answerWithoutLane?.(enter(base), params)
            : onLane(all, connection, ({ node }) => enter(node).answer(method, params, name));
        return settled(answer, settings, () => entered);
      }
      const context = contextOn(base, connection, settings, token ?? null, begunAt);
      const answer = (): unknown =>
        settled(
          () => context.answer(method, params, name),
          settings,
          () => context,
        );
      return durability === null ? answer() : durable(answer, durability);
    };

    return {
      yielder: base.chain.yielder,
      async streamHints(connection, push, end) {
        return lanes === null || connection.key === undefined
          ? watchHints(base, push, end)
          : onLane(lanes.lanes, connection, ({ node }) => watchHints(node, push, end), true);
      },
      ...(base.parentChain !== null && parentCalls),
      async getBeacon(request, connection) {
        const { beaconResponse } = await import('./beacon/beacon-routes.ts');
        const settings = settingsByDialect[compatNameFor(options.compat, connection.userAgent)];
        const answerOn = async (node: RpcNode): Promise<BeaconResponse> => {
          const context = contextOn(node, connection, settings, null, time.clock.now());
          try {
            return await beaconResponse(context, request);
          } finally {
            context.end();
          }
        };
        const isForBase = lanes === null || connection.key === undefined;
        return isForBase ? answerOn(base) : onLane(lanes.lanes, connection, ({ node }) => answerOn(node));
      },
      call(name: string, params: unknown, connection: Connection, token?: Call): unknown {
        const method = finder.find(name);
        return isPromise(method)
          ? method.then((found) => callMethod(found, name, params, connection, token))
          : callMethod(method, name, params, connection, token);
      },
    };
  };
}
