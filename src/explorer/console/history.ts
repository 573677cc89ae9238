/** The requests of the console, kept in the local storage of the browser. */

import { signal } from '@preact/signals';
import { keepValue, keptValue } from '../page-storage.ts';

export interface PastRequest {
  readonly method: string;
  readonly params: readonly unknown[];
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly failed: boolean;
}

const KEY = 'node-cli.console';
const MAX_REQUESTS = 50;
/** Characters of the parameters of a kept request. */
const MAX_LENGTH = 20_000;
/** Parameters of these methods can be keys or passphrases. */
const SECRET = /^personal_|_addAccount$|_removeAccount$/;

function isRequest(value: unknown): value is PastRequest {
  if (typeof value !== 'object' || value === null) return false;
  const { method, params, time, failed }: Readonly<Record<string, unknown>> = { ...value };
  return (
    typeof method === 'string' &&
    Array.isArray(params) &&
    typeof time === 'number' &&
    typeof failed === 'boolean'
  );
}

function stored(): readonly PastRequest[] {
  const read = keptValue('always', KEY);
  return Array.isArray(read) ? read.filter(isRequest).slice(0, MAX_REQUESTS) : [];
}

/** Newest first. */
export const pastRequests = signal<readonly PastRequest[]>(stored());

function store(requests: readonly PastRequest[]): void {
  pastRequests.value = requests;
  keepValue('always', KEY, requests);
}

/** Adds a request. Secret and long parameters are left out, and an equal earlier request is replaced. */
export function keepRequest({ params, ...request }: PastRequest): void {
  const text = JSON.stringify(params);
  const isKept = !SECRET.test(request.method) && text.length <= MAX_LENGTH;
  const kept = { ...request, params: isKept ? params : [] };
  const others = pastRequests
    .peek()
    .filter(
      (each) => each.method !== kept.method || JSON.stringify(each.params) !== JSON.stringify(kept.params),
    );
  store([kept, ...others].slice(0, MAX_REQUESTS));
}

export function clearRequests(): void {
  store([]);
}
