import type { Ports } from '../../../ports/index.ts'
import { open } from '../headers/open.ts'
import type { Note } from '../meta.ts'
import { inNames, namesOf } from './names.ts'
import { fingerprints, type PageEvidence } from './page.ts'
import { inResponse } from './response.ts'
import { weigh } from './weigh.ts'

const most = { maxBytes: 1024 * 1024, mostNodes: 60_000 }

/** Less text than this, with scripts, is a page that scripts draw. */
const leastText = 200

const aboutPage = (page: PageEvidence | null): Note[] => {
  if (!page || page.textLength >= leastText || page.scripts === 0) return []
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
  const early = namesOf(dns, host, signal)
  early.catch(() => {})
  const opened = await open(web, url, fingerprints, { ...most, signal, options: {} })
  const { fetched, page, warnings, truncated } = opened
  const finalHost = new URL(fetched.url).hostname
  const names = await (finalHost === host ? early : namesOf(dns, finalHost, signal))
  const walled = fetched.headers['cf-mitigated'] !== undefined
  const evidence = [...inResponse(fetched.hops), ...inNames(names), ...(walled ? [] : (page?.evidence ?? []))]
  return {
    fetched,
    technologies: weigh(evidence),
    warnings: [...warnings, ...(walled ? [] : aboutPage(page))],
    truncated,
  }
}
