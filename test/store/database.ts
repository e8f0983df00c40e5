import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, inject } from 'vitest'
import { openPostgres } from '../../store/postgres/open.ts'
import { createDatabase } from '../database.ts'
import { type PostgresServer, startPostgres } from '../postgres.ts'
import type { Engine } from './suite.ts'

declare module 'vitest' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: vitest declares an interface, and only that can be added to
  interface ProvidedContext {
    /** The address of the PostgreSQL of this test run; '' where there is none. */
    postgres: string
  }
}

/** False on a machine where the run's `globalSetup` said that PostgreSQL cannot run. */
export const postgresIsHere = inject('postgres') !== ''

/** Gives the tests of a file an empty database; returns the way to ask for its address once they run. */
export const withDatabase = (): (() => string) => {
  let own: PostgresServer | undefined
  let url = ''
  beforeAll(async () => {
    const shared = inject('postgres')
    if (shared === '') return
    if (!shared) own = await startPostgres()
    url = await createDatabase(shared || own?.url() || '')
  })
  afterAll(() => own?.stop())
  return () => url
}

/** A schema name that no other test uses. */
export const freshSchema = (): string => `s_${randomBytes(6).toString('hex')}`

/** The PostgreSQL engine for the suite: each place is a schema of its own in one database. */
export const postgresEngine = (url: () => string): Engine => ({
  name: 'postgres',
  place: async () => {
    const schema = freshSchema()
    return { open: () => openPostgres({ url: url(), schema }), clean: async () => undefined }
  },
})
