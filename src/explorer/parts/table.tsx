import type { ComponentChildren, JSX } from 'preact';

/** The heading of a column. Numbers are aligned to the right. */
export type Column = string | { readonly number: string };

/** A table with column headings. The children are its rows. */
export function Table({
  columns,
  class: className,
  children,
}: {
  readonly columns: readonly Column[];
  readonly class?: 'narrow';
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <table class={className}>
      <thead>
        <tr>
          {columns.map((column) =>
            typeof column === 'string' ? (
              <th key={column} scope="col">
                {column}
              </th>
            ) : (
              <th key={column.number} scope="col" class="number">
                {column.number}
              </th>
            ),
          )}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}
