import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { refused, startTown, type Town } from './town.ts'

let town: Town
beforeEach(async () => {
  town = await startTown()
})
afterEach(() => town.stop())

const days = (count: number) => count * 86_400_000
const host = 'releases.example.net'
const path = '/repos/a2aproject/A2A/releases/latest'

const release = {
  id: 99,
  tag_name: 'v1.2.0',
  name: 'Version 1.2',
  html_url: 'https://github.com/a2aproject/A2A/releases/tag/v1.2.0',
  published_at: '2026-10-01T10:00:00Z',
  prerelease: false,
}

const publish = (more: object = {}, headers: Record<string, string> = { etag: '"one"' }) =>
  town.internet.web.site(host, path, town.json({ ...release, ...more }, 200, headers))

const visits = () => town.internet.web.visits.filter(visit => visit.host === host)

type Entry = Record<string, Record<string, unknown>>
const look = async (input: object = { subject: 'a2a' }) => {
  const answer = await town.ask('live_utility', input)
  return { answer, entry: (answer.results as Entry[])[0] as Entry }
}

describe('the current release', () => {
  test('is fetched with its provenance, and kept for ten minutes', async () => {
    publish()
    const { answer, entry } = await look()
    expect(answer).toMatchObject({
      status: 'ok',
      count: 1,
      network_fetch_performed: true,
      membership_required: false,
    })
    expect(entry).toMatchObject({
      subject: 'a2a',
      status: 'current',
      result: { version: '1.2.0', release_id: '99', official_url: release.html_url, prerelease: false },
      source: { tier: 'official', locator: `http://${host}${path}` },
      evidence: { verification_method: 'fetched', content_digest: expect.stringMatching(/^sha256:/) },
      freshness: { state: 'fresh', age_days: 0, refresh_required: false },
      warning: null,
    })
    await look()
    expect(visits()).toHaveLength(1)
  })

  test('is asked about again with its validator, and 304 makes it fresh', async () => {
    publish({}, { etag: '"one"', 'cache-control': 'public, max-age=3600' })
    await look()
    town.internet.web.site(host, path, (request, response) =>
      response.writeHead(request.headers['if-none-match'] === '"one"' ? 304 : 500).end(),
    )
    town.later(days(6))
    const { entry } = await look()
    expect(visits().at(-1)?.headers['if-none-match']).toBe('"one"')
    expect(entry).toMatchObject({
      status: 'current',
      result: { version: '1.2.0' },
      evidence: { verification_method: 'revalidated' },
      freshness: { state: 'fresh', age_days: 0 },
    })
    town.internet.web.site(host, path, { status: 503 })
    town.later(days(2))
    expect((await look()).entry).toMatchObject({
      status: 'last_known_only',
      evidence: { verification_method: 'kept' },
      freshness: { state: 'fresh', age_days: 2 },
    })
  })

  test.each([
    ['403', { status: 403 }],
    ['429', { status: 429 }],
    ['no JSON', { body: 'down for maintenance' }],
    ['no release', { body: '{"message":"Not Found"}' }],
    ['a date that is none', { body: JSON.stringify({ ...release, published_at: 'soon' }) }],
    ['304 to a question without a validator', { status: 304 }],
  ])('stays the last known one when the source answers %s, and says so', async (_, page) => {
    publish({}, {})
    await look()
    town.internet.web.site(host, path, page)
    town.later(days(8))
    const { answer, entry } = await look()
    expect(answer).toMatchObject({ status: 'degraded', network_fetch_performed: false })
    expect(entry).toMatchObject({
      status: 'last_known_only',
      result: { version: '1.2.0' },
      freshness: { state: 'stale', age_days: 8, refresh_required: true },
      warning: expect.any(String),
    })
    town.later(days(23))
    expect((await look()).entry.freshness).toMatchObject({ state: 'expired', age_days: 31 })
  })

  test('is the one this program was made with while nobody can be asked', async () => {
    const { answer } = await look({})
    expect(answer).toMatchObject({ status: 'degraded', count: 2 })
    for (const entry of answer.results as Entry[])
      expect(entry).toMatchObject({
        status: 'last_known_only',
        result: { release_id: 'bundled', version: expect.stringMatching(/^\d/) },
        evidence: { verification_method: 'bundled', content_digest: null },
        warning: expect.stringMatching(/./),
      })
  })

  test('of one family may be missing while the other is there', async () => {
    publish()
    expect((await look({ subject: 'all' })).answer).toMatchObject({
      status: 'degraded',
      network_fetch_performed: true,
      results: [
        { subject: 'a2a', status: 'current' },
        { subject: 'mcp', status: 'last_known_only' },
      ],
    })
  })

  test.each([
    ['no context', undefined, 'unknown'],
    ['no version', { supported_protocols: ['a2a'] }, 'unknown'],
    ['another protocol', { supported_protocols: ['mcp'] }, 'incompatible'],
    ['the current version', { supported_protocol_versions: { a2a: '1.2' } }, 'compatible'],
    ['the current among others', { supported_protocol_versions: { a2a: ['0.3', 'v1.2.7'] } }, 'compatible'],
    [
      'an older one that still works',
      { supported_protocol_versions: { a2a: '1.0.0' } },
      'partially_compatible',
    ],
    ['one that never was', { supported_protocol_versions: { a2a: '0.1' } }, 'incompatible'],
  ])('fits a requester that tells %s: see', async (_, context, decision) => {
    publish()
    const { entry } = await look({ subject: 'a2a', ...(context && { context }) })
    expect(entry.compatibility).toMatchObject({ decision, reasons: [expect.stringMatching(/./)] })
  })

  test('of an unknown subject is refused with the subjects there are', async () => {
    const refusal = await refused(town.ask('live_utility', { subject: 'weather' }))
    expect(refusal).toMatchObject({
      status: 422,
      issues: [{ path: 'subject' }],
      params: { supported_subjects: ['all', 'a2a', 'mcp'] },
    })
  })
})
