import type { Turns } from '../../primitives/scheduler.ts';
import type { Overlay } from '../../state/overlay.ts';
import type { Purpose } from '../admission.ts';
import type { ConsoleRecorder } from '../console/console-record.ts';
import type { BlockEnvironment, Message } from '../engine.ts';
import type { InterpreterEvents } from './interpreter-module.ts';

/** What the machine works on while a message runs. */
export interface MachineScene {
  readonly state: Overlay;
  readonly environment: BlockEnvironment;
  readonly message: Message;
  readonly purpose: Purpose;
  readonly observer: InterpreterEvents | null;
  readonly console: ConsoleRecorder;
  /** Measures how long the message has held the event loop. */
  readonly turns: Turns;
}
