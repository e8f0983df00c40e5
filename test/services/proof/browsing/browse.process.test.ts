import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sweepArtifacts } from '../../../../mcp/services/proof/artifact.ts'
import { openPostgres } from '../../../../store/postgres/open.ts'
import { hasBrowser } from '../../../ports/browser/has-browser.ts'
import { freshSchema, postgresIsHere, withDatabase } from '../../../store/database.ts'
import { refusalOf } from '../run.ts'
import { startBrowsing } from './world.ts'

const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex')

type Artifact = { sha256: string; url: string; step: number; bytes: number }
type World = Awaited<ReturnType<typeof startBrowsing>>

let world: World
beforeAll(async () => {
  world = await startBrowsing()
})
afterAll(() => world?.stop())

const at = (path: string) => `${world.site.base}${path}`

/** Pays for a look that fails, and says whether anything was charged. */
const failedLook = async (input: object) => {
  const before = world.chain.debits()
  const { code, extra } = await refusalOf(world.buy('browse', input))
  return { code, reason: extra.reason, charged: world.chain.debits() !== before }
}

describe('text of a page', () => {
  test('is what people read, for its price, with a trace and an audit hash that recomputes', async () => {
    const before = world.chain.debits()
    const answer = await world.buy('browse', { url: at('/article') })
    expect(world.chain.debits() > before).toBe(true)
    expect(answer).toMatchObject({
      status: 'ok',
      action: 'extract_text',
      final_url: at('/article'),
      http_status: 200,
      content_type: 'text/html',
      title: 'News of the day',
      truncated: false,
      artifacts: [],
      artifact_token: null,
      runner: 'fetch',
      untrusted: true,
      trace: { redirects: [], blocked: [], loaded: true },
    })
    expect(answer.text).toContain('in the harbour')
    expect(answer.text).not.toMatch(/Buy now|unseen/)
    expect(answer.text_sha256).toBe(sha256(String(answer.text)))
    const audit = answer.audit as Record<string, unknown>
    expect(audit).toMatchObject({
      url_sha256: sha256(at('/article')),
      final_url_sha256: sha256(at('/article')),
      text_sha256: answer.text_sha256,
      screenshots_sha256: [],
      tier: 1,
    })
    expect(answer.audit_hash).toBe(sha256(canonicalize(audit) ?? ''))
    const proven = await world.buy('prove', { action_id: answer.action_id })
    expect(proven).toMatchObject({ opening: { content: { kind: 'browse', status: 'succeeded' } } })
  })

  test('may be that of a selector, a body as it came, or a page that is an error', async () => {
    expect(await world.buy('browse', { url: at('/article'), selector: 'aside, h1' })).toMatchObject({
      text: 'News\n\nBuy now',
    })
    expect(await world.buy('browse', { url: at('/article'), selector: '.absent' })).toMatchObject({
      text: '',
    })
    expect(await world.buy('browse', { url: at('/data.json'), action: 'fetch' })).toMatchObject({
      text: '{"a":1}',
      content_type: 'application/json',
      title: null,
    })
    expect(await world.buy('browse', { url: at('/absent') })).toMatchObject({
      http_status: 404,
      text: 'nothing',
    })
    expect(await world.buy('browse', { url: at('/hop') })).toMatchObject({
      final_url: at('/plain'),
      trace: { redirects: [{ url: at('/hop'), status: 302 }] },
    })
  })

  test('without an end is cut', async () => {
    const answer = await world.buy('browse', { url: at('/flood'), action: 'fetch', max_bytes: 2048 })
    expect(answer).toMatchObject({ truncated: true, text: 'a'.repeat(2048) })
  })

  test.each([
    ['/to-inside', 'upstream', 'unsafe_redirect'],
    ['/circle', 'upstream', undefined],
    ['/binary', 'upstream', 'not_text'],
  ])('of %s is refused and not charged', async (path, code, reason) => {
    world.site.hits.length = 0
    expect(await failedLook({ url: at(path) })).toEqual({ code, reason, charged: false })
    expect(world.site.hits).toEqual([])
  })

  test.each([
    [{ url: 'file:///etc/passwd' }, 'url'],
    [{ url: 'http://127.0.0.1/' }, 'url'],
    [{ url: 'http://2130706433/' }, 'url'],
    [{ url: 'http://user:pass@site.example/' }, 'url'],
    [{ url: 'http://site.example/', selector: 'p[' }, 'selector'],
    [{ url: 'http://site.example/', selector: 'p', action: 'fetch' }, 'selector'],
    [{ url: 'http://site.example/', steps: [{ action: 'screenshot' }] }, 'steps'],
    [{ url: 'http://site.example/', action: 'multi_step' }, 'steps'],
    [{ url: 'http://site.example/', action: 'multi_step', steps: [{ action: 'click' }] }, 'steps.0.selector'],
    [
      { url: 'http://site.example/', action: 'multi_step', steps: [{ action: 'wait', value: '20000' }] },
      'steps.0.value',
    ],
    [
      {
        url: 'http://site.example/',
        action: 'multi_step',
        steps: [{ action: 'navigate', url: 'http://10.0.0.1/' }],
      },
      'url',
    ],
    [
      {
        url: 'http://site.example/',
        action: 'multi_step',
        tier: 0,
        steps: Array(4).fill({ action: 'screenshot' }),
      },
      'steps',
    ],
    [{ url: 'http://site.example/', max_bytes: 1000 }, 'max_bytes'],
    [{ url: 'http://site.example/', viewport_width: 100 }, 'viewport_width'],
  ])('%j is refused before any charge', async (input, path) => {
    const before = world.chain.debits()
    // It is not even quoted.
    expect(await refusalOf(world.ask('browse', input))).toMatchObject({
      code: 'invalid_input',
      extra: { issues: [expect.objectContaining({ path })] },
    })
    expect(world.chain.debits()).toBe(before)
  })

  test('costs what its action and tier cost, and tier 3 has to be granted', async () => {
    const quote = async (input: object) =>
      ((await refusalOf(world.ask('browse', { url: at('/plain'), ...input }))) as { message: string }).message
    expect(await quote({})).toContain('0.3')
    expect(await quote({ tier: 2 })).toContain('1.2')
    if (hasBrowser) {
      expect(await quote({ action: 'screenshot' })).toContain('0.9')
      expect(await quote({ action: 'multi_step', steps: [{ action: 'screenshot' }] })).toContain('1.2')
    }
    expect(await refusalOf(world.ask('browse', { url: at('/plain'), tier: 3 }))).toMatchObject({
      code: 'forbidden',
    })
  })
})

