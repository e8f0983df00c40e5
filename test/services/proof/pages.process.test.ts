import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { anchorsIn } from '../../../mcp/services/proof/anchors/anchor.ts'
import { appendLeaf } from '../../../mcp/services/proof/ledger/leaf.ts'
import { openGrowth } from '../../../mcp/services/proof/ledger/statistics.ts'
import { cosignaturesIn } from '../../../mcp/services/proof/ledger/witnesses.ts'
import { reviewSettings } from '../../../mcp/services/proof/review/config.ts'
import { inBrowser, look, openBrowser } from '../../express/browser.ts'
import { startProof } from './run.ts'

const hostile = `"><script>document.title="taken"</script><img src=x onerror=alert(1)> </textarea></pre></main><style>body{display:none}</style> ${'W'.repeat(300)}`

const artifact = 'rm -rf "$HOME" # secret-of-the-caller'

const day = 86_400_000

let proof: Awaited<ReturnType<typeof startProof>>
const ids: Record<string, string> = {}
const posts: string[] = []

const buyProof = async (name: string, tool: string, input: object) => {
  const answer = await proof.buy(tool, input)
  const { proof_id } = (answer.proof ?? answer) as { proof_id: string }
  ids[name] = proof_id
  return answer
}

beforeAll(async () => {
  proof = await startProof({ settings: [[reviewSettings.knownBad, []]], ahead: -30 * day })
  for (let n = 0; n < 200; n++) {
    proof.later((((n * 37) % 11) * day) / 55)
    await proof.store.transaction(tx =>
      appendLeaf(tx, { type: 'submission', event_id: String(n) }, proof.clock.now()),
    )
  }
  await buyProof('private', 'review', { artifact, artifact_type: 'shell_command' })
  await buyProof('summary', 'review', {
    artifact,
    confidentiality_tier: 'partial_disclosure',
    disclosed_summary: `The summary. ${hostile}`,
  })
  await buyProof('full', 'review', {
    artifact: `${artifact}\n${hostile}`,
    confidentiality_tier: 'full_disclosure',
  })
  await buyProof('witness', 'witness', { source: 'weather.example.org', body: 'Rain at noon.' })
  const { opening } = await buyProof('execution', 'prove', {
    action_id: 'deploy-1',
    action: {
      kind: 'deploy',
      status: 'succeeded',
      started_at: '2026-01-05T10:00:00Z',
      finished_at: '2026-01-05T10:04:00Z',
      input: { note: hostile },
    },
  })
  await proof.ask('reveal_proof', { proof_id: ids.execution, ...(opening as object) })
  for (let n = 0; n < 25; n++) {
    const { message_id } = await proof.buy('message_post', {
      content: n === 3 ? hostile : `Message ${n}\nof two lines.`,
      category: n === 3 ? '"><b>odd</b>' : 'work',
      ...(n === 3 && { agent_id: "<i>'mallory'</i>" }),
      ...(n > 20 && { reply_to: posts[0] }),
      ...(n === 24 && { sign: true }),
    })
    posts.push(String(message_id))
  }
})
afterAll(() => proof?.stop())

