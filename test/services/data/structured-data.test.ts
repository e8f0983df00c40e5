import { describe, expect, test } from 'vitest'
import type { Format } from '../../../mcp/services/data/structured/item.ts'
import { readStructured } from '../../../mcp/services/data/structured/structured.ts'
import { opened } from '../../opened.ts'
import { startData } from './run.ts'

const data = opened(startData)

const read = (html: string) => readStructured(html, 'http://example.com/a/b')

const dataIn = async (format: Format, html: string) =>
  (await read(html)).items.filter(item => item.format === format).map(({ data }) => data)

describe('structured-data', () => {
  test('gives what a page says in each format', async () => {
    const found = await data.ask('structured-data', { url: 'http://example.com/product' })
    expect(found).toMatchObject({
      url: 'http://example.com/product',
      status: 200,
      formats: { jsonld: 1, microdata: 1, rdfa: 2, opengraph: 1, dublincore: 1 },
      type_counts: { Product: 1, Offer: 1, BreadcrumbList: 1, Organization: 1 },
      errors: [],
      count: 6,
      truncated: false,
      meta: { warnings: [] },
    })
    expect(found.items).toMatchObject([
      {
        format: 'jsonld',
        type: 'Product',
        id: '#kettle',
        data: { '@type': 'Product', name: 'Kettle', offers: { '@type': 'Offer', price: '39.00' } },
      },
      {
        format: 'microdata',
        type: 'BreadcrumbList',
        data: {
          type: 'https://schema.org/BreadcrumbList',
          properties: { item: 'http://example.com/kitchen' },
        },
      },
      { format: 'rdfa', id: 'http://example.com/product' },
      {
        format: 'rdfa',
        type: 'Organization',
        data: { 'http://schema.org/name': [{ '@value': 'Example Works' }] },
      },
      {
        format: 'opengraph',
        type: 'product',
        data: {
          namespace: { og: 'http://ogp.me/ns#' },
          properties: [
            ['og:type', 'product'],
            ['og:title', 'Kettle'],
          ],
        },
      },
      {
        format: 'dublincore',
        data: { elements: [{ content: 'Ada Example', URI: 'http://purl.org/dc/elements/1.1/creator' }] },
      },
    ])
  })

  test('reads what an action asks for, in microdata and RDFa', async () => {
    const micro =
      '<form itemscope itemtype="https://schema.org/SearchAction"><meta itemprop=target content="https://x.test/?q={q}"><input itemprop=query-input type=text maxlength=9 name=q required></form>'
    expect(await dataIn('microdata', micro)).toMatchObject([
      {
        properties: {
          target: 'https://x.test/?q={q}',
          'query-input': { valueRequired: true, valueMaxLength: '9', valueName: 'q' },
        },
      },
    ])
    const rdfa =
      '<form vocab="https://schema.org/" typeof=SearchAction><input property=query-input name=q required></form>'
    expect(await dataIn('rdfa', rdfa)).toContainEqual(
      expect.objectContaining({ 'https://schema.org/query-input': [{ '@value': 'required name=q' }] }),
    )
  })

  test('has the prefixes that a page declares for OpenGraph, and Dublin Core without a prefix', async () => {
    const html =
      '<html prefix="og: http://ogp.me/ns# fb: http://ogp.me/ns/fb#"><head prefix="x: http://x.test/#"><meta property="og:title" content=T><meta name=description content="What it is"><meta name=viewport content=w><meta name="x.title" content=no></head>'
    expect(await dataIn('opengraph', html)).toMatchObject([
      {
        namespace: { og: 'http://ogp.me/ns#', fb: 'http://ogp.me/ns/fb#', x: 'http://x.test/#' },
        properties: [['og:title', 'T']],
      },
    ])
    expect(await dataIn('dublincore', html)).toEqual([
      {
        namespaces: {},
        elements: [
          { name: 'description', content: 'What it is', URI: 'http://purl.org/dc/elements/1.1/description' },
        ],
        terms: [],
      },
    ])
  })

  test('has the attributes and the spelling of prefixes of Dublin Core as they are written', async () => {
    const html =
      '<link rel=schema.DCTERMS href="http://purl.org/dc/terms/"><link rel=DCTERMS.replaces hreflang=en href="/old">'
    expect(await dataIn('dublincore', html)).toEqual([
      {
        namespaces: { DCTERMS: 'http://purl.org/dc/terms/' },
        elements: [],
        terms: [
          { rel: 'DCTERMS.replaces', href: '/old', hreflang: 'en', URI: 'http://purl.org/dc/terms/replaces' },
        ],
      },
    ])
  })

  test('says so when there is nothing', async () => {
    expect(await read('<p>hello')).toMatchObject({ types: [], items: [], errors: [], truncated: false })
  })
})

