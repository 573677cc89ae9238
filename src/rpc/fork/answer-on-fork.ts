import { fetchingState } from '../../state/state-source.ts';
import { FORK_RANGES } from './fork-ranges.ts';
import { FORK_ROUTES } from './fork-routes.ts';
import { answerOfUpstream, type ForkCall, NOT_UPSTREAM } from './fork-side.ts';

async function upstreamAnswer(call: ForkCall): Promise<unknown> {
  const { name } = call.method;
  const answerRange = FORK_RANGES.get(name);
  if (answerRange !== undefined) return answerRange(call);
  const route = FORK_ROUTES.get(name);
  if (route === undefined) return NOT_UPSTREAM;
  if (route.kind !== 'search') return answerOfUpstream(call, route);
  const own = await fetchingState(() => call.method.answerRead(call.context, call.params));
  return own ?? answerOfUpstream(call, route);
}

/**
 * The answer of a chain that is a fork of another one: what lies before the fork comes from there, what lies after it is
 * the chain's own, and what lies on both sides is put together. What the chain's own answer needs of the state before
 * the fork is fetched on the way.
 */
export async function answerOnFork(call: ForkCall, name: string): Promise<unknown> {
  const { method, context, params } = call;
  const answer = await upstreamAnswer(call);
  if (answer !== NOT_UPSTREAM) return method.shaped(answer, context, name);
  // Methods that change the chain wait their turn first, and read state before they change anything there.
  return fetchingState(() => method.answerRead(context, params, name) as Promise<unknown>);
}
