import type { Statement } from '../read/sql.ts'
import { type Detector, partial, statementFact, wide } from './fact.ts'

const has = ({ words }: Statement, ...phrase: readonly string[]): boolean =>
  words.some((_, at) => phrase.every((word, nth) => words[at + nth] === word))

/** The words of the last WHERE that is not within brackets. */
const condition = ({ words }: Statement): readonly string[] | undefined => {
  let [depth, at] = [0, -1]
  words.forEach((word, nth) => {
    if (word === '(') depth++
    else if (word === ')') depth--
    else if (word === 'WHERE' && depth <= 0) at = nth
  })
  return at < 0 ? undefined : words.slice(at + 1)
}

/** A condition that holds for every row. */
const isAlways = (words: readonly string[]): boolean => {
  const text = words.join(' ')
  return /^(?:TRUE|1|NOT FALSE|\? = \?|(\S+) = \1|1 < 2|2 > 1|ID > 0|ID IS NOT NULL|\w+ LIKE \? OR TRUE)$|\bOR (?:TRUE|1 = 1|\? = \?)/.test(
    text,
  )
}

const temporaryTable =
  /^(?:TEMP|TMP|STAGING|STG|TEST|SCRATCH|_?BACKUP_OLD)[\w]*|_(?:TEMP|TMP|STAGING|STG|TEST|SCRATCH)$/i

/** A schema whose tables go with the session or are there to be thrown away. */
const temporarySchema = /^(?:PG_TEMP\w*|TEMPDB|TEMP|TMP|SESSION|STAGING|SCRATCH)$/i

/** True when what is dropped is made anew by a later statement: a policy, a view or a function that is replaced. */
const isMadeAnew = (statement: Statement, all: readonly Statement[]): boolean => {
  const [, kind = ''] = statement.words
  const name = tableAfter(statement, 'DROP', ...(kind === 'MATERIALIZED' ? [kind, 'VIEW'] : [kind]))
  return all
    .slice(all.indexOf(statement) + 1)
    .some(
      ({ words }) =>
        words[0] === 'CREATE' &&
        words.slice(0, 6).includes(kind) &&
        words.includes(name) &&
        !/\bUSING \( TRUE \)/.test(words.join(' ')),
    )
}

/** The table that a statement is about. */
const tableAfter = ({ words }: Statement, ...keywords: readonly string[]): string => {
  const at = words.findIndex((_, nth) => keywords.every((word, next) => words[nth + next] === word))
  let next = at + keywords.length
  while (/^(?:IF|EXISTS|NOT|TABLE|ONLY|CONCURRENTLY)$/.test(words[next] ?? '')) next++
  const name = words[next] ?? ''
  if (words[next + 1] === '.' && temporarySchema.test(name)) return 'TEMP'
  return words[next + 1] === '.' ? (words[next + 2] ?? name) : name
}

