import { EndpointFailure } from './endpoint-failure.ts';
import type { CallAnswer, UpstreamCall } from './upstream-call.ts';

/** Maximum of concurrent requests to an endpoint without batches, and of failures in succession. */
const MAX_SINGLE_REQUESTS = 8;

/** The outcome of a call without any response. */
export const NO_ANSWER: CallAnswer = { kind: 'failed', reason: 'no answer' };

/** Returns the outcome of a call whose request failed. */
export function failedCall({ message, isRateLimited, retryAfter }: EndpointFailure): CallAnswer {
  return { kind: 'failed', reason: message, isRateLimited, retryAfter };
}

/**
 * Sends each call in its own request, a few at a time. Sends no more calls after a rate limit or several
 * failures in succession. Rejects with the first failure if no response arrives.
 */
export async function sendSingly(
  calls: readonly UpstreamCall[],
  send: (call: UpstreamCall) => Promise<CallAnswer>,
): Promise<CallAnswer[]> {
  const answers = new Map<number, CallAnswer>();
  let next = 0;
  let hasResponse = false;
  let failures = 0;
  let firstFailure: EndpointFailure | undefined;
  let isStopped = false;
  const sendOn = async (): Promise<void> => {
    while (!isStopped) {
      const index = next++;
      const call = calls[index];
      if (call === undefined) return;
      try {
        answers.set(index, await send(call));
        hasResponse = true;
        failures = 0;
      } catch (error) {
        if (!(error instanceof EndpointFailure)) throw error;
        answers.set(index, failedCall(error));
        firstFailure ??= error;
        failures++;
        isStopped ||= error.isRateLimited || failures >= MAX_SINGLE_REQUESTS;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(calls.length, MAX_SINGLE_REQUESTS) }, sendOn));
  if (!hasResponse && firstFailure !== undefined) throw firstFailure;
  const unsent = firstFailure === undefined ? NO_ANSWER : failedCall(firstFailure);
  return calls.map((_, index) => answers.get(index) ?? unsent);
}
