import type { Ports } from '../../../ports/index.ts'
import { open } from '../headers/open.ts'
import type { Note } from '../meta.ts'
import { inNames, lookUpNames } from './names.ts'
import { fingerprints, type PageEvidence } from './page.ts'
import { inResponse } from './response.ts'
import { weigh } from './score-evidence.ts'

const limits = { maxBytes: 1024 * 1024, mostNodes: 60_000 }

/** Less text than this, with scripts, is a page that scripts draw. */
const minText = 200

const aboutPage = (page: PageEvidence | null): Note[] => {
  if (!page || page.textLength >= minText || page.scripts === 0) return []
  return [
    {
      code: 'drawn_by_scripts',
      message: 'Scripts draw the page; what they load on their own is not seen.',
    },
  ]
}

/** Detects what a site is made with, from one page and what the DNS says of its host. */
export const detect = async (
  { dns, ...web }: Pick<Ports, 'fetch' | 'workers' | 'dns'>,
  url: string,
  signal: AbortSignal,
) => {
  const host = new URL(url).hostname
  const early = lookUpNames(dns, host, signal)
  early.catch(() => {})
  const openedPage = await open(web, url, fingerprints, { ...limits, signal, options: {} })
  const { fetched, page, warnings, truncated } = openedPage
  const finalHost = new URL(fetched.url).hostname
  const names = await (finalHost === host ? early : lookUpNames(dns, finalHost, signal))
  const isWalled = fetched.headers['cf-mitigated'] !== undefined
  const evidence = [
    ...inResponse(fetched.hops),
    ...inNames(names),
    ...(isWalled ? [] : (page?.evidence ?? [])),
  ]
  return {
    fetched,
    technologies: weigh(evidence),
    warnings: [...warnings, ...(isWalled ? [] : aboutPage(page))],
    truncated,
  }
}
