import { availableParallelism } from 'node:os';
import { Reputations } from '../bundler/reputations.ts';
import type { Chain } from '../chain/chain.ts';
import { ChainClosedError } from '../chain/errors.ts';
import { TracerThreads } from '../evm/javascript-tracer/tracer-threads.ts';
import { namesOf } from '../json/json-writer.ts';
import { UnpackingBudget } from '../persistence/dump/dump-bytes.ts';
import { CodedError } from '../primitives/coded-error.ts';
import { misspelt } from '../primitives/nearest-word.ts';
import type { RandomSource } from '../primitives/random.ts';
import type { CheckInterrupt } from '../scheduling/interrupt.ts';
import type { SchedulerLane } from '../scheduling/scheduler.ts';
import { isPromise } from '../scheduling/task.ts';
import { ActivityFeed } from './activity.ts';
import { CallBatches } from './call-batches.ts';
import { type Compat, type CompatChoice, type CompatName, compatNamed, compatNameFor } from './compat.ts';
import { type Call, type Connection, type RpcService, Subscriptions } from './connection.ts';
import { openRpcDocument } from './discovery.ts';
import { BannedOnLaneError, DialectError } from './errors.ts';
import type { Lane, Lanes } from './lanes/lane.ts';
import type { Method } from './method.ts';
import { METHODS, methodNotFound, Registry } from './method-table.ts';
import {
  CALL_LIMITS,
  type CallLimits,
  CallSlots,
  type RequestInterrupt,
  type RequestTime,
  requestInterrupt,
} from './request-interrupt.ts';
import type { LaneAccess, RpcContext, RpcServices, RpcSettings } from './rpc-context.ts';
import type { RpcNode } from './rpc-node.ts';

/** The limits of a log search where nothing else is said (service document, Limits). */
const DEFAULT_LOG_LIMITS = { blocks: 2_000, logs: 10_000 } as const;

/** The seconds that an answer may take where nothing else is said. */
const DEFAULT_CALL_TIMEOUT = 60;

/** The bytes that all dumps together may unpack to that callers have loaded at the same time. */
const MOST_UNPACKED = 2 ** 28;

/** Unknown names of an object that are looked at; clients send a few. */
const MOST_UNKNOWN = 16;

/** Fields that clients send in earnest, though no method reads them and their names are near to others. */
const FAMILIAR: ReadonlySet<string> = new Set(['chain', 'hash']);

function warningsAbout(place: string, value: unknown, known: ReadonlySet<string>): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const unknown: string[] = [];
  for (const name of namesOf(value)) {
    if (known.has(name) || FAMILIAR.has(name)) continue;
    unknown.push(name);
    if (unknown.length === MOST_UNKNOWN) break;
  }
  return unknown.flatMap((name) => {
    const meant = misspelt(name, known);
    return meant === undefined ? [] : [`ignored unknown field ${place}.${name}; did you mean ${meant}?`];
  });
}

/**
 * Returns a warning for each field in the parameters of a call that is not known to its codec and nearly has the name of one that is;
 * `undefined` for none. Others are no slips: clients send fields that only some nodes understand.
 */
function misspeltFields({ params }: Pick<Method, 'params'>, given: unknown): string[] | undefined {
  let warnings: string[] | undefined;
  // Every call passes here, and few have an object that is looked at: nothing is made for the others.
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

/** Returns the error in the form of the compat mode. Clients recognize some errors by their code and message. */
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
  return data === undefined ? new DialectError(code, message, { entry, data: { name: entry.name } }) : error;
}

/** The answer of `web3_clientVersion` on a hosted node, which must not look like a development node. */
function hostedVersion(version: string): string {
  return `node-cli/${version}/${process.platform}/node${process.versions.node}`;
}

/** The options by which a service presents itself and its chain. */
export interface RpcServiceOptions
  extends Omit<
    RpcSettings,
    'compat' | 'clientVersion' | 'logLimits' | 'callTimeout' | 'erc7562' | 'separatesKeys'
  > {
  readonly compat: CompatChoice;
  /** The answer of `web3_clientVersion`; by default the dialect's form of `version`. */
  readonly clientVersion?: string;
  /** By default they are not. */
  readonly erc7562?: boolean;
  readonly logLimits?: RpcSettings['logLimits'];
  readonly callTimeout?: RpcSettings['callTimeout'];
  /** By default false: all clients share names and contracts. */
  readonly separatesKeys?: boolean;
  /** The number of long calls that may be in hand. */
  readonly callLimits?: CallLimits;
}

/**
 * Does something on the lane that the connection calls, which stays as long as a WebSocket does. Rejects with a
 * {@link BannedOnLaneError} too.
 */
async function onLane(
  lanes: Lanes,
  connection: Connection,
  action: (lane: Lane) => unknown,
): Promise<unknown> {
  const lane = await lanes.enter(
    connection.key ?? '',
    connection.transport === 'websocket' ? connection : null,
  );
  try {
    const { remoteAddress } = connection;
    if (lane.node.peers.isBanned(remoteAddress)) throw new BannedOnLaneError(remoteAddress);
    return await action(lane);
  } finally {
    lanes.leave(lane);
  }
}

/**
 * Makes the service that answers JSON-RPC methods from a node, or from lanes for callers that name one; its calls reject with a
 * `CodedError` for anything that the caller did. `activity` are the activities on them; absent where they are not recorded.
 */
export type RpcServiceFactory = (
  node: RpcNode,
  lanes: LaneAccess | null,
  activity?: ActivityFeed,
) => RpcService;

