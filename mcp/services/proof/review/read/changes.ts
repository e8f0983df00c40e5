/** Words for a setting that is no longer there: `(line removed)`, `deleted`, `unset`. */
export const goneForm =
  /^\W{0,2}(?:line |setting |key )?(?:removed|deleted|gone|unset|absent|dropped)\W{0,2}$/i

/** The value after of `30s -> 5m`; undefined where no arrow stands between two values. */
export const splitArrow = (value: string): string | undefined => {
  const at = /\s(?:-{1,2}>|→|⇒|=>)\s/.exec(value)
  // An arrow within a map belongs to one of its pairs.
  if (!at || at.index === 0 || /^\[?\{/.test(value)) return undefined
  return value.slice(at.index + at[0].length).trim()
}

/** The row of a list of changes: `PermitRootLogin no -> yes` is a name, what it was and what it is. */
export const readArrowRow = (row: string): { key: string; change: string } | undefined => {
  if (!/\s(?:-{1,2}>|→|⇒|=>)\s/.test(row)) return undefined
  const [, key, change] =
    /^(?:[-*•]\s)?["'`]?([A-Za-z_][\w./[\]-]{1,100})["'`]?\s{0,3}[:=]?\s+(\S.*)$/.exec(row) ?? []
  return key === undefined || change === undefined || splitArrow(change) === undefined
    ? undefined
    : { key, change }
}

/** The changes that stand on one row: `topic x: cleanup.policy compact -> delete, retention.ms -1 -> 60000`. */
export const splitChanges = (row: string): string[] => {
  if (row.length > 600 || /[{}[\]]/.test(row)) return []
  const parts = row.split(/[,;]\s/)
  return parts.length > 1 && parts.every(part => /\s(?:-{1,2}>|→|⇒|=>)\s/.test(part))
    ? parts.map(part => part.replace(/^.*:\s(?=\S+\s)/, '').trim())
    : []
}
