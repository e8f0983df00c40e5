import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from 'vitest'
import { openEmbedded } from '../store/embedded/open.ts'
import { archivingPlace } from './store/archiving-place.ts'
import { bothWays, postgresEngine, withDatabase } from './store/database.ts'
import { storeSuite } from './store/suite.ts'

storeSuite({
  name: 'embedded',
  place: async () => {
    const dir = await mkdtemp(join(tmpdir(), 'octagent-store-'))
    return { open: () => openEmbedded({ dir }), clean: () => rm(dir, { recursive: true, force: true }) }
  },
})

describe('archiving all that it can', () => storeSuite({ name: 'embedded', place: archivingPlace }))

for (const way of bothWays())
  describe.skipIf(!way.isHere)(`on a real PostgreSQL, ${way.name}`, () => {
    const url = withDatabase()
    storeSuite(postgresEngine(url, way))
  })