/** Returns the answer of the chain, or of the chain that it was forked from; the code for forks is loaded when first needed. */
function answerLocallyOrUpstream(
  method: Method,
  context: RpcContext,
  params: unknown,
  name: string,
): unknown {
  const fork = context.node.fork.current;
  if (fork === null) return method.answer(context, params, name);
  return import('./fork/answer-on-fork.ts').then(async ({ answerOnFork }) =>
    answerOnFork({ method, context, fork, params: await method.read(context, params) }, name),
  );
}

/** Returns the error of a call whose chain was closed meanwhile: what it could not read any more is no bug. */
function afterClosing(error: unknown): unknown {
  return error instanceof CodedError ? error : new ChainClosedError();
}

/** The methods of all services; to find the place of each would take a quarter of what a chain in process takes to make. */
const registry = new Registry(METHODS);

/** Returns a factory of services with the same options. They share everything but the chain, so that each costs little. */
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
      fieldNames: options.fieldNames,
      logLimits: options.logLimits ?? DEFAULT_LOG_LIMITS,
      callTimeout,
      separatesKeys,
    };
  };
  const settingsByDialect: Readonly<Record<CompatName, RpcSettings>> = {
    service: settingsIn('service'),
    anvil: settingsIn('anvil'),
    hardhat: settingsIn('hardhat'),
  };
  const slots = new CallSlots(options.callLimits ?? CALL_LIMITS);
  const openRpcDocumentOfAll = async (): Promise<unknown> => {
    const { METHOD_EXAMPLES } = await import('./method-examples.ts');
    return openRpcDocument(
      { title: 'node-cli', version: options.version },
      registry.methods,
      METHOD_EXAMPLES,
    );
  };
  const subscriptions = new Subscriptions(random);
  const callBatches = new CallBatches();
  const reputations = new Reputations();
  const unpackingBudget = new UnpackingBudget(MOST_UNPACKED);
  const tracerThreads = new TracerThreads(Math.max(1, availableParallelism() - 1));

  return (base, lanes, activity = new ActivityFeed()) => {
    const { durability } = base.chain;
    const services: RpcServices = Object.freeze({
      modules: registry.modules(lanes !== null),
      openRpcDocument: openRpcDocumentOfAll,
      subscriptions,
      callBatches,
      reputations,
      random,
      timers: time.timers,
      activity,
      unpackingBudget,
      tracerThreads,
      lanes,
    });
    const contextOf = (
      connection: Connection,
      settings: RpcSettings,
      node: RpcNode,
      call: Call | null,
      deadline: CheckInterrupt,
    ): RpcContext => ({
      node: separatesKeys ? node.ownedBy(connection.key) : node,
      services,
      settings,
      call,
      connection,
      deadline,
      generation: node.chain.identity.life,
    });

    return {
      turns: base.chain.turns,
      call(name: string, params: unknown, connection: Connection, token?: Call): unknown {
        const method = registry.byName.get(name);
        const settings = settingsByDialect[compatNameFor(options.compat, connection.userAgent)];
        if (method === undefined) throw inDialect(settings.compat, methodNotFound(name, registry));
        if (token !== undefined) {
          if (separatesKeys) token.owner = connection.key;
          token.isLogged = method.isLogged && connection.isQuiet !== true;
          const warnings = token.isLogged ? misspeltFields(method, params) : undefined;
          if (warnings !== undefined) token.warnings = warnings;
        }
        const batch = token?.batch;
        const isForBase = lanes === null || connection.key === undefined || method.asksBase;
        const begunAt = batch?.begunAt ?? time.clock.now();
        if (batch !== undefined) batch.begunAt = begunAt;
        let checkInterrupt: RequestInterrupt | undefined;
        let begun: SchedulerLane | undefined;
        let asked: Chain | undefined;
        const contextOn = (node: RpcNode): RpcContext => {
          asked = node.chain;
          const bounds = { time, timeout: callTimeout, begunAt, turns: node.chain.turns, slots };
          checkInterrupt = requestInterrupt(connection, bounds);
          return contextOf(connection, settings, node, token ?? null, checkInterrupt);
        };
        const answer = (node: RpcNode): unknown => {
          const context = contextOn(node);
          // A request yields first when the event loop has been held for long.
          begun = node.chain.turns;
          const turn = begun.beginning(method.begins);
          return turn === undefined
            ? answerLocallyOrUpstream(method, context, params, name)
            : turn.then(() => answerLocallyOrUpstream(method, context, params, name));
        };
        const end = (): void => {
          checkInterrupt?.turns.end();
          begun?.ended();
        };
        const failure = (error: unknown): unknown =>
          inDialect(settings.compat, asked?.isClosed === true ? afterClosing(error) : error);
        const later = async (answered: () => unknown): Promise<unknown> => {
          try {
            return await answered();
          } catch (error) {
            throw failure(error);
          } finally {
            end();
            // No answer may contain what a crash could take back; a lane is lost in a crash in any case.
            if (isForBase && durability !== null) await durability.settle();
          }
        };
        if (!isForBase) {
          const all = lanes.lanes;
          const isGone = method.answerWithoutLane !== undefined && !all.has(connection.key ?? '');
          return later(() =>
            isGone
              ? method.answerWithoutLane?.(contextOn(base), params)
              : onLane(all, connection, ({ node }) => answer(node)),
          );
        }
        if (durability !== null) return later(() => answer(base));
        let answered: unknown;
        try {
          answered = answer(base);
        } catch (error) {
          end();
          throw failure(error);
        }
        if (isPromise(answered)) return later(() => answered);
        end();
        return answered;
      },
    };
  };
}
