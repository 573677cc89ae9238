import type { ExecutionResult, Message } from '../../../src/evm/engine.ts';
import { noImpersonatedSigner } from '../../../src/evm/signers.ts';
import type { TracePosition, TracerFactory } from '../../../src/evm/tracers/tracer.ts';
import { TraceBudget } from '../../../src/evm/tracers/tracer.ts';
import type { RuleSetName } from '../../../src/protocol/hardforks/registry.ts';
import { runTask } from '../../../src/scheduling/task.ts';
import { Overlay } from '../../../src/state/overlay.ts';
import { addressOf, messageOf, type Scene, type SceneOptions, setScene } from '../../reference/scene.ts';

export const ALICE = addressOf(0xa1);
export const BOB = addressOf(0xb0);

/** The bytes as hex digits. */
export function digits(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

/** Code that calls `to` without data and leaves 1 or 0 on the stack. Gas and value are code too. */
export function calling(
  opcode: 'CALL' | 'CALLCODE' | 'DELEGATECALL' | 'STATICCALL',
  to: Uint8Array,
  { gas = '5a', value = '5f' }: { readonly gas?: string; readonly value?: string } = {},
): string {
  const byte = { CALL: 'f1', CALLCODE: 'f2', DELEGATECALL: 'f4', STATICCALL: 'fa' }[opcode];
  const hasValue = opcode === 'CALL' || opcode === 'CALLCODE';
  return `5f5f5f5f ${hasValue ? value : ''} 73${digits(to)} ${gas} ${byte}`;
}

/** Code that reverts with at most 32 bytes of data. */
export function reverting(data: Uint8Array): string {
  const length = data.length.toString(16).padStart(2, '0');
  return `7f${digits(data).padEnd(64, '0')} 5f 52 60${length} 5f fd`;
}

/** Code that writes at most 32 bytes of initcode to memory and creates a contract with it. */
export function creating(
  initcode: Uint8Array,
  { value = '5f', salt }: { readonly value?: string; readonly salt?: string } = {},
): string {
  const length = initcode.length.toString(16).padStart(2, '0');
  const store = `7f${digits(initcode).padEnd(64, '0')} 5f 52`;
  return `${store} ${salt ?? ''} 60${length} 5f ${value} ${salt === undefined ? 'f0' : 'f5'}`;
}

/** A trace and the result of the traced execution. */
export interface Traced<Trace> {
  readonly trace: Trace;
  readonly result: ExecutionResult;
}

/** A scene whose transactions can be traced. */
export interface TraceScene extends Scene {
  trace<Trace>(
    createTracer: TracerFactory<Trace>,
    fields?: Partial<Message>,
    position?: TracePosition,
  ): Promise<Traced<Trace>>;
}

/** A scene for traces. Each trace starts from the state that the test set, independent of earlier traces. */
export async function setTraceScene(
  name: RuleSetName = 'rootstock',
  options: SceneOptions = {},
): Promise<TraceScene> {
  const scene = await setScene(name, options);
  return {
    ...scene,
    async trace(createTracer, fields = {}, position) {
      const { engine, environment } = scene;
      const message = messageOf(fields);
      const before = scene.state.toWorldState();
      const after = new Overlay(before);
      const tracer = createTracer({
        message,
        environment,
        before,
        position: position ?? null,
        budget: new TraceBudget(),
        impersonatedSigner: noImpersonatedSigner,
      });
      const result = await engine.transact(environment, after, message, tracer);
      return { trace: await runTask(tracer.result(result, after)), result };
    },
  };
}