const block = (json: string, type = 'application/ld+json') => `<script type="${type}">${json}</script>`

describe('JSON-LD', () => {
  test.each([
    ['an array', '[{"@type":"A"},{"@type":"B"}]', ['A', 'B']],
    [
      'a graph',
      '{"@context":"https://schema.org","@graph":[{"@type":"A","x":{"@type":"C"}},{"@type":["B","A"]}]}',
      ['A', 'C', 'B'],
    ],
    [
      'types of schema.org in every spelling',
      '[{"@type":"http://schema.org/A"},{"@type":"https://schema.org/A"},{"@type":"schema:A"}]',
      ['A'],
    ],
    ['types of another vocabulary', '{"@type":"http://example.org/T"}', ['http://example.org/T']],
    ['no type', '{"name":"x"}', []],
    ['a comment around it', '<!-- {"@type":"A"} -->', ['A']],
    ['a CDATA section around it', '//<![CDATA[\n{"@type":"A"}\n//]]>', ['A']],
    ['another one', '/* <![CDATA[ */{"@type":"A"}/* ]]> */', ['A']],
    ['a comment before it', '// from the shop\n{"@type":"A"}', ['A']],
    ['a byte order mark', '\ufeff{"@type":"A"}', ['A']],
  ])('with %s is read', async (_, json, types) => {
    expect(await read(block(json))).toMatchObject({ types, errors: [] })
  })

  test('has the nodes of a graph as items, each with the context', async () => {
    const json = '{"@context":"https://schema.org","@graph":[{"@type":"A","@id":"#a"},{"@type":"B"}]}'
    expect((await read(block(json))).items).toEqual([
      {
        format: 'jsonld',
        type: 'A',
        types: ['A'],
        id: '#a',
        data: { '@context': 'https://schema.org', '@type': 'A', '@id': '#a' },
      },
      {
        format: 'jsonld',
        type: 'B',
        types: ['B'],
        id: null,
        data: { '@context': 'https://schema.org', '@type': 'B' },
      },
    ])
  })

  test.each([
    ['a comma too many', '{"@type":"A","n":1,}'],
    ['a line break in a string', '{"@type":"A","n":"x\ny"}'],
    ['single quotes', "{'@type':'A'}"],
    ['a cut end', '{"@type":"A","n":["x"'],
    ['entities for quotes', '{&quot;@type&quot;:&quot;A&quot;}'],
  ])('with %s is repaired and reported', async (_, json) => {
    const { types, errors } = await read(block('{"@type":"First"}') + block(json))
    expect(types).toEqual(['First', 'A'])
    expect(errors).toMatchObject([{ format: 'jsonld', where: 'script 1', repaired: true }])
  })

  test('that is none is reported and spoils nothing', async () => {
    const { types, errors } = await read(
      `${block('TODO')}${block('')}${block('{"@type":"A"}')}${block('{"@type":"B"}', 'text/json')}`,
    )
    expect(types).toEqual(['A'])
    expect(errors).toMatchObject([{ where: 'script 0', repaired: false }])
  })

  test('cannot change what objects are, and hides no marks', async () => {
    const [item] = await dataIn(
      'jsonld',
      block('{"@type":"A","__proto__":{"x":1},"n":"a\\u202eb","d":{"__proto__":{"y":1}}}'),
    )
    expect(item).toEqual({ '@type': 'A', n: 'ab', d: {} })
    expect(Object.keys(item ?? {})).not.toContain('__proto__')
  })

  test('may stand anywhere, in any case, with a charset', async () => {
    const html = `<body><p>${block('{"@type":"A"}', 'Application/LD+JSON; charset=utf-8')}</p>`
    expect((await read(html)).types).toEqual(['A'])
  })
})

