/** Measures coverage, gas and profiles on request, and writes the reports when the node closes. */

import { basename, resolve } from 'node:path';
import type { LazyArtifacts } from '../artifacts/lazy-artifacts.ts';
import { printable, StartError } from '../config/errors.ts';
import type { NodeOptions } from '../config/options.ts';
import type { LazyInspector } from '../inspect/lazy-inspector.ts';
import type { LogWriter } from '../log/log-writer.ts';
import type { Coverage } from '../reports/coverage/coverage.ts';
import type { GasMeter } from '../reports/gas/gas-meter.ts';
import type { GasReport } from '../reports/gas/gas-report.ts';
import { Measurements } from '../reports/measurements.ts';
import type { ProfileMeter } from '../reports/profile/profile-meter.ts';

/** The file name for the output of the process. */
const STANDARD_OUTPUT = '-';
/** Transactions that take a second or more to profile. */
const MANY_WAITING = 1000;

/** An option that names the file of a report. */
export type ReportOption = 'coverage' | 'gasReport' | 'profile';

/** The files of reports. Paths are as the user wrote them. */
export interface ReportFiles {
  /** The folder of relative paths. */
  readonly workingDirectory: string;
  /** The number for `%p` in the path of `--coverage`. */
  readonly processId: number;
  /** Checks that the file can be written when the node closes. Rejects with a {@link StartError}. */
  check(option: ReportOption, path: string): Promise<void>;
  /** Reads the file of `--gas-baseline`; `null` if it does not exist. */
  readBaseline(path: string): Promise<Uint8Array | null>;
  /** Writes a report. Rejects with a `SaveError` or with the error of the system. */
  write(option: ReportOption, path: string, content: string): Promise<void>;
}

/** The output of reports. */
export interface ReportOutput extends Pick<LogWriter, 'notice' | 'report'> {
  /** True to print which files were written, and the notes about them. */
  readonly printsFiles: boolean;
  /** True if the output is for programs: notes are part of the report. */
  readonly isJson: boolean;
  /** Gets the note of an incomplete profile if files are not printed. */
  onIncompleteProfile(note: string): void;
}

type ReportSettings = Pick<
  NodeOptions,
  'coverage' | 'coverageExclude' | 'gasReport' | 'gasBaseline' | 'gasTolerance' | 'profile'
>;

/** The measurements of a node, and the reports about them. */
export class Reports {
  readonly measurements: Measurements;
  readonly #settings: ReportSettings;
  readonly #baseline: GasReport | null;
  /** The path of the coverage file; `null` for none. */
  readonly #coverageFile: string | null;
  readonly #files: ReportFiles;
  #coverage: Coverage | null = null;

  private constructor(
    measurements: Measurements,
    settings: ReportSettings,
    { baseline, coverageFile }: { readonly baseline: GasReport | null; readonly coverageFile: string | null },
    files: ReportFiles,
  ) {
    this.measurements = measurements;
    this.#settings = settings;
    this.#baseline = baseline;
    this.#coverageFile = coverageFile;
    this.#files = files;
  }

  /**
   * Loads the code of the requested measurements. `onError` receives a bug that ends their background work.
   * Rejects with a {@link StartError} for a file that cannot be read now or written later.
   */
  static async open(
    settings: ReportSettings,
    files: ReportFiles,
    onError: (error: unknown) => void,
  ): Promise<Reports> {
    const { gasReport, profile, coverage, gasBaseline } = settings;
    const coverageFile = coverage === null ? null : await coverageFileOf(coverage, files);
    if (coverageFile !== null) await files.check('coverage', coverageFile);
    if (gasReport !== null && gasReport !== STANDARD_OUTPUT) await files.check('gasReport', gasReport);
    if (profile !== null) await files.check('profile', profile);
    const baseline = gasBaseline === null ? null : await readBaseline(gasBaseline, files);
    const requested = { gas: gasReport !== null, profile: profile !== null };
    const measurements = await Measurements.load(requested, onError);
    return new Reports(measurements, settings, { baseline, coverageFile }, files);
  }

