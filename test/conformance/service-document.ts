import { readFileSync } from 'node:fs';

/** A row of a table of methods. */
export interface MethodRow {
  readonly name: string;
  /** The text of each parameter, in order. */
  readonly params: readonly string[];
  readonly result: string;
}

/** A row of the table of an object's fields. */
export interface FieldRow {
  /** Several names if the object has exactly one of them. */
  readonly names: readonly string[];
  /** True for a field that is `null` in an unmined block. */
  readonly isNullWhenPending: boolean;
  readonly meaning: string;
}

function readSections(file: string): Map<string, string> {
  const text = readFileSync(new URL(`../../fixtures/service/${file}`, import.meta.url), 'utf8');
  const sections = text.split(/^### /m).slice(1);
  return new Map(
    sections.map((section) => {
      const end = section.indexOf('\n');
      return [section.slice(0, end), section.slice(end)];
    }),
  );
}

/** The cells of the rows of a table, without its two heading lines. */
function tableRows(section: string): string[][] {
  const lines = section.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

function quotedNames(text: string): string[] {
  return Array.from(text.matchAll(/`([A-Za-z0-9_]+)`/g), (match) => match[1] ?? '');
}

const WITHOUT_DESCRIPTION = 'Methods listed without a description';

/** The methods in tables of the service document. */
export function describedMethods(): MethodRow[] {
  const sections = readSections('methods.md');
  return Array.from(sections).flatMap(([heading, section]) => {
    if (heading === WITHOUT_DESCRIPTION) return [];
    return tableRows(section).map(([method = '', params = '', result = '']) => ({
      name: quotedNames(method).join(),
      params: params
        .split(/(?:^|\. )\d: /)
        .map((param) => param.trim())
        .filter((param) => param !== '' && param !== 'none'),
      result,
    }));
  });
}

function undescribedMethods(paragraph: RegExp): string[] {
  const section = readSections('methods.md').get(WITHOUT_DESCRIPTION) ?? '';
  const line = section.split('\n').find((text) => paragraph.test(text)) ?? '';
  return quotedNames(line).filter((name) => /^[a-z0-9]+_[A-Za-z0-9]+$/.test(name));
}

/** Methods that the service document lists by name only. */
export function namedMethods(): string[] {
  return undescribedMethods(/^Supported/);
}

/** Methods that the service document marks as unsupported or deprecated. */
export function rejectedMethods(): string[] {
  return undescribedMethods(/^Marked unsupported/);
}

/** A line of a table or of a numbered list of the document's rules. */
export interface RuleRow {
  /** The heading and the subject of the row: `Limits: Block range`. */
  readonly name: string;
  readonly text: string;
}

/** Number of first cells that identify a row, for tables that need more than one. */
const NAMING_CELLS: Readonly<Record<string, number>> = { 'States and transitions': 3 };

/** All rows of the rules. */
export function ruleRows(): RuleRow[] {
  return Array.from(readSections('rules.md')).flatMap(([heading, section]) => {
    const cells = tableRows(section).map((row) => ({
      name: `${heading}: ${row
        .slice(0, NAMING_CELLS[heading] ?? 1)
        .join(', ')
        .replaceAll('`', '')}`,
      text: row.join(' | '),
    }));
    const items = Array.from(section.matchAll(/^(\d+)\. (.*)$/gm), ([, number = '', text = '']) => ({
      name: `${heading}: ${number}`,
      text,
    }));
    return [...items, ...cells];
  });
}

/** The fields of the object under a heading (`Block object`). Throws if the table is absent. */
export function objectFields(heading: string): FieldRow[] {
  const rows = tableRows(readSections('fields.md').get(heading) ?? '');
  if (rows.length === 0) throw new Error(`there is no table of ${heading}`);
  return rows.map(([field = '', meaning = '']) => ({
    names: quotedNames(field),
    isNullWhenPending: field.endsWith('*') || meaning.includes('`null` when pending'),
    meaning,
  }));
}