describe.skipIf(!hasBrowser)('a browser', () => {
  test('shows a page, does steps, and keeps pictures for who paid', async () => {
    const answer = await world.buy('browse', {
      url: at('/hop'),
      action: 'multi_step',
      viewport_width: 400,
      viewport_height: 320,
      steps: [
        { action: 'screenshot' },
        { action: 'type', selector: '#i', value: 'typed' },
        { action: 'click', selector: 'button' },
        { action: 'wait', value: '10' },
        { action: 'screenshot' },
      ],
    })
    expect(answer).toMatchObject({
      status: 'ok',
      final_url: at('/plain'),
      title: 'Hello',
      runner: expect.stringMatching(/^chromium \d/),
      isolates: { network: expect.any(String) },
      trace: { redirects: [{ url: at('/hop'), status: 302 }], loaded: true },
    })
    expect(answer.text).toContain('typed')
    const [first, second] = answer.artifacts as [Artifact, Artifact]
    expect([first.step, second.step]).toEqual([0, 4])
    expect(first.sha256).not.toBe(second.sha256)
    expect((answer.audit as { screenshots_sha256: string[] }).screenshots_sha256).toEqual([
      first.sha256,
      second.sha256,
    ])
    expect(answer.audit_hash).toBe(sha256(canonicalize(answer.audit) ?? ''))

    const token = String(answer.artifact_token)
    const got = await fetch(first.url, { headers: { 'x-artifact-token': token } })
    expect(got.headers.get('content-type')).toBe('image/png')
    const bytes = new Uint8Array(await got.arrayBuffer())
    expect(sha256(bytes)).toBe(first.sha256)
    expect(await world.ask('get_artifact', { sha256: first.sha256, artifact_token: token })).toMatchObject({
      base64: Buffer.from(bytes).toString('base64'),
    })
    // Nobody else learns that there is such a thing.
    for (const headers of [{}, { 'x-artifact-token': 'art_other' }])
      expect((await fetch(first.url, { headers: headers as Record<string, string> })).status).toBe(404)
    for (const artifact_token of [undefined, 'art_other'])
      expect(
        await refusalOf(world.ask('get_artifact', { sha256: first.sha256, artifact_token })),
      ).toMatchObject({ code: 'not_found' })
    expect(await world.ask('list_artifacts', {})).toMatchObject({ artifacts: [], bytes: 0 })
    expect(await world.ask('list_artifacts', { artifact_token: token })).toMatchObject({
      artifacts: [{}, {}],
      bytes: first.bytes + second.bytes,
    })

    await world.ask('delete_artifact', { sha256: first.sha256, artifact_token: token })
    expect((await fetch(first.url, { headers: { 'x-artifact-token': token } })).status).toBe(404)
    const sweep = () =>
      sweepArtifacts.run({
        store: world.store,
        clock: world.clock,
        files: world.files,
        signal: new AbortController().signal,
      } as never)
    await sweep()
    expect(await world.files.stat(first.sha256)).toBeUndefined()
    expect(await world.files.stat(second.sha256)).toBeDefined()
    world.later(7 * 86_400_000 + 1000)
    expect((await fetch(second.url, { headers: { 'x-artifact-token': token } })).status).toBe(404)
    await sweep()
    expect(await world.files.stat(second.sha256)).toBeUndefined()
  })

  test('reaches nothing inside, whatever a page tries', async () => {
    world.site.hits.length = 0
    const answer = await world.buy('browse', { url: at('/attack'), action: 'screenshot', wait_ms: 1500 })
    expect(world.site.hits).toEqual([])
    expect(answer.title).toMatch(/^attacked ?$/)
    const { blocked } = answer.trace as { blocked: { url: string }[] }
    expect(blocked.map(({ url }) => new URL(url).host)).toContain(new URL(world.site.inside).host)
    expect(JSON.stringify(answer)).not.toContain('SECRET-OF-THE-INSIDE')
  })

  test.each([
    ['/to-inside', 'invalid_input', undefined],
    ['/circle', 'upstream', 'too_many_redirects'],
    ['/auth', 'upstream', 'needs_password'],
    ['/gigabyte', 'upstream', 'download'],
  ])('of %s is refused and not charged', async (path, code, reason) => {
    world.site.hits.length = 0
    expect(await failedLook({ url: at(path), action: 'screenshot', wait_ms: 0 })).toEqual({
      code,
      reason,
      charged: false,
    })
    expect(world.site.hits).toEqual([])
  })

  test('says which step failed, and does none after it', async () => {
    const answer = await world.buy('browse', {
      url: at('/plain'),
      action: 'multi_step',
      wait_ms: 0,
      steps: [{ action: 'navigate', url: at('/to-inside') }, { action: 'screenshot' }],
    })
    expect(answer).toMatchObject({ status: 'step_failed', steps: [{ ok: false }], artifacts: [] })
  })

  test('has room for so many looks: the next one waits its turn, and text needs none of it', async () => {
    const look = (path: string) => world.buy('browse', { url: at(path), action: 'screenshot' })
    const going = ['/hangs', '/hangs', '/hangs'].map(look)
    const next = look('/plain')
    expect(await world.buy('browse', { url: at('/plain') })).toMatchObject({ title: 'Hello' })
    await Promise.all(going)
    expect(await next).toMatchObject({ status: 'ok' })
  })

  test('keeps no more pictures than an owner may have, and charges nothing for what it cannot keep', async () => {
    const small = await startBrowsing({ megabytes: 1e-6 })
    const before = small.chain.debits()
    const look = { url: `${small.site.base}/plain`, action: 'screenshot', wait_ms: 0 }
    expect(await refusalOf(small.buy('browse', look))).toMatchObject({
      code: 'conflict',
      extra: { reason: 'artifacts_full' },
    })
    expect(small.chain.debits()).toBe(before)
    await small.stop()
  })
})

