import { z } from 'zod'
import { AddressInput, parseAddress, toHostname } from './address.ts'
import type { Note } from './meta.ts'
import { identifiersIn } from './publisher/identifiers.ts'
import { judgePublisher, type PublisherVerdict } from './publisher/verdict.ts'
import { type PublisherVisit, verify } from './publisher/verify.ts'
import { skill } from './skill.ts'

/** The address that a copy in an archive stands for: `https://web.archive.org/web/2020…/https://…`. Null where none is named. */
const findOriginal = (url: string): string | null => {
  const { pathname, search, hash } = new URL(url)
  const embeddedUrl = /\/(https?:\/{1,2}[^\s]{4,2000})$/i.exec(`${pathname}${search}${hash}`)?.[1]
  if (!embeddedUrl) return null
  const full = embeddedUrl.replace(/^(https?:)\/{1,2}/i, '$1//')
  return URL.canParse(full) ? new URL(full).href : null
}

const text = (what: string) => z.string().nullable().describe(what)

const Publisher = z.object({
  name: text('Name; null when only the suffix is known'),
  country: text('ISO 3166-1 code or EU; null for international bodies'),
  kind: z.string().describe('legislation, gazette, court, parliament, government, authority, commercial, …'),
  level: text('eu, national, regional or international; null for others'),
})

const publisher = (what: string) => Publisher.nullable().describe(what)

/** The host that the verdict is about: the final one, or the one asked for where the visit failed. */
const finalVerdict = (
  requestedVerdict: PublisherVerdict,
  { final_url: finalUrl }: PublisherVisit,
): PublisherVerdict => (finalUrl === null ? requestedVerdict : judgePublisher(finalUrl))

const redirectNotes = (requestedVerdict: PublisherVerdict, verdict: PublisherVerdict): Note[] => {
  if (requestedVerdict.host === verdict.host || requestedVerdict.official === verdict.official) return []
  const message = verdict.official
    ? `It leads from ${requestedVerdict.host}, which is not official, to ${verdict.host}, which is.`
    : `It leads away from ${requestedVerdict.host}, which is official, to ${verdict.host}, which is not.`
  return [{ code: verdict.official ? 'leads_to_official' : 'leaves_official', message }]
}

export default skill({
  id: 'source-verify',
  argument: 'url',
  price: '0.003',
  tags: ['legal', 'source', 'trust'],
  keywords: ['law', 'court', 'judgment', 'site', 'fake', 'gazette'],
  openWorld: true,
  cacheSec: 300,
  key: ({ url }) => parseAddress(url),
  target: ({ url }) => toHostname(url),
  title: 'Verify a legal source',
  description:
    'Tells whether a URL is live, where it leads, its title, and whether its publisher is official: EU, Belgian, Dutch and other legal publishers by list, public bodies by suffix. Flags look-alike hosts and archive copies; reads ELI, ECLI and CELEX. Free over A2A and MCP, else 0.003 USD.',
  input: z.object({ url: AddressInput }),
  output: z.object({
    url: z.string().describe('The address that was asked for, absolute'),
    live: z.boolean().nullable().describe('Whether the page is there; null when that is not known'),
    status: z.number().int().nullable().describe('HTTP status after redirects; null without an answer'),
    final_url: text('Where the last redirect led; null without an answer'),
    redirected: z.boolean().nullable().describe('Whether it redirects'),
    title: text('Title of the page'),
    official: z.boolean().describe('The final host belongs to an official publisher'),
    confidence: z.enum(['high', 'medium', 'low']).describe('How sure that is'),
    host: z.string().describe('The host that is judged: the final one, else the one asked for'),
    publisher: publisher('Publisher at that host; null when not known'),
    matched_by: z.enum(['list', 'tld', 'none']).describe('What told: the curated list, or the suffix'),
    requested: z
      .object({
        host: z.string().describe('Host'),
        official: z.boolean().describe('Whether it is official'),
        publisher: publisher('Its publisher'),
      })
      .describe('The same for the host that was asked for'),
    lookalike: z
      .object({
        of: z.string().describe('Official host'),
        how: z.enum(['embedded', 'homoglyph', 'other_suffix', 'typo']).describe('What makes it look like it'),
      })
      .nullable()
      .describe('The official host that the final or the requested one imitates'),
    archive: z
      .object({ original: text('Address of what was copied') })
      .nullable()
      .describe('Set for a copy in an archive'),
    identifiers: z
      .array(
        z.object({
          scheme: z.string().describe('ELI, ECLI, CELEX, BWB, CVDR, NUMAC, LEGI, OB or BOE'),
          id: z.string().describe('Identifier'),
        }),
      )
      .describe('Identifiers of legal texts in the address'),
    reasons: z
      .array(
        z.object({
          code: z.string().describe('Stable code'),
          message: z.string().describe('The reason in a sentence'),
        }),
      )
      .describe('Why the verdict is what it is'),
    content_type: text('Content-Type header'),
  }),
  needs: ['fetch', 'workers', 'dns'],
  examples: [{ url: 'http://example.com/' }],
  summary: ({ host, official, publisher }) =>
    official
      ? `${host} is official (${publisher?.name ?? publisher?.country ?? 'public body'}).`
      : `${host} is not known to be official.`,
}).run(async ({ signal, ...ports }, { url: input }) => {
  const url = parseAddress(input) ?? input
  const requested = judgePublisher(url)
  const visit = await verify(ports, url, signal)
  const verdict = finalVerdict(requested, visit)
  const finalUrl = visit.final_url ?? url
  const identifierList = [...identifiersIn(finalUrl), ...identifiersIn(url)]
  const identifiers = new Map(
    identifierList.map(identifier => [`${identifier.scheme} ${identifier.id}`, identifier]),
  )
  return {
    url,
    live: visit.live,
    status: visit.status,
    final_url: visit.final_url,
    redirected: visit.redirected,
    title: visit.title,
    official: verdict.official,
    confidence: verdict.confidence,
    host: verdict.host,
    publisher: verdict.publisher,
    matched_by: verdict.matched_by,
    requested: { host: requested.host, official: requested.official, publisher: requested.publisher },
    lookalike: verdict.lookalike ?? requested.lookalike,
    archive: verdict.publisher?.kind === 'archive' ? { original: findOriginal(finalUrl) } : null,
    identifiers: [...identifiers.values()],
    reasons: [
      ...verdict.reasons,
      ...redirectNotes(requested, verdict),
      ...(visit.reason === null ? [] : [visit.reason]),
    ],
    content_type: visit.content_type,
    about: {
      sources: visit.final_url === null ? [] : [visit.final_url],
      warnings: visit.warnings,
      truncated: visit.truncated,
    },
    ...(visit.live === null && { keepSec: visit.failed ? 0 : 30 }),
  }
})