const read = async (path: string) => {
  const response = await fetch(proof.url + path, { headers: { accept: 'text/html' } })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

test('growth is told from memory, and is what counting says, also of a million leaves and of clocks that differ', () => {
  const growth = openGrowth()
  expect(growth.read(60, new Date())).toEqual([])
  const start = Date.parse('2026-01-01T00:00:00Z')
  const size = 1_000_000
  const second = (n: number) => Math.floor(Math.sqrt(n) * 10)
  for (let n = 0; n < size; n++) growth.add(new Date(start + second(n) * 1000).toISOString())
  const points = growth.read(11, new Date(start + 20_000_000))
  expect(points.map(({ at }) => Date.parse(at))).toEqual(
    Array.from({ length: 11 }, (_, n) => start + n * 2_000_000),
  )
  for (const { at, size: counted } of points) {
    const until = (Date.parse(at) - start) / 1000
    let low = 0
    while (low < size && second(low) <= until) low++
    expect(counted).toBe(low)
  }
  growth.add(new Date(start - day).toISOString())
  const later = growth.read(11, new Date(start + 20_000_000)).map(point => point.size)
  expect(later).toEqual([...later].sort((one, other) => one - other))
  expect(later.at(-1)).toBe(size + 1)
})

describe('the pages without scripts', () => {
  test('show the ledger, its growth and its checkpoint, and go back to its first entry', async () => {
    const { status, text } = await read('/explore')
    const ledger = (await proof.ask('read_ledger', {})) as { size: number; root: string; origin: string }
    expect(status).toBe(200)
    expect(text).toContain(`<h1>The ledger</h1>`)
    expect(text).toContain(`${ledger.origin}\n${ledger.size}\n`)
    expect(text).toContain(ledger.root)
    expect(text).toMatch(/aria-label="Growth of the ledger: [\d,]+ entries at .*, [\d,]+ at /)
    expect(text).toContain('No checkpoint is anchored outside of this service')
    expect(text).toContain('No witness has cosigned')
    const seen = new Set<string>()
    for (let path: string | undefined = '/explore'; path; ) {
      const page: string = (await read(path)).text
      for (const [, index = ''] of page.matchAll(/explore\/entries\/(\d+)"/g)) seen.add(index)
      path = /\/proof(\/explore\?before=\d+)#entries">Older/.exec(page)?.[1]
    }
    expect(seen.size).toBe(ledger.size)
    for (const before of ['0', 'x', '-1', '9'.repeat(16)])
      expect((await read(`/explore?before=${before}`)).status).toBe(422)
    expect((await read('/explore?before=999999')).text).toContain('There is no such entry')
  })

  test('read no more leaves than they list, however long the ledger is', async () => {
    const store = vi.spyOn(proof.store, 'read')
    try {
      await read('/explore')
      const batches = await Promise.all(store.mock.results.map(({ value }) => value as Promise<unknown[]>))
      expect(batches.flat().length).toBeLessThanOrEqual(20)
    } finally {
      store.mockRestore()
    }
  })

  test('tell of witnesses and anchors what is known, and no more', async () => {
    const checkpoint = await proof.log.checkpoint(proof.log.size())
    await proof.store.transaction(async tx => {
      const { size, note } = checkpoint
      const line = `— witness.example.org ${Buffer.alloc(76).toString('base64')}`
      const at = '2026-01-05T10:00:00.000Z'
      await cosignaturesIn(tx).put({
        id: 'witness.example.org+01020304+x',
        size,
        note,
        line,
        cosigned_at: at,
      })
      await cosignaturesIn(tx).put({
        id: '<b>late</b>.example.org+01020304+x',
        size: 1,
        note: 'older',
        line,
        cosigned_at: at,
      })
      const anchor = { size, checkpoint: note, created_at: at, ots: null, bitcoin: [], event_id: null }
      const relays: string[] = []
      await anchorsIn(tx).put({ ...anchor, id: 'a', kind: 'opentimestamps', state: 'pending', relays })
      await anchorsIn(tx).put({ ...anchor, id: 'b', kind: 'nostr', state: 'failed', relays })
      await anchorsIn(tx).put({
        ...anchor,
        id: 'c',
        kind: 'opentimestamps',
        state: 'anchored',
        relays,
        bitcoin: [{ height: 900_001, merkle_root: '00' }],
      })
    })
    const { text } = await read('/explore')
    expect(text).toContain('witness.example.org: cosigned this checkpoint')
    expect(text).toContain('&lt;b&gt;late&lt;/b&gt;.example.org: cosigned an older checkpoint, of size 1')
    expect(text).toContain('— witness.example.org AAAA')
    expect(text).toContain('pending: its proof names no block yet')
    expect(text).toContain('Bitcoin block 900001, which this service has not looked into')
    expect(text).toContain('<span class="bad">failed</span>')
  })

  test('show of a review what its confidentiality lets out, as the proof itself does', async () => {
    const hidden = await read(`/explore/reviews/${ids.private}`)
    expect(hidden.status).toBe(200)
    expect(hidden.text).toContain('rejected')
    expect(hidden.text).toContain('made hashes public, and nothing else')
    expect(hidden.text).not.toContain('secret-of-the-caller')
    expect(hidden.text).not.toContain('Rules that found')
    const summary = await read(`/explore/reviews/${ids.summary}`)
    expect(summary.text).toContain('The summary.')
    expect(summary.text).toContain('Rules that found something')
    expect(summary.text).not.toContain('secret-of-the-caller')
    expect((await read(`/explore/reviews/${ids.full}`)).text).toContain('secret-of-the-caller')
    for (const id of [ids.witness, ids.execution, '0'.repeat(64)]) {
      const { status, headers, text } = await read(`/explore/reviews/${id}`)
      expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
      expect(text).toContain('There is no such page')
    }
    expect((await read('/explore/reviews/operation-1')).status).toBe(422)
  })

  test('show a proof, its entry, and what was revealed', async () => {
    const { text } = await read(`/explore/proofs/${ids.execution}`)
    const { index, inclusion } = (await proof.ask('get_proof', { proof_id: ids.execution })) as {
      index: number
      inclusion: string[]
    }
    expect(text).toContain('Proof of an execution')
    expect(text).toContain('What was revealed of it')
    for (const hash of inclusion) expect(text).toContain(hash)
    const entry = await read(`/explore/entries/${index}`)
    expect(entry.text).toContain(`/explore/proofs/${ids.execution}"`)
    expect((await read('/explore/entries/0')).text).toContain('<dd>key</dd>')
    expect((await read('/explore/entries/99999')).status).toBe(404)
    expect((await read('/explore/entries/x')).status).toBe(422)
  })

  test('show the board page by page, by category, and a thread', async () => {
    const seen: string[] = []
    for (let path: string | undefined = '/board'; path; ) {
      const page: string = (await read(path)).text
      seen.push(...[...page.matchAll(/<li id="m-([0-9a-f]{24})">/g)].map(([, id = '']) => id))
      path = /href="[^"]*\/proof(\/board\?[^"]*)">Older/.exec(page)?.[1]?.replaceAll('&amp;', '&')
    }
    expect(seen).toEqual([...posts].reverse())
    const odd = await read(`/board?${new URLSearchParams({ category: '"><b>ODD</b>' })}`)
    expect(odd.text.match(/<li id="m-/g)).toHaveLength(1)
    expect(odd.text).toContain('<bdi>&lt;i&gt;&#39;mallory&#39;&lt;/i&gt;</bdi>, as it calls itself')
    const thread = await read(`/board/${posts[22]}`)
    expect([...thread.text.matchAll(/<li id="m-(\w+)/g)].map(([, id]) => id)).toEqual([
      posts[0],
      ...posts.slice(21),
    ])
    expect((await read('/board?category=nothing')).text).toContain('There is nothing in')
    expect((await read('/board?after=nonsense')).status).toBe(422)
    expect((await read(`/board/${'0'.repeat(24)}`)).status).toBe(404)
    expect((await read('/board/x')).status).toBe(422)
  })

  test("keep strangers' words as text, under a policy that runs none of them", async () => {
    const paths = [
      '/board',
      `/board/${posts[3]}`,
      `/board?category=${encodeURIComponent(hostile.slice(0, 50))}`,
      `/board?after=${encodeURIComponent(hostile)}`,
      `/board/${encodeURIComponent(hostile.slice(0, 60))}`,
      `/explore?before=${encodeURIComponent(hostile)}`,
      `/explore/entries/${encodeURIComponent('<img src=x>')}`,
      `/explore/proofs/${encodeURIComponent('<img src=x>')}`,
      `/explore/proofs/${ids.execution}`,
      `/explore/proofs/${ids.full}`,
      `/explore/reviews/${ids.full}`,
      `/explore/reviews/${ids.summary}`,
    ]
    for (const path of paths) {
      const { text, headers } = await read(path)
      const isProof = /proofs\/[0-9a-f]{64}$/.test(path)
      expect([path, text.match(/<script/g)?.length ?? 0]).toEqual([path, isProof ? 1 : 0])
      expect([path, text.match(/<img|<b>|<i>|<style>body\{display|<\/main>(?=.*<\/main>)/s)]).toEqual([
        path,
        null,
      ])
      expect(headers.get('content-security-policy')).toMatch(
        new RegExp(
          `^default-src 'none'; style-src 'sha256-[^']+'; script-src '${isProof ? 'self' : 'none'}'; connect-src 'none'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$`,
        ),
      )
    }
  })
})

inBrowser('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser?.close())

  const places = (): Record<string, string> => ({
    ledger: '/explore',
    older: '/explore?before=5',
    entry: `/explore/entries/${proof.log.size() - 2}`,
    proof: `/explore/proofs/${ids.execution}`,
    review: `/explore/reviews/${ids.full}`,
    private: `/explore/reviews/${ids.private}`,
    board: '/board',
    odd: `/board?${new URLSearchParams({ category: '"><b>odd</b>' })}`,
    thread: `/board/${posts[0]}`,
    missing: `/board/${'0'.repeat(24)}`,
  })

  test.each([390, 1280])('of %i pixels everything fits, and everybody can use it', async width => {
    const context = await browser.newContext({ viewport: { width, height: 844 }, bypassCSP: true })
    const page = await context.newPage()
    for (const [name, path] of Object.entries(places())) {
      await page.goto(proof.url + path)
      if (name === 'proof') await page.locator('#result').waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(width)
      await page.evaluate('document.querySelectorAll("details").forEach(details => { details.open = true })')
      await look(page, `proof ${name}`)
    }
    await context.close()
  })

  test('a proof is verified on its page, without asking anybody; one that was changed there is not valid', async () => {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
    const page = await context.newPage()
    const faults: string[] = []
    page.on('console', message => message.type() === 'error' && faults.push(message.text()))
    page.on('pageerror', error => faults.push(error.message))
    for (const id of [ids.execution, ids.full, ids.witness, ids.private]) {
      await page.goto(`${proof.url}/explore/proofs/${id}`)
      expect(await page.locator('#verdict').textContent()).toBe('Valid')
    }
    await context.setOffline(true)
    await page.getByText('The file, and the keys').focus()
    await page.keyboard.press('Enter')
    const file = await page.locator('#proof').inputValue()
    await page
      .locator('#proof')
      .fill(file.replace('"confidence', '"confidenCe').replace(/confidence\\":/, 'confidenz\\":'))
    await page.locator('#verify').focus()
    await page.keyboard.press('Enter')
    expect(await page.locator('#verdict').textContent()).toBe('Not valid')
    expect(faults).toEqual([])
    await context.close()
  })

  test('by keyboard alone somebody comes from the board to a thread', async () => {
    const context = await browser.newContext({
      viewport: { width: 390, height: 844 },
      javaScriptEnabled: false,
    })
    const page = await context.newPage()
    await page.goto(`${proof.url}/board`)
    await page.getByLabel('Category').focus()
    await page.keyboard.type('Work')
    await page.keyboard.press('Enter')
    await page.waitForURL(/category=Work/)
    await page.getByRole('link', { name: 'thread' }).last().focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/board\/[0-9a-f]{24}$/)
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('A thread')
    await context.close()
  })
})