test('where there is no browser, text works and the rest is refused before any charge', async () => {
  const blind = await startBrowsing({ browser: 'off' })
  const url = `${blind.site.base}/plain`
  expect(await blind.buy('browse', { url })).toMatchObject({ title: 'Hello' })
  expect(await refusalOf(blind.ask('browse', { url, action: 'screenshot' }))).toMatchObject({
    code: 'unavailable',
    extra: { reason: 'browser_off' },
  })
  expect(await blind.ask('execution_status', {})).toMatchObject({
    browser: { available: false, reason: expect.stringContaining('turned it off'), version: null },
  })
  await blind.stop()
})

describe.skipIf(!hasBrowser || !postgresIsHere)('on PostgreSQL', () => {
  const url = withDatabase()

  test('two replicas keep pictures of the same bytes apart, each until its time', async () => {
    const schema = freshSchema()
    const stores = [openPostgres({ url: url(), schema }), openPostgres({ url: url(), schema })]
    const [first, second] = await Promise.all(stores)
    if (!first || !second) throw new Error('no store')
    const one = await startBrowsing({ store: first })
    const other = await startBrowsing({ store: second, folder: one.folder })
    const look = { url: `${one.site.base}/plain`, action: 'screenshot', wait_ms: 0, viewport_width: 400 }
    const answers = await Promise.all([one.buy('browse', look), one.buy('browse', look)])
    const tokens = answers.map(({ artifact_token }) => String(artifact_token))
    const [sha256, again] = answers.map(({ artifacts }) => (artifacts as Artifact[])[0]?.sha256)
    expect(again).toBe(sha256)
    // Whichever replica is asked.
    for (const artifact_token of tokens)
      expect(await other.ask('get_artifact', { sha256, artifact_token })).toMatchObject({ sha256 })
    const sweep = (world: World) =>
      sweepArtifacts.run({
        store: world.store,
        clock: world.clock,
        files: world.files,
        signal: new AbortController().signal,
      } as never)
    await one.ask('delete_artifact', { sha256, artifact_token: tokens[0] })
    await Promise.all([sweep(one), sweep(other)])
    expect(await other.ask('get_artifact', { sha256, artifact_token: tokens[1] })).toMatchObject({ sha256 })
    await other.ask('delete_artifact', { sha256, artifact_token: tokens[1] })
    await Promise.all([sweep(one), sweep(other)])
    expect(await one.files.stat(String(sha256))).toBeUndefined()
    await other.stop()
    await one.stop()
    await Promise.all([first.close(), second.close()])
  })
})
