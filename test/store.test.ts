import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from 'vitest'
import { openEmbedded } from '../store/embedded/open.ts'
import { postgresEngine, postgresIsHere, withDatabase } from './store/database.ts'
import { storeSuite } from './store/suite.ts'

storeSuite({
  name: 'embedded',
  place: async () => {
    const dir = await mkdtemp(join(tmpdir(), 'octagent-store-'))
    return { open: () => openEmbedded({ dir }), clean: () => rm(dir, { recursive: true, force: true }) }
  },
})

describe.skipIf(!postgresIsHere)('on a real PostgreSQL', () => {
  const url = withDatabase()
  storeSuite(postgresEngine(url))
})
