import { describe, expect, test } from 'vitest'
import { html, openHosts } from '../../internet/site-audits.ts'
import { opened } from '../../opened.ts'
import { startData } from './run.ts'

const data = opened(startData)

const { serve: serveAt } = openHosts(() => data.internet.web, 'hostile')
/** Serves markup on a host of its own. */
const serve = (...page: Parameters<typeof html>) => serveAt(html(...page))

const audit = (url: string) => data.ask('seo-audit', { url })

describe('a hostile page', () => {
  test('of 110,000 elements is read as far as 100,000 nodes', async () => {
    const found = await audit(serve(`<title>Many</title>${'<br>'.repeat(110_000)}`))
    expect(found).toMatchObject({
      title: { text: 'Many' },
      meta: { truncated: true, warnings: [{ code: 'page_cut' }] },
    })
  })

  test.each([
    ['nested headings', '<h1><div>'.repeat(200) + 'a<br>'.repeat(10_000)],
    ['nested links', '<a href=/x><object>'.repeat(200) + 'a<br>'.repeat(10_000)],
    ['nested headers', '<header>'.repeat(500) + '<header></header>'.repeat(3000)],
    ['a word of a megabyte', `<p>${'x'.repeat(1_000_000)}`],
    ['a megabyte of commas', `<p>${', '.repeat(500_000)}`],
    ['a megabyte of Chinese', `<p>${'数据'.repeat(160_000)}`],
    ['a script of deep JSON', `<script type="application/ld+json">${'['.repeat(200_000)}</script>`],
    ['20,000 empty JSON blocks', '<script type="application/ld+json">{}</script>'.repeat(20_000)],
    ['styles that go on', `<p style="${'display: '.repeat(50_000)}">x`],
    ['40,000 images', '<img src=x>'.repeat(40_000)],
  ])(
    'with %s is audited',
    async (_, body) => {
      const found = await audit(serve(`<title>Hostile</title>${body}`))
      expect(found).toMatchObject({ title: { text: 'Hostile' }, score: expect.any(Number) })
    },
    20_000,
  )
})
