import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { dayMs } from '../../lib/time.ts'
import { gatewaySettings } from './config.ts'
import { checkCompatibility, Requester } from './release/compatible.ts'
import { type Family, families } from './release/family.ts'
import { type ObservationResult, observe } from './release/observe.ts'

const staleDays = 7
const expiredDays = 30

const subjects = ['all', 'a2a', 'mcp'] as const

const Entry = z.object({
  subject: z.enum(['a2a', 'mcp']).describe('What it is about'),
  status: z.enum(['current', 'last_known_only']).describe('last_known_only: the source could not be asked'),
  result: z
    .object({
      protocol: z.string().describe('Name of the specification'),
      version: z.string().describe('Newest release'),
      release_name: z.string().describe('Its name'),
      published_at: z.iso.datetime().describe('When it was published'),
      official_url: z.string().describe('Where it stands'),
      prerelease: z.boolean().describe('Whether it is one'),
      release_id: z.string().describe('Id at the source; bundled for the snapshot of this program'),
    })
    .describe('The newest release'),
  source: z
    .object({
      name: z.string().describe('Who says so'),
      tier: z.literal('official').describe('Kind of source'),
      locator: z.string().describe('What was asked'),
    })
    .describe('Where it comes from'),
  evidence: z
    .object({
      observed_at: z.iso.datetime().describe('When it was seen'),
      content_digest: z.string().nullable().describe('sha256: of what was read; null for the snapshot'),
      verification_method: z.enum(['fetched', 'revalidated', 'kept', 'bundled']).describe('How it was seen'),
    })
    .describe('What it rests on'),
  freshness: z
    .object({
      state: z
        .enum(['fresh', 'stale', 'expired'])
        .describe(`stale after ${staleDays} days, expired after ${expiredDays}`),
      age_days: z.number().int().describe('Days since it was seen'),
      stale_after: z.iso.datetime().describe('When it becomes stale'),
      expires_at: z.iso.datetime().describe('When it expires'),
      refresh_required: z.boolean().describe('True when it should not be relied on'),
    })
    .describe('How recent it is'),
  compatibility: z
    .object({
      decision: z
        .enum(['compatible', 'partially_compatible', 'incompatible', 'unknown'])
        .describe('Whether you fit'),
      reasons: z.array(z.string()).describe('Why'),
    })
    .describe('How what you speak fits'),
  warning: z.string().nullable().describe('Why it is not fresher, or null'),
})

const toFreshness = (observed_at: string, now: Date) => {
  const at = Date.parse(observed_at)
  const days = Math.max(0, Math.floor((now.getTime() - at) / dayMs))
  const state =
    days >= expiredDays ? ('expired' as const) : days >= staleDays ? ('stale' as const) : ('fresh' as const)
  return {
    state,
    age_days: days,
    stale_after: new Date(at + staleDays * dayMs).toISOString(),
    expires_at: new Date(at + expiredDays * dayMs).toISOString(),
    refresh_required: state !== 'fresh',
  }
}

const toEntry = (
  family: Family,
  { observation, failure, fetched }: ObservationResult,
  now: Date,
  releases: string,
  requester: z.output<typeof Requester> | undefined,
) => {
  const { release, observed_at, digest, method } = observation
  return {
    subject: family.subject,
    status: fetched ? ('current' as const) : ('last_known_only' as const),
    result: {
      protocol: family.name,
      version: release.version,
      release_name: release.name,
      published_at: release.published_at,
      official_url: release.url,
      prerelease: release.prerelease,
      release_id: release.release_id,
    },
    source: { name: 'GitHub releases', tier: 'official' as const, locator: `${releases}${family.path}` },
    evidence: { observed_at, content_digest: digest, verification_method: method },
    freshness: toFreshness(observed_at, now),
    compatibility: checkCompatibility(family, release, requester),
    warning: failure,
  }
}

const selectFamilies = (subject: string) => {
  const matches = families.filter(family => subject === 'all' || family.subject === subject)
  if (matches.length > 0) return matches
  const message = `must be one of ${subjects.join(', ')}`
  throw new ToolError('invalid_input', `subject: ${message}.`, {
    issues: [{ path: 'subject', message }],
    params: { supported_subjects: subjects },
  })
}

export default tool({
  name: 'live_utility',
  title: 'Current releases of A2A and MCP',
  description:
    'Tells the newest release of the A2A and MCP specifications with provenance, freshness and whether what you speak fits. Works offline with what was last known, and says so. Free.',
  keywords: ['version', 'protocol', 'date', 'latest', 'spec', 'compatibility'],
  input: z.object({
    subject: z.string().max(40).default('all').describe('a2a, mcp or all'),
    context: Requester.optional().describe('What you speak, to be told whether it fits'),
  }),
  output: z.object({
    status: z.enum(['ok', 'degraded']).describe('degraded: a source could not be asked'),
    supported_subjects: z.array(z.enum(subjects)).describe('Subjects there are'),
    results: z.array(Entry).describe('One entry per subject'),
    count: z.number().int().describe('Number of entries'),
    network_fetch_performed: z.boolean().describe('Whether a source answered now'),
    membership_required: z.literal(false).describe('Nobody has to join for this'),
  }),
  needs: ['fetch', 'store', 'clock', 'cache', gatewaySettings.releases],
  price: free,
  limits: [{ perMinute: 60, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  mcp: 'unlisted',
  a2a: { tags: ['releases', 'a2a', 'mcp', 'free'] },
  rest: { routes: ['GET /utility/live', 'POST /utility/query'] },
  examples: [{ subject: 'a2a' }, { context: { supported_protocol_versions: { a2a: '1.0' } } }],
  summary: ({ results }) => results.map(({ subject, result }) => `${subject}: ${result.version}`).join(', '),
}).run(async (ctx, { subject, context }) => {
  const { cache, clock, releases } = ctx
  const looks = await Promise.all(
    selectFamilies(subject).map(async family => {
      const key = `gateway release ${family.subject}`
      const { value } = await cache.take(key, async () => {
        const value = await observe(ctx, family, AbortSignal.timeout(5000))
        return { value, seconds: value.fetched ? 600 : 30 }
      })
      return { family, seen: value }
    }),
  )
  const now = clock.now()
  const results = looks.map(({ family, seen: observed }) => toEntry(family, observed, now, releases, context))
  const up = looks.filter(({ seen: observed }) => observed.fetched).length
  return {
    status: up === looks.length ? ('ok' as const) : ('degraded' as const),
    supported_subjects: [...subjects],
    results,
    count: results.length,
    network_fetch_performed: up > 0,
    membership_required: false as const,
  }
})