const item = (html: string, more = '') => dataIn('microdata', `<div itemscope ${more}>${html}</div>`)

describe('microdata', () => {
  test.each([
    ['text', '<b itemprop=p> a <i>b</i>\n c</b>', 'a b c'],
    ['content', '<span itemprop=p content="4.5">****</span>', '4.5'],
    ['a meta element', '<meta itemprop=p content=x>', 'x'],
    ['a field of a form', '<input itemprop=p name=q>', ''],
    ['a link', '<a itemprop=p href="../c?d#e">text</a>', 'http://example.com/c?d#e'],
    ['a link that leads nowhere', '<a itemprop=p href="http://[">text</a>', ''],
    ['an image', '<img itemprop=p src=i.png>', 'http://example.com/a/i.png'],
    ['an object', '<object itemprop=p data=o></object>', 'http://example.com/a/o'],
    ['a time', '<time itemprop=p datetime="2026-01-02">yesterday</time>', '2026-01-02'],
    ['a time in words', '<time itemprop=p>2026</time>', '2026'],
    ['a value for machines', '<data itemprop=p value=7>seven</data>', '7'],
    ['a meter', '<meter itemprop=p value=0.5>half</meter>', '0.5'],
    ['text without scripts', '<p itemprop=p>Neil<style>b{}</style><script>x()</script></p>', 'Neil'],
    ['several values', '<i itemprop=p>1</i><i itemprop=p>2</i>', ['1', '2']],
  ])('gives %s', async (_, html, value) => {
    expect(await item(html)).toEqual([{ properties: { p: value } }])
  })

  test('gives a value all of its names, and an item all of its types', async () => {
    expect(
      await item('<i itemprop="a b">x</i>', 'itemtype="http://x.org/A http://x.org/B" itemid="#me"'),
    ).toEqual([
      {
        type: ['http://x.org/A', 'http://x.org/B'],
        id: 'http://example.com/a/b#me',
        properties: { a: 'x', b: 'x' },
      },
    ])
  })

  test('nests items, and counts their types', async () => {
    const html =
      '<div itemscope itemtype="https://schema.org/Product"><p itemprop=offers itemscope itemtype="https://schema.org/Offer"><i itemprop=price>1</i></p><i itemprop=name>n</i></div>'
    expect(await read(html)).toMatchObject({
      formats: { microdata: 1 },
      type_counts: { Product: 1, Offer: 1 },
      items: [
        {
          data: {
            properties: {
              offers: { type: 'https://schema.org/Offer', properties: { price: '1' } },
              name: 'n',
            },
          },
        },
      ],
    })
  })

  test('takes properties from where itemref says', async () => {
    const html =
      '<p id=x><i itemprop=a>1</i></p><i id=y itemprop=b>2</i><div itemscope itemref="x y gone"></div>'
    expect(await dataIn('microdata', html)).toEqual([{ properties: { a: '1', b: '2' } }])
  })

  test('ends where an item would hold itself', async () => {
    const html = '<div itemscope><p itemprop=a itemscope id=x itemref=x><i itemprop=n>1</i></p></div>'
    expect(await dataIn('microdata', html)).toMatchObject([{ properties: { a: { properties: { n: '1' } } } }])
    const loop =
      '<i itemscope itemref=x></i><i id=x itemprop=p itemscope itemref=y></i><i id=y itemprop=q itemscope itemref=x></i>'
    expect(await dataIn('microdata', loop)).toEqual([
      { properties: { p: { properties: { q: { properties: { p: 'ERROR' } } } } } },
    ])
  })

  test('gives the text of an item without properties, and an item that belongs to none', async () => {
    expect(await item('just text')).toEqual([{ value: 'just text' }])
    expect(await dataIn('microdata', '<p itemprop=a itemscope><i itemprop=n>1</i></p>')).toEqual([
      { properties: { n: '1' } },
    ])
  })
})
