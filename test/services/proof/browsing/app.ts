import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openBrowsers } from '../../../../mcp/ports/browser/open.ts'
import { openFetch } from '../../../../mcp/ports/fetch/fetch.ts'
import { openGuard } from '../../../../mcp/ports/fetch/guard.ts'
import proof from '../../../../mcp/services/proof/service.ts'
import { openTestApp } from '../../../../testing.ts'
import { hasBrowser } from '../../../ports/browser/has-browser.ts'
import { startSite } from '../../../ports/browser/site.ts'

/** The verification service as it is served, over a site of hostile pages; the first calls of each new account are free. */
export const openBrowseApp = async (environment: Record<string, string> = {}) => {
  const dir = await mkdtemp(join(tmpdir(), 'octagent-browse-app-'))
  const site = await startSite()
  const fetch = openFetch({ ...site.guard, userAgent: 'Octagent/test' })
  const browsers = openBrowsers({
    guard: openGuard(site.guard),
    path: hasBrowser ?? 'off',
    concurrency: 3,
  })
  const app = await openTestApp({
    services: [proof],
    ports: { fetch, browsers },
    environment: { OCTAGENT_RATES: 'sat=0.0006', TRUST_PROXY: '1', ...environment },
  })
  return {
    dir,
    site,
    url: app.url,
    async stop() {
      await app.close()
      await browsers.close()
      await fetch.close()
      site.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

export type BrowseApp = Awaited<ReturnType<typeof openBrowseApp>>
