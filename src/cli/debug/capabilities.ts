/** The features of the protocol that the adapter supports. */

import type { DebugProtocol } from '@vscode/debugprotocol';
import { EXCEPTION_FILTERS } from './exception-filters.ts';

export const CAPABILITIES: DebugProtocol.Capabilities = {
  supportsConfigurationDoneRequest: true,
  supportsFunctionBreakpoints: true,
  supportsConditionalBreakpoints: true,
  supportsHitConditionalBreakpoints: true,
  supportsLogPoints: true,
  supportsEvaluateForHovers: true,
  supportsStepBack: true,
  supportsSteppingGranularity: true,
  supportsDisassembleRequest: true,
  supportsReadMemoryRequest: true,
  supportsLoadedSourcesRequest: true,
  supportsExceptionInfoRequest: true,
  supportsRestartRequest: true,
  supportsTerminateRequest: true,
  supportsTerminateThreadsRequest: true,
  supportsDelayedStackTraceLoading: true,
  exceptionBreakpointFilters: [...EXCEPTION_FILTERS],
};
