import { ToolError } from '../../../kernel/error.ts'
import { metadata } from '../../../lib/page/metadata.ts'
import type { Fetched } from '../../../ports/fetch/port.ts'
import type { Ports } from '../../../ports/ports.ts'
import { readHtmlPage } from '../headers/open.ts'
import { parseHsts } from '../headers/transport.ts'
import { detect } from '../tech/detect.ts'
import { group } from '../tech/group.ts'

/** The web site of a domain: what it answered, and what failed before it did. */
export type DomainSite = Awaited<ReturnType<typeof detect>> & { httpsFailure: string | null }

type Web = Pick<Ports, 'fetch' | 'workers' | 'dns'>

const isOutage = (error: unknown): error is ToolError =>
  error instanceof ToolError && (error.code === 'upstream' || error.code === 'invalid_input')

/** Visits a host over https, and over http where that fails. Throws what https threw when both do. */
export const visitSite = async (ports: Web, host: string, signal: AbortSignal): Promise<DomainSite> => {
  try {
    return { ...(await detect(ports, `https://${host}/`, signal)), httpsFailure: null }
  } catch (error) {
    if (!isOutage(error)) throw error
    try {
      return { ...(await detect(ports, `http://${host}/`, signal)), httpsFailure: error.message }
    } catch {
      throw error
    }
  }
}

const hasHsts = ({ url, hops }: Fetched): boolean => {
  const line = hops.at(-1)?.headers['strict-transport-security']?.[0]
  return url.startsWith('https:') && ((line && parseHsts(line)?.max_age) || 0) > 0
}

/** The site as it is shown. */
export const toWebFields = ({ fetched, technologies }: DomainSite) => {
  const { server, cdn, hosting, framework, cms } = group(technologies)
  return {
    url: fetched.url,
    status: fetched.status,
    server,
    cdn,
    hosting,
    framework,
    cms,
    tech: technologies.map(({ name }) => name),
    tech_count: technologies.length,
    https: fetched.url.startsWith('https:'),
    hsts: hasHsts(fetched),
  }
}

/** Reads the page's words about itself; null where the answer is no page. */
export const readMetadata = async (workers: Ports['workers'], { fetched }: DomainSite) => {
  const { page } = await readHtmlPage(workers, fetched, metadata, { options: {}, mostNodes: 20_000 })
  return page ? { title: page.title, description: page.description, lang: page.lang } : null
}
