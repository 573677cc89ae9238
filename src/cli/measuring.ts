/** Measures what the options ask for, and prints and writes the reports when the node ends. */

import { basename } from 'node:path';
import { printable, SaveError, StartError } from '../config/errors.ts';
import type { NodeOptions } from '../config/options.ts';
import type { GasComparison } from '../inspect/gas/gas-difference.ts';
import type { GasMeter } from '../inspect/gas/gas-meter.ts';
import type { GasReport } from '../inspect/gas/gas-report.ts';
import { Measurements } from '../inspect/measurements.ts';
import type { ProfileMeter } from '../inspect/profile/profile-meter.ts';
import type { LogWriter } from '../log/log-writer.ts';
import type { ChainNode } from '../node/create-node.ts';
import { systemWords } from '../primitives/file-system.ts';
import { EXIT_CODES } from './command.ts';
import type { Host } from './host.ts';
import { checkSavable, readNamedFile } from './state/state-path.ts';

/** The file name that stands for the output of the process. */
const STANDARD_OUTPUT = '-';
const FILE_MODE = 0o644;
/** Transactions that take a second or more to be profiled. */
const MANY_WAITING = 1000;

/** The measures of a node that runs. */
export interface Measuring {
  readonly measurements: Measurements;
  /** Prints and writes the gas report; resolves to the exit code. Rejects with a `SaveError` when the file cannot be written. */
  finish(node: ChainNode, log: LogWriter): Promise<number>;
  /** Writes the profile when it is made, which may take minutes. Rejects with a `SaveError` when the file cannot be written. */
  finishProfile(log: LogWriter): Promise<void>;
}

type MeasuringOptions = Pick<NodeOptions, 'gasReport' | 'gasBaseline' | 'gasTolerance' | 'profile'> & {
  /** True to print at the end which files have reports. */
  readonly printsReports: boolean;
};

const NOTHING: Measuring = {
  measurements: new Measurements(),
  finish: async () => EXIT_CODES.success,
  finishProfile: async () => undefined,
};

/**
 * Returns the measures that the options ask for; nothing is loaded where they ask for none. Rejects with a {@link StartError}
 * for files that cannot be read, or written at the end.
 */
export async function openMeasuring(
  options: MeasuringOptions,
  errorLog: LogWriter,
  host: Host,
): Promise<Measuring> {
  const { gasReport: path, profile: profilePath } = options;
  if (path === null && profilePath === null) return NOTHING;
  if (path !== null && path !== STANDARD_OUTPUT) await checkSavable(host.fileSystem, 'gasReport', path);
  if (profilePath !== null) await checkSavable(host.fileSystem, 'profile', profilePath);
  const baseline = await readBaseline(options.gasBaseline, host);
  const onError = (error: unknown): void => errorLog.internalError(error);
  const asked = { gas: path !== null, profile: profilePath !== null };
  const measurements = await Measurements.load(asked, onError);
  const { gas, profile } = measurements;
  return {
    measurements,
    async finish(node, log) {
      if (gas === null || path === null) return EXIT_CODES.success;
      return finishGasReport(gas, node, { ...options, path, baseline }, log, host);
    },
    async finishProfile(log) {
      if (profile !== null && profilePath !== null)
        await writeProfile(profile, profilePath, options, log, host);
    },
  };
}

async function writeProfile(
  meter: ProfileMeter,
  path: string,
  { printsReports }: MeasuringOptions,
  log: LogWriter,
  host: Host,
): Promise<void> {
  const { profileContent, profileNote } = await import('../inspect/profile/profile-forms.ts');
  const { waiting } = meter;
  if (waiting > MANY_WAITING && printsReports)
    log.notice(`profiling ${waiting} more transactions; press Ctrl-C again to exit without the profile`);
  const profiled = await meter.profiled();
  await writeReport(path, await profileContent(path, profiled), '--profile', host);
  const note = profileNote(profiled);
  if (note !== null && printsReports) log.notice(note);
  if (printsReports) log.notice(`profile written to ${printable(path)}`);
}

async function readBaseline(path: string | null, { fileSystem }: Host): Promise<GasReport | null> {
  if (path === null) return null;
  const bytes = await readNamedFile(fileSystem, 'gasBaseline', path);
  const { parseGasReport } = await import('../inspect/gas/gas-difference.ts');
  const report = bytes === null ? null : parseGasReport(Buffer.from(bytes).toString('utf8'));
  if (report !== null) return report;
  const fault =
    bytes === null ? 'the file does not exist' : 'it is not a JSON gas report of this node-cli version';
  throw new StartError(
    `--gas-baseline: cannot compare with ${printable(path)}: ${fault}; create it with --gas-report ${printable(basename(path))}`,
  );
}

/** A report that is asked for. */
interface AskedGasReport extends MeasuringOptions {
  readonly path: string;
  readonly baseline: GasReport | null;
}

async function finishGasReport(
  meter: GasMeter,
  { inspector }: ChainNode,
  { path, baseline, gasBaseline, gasTolerance: tolerance, printsReports }: AskedGasReport,
  log: LogWriter,
  host: Host,
): Promise<number> {
  const { gasReport } = await import('../inspect/gas/gas-report.ts');
  const { compareGas } = await import('../inspect/gas/gas-difference.ts');
  const report = await gasReport(meter, inspector);
  const name = gasBaseline === null ? '' : printable(gasBaseline);
  const compared =
    baseline === null
      ? null
      : { comparison: compareGas(baseline, report, tolerance), baseline: { name, tolerance } };
  const { differenceLines, gasReportLines } = await import('../inspect/gas/gas-table.ts');
  if (path === STANDARD_OUTPUT) {
    log.report('gas-report', report, (style, width) => gasReportLines(report, width, style));
  } else {
    const { gasReportContent } = await import('../inspect/gas/gas-table.ts');
    await writeReport(path, gasReportContent(path, report, compared), '--gas-report', host);
    if (printsReports) log.notice(`gas report written to ${printable(path)}`);
  }
  if (compared === null) return EXIT_CODES.success;
  const { comparison, baseline: facts } = compared;
  log.report('gas-difference', differenceFacts(comparison, facts.name), (style) =>
    differenceLines(comparison, facts, style),
  );
  return comparison.isBeyond ? EXIT_CODES.gasGrew : EXIT_CODES.success;
}

function differenceFacts(comparison: GasComparison, baseline: string): object {
  return { baseline, ...comparison };
}

async function writeReport(path: string, content: string, flag: string, { fileSystem }: Host): Promise<void> {
  try {
    await fileSystem.writeSynced(path, Buffer.from(content), FILE_MODE);
  } catch (error) {
    throw new SaveError(`${flag}: cannot write ${printable(path)}: ${systemWords(error)}`);
  }
}
