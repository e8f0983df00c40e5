import { describe, expect, test } from 'vitest'
import { opened } from '../../opened.ts'
import { refused, startData } from './run.ts'

const data = opened(startData)

let pages = 0
const serve = (body: string) => {
  const host = `hostile-${++pages}.example.net`
  data.internet.web.site(host, '/', { headers: { 'content-type': 'text/html; charset=utf-8' }, body })
  return `http://${host}/`
}

const many = (count: number, make: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => make(i)).join('')

const nested = `<title>Deep</title>${'<div>'.repeat(100_000)}`
const attributes = `<title>Wide</title><p ${many(200_000, i => `a${i} `)}>`
const brackets = '<'.repeat(2_000_000)

/** Lists in lists, over lines: the search for an article takes minutes. */
const stuck = `<title>Stuck</title>${'<ul><li>'.repeat(250)}${'z <br>'.repeat(9000)}`

const skills = ['readability', 'html-table', 'structured-data']

describe.each(skills)('%s', skill => {
  test.each([
    ['100,000 nested elements', nested, 'page_cut'],
    ['100,000 nested formatting elements', '<b><i>'.repeat(50_000), 'page_cut'],
    ['six million characters', `<p>${'text'.repeat(1_500_000)}`, 'body_cut'],
  ])(
    'stops in %s and says so',
    async (_, body, code) => {
      const { meta } = await data.ask(skill, { url: serve(body) })
      expect(meta).toMatchObject({
        truncated: true,
        warnings: expect.arrayContaining([expect.objectContaining({ code })]),
      })
    },
    30_000,
  )

  test.each([
    ['200,000 attributes', attributes],
    ['two million opening brackets', brackets],
    ['nothing', ''],
    ['bytes that are no text', '\u0000\u0001\ufffd<\u0000p>\u0000'],
    ['a frame set', '<frameset><frame src=x></frameset>'],
  ])(
    'reads a page with %s',
    async (_, body) => {
      expect(await data.ask(skill, { url: serve(body) })).toMatchObject({ skill, status: 200 })
    },
    30_000,
  )
})

test.each(['application/pdf', 'application/json'])('a file of %s is no page', async type => {
  data.internet.web.site('files.example.net', `/${type}`, { headers: { 'content-type': type }, body: '{}' })
  for (const skill of ['readability', 'seo-audit'] as const) {
    const error = await refused(data.ask(skill, { url: `http://files.example.net/${type}` }))
    expect(error.toProblem()).toMatchObject({
      code: 'unsupported_media',
      status: 415,
      detail: expect.stringContaining(type),
      retryable: false,
    })
  }
})

describe('readability', () => {
  test('gives up a page in which the search for an article never ends, for now', async () => {
    const error = await refused(data.ask('readability', { url: serve(stuck), markdown: true }))
    expect(error.toProblem()).toMatchObject({ code: 'upstream', retryable: true })
  })

  test('leaves others alone meanwhile', async () => {
    const slow = refused(data.ask('readability', { url: serve(stuck) }))
    const others = await Promise.all(
      [1, 2, 3].map(n => data.ask('url-metadata', { url: serve(`<title>Quick ${n}</title>`) })),
    )
    expect(others.map(({ title }) => title)).toEqual(['Quick 1', 'Quick 2', 'Quick 3'])
    expect(await data.ask('html-table', { url: serve('<table><tr><td>1<td>2</table>') })).toMatchObject({
      count: 1,
    })
    expect((await slow).code).toBe('upstream')
  })
})

describe('html-table', () => {
  test('gives 5,000 of 20,000 rows', async () => {
    const { tables } = await data.ask('html-table', {
      url: serve(`<table>${'<tr><td>1<td>2'.repeat(20_000)}`),
    })
    expect(tables).toMatchObject([{ row_count: 20_000, truncated: true }])
    expect((tables as { rows: unknown[] }[])[0]?.rows).toHaveLength(5000)
  })

  test('reads tables within tables, 160 deep', async () => {
    const body = `${'<table><tr><td>x<td>y<tr><td>'.repeat(160)}${'text '.repeat(10_000)}`
    expect(await data.ask('html-table', { url: serve(body) })).toMatchObject({ found: expect.any(Number) })
  })

  test('survives spans of a thousand columns and 65,534 rows', async () => {
    const body = `<table>${`<tr>${'<td>b<td colspan=1000 rowspan=65534>a'.repeat(20)}`.repeat(500)}</table>`
    expect(await data.ask('html-table', { url: serve(body) })).toMatchObject({ truncated: true })
  })
})

describe('structured-data', () => {
  test('ends where items refer to each other, and again', async () => {
    const item = (i: number) =>
      `<p id=a${i} itemprop=a itemscope itemref="a${i + 1} b${i + 1}"></p><p id=b${i} itemprop=b itemscope itemref="a${i + 1} b${i + 1}"></p>`
    const body = `<div itemscope itemref="a0 b0"></div>${many(40, item)}`
    expect(await data.ask('structured-data', { url: serve(body) })).toMatchObject({ truncated: true })
  })

  test('ends where many items share much', async () => {
    const body = `<div id=big>${'<i itemprop=a>x</i>'.repeat(20_000)}</div>${'<p itemscope itemref=big></p>'.repeat(500)}`
    expect(await data.ask('structured-data', { url: serve(body) })).toMatchObject({ truncated: true })
  })

  test('ends where 500 properties hold the same long text', async () => {
    const body = `${'<div property="schema:a" itemprop=b>'.repeat(500)}${'text '.repeat(50_000)}`
    expect(await data.ask('structured-data', { url: serve(body) })).toMatchObject({ truncated: true })
  })

  test('reads JSON-LD that is 100,000 deep or a megabyte of mistakes', async () => {
    const deep = `<script type="application/ld+json">${'{"a":['.repeat(50_000)}</script>`
    const broken = `<script type="application/ld+json">[${"{'@type':'A',},".repeat(70_000)}</script>`
    expect(await data.ask('structured-data', { url: serve(deep) })).toMatchObject({
      errors: [{ format: 'jsonld' }],
    })
    expect(await data.ask('structured-data', { url: serve(broken) })).toMatchObject({
      type_counts: { A: 70_000 },
      truncated: true,
      errors: [{ repaired: true }],
    })
  })
})
