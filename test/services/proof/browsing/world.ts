import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openBrowsers } from '../../../../mcp/ports/browser/open.ts'
import { openFetch } from '../../../../mcp/ports/fetch/fetch.ts'
import { openGuard } from '../../../../mcp/ports/fetch/guard.ts'
import { openFolder } from '../../../../mcp/ports/files/folder.ts'
import { withOwners } from '../../../../mcp/ports/files/owners.ts'
import { openSandboxes } from '../../../../mcp/ports/sandbox/open.ts'
import { openWorkers } from '../../../../mcp/ports/workers/workers.ts'
import { artifactSettings } from '../../../../mcp/services/proof/artifact.ts'
import { proofSettings } from '../../../../mcp/services/proof/config.ts'
import { openEmbedded } from '../../../../store/embedded/open.ts'
import type { Store } from '../../../../store/index.ts'
import { hasBrowser } from '../../../ports/browser/has-browser.ts'
import { startSite } from '../../../ports/browser/site.ts'
import { startProof } from '../run.ts'

type Options = {
  store?: Store
  /** Where Chromium is. Default: where it is on this machine. */
  browser?: string
  concurrency?: number
  megabytes?: number
  /** Where the bytes of files lie. Default: a folder of its own. */
  folder?: string
}

/** The verification service with what browse needs, over a site of hostile pages. */
export const startBrowsing = async ({
  store: given,
  browser = hasBrowser ?? 'off',
  concurrency = 3,
  megabytes = 50,
  folder,
}: Options = {}) => {
  const dir = await mkdtemp(join(tmpdir(), 'octagent-browsing-'))
  const store = given ?? (await openEmbedded({ dir: join(dir, 'store') }))
  const site = await startSite()
  const fetch = openFetch({
    ...site.guard,
    userAgent: 'Octagent/test',
    budget: { host: 1_000_000, domain: 1_000_000, address: 1_000_000 },
  })
  const workers = openWorkers()
  const browsers = openBrowsers({ guard: openGuard(site.guard), path: browser, concurrency })
  const place = folder ?? join(dir, 'files')
  let shift = 0
  const clock = { now: () => new Date(Date.now() + shift) }
  const files = withOwners(openFolder(place), { store, clock, maxBytes: 100_000_000 })
  const proof = await startProof({
    store,
    ports: {
      fetch,
      workers,
      browsers,
      files,
      clock,
      sandboxes: openSandboxes({ python: '/usr/bin/absent', packages: '/absent', concurrency: 1 }),
    },
    settings: [
      [proofSettings.enterpriseCallers, []],
      [artifactSettings.artifactMegabytes, megabytes],
      [artifactSettings.artifactDays, 7],
    ],
  })
  return {
    ...proof,
    site,
    files,
    clock,
    folder: place,
    later: (ms: number) => {
      shift += ms
      proof.later(ms)
    },
    async stop() {
      await proof.stop()
      await browsers.close()
      await fetch.close()
      await workers.close()
      site.stop()
      if (!given) await store.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
