import type { Artifact } from '../artifact.ts'
import type { Line } from '../read/lines.ts'
import { type Hit, type Rule, wholeRule } from '../rule.ts'
import { diff, isCode } from './code-lines.ts'

const formats =
  /\b(?:[Ss]printf|String\.format|string\.Format|g_strdup_printf|asprintf|Format|format!?)\s*\(\s*(?:\w+\s*,\s*)?$/

const slot = /%[-\d.]{0,6}[sdvq]/g

/** A slot in which a name stands, of a column, a direction or a table, that cannot be bound. */
const nameSlot =
  /\b(?:ORDER\s+BY|GROUP\s+BY|FROM|JOIN|INTO|UPDATE|TABLE|ASC|DESC)\s+(?:[\w.]+\s*,\s*)?["`]?%[sv]/gi

/** Whether a name was looked up among constants, or is written as a name by the driver. */
const isLookedUp = (name: string, lines: readonly Line[]): boolean => {
  const given = new RegExp(
    `(?:^|[\\s(,])${name}(?:\\s*,\\s*\\w+)?\\s*:?=\\s*(?:[\\w.]{1,40}\\[|[\\w.]{1,40}\\.(?:get|fetch|Get)\\(|["'][\\w ,]+["']\\s*$|pq\\.Quote|pgx\\.Identifier|quote_?ident|sql\\.Identifier)`,
    'i',
  )
  return lines.some(({ change, text }) => change !== 'removed' && given.test(text))
}

/** Whether only names stand in the slots of a query, and each was chosen from those that there are. */
export const isChosenName = ({ text, file }: Line, { lines }: Artifact): boolean => {
  const query = /Sprintf\(\s*(?:`([^`]{1,600})`|"((?:[^"\\]|\\.){1,600})")\s*,\s*([^()]{1,200})\)/.exec(text)
  if (!query) return false
  const sql = (query[1] ?? query[2] ?? '').replaceAll('%%', '')
  if ((sql.match(slot) ?? []).length !== (sql.match(nameSlot) ?? []).length) return false
  const names = (query[3] ?? '').split(',').map(name => name.trim())
  const near = lines.filter(line => line.file === file)
  return names.every(name => /^[A-Za-z_]\w{0,40}$/.test(name) && isLookedUp(name, near))
}

/** The beginning of a statement of SQL within a text. */
const statement =
  /["'`]\s{0,20}(?:SELECT\b[^"`\n]{1,200}\bFROM\b|INSERT\s+INTO\b|UPDATE\s+\w+\s+SET\b|DELETE\s+FROM\b)/i

const filled: readonly RegExp[] = [
  /["'`](?:SELECT|INSERT|UPDATE|DELETE)\b[^"\n]{0,300}(?:=|LIKE|IN|\(|BY)\s*'?%?\{\w{0,20}\}[^"\n]{0,100}["'`]\.format\(/i,
  /"(?:SELECT\b[^"\n]{1,200}\bFROM|DELETE\s+FROM|UPDATE\s+\w+\s+SET|INSERT\s+INTO)\b[^"\n]{0,300}(?:=|LIKE|IN\s?\(|BY|VALUES\s?\()\s*'?%?(?:\{?\$\{?[a-z]|\\\(|#\{)/i,
  /\$@?"(?:SELECT|DELETE|UPDATE|INSERT)\b[^"\n]{0,300}(?:=|LIKE|IN\s?\(|BY|VALUES\s?\()\s*'?%?\{[a-z]/i,
  /\.(?:append|Append)\(\s*["'][^"\n]{0,80}(?:=|LIKE|IN\s?\()\s*'?%?["']\s*\)\s*\.(?:append|Append)\(\s*[a-z]/,
]

export const queryRules: readonly Rule[] = [
  wholeRule({
    id: 'code-query-built',
    category: 'code',
    type: 'code_diff',
    severity: 'high',
    fix: 'Bind values as parameters; choose names of columns from a list in the code.',
    hits: [
      diff(
        'a.go',
        '+	rows, err := db.Query(fmt.Sprintf(',
        "+		`SELECT id FROM parcels WHERE code LIKE '%s%%' ORDER BY %s`, q, sort))",
      ),
      diff('A.java', '+  String q = String.format(', '+    "DELETE FROM carts WHERE owner = \'%s\'", name);'),
      diff('a.py', '+cur.execute("SELECT * FROM users WHERE name = \'{}\'".format(name))'),
      diff('a.php', '+$db->query("SELECT * FROM users WHERE id = $id");'),
      diff('A.kt', '+db.rawQuery("SELECT * FROM notes WHERE title = \'$title\'", null)'),
      diff('A.cs', '+var q = $"SELECT * FROM Orders WHERE Name = \'{name}\'";'),
      diff('A.java', '+  sql.append(" AND name = \'").append(name).append("\'");'),
    ],
    misses: [
      diff('a.go', '+	rows, err := db.Query(', '+		`SELECT id FROM parcels WHERE code = $1`, q)'),
      diff('a.go', '+	log.Printf(fmt.Sprintf(', '+		"selected %d rows from the list", n))'),
      diff('a.py', '+cur.execute("SELECT * FROM users WHERE name = %s", (name,))'),
      diff('A.java', '+  sql.append(" AND name = ?");'),
      diff(
        'a.go',
        '+	order, ok := columns[sort]',
        '+	rows, err := db.Query(fmt.Sprintf("SELECT id FROM parcels ORDER BY %s", order))',
      ),
    ],
    see: ({ lines }) => {
      const code = lines.filter(line => line.change !== 'removed' && isCode(line))
      return code.flatMap((line, nth): Hit[] => {
        const { text, change, place } = line
        if (change === 'context') return []
        const isFormat =
          statement.test(text) &&
          /(?:=|LIKE|IN|BY|\()\s*'?%{0,2}%[sv]/i.test(text) &&
          code.slice(Math.max(0, nth - 2), nth).some(before => formats.test(before.text))
        return isFormat || filled.some(pattern => pattern.test(text))
          ? [{ detail: `It puts values into a query: ${text.trim().slice(0, 60)}`, place }]
          : []
      })
    },
  }),
]
