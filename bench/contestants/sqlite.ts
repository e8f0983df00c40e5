import Database from 'better-sqlite3'
import { contest } from '../contestant.ts'
import { makeNote } from '../documents.ts'

/** better-sqlite3 with the same documents, as durable as ours: WAL, and a sync with every commit. */
const [path = '', count = '0', indexed = ''] = process.argv.slice(2)
const documents = Number(count)
const db = new Database(path)
db.pragma('journal_mode = WAL')
db.pragma('synchronous = FULL')

const plain = () => {
  db.exec('CREATE TABLE note (id TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID')
  const statement = db.prepare(`INSERT INTO note (id, body) VALUES (?, ?)
    ON CONFLICT (id) DO UPDATE SET body = excluded.body`)
  return (number: number, at: number) => {
    const note = makeNote(number, at)
    statement.run(note.id, JSON.stringify(note))
  }
}

const withIndexes = () => {
  db.exec(`CREATE TABLE note (id TEXT PRIMARY KEY, owner TEXT, at INTEGER, body TEXT NOT NULL) WITHOUT ROWID;
    CREATE INDEX note_owner ON note (owner, at);
    CREATE INDEX note_at ON note (at);`)
  const statement = db.prepare(`INSERT INTO note (id, owner, at, body) VALUES (?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET owner = excluded.owner, at = excluded.at, body = excluded.body`)
  return (number: number, at: number) => {
    const note = makeNote(number, at)
    statement.run(note.id, note.owner, note.at, JSON.stringify(note))
  }
}

const put = indexed ? withIndexes() : plain()
db.exec('BEGIN')
for (let number = 0; number < documents; number++) put(number, number)
db.exec('COMMIT')

contest(
  undefined,
  {
    /** So many writes per commit, one unless told, until the time is over. */
    write: ({ ms, group = 1 }: { ms: number; group?: number }) => {
      const began = performance.now()
      let writes = 0
      let at = Date.now()
      while (performance.now() - began < ms) {
        if (group > 1) db.exec('BEGIN')
        for (let n = 0; n < group; n++) put(Math.floor(Math.random() * documents), ++at)
        if (group > 1) db.exec('COMMIT')
        writes += group
      }
      return { writes, seconds: (performance.now() - began) / 1000 }
    },
  },
  () => db.close(),
)
