import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, inject } from 'vitest'
import { openPostgres, type PostgresOptions } from '../../store/postgres/open.ts'
import { createDatabase } from '../database.ts'
import { type Pooler, pgBouncerIsHere, startPgBouncer } from '../pgbouncer.ts'
import type { Engine } from './suite.ts'

declare module 'vitest' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: vitest declares an interface, and only that can be added to
  interface ProvidedContext {
    /** Where to ask for what the files of this test run share: `/postgres`, `/browser?path=…`. */
    shared: string
    /** A folder in memory, or '', and one on disk, both of this run. */
    memory: string
    disk: string
  }
}

/** The PostgreSQL of this run, started by the first file that loads this one; '' on a machine where it cannot run. */
const serverUrl = async (): Promise<string> => {
  const response = await fetch(`${inject('shared')}/postgres`)
  const answer = await response.text()
  if (!response.ok) throw new Error(answer)
  return answer
}

const server = await serverUrl()

/** False on a machine where PostgreSQL cannot run. */
export const postgresIsHere = server !== ''

/** Gives the tests of a file an empty database; returns the way to ask for its address once they run. */
export const withDatabase = (): (() => string) => {
  let url = ''
  beforeAll(async () => {
    if (postgresIsHere) url = await createDatabase(server)
  })
  return () => url
}

/** A schema name that no other test uses. */
export const freshSchema = (): string => `s_${randomBytes(6).toString('hex')}`

/** How the tests reach the database: straight, or by way of a pooler that lends its connections by the transaction. */
export type Way = {
  name: string
  isHere: boolean
  /** What `openPostgres` is told of the database at an address. */
  to(url: string): Pick<PostgresOptions, 'url' | 'direct'>
}

const straight: Way = { name: 'straight', isHere: postgresIsHere, to: url => ({ url }) }

/** Both ways, for `describe.each`; PgBouncer runs once for a file, while its tests run. */
export const bothWays = (): Way[] => {
  let pooler: Pooler | undefined
  if (postgresIsHere && pgBouncerIsHere) {
    beforeAll(async () => {
      pooler = await startPgBouncer(server)
    })
    afterAll(() => pooler?.stop())
  }
  const pooled: Way = {
    name: 'through PgBouncer, by the transaction',
    isHere: postgresIsHere && pgBouncerIsHere,
    to: url => ({ url: pooler?.pooled(url) ?? url, direct: url }),
  }
  return [straight, pooled]
}

/** The PostgreSQL engine for the suite: each place is a schema of its own in one database. */
export const postgresEngine = (url: () => string, { to }: Way = straight): Engine => ({
  name: 'postgres',
  place: async () => {
    const schema = freshSchema()
    return { open: () => openPostgres({ ...to(url()), schema }), clean: async () => undefined }
  },
})
