import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CallRecord, World } from '../mcp/kernel/call.ts'
import { openLimits } from '../mcp/kernel/pipeline/limits.ts'
import { openKeys } from '../mcp/ports/keys/keys.ts'
import { openEmbedded } from '../store/embedded/open.ts'
import { openShell } from '../web/shell.ts'

export type TestWorld = World & {
  /** What was recorded, oldest first. */
  records: CallRecord[]
  /** Sets the address that URLs are built from. */
  at(url: string): void
  stop(): Promise<void>
}

/** A real world without a network: embedded store in a folder of its own, real clock, real keys, no payment rail. */
export const openTestWorld = async (more: Partial<World> = {}): Promise<TestWorld> => {
  const dir = await mkdtemp(join(tmpdir(), 'octagent-test-'))
  const clock = more.ports?.clock ?? { now: () => new Date() }
  const store = await openEmbedded({ dir, now: () => clock.now() })
  const records: CallRecord[] = []
  const site = { organization: 'Octagent', url: 'http://127.0.0.1:8402' }
  return {
    site,
    base: service => `${site.url}/${service.slug}`,
    shell: openShell({ site: () => site.url, rooms: () => [] }),
    limits: openLimits(),
    perMinute: 1_000_000,
    record: entry => void records.push(entry),
    own: new Map(),
    ...more,
    ports: { store, clock, keys: openKeys(randomBytes(32)), ...more.ports },
    records,
    at: url => {
      site.url = url
    },
    async stop() {
      await store.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
