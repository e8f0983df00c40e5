/** Names of columns from the texts of header rows: the rows of a column joined with " / ", a repeated one once. */
const joinHeader = (rows: readonly (readonly string[])[], column: number): string => {
  const parts = rows.map(row => (row[column] ?? '').replace(/\s+/g, ' ')).filter(text => text !== '')
  return parts.filter((text, at) => text !== parts[at - 1]).join(' / ')
}

/** Names that differ: the second `a` is `a.1`, as in pandas, or what is free after it. */
const distinct = (names: readonly string[]): string[] => {
  const takenNames = new Set(names)
  const countByName = new Map<string, number>()
  return names.map(name => {
    const before = countByName.get(name)
    if (before === undefined) {
      countByName.set(name, 0)
      return name
    }
    let count = before + 1
    while (takenNames.has(`${name}.${count}`)) count++
    countByName.set(name, count)
    takenNames.add(`${name}.${count}`)
    return `${name}.${count}`
  })
}

/** The names of `columns` columns; one without a header is called `col` and its number from 1. */
export const columnNames = (headers: readonly (readonly string[])[], columns: number): string[] =>
  distinct(Array.from({ length: columns }, (_, column) => joinHeader(headers, column) || `col${column + 1}`))
