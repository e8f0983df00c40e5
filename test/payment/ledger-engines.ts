import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from 'vitest'
import { openEmbedded } from '../../store/embedded/open.ts'
import { postgresEngine, postgresIsHere, withDatabase } from '../store/database.ts'
import type { Engine } from '../store/suite.ts'

const embeddedEngine: Engine = {
  name: 'embedded',
  place: async () => {
    const dir = await mkdtemp(join(tmpdir(), 'octagent-ledger-'))
    return { open: () => openEmbedded({ dir }), clean: () => rm(dir, { recursive: true, force: true }) }
  },
}

/** Runs the tests on the embedded engine and, where there is one, on a real PostgreSQL. */
export const onBothEngines = (tests: (engine: Engine) => void): void => {
  describe('on the embedded engine', () => tests(embeddedEngine))
  describe.skipIf(!postgresIsHere)('on PostgreSQL', () => tests(postgresEngine(withDatabase())))
}