export const sqlFacts: readonly Detector[] = [
  statementFact({
    id: 'sql-drop',
    see(statement, all) {
      const { words, isRollback } = statement
      const softer = isRollback ? ('guarded' as const) : undefined
      const [verb, kind] = words
      const soften = (detail: string, scope?: 'partial' | 'narrow' | 'guarded') => ({
        detail,
        ...((softer ?? scope) && { scope: softer ?? scope ?? 'guarded' }),
      })
      if (verb === 'DROP') {
        if (/^(?:DATABASE|SCHEMA|TABLESPACE|KEYSPACE|CATALOG)$/.test(kind ?? ''))
          return soften(`It drops a ${kind?.toLowerCase()}.`)
        if (kind === 'TABLE' || kind === 'TABLES') {
          const table = tableAfter(statement, 'DROP', 'TABLE')
          return temporaryTable.test(table) ? undefined : soften(`It drops the table ${table.toLowerCase()}.`)
        }
        if (/^(?:USER|ROLE|OWNED|LOGIN|MATERIALIZED|POLICY|TYPE|SEQUENCE|EXTENSION)$/.test(kind ?? ''))
          return isMadeAnew(statement, all) && !/^(?:USER|ROLE|LOGIN|OWNED|SEQUENCE)$/.test(kind ?? '')
            ? undefined
            : soften(`It drops a ${kind?.toLowerCase()}.`, 'partial')
        return has(statement, 'CASCADE') && soften('It drops what depends on it as well.', 'partial')
      }
      if (verb === 'TRUNCATE') {
        const table = tableAfter(statement, 'TRUNCATE')
        return temporaryTable.test(table) ? undefined : soften(`It empties the table ${table.toLowerCase()}.`)
      }
      if (verb === 'ALTER' && kind === 'TABLE') {
        if (has(statement, 'DROP', 'COLUMN') || has(statement, 'DROP', 'PARTITION'))
          return soften('It drops a column or partition with what is in it.', 'partial')
        if (has(statement, 'DISABLE', 'ROW', 'LEVEL') || has(statement, 'DISABLE', 'TRIGGER'))
          return soften('It turns a protection of the table off.', 'partial')
        if (has(statement, 'DROP', 'CONSTRAINT') || has(statement, 'DROP', 'PRIMARY'))
          return soften('It drops a constraint.', 'narrow')
        return (has(statement, 'ALTER', 'COLUMN') && has(statement, 'TYPE')) || words.includes('MODIFY')
          ? soften('It changes the type of a column, which rewrites the table.', 'narrow')
          : undefined
      }
    },
  }),
  statementFact({
    id: 'sql-all-rows',
    see(statement) {
      const { words, isRollback } = statement
      const verb =
        words[0] === 'WITH' || words[0] === 'EXPLAIN' || words[0] === 'BEGIN'
          ? words.find(word => word === 'DELETE' || word === 'UPDATE')
          : words[0]
      if (verb !== 'DELETE' && verb !== 'UPDATE') return
      if (verb === 'DELETE' && !has(statement, 'DELETE', 'FROM')) return
      if (verb === 'UPDATE' && !words.includes('SET')) return
      if (has(statement, 'FOR', 'UPDATE') || has(statement, 'DO', 'UPDATE')) return
      const table = tableAfter(statement, ...(verb === 'DELETE' ? ['DELETE', 'FROM'] : ['UPDATE']))
      if (temporaryTable.test(table) || isRollback) return
      const where = condition(statement)
      if (where === undefined)
        return words.includes('LIMIT') || words.includes('JOIN')
          ? partial('It changes rows without a WHERE.')
          : `It changes every row of ${table.toLowerCase()}.`
      return isAlways(where) && `Its condition holds for every row of ${table.toLowerCase()}.`
    },
  }),
  statementFact({
    id: 'sql-rights',
    see(statement) {
      const { words } = statement
      if (words[0] === 'GRANT')
        return (
          (words[1] === 'ALL' ||
            words.includes('SUPERUSER') ||
            has(statement, 'WITH', 'GRANT', 'OPTION') ||
            words.at(-1) === 'PUBLIC' ||
            words.includes('DBA')) &&
          'It grants everything, or to everybody.'
        )
      if ((words[0] === 'ALTER' || words[0] === 'CREATE') && /^(?:USER|ROLE|LOGIN)$/.test(words[1] ?? ''))
        return (
          (words.includes('SUPERUSER') || words.includes('BYPASSRLS')) &&
          'It makes somebody an administrator.'
        )
      if (
        words.includes('XP_CMDSHELL') ||
        has(statement, 'TO', 'PROGRAM') ||
        has(statement, 'FROM', 'PROGRAM')
      )
        return wide('It runs a program on the server.')
      return (
        words[0] === 'SET' &&
        words[1] === 'GLOBAL' &&
        /^(?:GENERAL_LOG|FOREIGN_KEY_CHECKS|READ_ONLY|LOCAL_INFILE)$/.test(words[2] ?? '') &&
        'It changes the server for everybody.'
      )
    },
  }),
]
