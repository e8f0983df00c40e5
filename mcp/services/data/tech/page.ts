import { extractor, type PageView } from '../../../lib/page/extractor.ts'
import { findSite } from '../redirects/facts.ts'
import { visibleText } from '../redirects/visible-text.ts'
import type { Lead } from './catalogue.ts'
import { findHost, leadsWith, type TechEvidence, toTechEvidence, versionInMatch } from './evidence.ts'
import { collectTraces, type PageResource, type Traces } from './traces.ts'

/** A host that is only prepared for, or that an image comes from, may be anybody's. */
const inHosts = (resources: readonly PageResource[]): TechEvidence[] =>
  resources.flatMap(({ url, use }) => {
    const toHostEvidence = (lead: Pick<Lead, 'name' | 'weak'>, sure: boolean) =>
      toTechEvidence({ name: lead.name, weak: lead.weak || !sure }, 'host', url.hostname)
    return [
      ...findHost('hosts', url.hostname, url.pathname).map(lead => toHostEvidence(lead, use === 'load')),
      ...findHost('pixels', url.hostname, url.pathname).map(lead => toHostEvidence(lead, use !== 'hint')),
    ]
  })

/** `app.js?ver=3.6.0` */
const versionInQuery = ({ searchParams }: URL): string | null =>
  /^\d+(?:\.\d+){1,3}$/.exec(searchParams.get('ver') ?? searchParams.get('v') ?? '')?.[0] ?? null

const inFiles = (resources: readonly PageResource[]): TechEvidence[] => {
  const files = resources.filter(({ use }) => use === 'load').map(({ url }) => url)
  return leadsWith('files').flatMap(lead => {
    const matches = files.flatMap(url => {
      const match = lead.hints.files.exec(url.pathname)
      return match ? [{ url, version: versionInMatch(match) ?? versionInQuery(url) }] : []
    })
    const best = matches.find(({ version }) => version !== null) ?? matches[0]
    return best ? [toTechEvidence(lead, 'file', best.url.pathname, best.version)] : []
  })
}

const inPaths = (resources: readonly PageResource[], pageUrl: string): TechEvidence[] => {
  const site = findSite(pageUrl)
  const own = resources.filter(({ url, use }) => use !== 'hint' && findSite(url.href) === site)
  const paths = [new URL(pageUrl).pathname, ...own.map(({ url }) => url.pathname)]
  return leadsWith('paths').flatMap(lead => {
    const path = paths.find(path => lead.hints.paths.test(path))
    return path === undefined
      ? []
      : [toTechEvidence(lead, 'path', path, versionInMatch(lead.hints.paths.exec(path)))]
  })
}

const inScripts = (code: string): TechEvidence[] =>
  leadsWith('inline').flatMap(lead => {
    const match = lead.hints.inline.exec(code)
    return match ? [toTechEvidence(lead, 'script', match[0], versionInMatch(match))] : []
  })

const inMetas = (metas: Traces['metas']): TechEvidence[] => [
  ...leadsWith('generator').flatMap(lead => {
    const value = metas.get('generator')?.find(value => lead.hints.generator.test(value))
    return value === undefined
      ? []
      : [toTechEvidence(lead, 'generator', value, versionInMatch(lead.hints.generator.exec(value)))]
  }),
  ...leadsWith('metas').flatMap(lead =>
    Object.entries(lead.hints.metas).flatMap(([name, pattern]) => {
      const value = metas.get(name)?.find(value => pattern.test(value))
      return value === undefined
        ? []
        : [toTechEvidence(lead, 'meta', `${name}: ${value}`, versionInMatch(pattern.exec(value)))]
    }),
  ),
]

const inMarkup = ({ marks, attributes }: Traces): TechEvidence[] => {
  const all = [...marks].join('\n')
  return [
    ...leadsWith('marks').flatMap(lead =>
      lead.hints.marks.filter(mark => marks.has(mark)).map(mark => toTechEvidence(lead, 'markup', mark)),
    ),
    ...leadsWith('markLike').flatMap(lead => {
      const match = lead.hints.markLike.exec(all)
      return match ? [toTechEvidence(lead, 'markup', match[0])] : []
    }),
    ...leadsWith('attributes').flatMap(lead =>
      Object.entries(lead.hints.attributes).flatMap(([name, pattern]) => {
        const match = pattern.exec(attributes.get(name) ?? '')
        return match
          ? [toTechEvidence(lead, 'attribute', `${name}=${match.input}`, versionInMatch(match))]
          : []
      }),
    ),
  ]
}

export type PageEvidence = { evidence: TechEvidence[]; textLength: number; scripts: number }

const readPageEvidence = ({ document, url }: PageView): PageEvidence => {
  const traces = collectTraces(document, url)
  const scripts = [...document.querySelectorAll('script[src]')].length
  return {
    evidence: [
      ...inHosts(traces.resources),
      ...inFiles(traces.resources),
      ...inPaths(traces.resources, url),
      ...inScripts(traces.inline),
      ...inMetas(traces.metas),
      ...inMarkup(traces),
    ],
    textLength: visibleText(document),
    scripts,
  }
}

/** Evidence from a page; looking for hundreds of things never stalls the server. */
export const fingerprints = extractor(import.meta.url, 'fingerprints', readPageEvidence, { heavy: true })
