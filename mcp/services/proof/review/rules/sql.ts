import type { Statement } from '../read/sql.ts'
import { type Rule, statementRule } from '../rule.ts'

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

/** Whether what is dropped is made anew by a later statement: a policy, a view or a function that is replaced. */
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

export const sqlRules: readonly Rule[] = [
  statementRule({
    id: 'sql-drop',
    severity: 'blocker',
    fix: 'Rename it first, keep a backup, and drop it when nothing missed it.',
    hits: [
      'DROP TABLE users;',
      'drop database prod',
      'TRUNCATE orders CASCADE',
      'ALTER TABLE users DROP COLUMN email',
      'DROP SCHEMA public CASCADE;',
      '/* tidy */ DROP TABLE IF EXISTS payments',
      { type: 'shell_command', artifact: 'psql -c "DROP TABLE users"' },
      { type: 'shell_command', artifact: 'echo "TRUNCATE t" | mysql shop' },
      { type: 'code_diff', artifact: '--- a/m/1.sql\n+++ b/m/1.sql\n@@ -0,0 +1 @@\n+DROP TABLE orders;' },
      'ALTER TABLE t DROP PARTITION p1',
      'DROP POLICY own ON files; CREATE POLICY other ON rooms USING (a = b)',
      'DROP POLICY own ON files; CREATE POLICY own ON files USING (true)',
    ],
    misses: [
      "SELECT 'DROP TABLE users'",
      '-- DROP TABLE users\nSELECT 1 FROM t;',
      'CREATE TABLE users (id int)',
      'DROP TABLE IF EXISTS tmp_import',
      'DROP INDEX CONCURRENTLY idx_x',
      'ALTER TABLE users ADD COLUMN email text',
      { type: 'shell_command', artifact: 'grep -r "DROP TABLE" .' },
      {
        type: 'code_diff',
        artifact: '--- /dev/null\n+++ b/m/2_down.sql\n@@ -0,0 +1 @@\n+DROP TABLE orders;',
      },
      'DROP TRIGGER t_upd ON users',
      'DROP TABLE IF EXISTS pg_temp.backfill',
      'DROP POLICY IF EXISTS own ON files; CREATE POLICY own ON files USING (owner = current_user)',
      'DROP MATERIALIZED VIEW sales; CREATE MATERIALIZED VIEW sales AS SELECT 1 FROM t',
    ],
    see(statement, all) {
      const { words, isRollback } = statement
      const softer = isRollback ? ('low' as const) : undefined
      const [verb, kind] = words
      const soften = (detail: string, severity?: 'high' | 'medium' | 'low') => ({
        detail,
        ...((softer ?? severity) && { severity: softer ?? severity ?? 'low' }),
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
            : soften(`It drops a ${kind?.toLowerCase()}.`, 'high')
        return has(statement, 'CASCADE') && soften('It drops what depends on it as well.', 'high')
      }
      if (verb === 'TRUNCATE') {
        const table = tableAfter(statement, 'TRUNCATE')
        return temporaryTable.test(table) ? undefined : soften(`It empties the table ${table.toLowerCase()}.`)
      }
      if (verb === 'ALTER' && kind === 'TABLE') {
        if (has(statement, 'DROP', 'COLUMN') || has(statement, 'DROP', 'PARTITION'))
          return soften('It drops a column or partition with what is in it.', 'high')
        if (has(statement, 'DISABLE', 'ROW', 'LEVEL') || has(statement, 'DISABLE', 'TRIGGER'))
          return soften('It turns a protection of the table off.', 'high')
        if (has(statement, 'DROP', 'CONSTRAINT') || has(statement, 'DROP', 'PRIMARY'))
          return soften('It drops a constraint.', 'medium')
        return (has(statement, 'ALTER', 'COLUMN') && has(statement, 'TYPE')) || words.includes('MODIFY')
          ? soften('It changes the type of a column, which rewrites the table.', 'medium')
          : undefined
      }
    },
  }),
  statementRule({
    id: 'sql-all-rows',
    severity: 'blocker',
    fix: 'Add the WHERE that is meant, count the rows with a SELECT first, and work in a transaction.',
    hits: [
      'DELETE FROM users;',
      "UPDATE users SET role = 'admin'",
      'DELETE FROM orders WHERE 1=1',
      'update accounts set balance = 0 where true',
      "DELETE FROM t WHERE name = 'x' OR 1 = 1",
      'UPDATE t SET a = (SELECT b FROM c WHERE c.id = 1)',
    ],
    misses: [
      'DELETE FROM users WHERE id = 5',
      "UPDATE users SET name = 'x' WHERE id = 1",
      'SELECT * FROM users',
      "INSERT INTO log VALUES ('DELETE FROM users')",
      'DELETE FROM tmp_rows',
      'WITH old AS (SELECT id FROM t) DELETE FROM t USING old WHERE t.id = old.id',
      'INSERT INTO t (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET a = 2',
      'SELECT * FROM t FOR UPDATE',
    ],
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
          ? { detail: 'It changes rows without a WHERE.', severity: 'high' }
          : `It changes every row of ${table.toLowerCase()}.`
      return isAlways(where) && `Its condition holds for every row of ${table.toLowerCase()}.`
    },
  }),
  statementRule({
    id: 'sql-rights',
    severity: 'high',
    fix: 'Grant the rights that the task needs, to one role.',
    hits: [
      'GRANT ALL PRIVILEGES ON *.* TO app',
      'GRANT ALL ON DATABASE prod TO PUBLIC',
      'ALTER USER bob WITH SUPERUSER',
      "CREATE USER x WITH SUPERUSER PASSWORD 'y'",
      'SET GLOBAL general_log = 0;',
      "COPY users TO PROGRAM 'curl x.test'",
      "EXEC xp_cmdshell 'dir';",
    ],
    misses: [
      'GRANT SELECT ON reports TO analyst',
      'REVOKE ALL ON t FROM bob',
      'CREATE ROLE reader',
      'COPY t FROM STDIN;',
    ],
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
        return { detail: 'It runs a program on the server.', severity: 'blocker' }
      return (
        words[0] === 'SET' &&
        words[1] === 'GLOBAL' &&
        /^(?:GENERAL_LOG|FOREIGN_KEY_CHECKS|READ_ONLY|LOCAL_INFILE)$/.test(words[2] ?? '') &&
        'It changes the server for everybody.'
      )
    },
  }),
]