  /** Returns the coverage of the contracts; `null` unless the options request it. */
  async coverageOf(artifacts: LazyArtifacts): Promise<Coverage | null> {
    if (this.#settings.coverage === null) return null;
    const { Coverage } = await import('../reports/coverage/coverage.ts');
    this.#coverage = new Coverage(artifacts, this.#settings.coverageExclude);
    return this.#coverage;
  }

  /**
   * Writes and prints all reports, even if one fails. The profile is last, because it may take minutes.
   * Resolves to true if gas grew beyond `--gas-tolerance`. Rejects like {@link ReportFiles.write}.
   */
  async finish(inspector: LazyInspector, output: ReportOutput): Promise<boolean> {
    const { gas, profile } = this.measurements;
    try {
      return gas !== null && (await this.#finishGas(gas, inspector, output));
    } finally {
      try {
        await this.#finishCoverage(output);
      } finally {
        if (profile !== null) await this.#finishProfile(profile, output);
      }
    }
  }

  async #finishGas(meter: GasMeter, inspector: LazyInspector, output: ReportOutput): Promise<boolean> {
    const { gasReport: path, gasBaseline, gasTolerance: tolerance } = this.#settings;
    if (path === null) return false;
    const { gasReport } = await import('../reports/gas/gas-report.ts');
    const { compareGas } = await import('../reports/gas/gas-difference.ts');
    const { differenceLines, gasReportContent, gasReportLines } = await import('../reports/gas/gas-table.ts');
    const report = await gasReport(meter, inspector);
    const baseline = { name: gasBaseline === null ? '' : printable(gasBaseline), tolerance };
    const comparison = this.#baseline === null ? null : compareGas(this.#baseline, report, tolerance);
    if (path === STANDARD_OUTPUT) {
      output.report('gas-report', report, (style, width) => gasReportLines(report, width, style));
    } else {
      const content = gasReportContent(path, report, comparison && { comparison, baseline });
      await this.#files.write('gasReport', path, content);
      if (output.printsFiles) output.notice(`gas report written to ${printable(path)}`);
    }
    if (comparison === null) return false;
    output.report('gas-difference', { baseline: baseline.name, ...comparison }, (style) =>
      differenceLines(comparison, baseline, style),
    );
    return comparison.isBeyond;
  }

  async #finishCoverage(output: ReportOutput): Promise<void> {
    const file = this.#coverageFile;
    if (this.#coverage === null || file === null) return;
    const { writeCoverage } = await import('../reports/coverage/coverage-reports.ts');
    const write = (path: string, text: string): Promise<void> => this.#files.write('coverage', path, text);
    const { notes, table, total, files } = await writeCoverage(this.#coverage, file, write);
    if (!output.printsFiles) return;
    output.report('coverage', { file, total, files, notes }, () => [...table, '']);
    if (output.isJson) return;
    for (const note of notes) output.notice(note);
    output.notice(`coverage written to ${printable(file)}`);
  }

  async #finishProfile(meter: ProfileMeter, output: ReportOutput): Promise<void> {
    const { profile: path } = this.#settings;
    if (path === null) return;
    const { profileContent, profileNote } = await import('../reports/profile/profile-forms.ts');
    const { waiting } = meter;
    if (waiting > MANY_WAITING && output.printsFiles)
      output.notice(`profiling ${waiting} more transactions; press Ctrl-C again to exit without the profile`);
    const profiled = await meter.profiled();
    await this.#files.write('profile', path, await profileContent(path, profiled));
    const note = profileNote(profiled);
    if (!output.printsFiles) {
      if (note !== null) output.onIncompleteProfile(note);
      return;
    }
    if (note !== null) output.notice(note);
    output.notice(`profile written to ${printable(path)}`);
  }
}

async function coverageFileOf(path: string, { workingDirectory, processId }: ReportFiles): Promise<string> {
  const { coveragePath } = await import('../reports/coverage/coverage-reports.ts');
  return resolve(workingDirectory, coveragePath(path, processId));
}

async function readBaseline(path: string, files: ReportFiles): Promise<GasReport> {
  const bytes = await files.readBaseline(path);
  const { parseGasReport } = await import('../reports/gas/gas-difference.ts');
  const report = bytes === null ? null : parseGasReport(Buffer.from(bytes).toString('utf8'));
  if (report !== null) return report;
  const fault =
    bytes === null ? 'the file does not exist' : 'it is not a JSON gas report of this node-cli version';
  throw new StartError(
    `--gas-baseline: cannot compare with ${printable(path)}: ${fault}; create it with --gas-report ${printable(basename(path))}`,
  );
}
