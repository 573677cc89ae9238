/** A wallet in pages of a browser whose chain is a lane: `window.ethereum` by EIP-1193, announced by EIP-6963. */

import { LaneAnswerError } from './errors.ts';
import type { TestLane } from './test-lane.ts';

/** A call of a page. */
interface PageCall {
  readonly method: string;
  readonly params?: readonly unknown[];
}

/** The answer to a page: errors would lose all but their words on the way. */
type PageAnswer =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } };

/** A browser context of Playwright, by the members that are used here. */
interface PageContext {
  exposeFunction(name: string, action: (call: PageCall) => Promise<PageAnswer>): Promise<unknown>;
  addInitScript(script: (name: string) => void, name: string): Promise<unknown>;
}

/** The function of the pages that asks the lane. */
const FUNCTION_NAME = '__askNodeCli';

/** Runs in each page before its own scripts; it uses nothing that is outside of it. */
function injectWallet(name: string): void {
  const page = globalThis as unknown as EventTarget & Record<string, unknown>;
  const ask = page[name] as (call: PageCall) => Promise<PageAnswer>;
  const listeners = new EventTarget();
  const wrappers = new Map<unknown, (said: Event) => void>();
  const provider = {
    async request({ method, params = [] }: PageCall): Promise<unknown> {
      const answer = await ask({ method, params });
      if ('error' in answer) throw Object.assign(new Error(answer.error.message), answer.error);
      return answer.result;
    },
    on(event: string, listener: (value: unknown) => void) {
      const wrapper = (said: Event): void => listener((said as CustomEvent).detail);
      wrappers.set(listener, wrapper);
      listeners.addEventListener(event, wrapper);
      return provider;
    },
    removeListener(event: string, listener: (value: unknown) => void) {
      const wrapper = wrappers.get(listener);
      if (wrapper !== undefined) listeners.removeEventListener(event, wrapper);
      return provider;
    },
  };
  page.ethereum = provider;
  const info = {
    uuid: '6d0cc1f4-8d55-4d0b-9c1b-3c6f2a0e8a11',
    name: 'node-cli',
    rdns: 'node-cli.wallet',
    icon: 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg"/>',
  };
  const announce = (): void => {
    const detail = Object.freeze({ info, provider });
    page.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }));
  };
  page.addEventListener('eip6963:requestProvider', announce);
  announce();
}

/** Puts a wallet into all pages of a context, which the node signs for: its accounts are those of the lane. */
export async function addWallet(context: PageContext, lane: TestLane): Promise<void> {
  await context.exposeFunction(FUNCTION_NAME, async (call) => {
    try {
      return { result: await lane.request(call) };
    } catch (error) {
      if (!(error instanceof LaneAnswerError)) throw error;
      const { code, message, data } = error;
      return { error: { code, message, data } };
    }
  });
  await context.addInitScript(injectWallet, FUNCTION_NAME);
}
